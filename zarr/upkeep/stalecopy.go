package upkeep

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// staleCopy is a group whose consolidated metadata may have to be updated.
type staleCopy struct {
	*node.Node
	format  int
	doc     node.Stored       // the document with the consolidated metadata
	nodes   *meta.Copies      // by path relative to the group; nil without consolidated metadata
	bad     error             // why the consolidated metadata cannot be parsed
	changes map[string][]byte // documents by path in v3, by key in v2; a nil document removes the entry
}

// staleAbove checks the consolidated metadata of the groups above a node. It returns the groups
// whose consolidated metadata is unreadable or is out of date for the node. It reads the groups
// before the node. If another writer changes the node and then the groups, staleAbove therefore
// either sees the changed node or the update of the groups fails with a conflict.
func staleAbove(ctx context.Context, of *node.Node) ([]*staleCopy, error) {
	if of.Format == 1 {
		return nil, nil
	}
	above := node.Above(of.Path)
	if of.Kind() == node.Group && of.Format == 2 {
		above = append(above, of.Path)
	}
	slices.Sort(above)
	copies := make([]*staleCopy, len(above))
	err := concurrency.EachN(ctx, len(above), len(above), func(ctx context.Context, i int) (err error) {
		copies[i] = &staleCopy{Node: of.At(above[i]), format: of.Format}
		return copies[i].read(ctx)
	})
	if err != nil {
		return nil, err
	}
	copies = slices.DeleteFunc(copies, func(c *staleCopy) bool { return c.nodes == nil && c.bad == nil })
	if len(copies) == 0 {
		return nil, nil
	}
	is := &current{of: of, nodes: map[string]*node.Node{}}
	if err := is.read(ctx, of.Path, of.Kind()); err != nil {
		return nil, err
	}
	for _, c := range copies {
		if err := c.compare(ctx, is); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(copies, func(c *staleCopy) bool { return c.changes == nil && c.bad == nil }), nil
}

// current caches nodes as they are stored now.
type current struct {
	of    *node.Node
	nodes map[string]*node.Node // by path; nil if the node does not exist
}

// read reads a node unless it was read before. k is the expected kind; a node of another kind costs
// additional requests.
func (c *current) read(ctx context.Context, path string, k node.Kind) error {
	if _, known := c.nodes[path]; known {
		return nil
	}
	at := c.of.At(path)
	at.Cfg.Format = c.of.Format
	n, err := at.OpenUnbound(ctx, k)
	if err != nil {
		err = at.Errorf(err)
	}
	c.nodes[path] = n
	return err
}

// read reads the document that may hold consolidated metadata.
func (c *staleCopy) read(ctx context.Context) error {
	name := node.ZarrJSON
	if c.format == 2 {
		name = node.ZMetadata
	}
	known, ok := node.KnownIn(ctx).Stored(c.Node, name)
	if c.doc = known; !ok {
		v, err := c.Get(ctx, name)
		switch {
		case errors.Is(err, fault.NotFound), errors.Is(err, fault.Refused):
			return nil
		case err != nil:
			return err
		}
		c.doc = v
	}
	if c.format == 2 {
		c.nodes, c.bad = c.Plain().ConsolidatedV2(c.doc.Key, c.doc.Bytes)
		return nil
	}
	m, err := c.Plain().V3(c.doc.Key, c.doc.Bytes)
	if g, ok := m.(*meta.Group); ok {
		c.nodes, c.bad = g.Consolidated, g.Unreadable
	}
	return err
}

// compare records a change for each entry that has to be changed because it differs from the stored
// node.
func (c *staleCopy) compare(ctx context.Context, is *current) error {
	if c.bad != nil {
		return nil
	}
	to := node.Below(c.Path, is.of.Path)
	var paths []string // of the node and of the groups between
	for p, ok := to, true; ok && (p != "" || to == ""); p, ok = node.Parent(p) {
		paths = append(paths, p)
	}
	for _, p := range paths {
		m := c.nodes.Node(p)
		listed := m != nil
		if p != to {
			if _, isGroup := m.(*meta.Group); isGroup {
				continue
			}
			if err := is.read(ctx, c.Key(p), node.Group); err != nil {
				return err
			}
		}
		n := is.nodes[c.Key(p)]
		if p != to && n == nil {
			continue // a directory without metadata
		}
		if p == to && (n == nil || n.Kind() != node.Group) {
			c.takeOutBelow(p)
		}
		if n == nil && listed {
			c.takeOut(p)
		}
		if n == nil || listed && node.Same(m, n.Model) {
			continue
		}
		if err := c.put(p, n); err != nil {
			return err
		}
	}
	return nil
}

func (c *staleCopy) change(name string, doc []byte) {
	if c.changes == nil {
		c.changes = map[string][]byte{}
	}
	c.changes[name] = doc
}

// put records that the entry of path becomes the stored documents of the node n.
func (c *staleCopy) put(path string, n *node.Node) error {
	if c.format == 3 {
		doc, err := n.CopyV3()
		c.change(path, doc)
		return err
	}
	name, doc, attrs, err := n.CopyV2()
	c.takeOut(path)
	c.change(node.Join(path, name), doc)
	c.change(node.Join(path, node.ZAttrs), attrs)
	return err
}

// takeOut records that the entry of path is to be removed.
func (c *staleCopy) takeOut(path string) {
	if c.format == 3 {
		c.change(path, nil)
		return
	}
	for _, name := range []string{node.ZArray, node.ZGroup, node.ZAttrs} {
		c.change(node.Join(path, name), nil)
	}
}

// takeOutBelow records that all entries below path are to be removed.
func (c *staleCopy) takeOutBelow(path string) {
	for p := range c.nodes.Paths() {
		if strings.HasPrefix(p, path+"/") {
			c.takeOut(p)
		}
	}
}

// update writes the document with the recorded changes.
func (c *staleCopy) update(ctx context.Context) error {
	if c.bad != nil {
		return c.bad
	}
	// While an append to the group is in progress, its arrays may differ in length: change nothing
	// then.
	splice, claimed := meta.SpliceV3, c.doc
	if c.format == 2 {
		splice = meta.SpliceV2
		docs, err := c.Read(ctx, node.ZAttrs)
		if err != nil {
			return err
		}
		claimed = c.Stored(docs, node.ZAttrs)
	}
	if err := node.Unchanging(claimed); err != nil {
		return err
	}
	doc, err := splice(c.doc.Key, c.doc.Bytes, c.changes)
	if err != nil {
		return err
	}
	_, err = c.Swap(ctx, c.doc, doc, "consolidated metadata cannot be changed")
	return err
}
