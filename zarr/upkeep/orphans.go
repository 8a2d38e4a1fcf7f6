package upkeep

import (
	"context"

	"github.com/zargo-io/zargo/internal/chunk/keys"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Orphans counts stored chunks or shards that no read of the array requests. [FindOrphans] counts
// them; Delete deletes them.
type Orphans struct {
	// Beyond counts chunks at positions outside the grid. They remain when an array shrinks and
	// only its metadata is changed.
	Beyond int64
	// Elsewhere counts chunks under keys of another layout that can be deleted: their position is
	// outside the grid, or is also stored under the array's own layout.
	Elsewhere int64
	// Bytes is the total size of the chunks that Beyond and Elsewhere count.
	Bytes int64
	// Kept counts chunks under keys of another layout that may be the only copy of their values.
	// Delete keeps them.
	Kept int64
	// Linked counts orphans that are reached through symbolic links. Delete follows no links and
	// keeps these orphans.
	Linked int64

	a *zarr.Array
}

// FindOrphans counts the stored chunks that no read of the array requests. It finds those that
// [zarr.Array.Resize] leaves: Resize deletes the chunks of the previous grid that are outside the
// new shape, unless MetadataOnly is set, and no others. Chunks that a change in progress may be
// writing are excluded.
//
// FindOrphans lists the array's keys and needs memory for the positions of the chunks. If the array
// was not opened from its own documents, FindOrphans reads them (see [zarr.Array.Stored]).
func FindOrphans(ctx context.Context, a *zarr.Array) (*Orphans, error) {
	a, err := storedArray(ctx, a)
	if err != nil {
		return nil, err
	}
	s, err := scan(ctx, a)
	if err != nil {
		return nil, node.Of(a).Errorf(err)
	}
	o := &Orphans{a: a}
	err = node.Of(a).Each(ctx, func(e store.Entry, key string) error {
		f := s.keys.Find(key)
		orphan := f.Place == keys.Beyond || f.Place == keys.Elsewhere && s.orphan(f)
		switch {
		case orphan && behindLink(e):
			o.Linked++
		case f.Place == keys.Beyond:
			o.Beyond++
			o.Bytes += max(0, e.Size)
		case orphan:
			o.Elsewhere++
			o.Bytes += max(0, e.Size)
		case f.Place == keys.Elsewhere:
			o.Kept++
		}
		return nil
	})
	if err != nil {
		return nil, node.Of(a).Errorf(err)
	}
	return o, nil
}

// Delete deletes the chunks that are orphans at the time of the call. Meanwhile it claims the
// array, as [zarr.Append] does, so that no other writer changes the shape. Delete returns
// ErrConflict if another change is in progress or the array changed since it was opened. If the
// process is killed, the claim remains; see [DropClaim].
func (o *Orphans) Delete(ctx context.Context) error {
	at := node.Of(o.a)
	if err := o.delete(ctx); err != nil {
		return at.Errorf(err)
	}
	return nil
}

func (o *Orphans) delete(ctx context.Context) error {
	of := node.Of(o.a)
	if of.Format == 1 {
		return fault.Newf(fault.ReadOnly, "v1 arrays are read-only")
	}
	c := claim.New(claim.Resize)
	held, err := of.Hold(ctx, of.Doc, node.TakeOver{}, func(t node.Text) (node.Change, error) {
		return node.Change{Claim: c, Record: t.Record.Deleted(t.Shape)}, t.As(of.Doc)
	})
	if err != nil {
		return err
	}
	s, err := scan(ctx, o.a)
	if err == nil {
		err = of.DeleteHeld(ctx, held, func(e store.Entry, key string) bool {
			f := s.keys.Find(key)
			return !behindLink(e) && (f.Place == keys.Beyond || f.Place == keys.Elsewhere && s.orphan(f))
		})
	}
	if err != nil {
		over, cancel := node.Detached(ctx)
		defer cancel()
		_ = held.GiveUp(over, false) // if this fails, DropClaim removes the claim
		return err
	}
	return held.GiveUp(ctx, false)
}

// behindLink reports whether an object is reached through a symbolic link among the directories of
// its key.
func behindLink(e store.Entry) bool { return e.Link != "" && e.Link != e.Key }

// scanned describes the chunks stored below an array.
type scanned struct {
	keys    keys.Keys
	present *keys.Set
	own     bool             // a chunk of the grid is stored under the array's own layout
	other   meta.KeyEncoding // layout of the keys that are not of the array's own layout
	inside  bool             // a key of another layout has a position in the grid
	mixed   bool             // keys of more than one other layout are stored
}

// scan finds the stored chunks of an array by listing its keys.
func scan(ctx context.Context, a *zarr.Array) (*scanned, error) {
	c, err := claimOf(node.Of(a))
	if err != nil {
		return nil, err
	}
	s := &scanned{keys: keys.Of(a, c), present: keys.NewSet(a.GridShape())}
	err = node.Of(a).Each(ctx, func(_ store.Entry, key string) error {
		switch f := s.keys.Find(key); f.Place {
		case keys.Inside:
			s.own = true
			s.present.Add(f.Coord)
		case keys.Elsewhere:
			s.mixed = s.mixed || s.other.Name != "" && s.other != f.Encoding
			s.other = f.Encoding
			s.inside = s.inside || s.keys.In(f.Coord)
		}
		return nil
	})
	return s, err
}

// orphan reports whether a chunk of another layout can be deleted. This requires that the array has
// chunks under its own layout, and that the position of the chunk is outside the grid or is also
// stored under the array's own layout.
func (s *scanned) orphan(f keys.Found) bool {
	return s.own && (!s.keys.In(f.Coord) || s.present.Has(f.Coord))
}
