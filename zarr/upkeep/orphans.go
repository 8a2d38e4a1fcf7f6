package upkeep

import (
	"context"

	"github.com/zargo-io/zargo/internal/chunkkeys"
	"github.com/zargo-io/zargo/internal/claim"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/internal/hierarchy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Orphans are chunks, or shards, which no read of an array looks for. [FindOrphans] counts them by
// a listing, and nothing is deleted before Delete.
type Orphans struct {
	Beyond    int64 // under keys beyond the grid, as a shrink that changes metadata alone leaves them
	Elsewhere int64 // under keys of another layout, where the array has a chunk of the same position under its own
	Bytes     int64 // of both
	Kept      int64 // under keys of another layout too, but perhaps the only copy of their values: Delete leaves them
	Linked    int64 // behind symbolic links, which Delete does not follow: it leaves them too

	a *zarr.Array
}

// FindOrphans looks for chunks that no read of the array looks for. Array.Resize deletes others:
// those of a grid that is known which the new shape leaves out, by their names where they are few
// (package grow). Chunks that a change under way may be writing are not among them. It
// costs a listing of the array's keys, and memory for the positions of its chunks. The array must
// have been opened from its documents, not from consolidated metadata.
func FindOrphans(ctx context.Context, a *zarr.Array) (*Orphans, error) {
	s, err := scan(ctx, a)
	if err != nil {
		return nil, errorf(hierarchy.SourceOf(a).At, err)
	}
	o := &Orphans{a: a}
	err = hierarchy.SourceOf(a).At.Each(ctx, func(e store.Entry, key string) error {
		f := s.keys.Find(key)
		orphan := f.Place == chunkkeys.Beyond || f.Place == chunkkeys.Elsewhere && s.orphan(f)
		switch {
		case orphan && behindLink(e):
			o.Linked++
		case f.Place == chunkkeys.Beyond:
			o.Beyond++
			o.Bytes += max(0, e.Size)
		case orphan:
			o.Elsewhere++
			o.Bytes += max(0, e.Size)
		case f.Place == chunkkeys.Elsewhere:
			o.Kept++
		}
		return nil
	})
	if err != nil {
		return nil, errorf(hierarchy.SourceOf(a).At, err)
	}
	return o, nil
}

// Delete deletes the orphans that are there by now. The array is claimed meanwhile as by
// [zarr.Append], so that no one else changes its shape: ErrConflict where another change is under
// way, or the array was changed since it was opened. A process that is killed leaves the claim, see
// [DropClaim].
func (o *Orphans) Delete(ctx context.Context) error {
	at := hierarchy.SourceOf(o.a).At
	if err := o.delete(ctx); err != nil {
		return errorf(at, err)
	}
	return nil
}

func (o *Orphans) delete(ctx context.Context) error {
	of := hierarchy.SourceOf(o.a)
	if of.Format() == 1 {
		return fault.Newf(fault.ReadOnly, "arrays of v1 are read, and never changed")
	}
	c := claim.New(claim.Resize)
	held, err := of.At.Hold(ctx, of.Doc, document.TakeOver{}, func(t document.Text) (document.Change, error) {
		return document.Change{Claim: c, Record: t.Record.Deleted(t.Shape)}, t.As(of.Doc)
	})
	if err != nil {
		return err
	}
	s, err := scan(ctx, o.a)
	if err == nil {
		err = of.At.DeleteHeld(ctx, held, func(e store.Entry, key string) bool {
			f := s.keys.Find(key)
			return !behindLink(e) && (f.Place == chunkkeys.Beyond || f.Place == chunkkeys.Elsewhere && s.orphan(f))
		})
	}
	if err != nil {
		over, cancel := document.Detached(ctx)
		defer cancel()
		_ = held.GiveUp(over, false) // else it can be dropped
		return err
	}
	return held.GiveUp(ctx, false)
}

// behindLink reports whether an object is reached through a symbolic link in the folders of its
// key.
func behindLink(e store.Entry) bool { return e.Link != "" && e.Link != e.Key }

// scanned is where an array has chunks.
type scanned struct {
	keys    chunkkeys.Keys
	present *chunkkeys.Set
	own     bool             // there is a chunk of the grid
	other   meta.KeyEncoding // of the keys of another layout
	inside  bool             // one of these is of a chunk of the grid
	mixed   bool             // there are several other layouts
}

// scan lists the keys of an array.
func scan(ctx context.Context, a *zarr.Array) (*scanned, error) {
	c, err := claimOf(hierarchy.SourceOf(a))
	if err != nil {
		return nil, err
	}
	grid := a.GridShape()
	s := &scanned{keys: chunkkeys.Of(a.Metadata(), grid, c, a.ChunkAt), present: chunkkeys.NewSet(grid)}
	err = hierarchy.SourceOf(a).At.Each(ctx, func(_ store.Entry, key string) error {
		switch f := s.keys.Find(key); f.Place {
		case chunkkeys.Inside:
			s.own = true
			s.present.Add(f.Coord)
		case chunkkeys.Elsewhere:
			s.mixed = s.mixed || s.other.Name != "" && s.other != f.Encoding
			s.other = f.Encoding
			s.inside = s.inside || s.keys.In(f.Coord)
		}
		return nil
	})
	return s, err
}

// orphan reports whether the values of a chunk of another layout are not the only ones of their
// position.
func (s *scanned) orphan(f chunkkeys.Found) bool {
	return s.own && (!s.keys.In(f.Coord) || s.present.Has(f.Coord))
}
