package zarr

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Consolidate writes the metadata of all nodes below the group into one document, so that others open the hierarchy with
// one request: into the group's zarr.json, or into .zmetadata for v2. The nodes are read one by one, never taken from an
// older copy, and the document is written on condition that nobody else wrote it since (ErrConflict). A node that cannot be
// read, or has another format than the group, is an error, and nothing is written.
//
// The copy is a cache. It says nothing of what is created or changed later: call Consolidate again, see [Stale], or bring it up to
// date about one node by [UpdateAbove]. What is returned is the group with the new copy; g stays as it was.
func Consolidate(ctx context.Context, g *Group) (*Group, error) {
	root, err := g.stored(ctx)
	if err != nil {
		return nil, err
	}
	c, err := root.collect(ctx)
	if err == nil {
		err = c.whole()
	}
	if err != nil {
		return nil, err
	}
	key, doc, err := c.document()
	if err != nil {
		return nil, g.errf(err)
	}
	was, err := c.was(ctx)
	if err != nil {
		return nil, g.errf(err)
	}
	version, err := g.docs().Swap(ctx, key, doc, was, "nothing can be replaced")
	if errors.Is(err, fault.Exists) {
		err = fault.Newf(fault.Conflict, "somebody else consolidates: %w", err)
	}
	if err != nil {
		return nil, g.errf(err)
	}
	out := c.root
	if out.format == 3 {
		n := node{st: g.st, path: g.path, cfg: g.cfg}
		again, err := n.parse(document.Docs{{Name: document.ZarrJSON, Bytes: doc, Version: version}}.Set())
		if err != nil {
			return nil, g.errf(err)
		}
		out = again.(*Group)
	} else if all, err := out.parser().ConsolidatedV2(key, doc); err == nil {
		out.lazy.known.Store(&copied{key: key, nodes: all})
	}
	out.cfg = g.cfg
	return out, nil
}

// Difference is a node for which consolidated metadata is not what is stored.
type Difference struct {
	Path string // below the group; "" is the group itself, of which v2 has a copy too
	Why  string // "missing", "gone" or "changed"
}

// String gives both.
func (d Difference) String() string {
	if d.Path == "" {
		return "the group itself is " + d.Why
	}
	return fmt.Sprintf("%q is %s", d.Path, d.Why)
}

// Stale compares the consolidated metadata that is stored of the group with the nodes below it, which are read one by one, and
// returns where they differ, by path. What g itself holds does not count: it is a snapshot, which Consolidate does not change. A
// group that was opened from consolidated metadata above it is compared with that. A node of another format than the group, which a
// copy cannot have, is missing in it. ErrNotFound when there is no consolidated metadata. A node that cannot be read is an error,
// the first of them, and the differences of the others come with it.
func Stale(ctx context.Context, g *Group) ([]Difference, error) {
	root, err := g.stored(ctx)
	if err != nil {
		return nil, err
	}
	kept, err := g.storedCopy(ctx, root)
	if err != nil {
		return nil, g.errf(err)
	}
	if kept.bad != nil {
		return nil, g.errf(kept.bad)
	}
	if kept.nodes == nil {
		return nil, g.errf(fault.Newf(fault.NotFound, "no consolidated metadata"))
	}
	c, err := root.collect(ctx)
	if err != nil {
		return nil, err
	}
	out := c.compare(root.bindAll(kept.nodes, kept.key, -1))
	if kept.key == join(g.path, document.ZMetadata) {
		if why := c.rootDiffers(kept.nodes[""]); why != "" {
			out = slices.Insert(out, 0, Difference{"", why})
		}
	}
	return out, c.err
}

// storedCopy is the consolidated metadata that is stored of a group, which was just read as root: that above it from which it was
// taken, else its own.
func (g *Group) storedCopy(ctx context.Context, root *Group) (*copied, error) {
	if g.fromCache {
		above, err := open(ctx, g.st, g.holder(), root.cfg, document.Group)
		if err != nil {
			return nil, err
		}
		c, err := above.(*Group).ownCopy(ctx)
		if err != nil || c.bad != nil {
			return c, err
		}
		if m, ok := c.nodes[below(above.Path(), g.path)].(*meta.Group); ok {
			return &copied{key: c.key, nodes: m.Consolidated}, nil
		}
	}
	return root.ownCopy(ctx)
}

// ownCopy is the consolidated metadata in the group's document, which was just read, or beside it.
func (g *Group) ownCopy(ctx context.Context) (*copied, error) {
	if g.format == 2 {
		return g.readCopy(ctx)
	}
	return &copied{g.docKey, g.meta.Consolidated, g.meta.Unreadable}, nil
}

// collection is a group and all nodes below it, as they are stored.
type collection struct {
	root   *Group
	nodes  map[string]Node // by path below the root
	broken map[string]bool // the paths of those that cannot be read
	err    error           // of the first of them
}

// whole tells why a collection cannot be consolidated.
func (c *collection) whole() error {
	if c.err != nil {
		return c.err
	}
	for _, path := range slices.Sorted(maps.Keys(c.nodes)) {
		if n := c.nodes[path]; n.Format() != c.root.format {
			return c.root.errf(fault.Newf(fault.Metadata, "%q has format v%d, the group v%d", n.Path(), n.Format(), c.root.format))
		}
	}
	return nil
}

