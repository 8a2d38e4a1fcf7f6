package upkeep

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/internal/masked"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// MigrateOptions say how [Migrate] goes about it. The zero value writes v3 metadata beside what is
// there.
type MigrateOptions struct {
	DryRun bool // only say what would be done
	Remove bool // remove the old metadata, once all of the new is there
	// NoFillAttribute leaves the attribute _FillValue as it is. Without it an array with names of
	// dimensions gets one that has its fill value, which xarray takes for missing in v2, and in v3
	// by the attribute alone.
	NoFillAttribute bool
}

// Migration is what is done for one node.
type Migration struct {
	Path   string // below the store's root
	From   int    // the format it had
	Key    string // of the new document
	Doc    []byte // the new document
	Masked string // what it says of missing values that the old one did not, for people
	Remove []string
}

// String says it in one line.
func (m Migration) String() string {
	s := fmt.Sprintf("v%d → %s", m.From, m.Key)
	if m.Masked != "" {
		s += ", " + m.Masked
	}
	for _, key := range m.Remove {
		s += ", removes " + key
	}
	return s
}

// Migrate gives v1 and v2 nodes v3 metadata: the node and everything below it that is not v3 yet,
// by path. Chunks stay where they are and as they are: v3 can say where v2 keeps them, and with
// which codecs. The names of axes in _ARRAY_DIMENSIONS become dimension_names, an undefined fill
// value the data type's default, and a fill value that xarray takes for missing the attribute
// _FillValue.
//
// All documents are made before the first is written. If v3 cannot describe a node, Migrate returns
// an error and writes nothing. Migrate claims the v2 arrays, so that no append or resize changes
// them meanwhile. Then it puts the v3 documents, parents last, where there are none: ErrExists where
// there is another one. With Remove it then deletes the old documents, each on condition that it was
// not changed. A group that had consolidated metadata is consolidated again.
//
// ErrConflict: an append or a resize is in progress, or the array was changed since. The claims of a
// Migrate that was killed stay in the v2 documents: run it again, which completes it.
//
// Attributes that another program changes in v2 meanwhile are not seen by v3 readers. Without Remove
// that holds for all changes which are made in v2 afterwards.
func Migrate(ctx context.Context, n zarr.Node, o MigrateOptions) ([]Migration, error) {
	nodes, err := old(ctx, n)
	if err != nil {
		return nil, err
	}
	steps := make([]Migration, 0, len(nodes))
	for _, n := range nodes {
		m, err := migration(n, o)
		if err != nil {
			return nil, errorf(source(n).At, err)
		}
		steps = append(steps, m)
	}
	if o.DryRun || len(steps) == 0 {
		return steps, nil
	}
	at := source(n).At
	root, isGroup := nodes[0].(*zarr.Group)
	var consolidated document.Stored
	if isGroup && root.Path() == n.Path() {
		if consolidated, err = at.Look(ctx, document.ZMetadata); err != nil {
			return nil, errorf(at, err)
		}
	}
	var claims claimed
	defer claims.giveUp(ctx)
	for _, n := range nodes {
		if err := claims.hold(ctx, source(n)); err != nil {
			return nil, errorf(source(n).At, err)
		}
	}
	for i, m := range slices.Backward(steps) {
		if err := putOnce(ctx, at, m.Key, m.Doc); err != nil {
			return nil, errorf(source(nodes[i]).At, err)
		}
	}
	if consolidated.There() {
		if _, err := root.Consolidate(ctx); err != nil {
			return nil, err
		}
	}
	if !o.Remove {
		return steps, claims.release(ctx)
	}
	for _, n := range nodes {
		if err := claims.remove(ctx, source(n)); err != nil {
			return nil, errorf(source(n).At, err)
		}
	}
	if consolidated.There() {
		if err := at.Delete(ctx, consolidated); err != nil {
			return nil, errorf(at, err)
		}
	}
	return steps, nil
}

// putOnce puts a document where there is none, or the same.
func putOnce(ctx context.Context, at *document.Node, key string, doc []byte) error {
	_, err := at.Add(ctx, key, doc)
	if !errors.Is(err, fault.Exists) {
		return err
	}
	v, look := at.GetKey(ctx, key)
	if look != nil || !alike(key, v.Bytes, doc) {
		return err
	}
	return nil
}

// alike reports whether two v3 documents say the same of a node, consolidated metadata apart.
func alike(key string, a, b []byte) bool {
	x, ex := meta.ParseV3(key, a)
	y, ey := meta.ParseV3(key, b)
	return ex == nil && ey == nil && document.Same(x, y)
}

// old reads the node and those below it, parents first, and leaves out those of v3.
func old(ctx context.Context, n zarr.Node) ([]zarr.Node, error) {
	st, opts := source(n).At.Store, append(options(n), zarr.IgnoreConsolidated())
	// Where v2 and v3 metadata are both there, the old one is wanted.
	fresh, err := zarr.Open(ctx, st, n.Path(), append(opts, zarr.Format(2))...)
	if errors.Is(err, fault.NotFound) {
		fresh, err = zarr.Open(ctx, st, n.Path(), append(opts, zarr.Format(0))...)
	}
	if err != nil {
		return nil, err
	}
	var nodes []zarr.Node
	g, isGroup := fresh.(*zarr.Group)
	if isGroup {
		if g, err = g.With(zarr.Format(0)); err != nil {
			return nil, err
		}
		fresh = g
	}
	if fresh.Format() < 3 {
		nodes = append(nodes, fresh)
	}
	if !isGroup {
		return nodes, nil
	}
	for n, err := range g.Walk(ctx) {
		if err != nil {
			return nil, err
		}
		if n.Format() < 3 {
			nodes = append(nodes, n)
		}
	}
	return nodes, nil
}

// migration makes the v3 document of a node.
func migration(n zarr.Node, o MigrateOptions) (Migration, error) {
	of := source(n)
	m := Migration{Path: n.Path(), From: n.Format(), Key: of.At.Key(document.ZarrJSON)}
	if o.Remove {
		for _, d := range of.Documents() {
			m.Remove = append(m.Remove, d.Key)
		}
	}
	err := of.Proven()
	if err == nil {
		err = unclaimed(of)
	}
	if err != nil {
		return m, err
	}
	switch n := n.(type) {
	case *zarr.Array:
		var model *meta.Array
		if model, err = n.MetadataV3(); err != nil {
			return m, err
		}
		if model.Dims != nil && !o.NoFillAttribute {
			model.Attrs, m.Masked = masked.ToV3(n.DType(), n.Fill(), model.Attrs)
		}
		m.Doc, err = model.EncodeV3()
	case *zarr.Group:
		m.Doc, err = (&meta.Group{Format: 3, Attrs: n.Attrs()}).EncodeV3()
	}
	if err == nil { // objects of changes that were given up are under the same keys
		m.Doc, err = document.KeepRecord(of.Claimed(), m.Key, m.Doc)
	}
	return m, err
}
