package zarr

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// MigrateOptions say how [Migrate] goes about it. The zero value writes v3 metadata beside what is there.
type MigrateOptions struct {
	DryRun bool // only say what would be done
	Remove bool // remove the old metadata, once all of the new is there
}

// Migration is what is done for one node.
type Migration struct {
	Path   string // below the store's root
	From   int    // the format it had
	Key    string // of the new document
	Doc    []byte // the new document
	Remove []string
}

// String says it in one line.
func (m Migration) String() string {
	s := fmt.Sprintf("v%d → %s", m.From, m.Key)
	for _, key := range m.Remove {
		s += ", removes " + key
	}
	return s
}

// Migrate gives v1 and v2 nodes v3 metadata: the node and everything below it that is not v3 yet, by path. Chunks stay
// where they are and as they are: v3 can say where v2 keeps them, and with which codecs. The names of axes in
// _ARRAY_DIMENSIONS become dimension_names, and an undefined fill value the data type's default.
//
// All documents are made before the first is written; a node that v3 cannot describe is an error, and nothing is written.
// Then they are put where none is, parents last (ErrExists where another one is). With Remove the old documents go after that, each on condition
// that nobody changed it. A group that had consolidated metadata is consolidated again.
//
// Whoever writes to the hierarchy in v2 meanwhile, or after it without Remove, is not seen by v3 readers.
func Migrate(ctx context.Context, n Node, o MigrateOptions) ([]Migration, error) {
	nodes, err := old(ctx, n)
	if err != nil {
		return nil, err
	}
	steps := make([]Migration, 0, len(nodes))
	for _, n := range nodes {
		m, err := migration(n, o)
		if err != nil {
			return nil, base(n).errf(err)
		}
		steps = append(steps, m)
	}
	if o.DryRun || len(steps) == 0 {
		return steps, nil
	}
	b := base(n)
	var consolidated bool
	var version store.Version
	if g, ok := nodes[0].(*Group); ok && g.path == b.path {
		if version, consolidated, err = g.docs().Look(ctx, document.ZMetadata); err != nil {
			return nil, g.errf(err)
		}
	}
	for i, m := range slices.Backward(steps) {
		if err := putOnce(ctx, b.docs(), m.Key, m.Doc); err != nil {
			return nil, base(nodes[i]).errf(err)
		}
	}
	if consolidated {
		g := &Group{node: *b, meta: &meta.Group{}, lazy: &lazyCopy{}}
		g.cfg.format = 0 // it may have been opened as what it was
		if _, err := Consolidate(ctx, g); err != nil {
			return nil, err
		}
	}
	if !o.Remove {
		return steps, nil
	}
	for _, n := range nodes {
		if err := base(n).docs().Delete(ctx, base(n).read()...); err != nil {
			return nil, base(n).errf(err)
		}
	}
	if !consolidated {
		return steps, nil
	}
	if err := b.docs().Delete(ctx, document.Read{Key: join(b.path, document.ZMetadata), Version: version}); err != nil {
		return nil, b.errf(err)
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

// alike tells whether two v3 documents say the same of a node, consolidated metadata apart.
func alike(key string, a, b []byte) bool {
	x, ex := meta.ParseV3(key, a)
	y, ey := meta.ParseV3(key, b)
	if ex != nil || ey != nil {
		return false
	}
	switch x := x.(type) {
	case *meta.Array:
		y, ok := y.(*meta.Array)
		return ok && difference(x, y) == "" && sameAttrs(x.Attrs, y.Attrs)
	case *meta.Group:
		y, ok := y.(*meta.Group)
		return ok && sameAttrs(x.Attrs, y.Attrs)
	}
	return false
}

// old reads the node and those below it, parents first, and leaves out those of v3.
func old(ctx context.Context, n Node) ([]Node, error) {
	cfg := base(n).cfg
	cfg.direct, cfg.format = true, 2 // where v2 and v3 metadata are both there, the old one is wanted
	fresh, err := open(ctx, base(n).st, n.Path(), cfg, document.Any)
	if errors.Is(err, fault.NotFound) {
		cfg.format = 0
		fresh, err = open(ctx, base(n).st, n.Path(), cfg, document.Any)
	}
	if err != nil {
		return nil, err
	}
	base(fresh).cfg.format = 0
	var nodes []Node
	if fresh.Format() < 3 {
		nodes = append(nodes, fresh)
	}
	g, ok := fresh.(*Group)
	if !ok {
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
func migration(n Node, o MigrateOptions) (Migration, error) {
	b := base(n)
	m := Migration{Path: b.path, From: b.format, Key: join(b.path, document.ZarrJSON)}
	if o.Remove {
		m.Remove = append(m.Remove, b.docKey)
		if b.attrsDoc != nil {
			m.Remove = append(m.Remove, b.attrsKey)
		}
	}
	var err error
	switch n := n.(type) {
	case *Array:
		var model *meta.Array
		if model, err = n.modelV3(); err != nil {
			return m, err
		}
		if m.Doc, err = model.EncodeV3(); err != nil {
			return m, err
		}
	case *Group:
		m.Doc, err = (&meta.Group{Format: 3, Attrs: n.attrs}).EncodeV3()
	}
	return m, err
}

// modelV3 is v3 metadata for the chunks of a v1 or v2 array.
func (a *Array) modelV3() (*meta.Array, error) {
	typ, order, one := dtype.Uniform(a.meta.DType)
	if !one {
		return nil, fault.Newf(errors.ErrUnsupported, "the fields of %v are stored in both byte orders, which v3 does not have", typ)
	}
	m := &meta.Array{
		Format: 3, Shape: a.meta.Shape, Grid: a.meta.Grid, DType: typ, Fill: a.meta.Fill,
		Keys: a.meta.Keys, Dims: xarrayDims(a.attrs, len(a.meta.Shape)), Attrs: a.attrs,
	}
	if m.Fill == nil {
		m.Fill = a.pipe.Fill() // what missing chunks read as
	}
	if m.Dims != nil {
		m.Attrs = maps.Clone(a.attrs)
		delete(m.Attrs, attrDims)
	}
	in := a.pipe.Largest().Chain.In()
	in.Fill, in.Type = m.Fill, typ
	var specs []codec.Spec
	for _, s := range a.pipe.Specs() {
		core, err := s.Core(in)
		if err != nil {
			return nil, err
		}
		if core.Name == "bytes" && order != dtype.NoOrder { // of a structure, whose fields said it
			core = codec.Bytes(order)
		}
		specs = append(specs, core)
	}
	specs, err := a.cfg.table.FiltersFirst(specs, in)
	if err != nil {
		return nil, err
	}
	if specs, err = a.cfg.table.Normalize(specs, in); err != nil {
		return nil, err
	}
	for _, s := range specs {
		m.Codecs = append(m.Codecs, meta.Named{Name: s.Name, Config: s.Config})
	}
	return m, nil
}

// read are the documents that the node was made of.
func (n *node) read() []document.Read {
	docs := []document.Read{{Key: n.docKey, Version: n.docVersion}}
	if n.attrsDoc != nil {
		docs = append(docs, document.Read{Key: n.attrsKey, Version: n.attrsVersion})
	}
	return docs
}