// stored reads the group itself again, to be asked for what is stored alone.
func (g *Group) stored(ctx context.Context) (*Group, error) {
	cfg := g.cfg
	cfg.direct = true
	n, err := open(ctx, g.st, g.path, cfg, document.Group)
	if err != nil {
		return nil, err
	}
	return n.(*Group), nil
}

// collect reads the hierarchy below a group that was just read.
func (g *Group) collect(ctx context.Context) (c *collection, err error) {
	c = &collection{root: g, nodes: map[string]Node{}, broken: map[string]bool{}}
	g.walk(ctx, -1, func(f found) bool {
		switch {
		case f.err == nil:
			c.nodes[below(g.path, f.path)] = f.node
			return true
		case f.path == "":
			err = f.err
			return false
		}
		c.broken[below(g.path, f.path)] = true
		c.err = cmp.Or(c.err, f.err)
		return true
	})
	return c, err
}

// base is what arrays and groups have in common.
func base(n Node) *node {
	if a, ok := n.(*Array); ok {
		return &a.node
	}
	return &n.(*Group).node
}

// below is the path of a node from a group above it.
func below(group, path string) string {
	return strings.TrimPrefix(path[len(group):], "/")
}

// document is the key and the text of the document that holds the copy.
func (c *collection) document() (key string, doc []byte, err error) {
	docs := map[string][]byte{}
	if c.root.format == 3 {
		for path, n := range c.nodes {
			if docs[path], err = strictV3(base(n)); err != nil {
				return "", nil, err
			}
		}
		doc, err = meta.ConsolidateV3(c.root.docKey, c.root.doc, docs)
		return c.root.docKey, doc, err
	}
	all := maps.Clone(c.nodes)
	all[""] = c.root
	for path, n := range all {
		name, doc, attrs, err := strictV2(n)
		if err != nil {
			return "", nil, err
		}
		docs[join(path, name)] = doc
		if attrs != nil {
			docs[join(path, document.ZAttrs)] = attrs
		}
	}
	doc, err = meta.ConsolidateV2(docs)
	return join(c.root.path, document.ZMetadata), doc, err
}

// strictV3 is a node's document as it is stored, without bare tokens, which only attributes can have.
func strictV3(n *node) ([]byte, error) {
	if meta.Strict(n.doc) {
		return n.doc, nil
	}
	return meta.SetAttrs(n.docKey, n.doc, n.attrs)
}

// strictV2 are a node's documents as they are stored, without bare tokens; attrs is nil when there is none.
func strictV2(n Node) (name string, doc, attrs []byte, err error) {
	b := base(n)
	doc, attrs = b.doc, b.attrsDoc
	if attrs != nil && !meta.Strict(attrs) {
		if attrs, err = meta.EncodeAttrs(b.attrs); err != nil {
			return "", nil, nil, err
		}
	}
	a, ok := n.(*Array)
	if !ok {
		return document.ZGroup, doc, attrs, nil
	}
	if !meta.Strict(doc) {
		doc, _, err = a.meta.EncodeV2()
	}
	return document.ZArray, doc, attrs, err
}

// was is the document that is replaced, as it was when the hierarchy was read; for v2, as it is now.
func (c *collection) was(ctx context.Context) (was document.Was, err error) {
	if c.root.format != 2 {
		return document.Was{There: true, Version: c.root.attrsVersion}, nil
	}
	was.Version, was.There, err = c.root.docs().Look(ctx, document.ZMetadata)
	return was, err
}

// compare holds cached nodes against those that were read. Of what could not be read, and what is below that, nothing is known.
func (c *collection) compare(cached []found) []Difference {
	var out []Difference
	seen := map[string]bool{}
	for _, f := range cached {
		path := below(c.root.path, f.path)
		seen[path] = true
		n, ok := c.nodes[path]
		switch {
		case c.unknown(path):
		case !ok:
			out = append(out, Difference{path, "gone"})
		case f.err != nil || !same(f.node, n):
			out = append(out, Difference{path, "changed"})
		}
	}
	for path := range c.nodes {
		if !seen[path] {
			out = append(out, Difference{path, "missing"})
		}
	}
	slices.SortFunc(out, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// unknown tells whether the node at a path, or one above it, could not be read.
func (c *collection) unknown(path string) bool {
	for ; ; path = path[:max(strings.LastIndexByte(path, '/'), 0)] {
		if path == "" || c.broken[path] {
			return path != ""
		}
	}
}

// rootDiffers tells what is wrong with the copy that .zmetadata has of the group itself, which other readers take its
// attributes from.
func (c *collection) rootDiffers(m meta.Node) string {
	if m == nil {
		return "missing"
	}
	n := node{st: c.root.st, path: c.root.path, cfg: c.root.cfg}
	if root, err := n.bind(m); err != nil || !same(root, c.root) {
		return "changed"
	}
	return ""
}

// same tells whether two nodes of one path are stored alike.
func same(a, b Node) bool {
	if a.Format() != b.Format() || !sameAttrs(base(a).attrs, base(b).attrs) {
		return false
	}
	p, isArray := a.(*Array)
	q, isToo := b.(*Array)
	return isArray == isToo && (!isArray || difference(p.meta, q.meta) == "")
}

// sameAttrs compares attributes as they are written.
func sameAttrs(a, b Attrs) bool {
	x, ex := meta.EncodeAttrs(a)
	y, ey := meta.EncodeAttrs(b)
	return ex == nil && ey == nil && bytes.Equal(x, y)
}
