package zarr

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// StaleAbove returns the paths of the groups above a node whose consolidated metadata is not what is stored of the node by now, the
// outermost first: what [SetAttrs], [Create] or [Replace] left out of date. [UpdateAbove] brings them up to date. A v2 group is among
// them where its own .zmetadata is out of date about itself.
//
// It costs one request for each group above the node, up to the store's root, and where one has consolidated metadata one for the
// node (two in v2), and for each group between that the copy does not have; nothing is listed. Groups that the store refuses to show
// are left out. Groups of another format than the node have no place for it, and are left out too.
func StaleAbove(ctx context.Context, n Node) ([]string, error) {
	b := base(n)
	stale, err := b.staleAbove(ctx, n)
	if err != nil {
		return nil, b.errf(err)
	}
	var groups []string
	for _, s := range stale {
		groups = append(groups, s.path)
	}
	return groups, nil
}

// UpdateAbove brings the consolidated metadata of all groups above a node up to date about the node, and about groups between that
// it does not have, and returns the paths of the groups whose metadata was changed. A node that is not there any more is taken out,
// with what is below it.
//
// Only entries of these nodes are written; all others stay as they are, stale or not: [Consolidate] reads everything. Each document
// is written on condition that nobody else wrote it since, and read and changed again where somebody did, so writers who update
// different nodes at the same time lose nothing, and of those who change one node the last one counts. ErrMetadata where consolidated
// metadata cannot be read: Consolidate makes it anew. A store without versions refuses with errors.ErrUnsupported, unless
// SingleWriter was given.
//
// Requests are those of [StaleAbove], and one for each document that is written.
func UpdateAbove(ctx context.Context, n Node) ([]string, error) {
	b := base(n)
	changed := map[string]bool{}
	for try := 1; ; try++ {
		stale, err := b.staleAbove(ctx, n)
		if err != nil {
			return nil, b.errf(err)
		}
		errs := make([]error, len(stale))
		err = concurrency.EachN(ctx, len(stale), len(stale), func(ctx context.Context, i int) error {
			errs[i] = stale[i].update(ctx)
			return nil
		})
		lost := false
		for i, s := range stale {
			switch {
			case errs[i] == nil && err == nil:
				changed[s.path] = true
			case errors.Is(errs[i], fault.Conflict) && try < maxLost:
				b.cfg.report.conflict()
				lost = true
			case err == nil:
				err = s.errf(errs[i])
			}
		}
		if err == nil && lost {
			err = concurrency.Sleep(ctx, rand.N(min(time.Duration(try)*2*time.Millisecond, 100*time.Millisecond)))
		}
		if err != nil {
			return nil, err
		}
		if !lost {
			break
		}
	}
	return outermost(changed), nil
}

// outermost sorts paths that are one above the other.
func outermost(paths map[string]bool) []string {
	var list []string
	for p := range paths {
		list = append(list, p)
	}
	slices.Sort(list)
	return list
}

// staleCopy is a group whose consolidated metadata is to be changed.
type staleCopy struct {
	node
	copied
	doc     []byte // that holds the copy
	version store.Version
	changes map[string][]byte // entries: documents by path in v3, by key in v2; nil is none
}

// staleAbove compares the consolidated metadata above a node with the node. It is read before the node is: whoever changes a node and
// then its copies meets a conflict, or has been seen.
func (n *node) staleAbove(ctx context.Context, of Node) ([]*staleCopy, error) {
	if n.format == 1 {
		return nil, nil
	}
	above := document.Above(n.path)
	if _, isGroup := of.(*Group); isGroup && n.format == 2 {
		above = append(above, n.path)
	}
	slices.Sort(above)
	copies := make([]*staleCopy, len(above))
	err := concurrency.EachN(ctx, len(above), len(above), func(ctx context.Context, i int) (err error) {
		copies[i] = &staleCopy{node: node{st: n.st, path: above[i], cfg: n.cfg, format: n.format}}
		return copies[i].read(ctx)
	})
	if err != nil {
		return nil, err
	}
	copies = slices.DeleteFunc(copies, func(c *staleCopy) bool { return c.nodes == nil && c.bad == nil })
	if len(copies) == 0 {
		return nil, nil
	}
	is := &current{n: n, nodes: map[string]Node{}}
	if err := is.read(ctx, n.path, wanted(of)); err != nil {
		return nil, err
	}
	for _, c := range copies {
		if err := c.compare(ctx, is); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(copies, func(c *staleCopy) bool { return c.changes == nil && c.bad == nil }), nil
}

// wanted is the kind of a node.
func wanted(n Node) document.Kind {
	if _, isArray := n.(*Array); isArray {
		return document.Array
	}
	return document.Group
}

// current are nodes as they are stored now.
type current struct {
	n     *node
	nodes map[string]Node // by path; nil for one that is not there
}

// read reads a node once. One of another kind than is expected takes some more requests.
func (c *current) read(ctx context.Context, path string, w document.Kind) error {
	if _, known := c.nodes[path]; known {
		return nil
	}
	cfg := c.n.cfg
	cfg.direct, cfg.format, cfg.separator, cfg.tell = true, c.n.format, "", nil // documents are compared
	n, err := open(ctx, c.n.st, path, cfg, w)
	if errors.Is(err, fault.NotFound) {
		n, err = open(ctx, c.n.st, path, cfg, document.Any)
	}
	if errors.Is(err, fault.NotFound) {
		n, err = nil, nil
	}
	c.nodes[path] = n
	return err
}

// read reads the document that may hold consolidated metadata.
func (c *staleCopy) read(ctx context.Context) error {
	name := document.ZarrJSON
	if c.format == 2 {
		name = document.ZMetadata
	}
	v, err := c.docs().Get(ctx, name)
	switch {
	case errors.Is(err, fault.NotFound), errors.Is(err, fault.Refused):
		return nil
	case err != nil:
		return err
	}
	c.key, c.doc, c.version = join(c.path, name), v.Bytes, v.Version
	parser := meta.Parser{Types: c.cfg.types}
	if c.format == 2 {
		c.nodes, c.bad = parser.ConsolidatedV2(c.key, v.Bytes)
		return nil
	}
	m, err := parser.V3(c.key, v.Bytes)
	if g, ok := m.(*meta.Group); ok {
		c.nodes, c.bad = g.Consolidated, g.Unreadable
	}
	return err
}

// compare finds the entries that are not what is stored.
func (c *staleCopy) compare(ctx context.Context, is *current) error {
	if c.bad != nil {
		return nil
	}
	to := below(c.path, is.n.path)
	var paths []string // the node's and those of groups between
	for p, ok := to, true; ok && (p != "" || to == ""); p, ok = document.Parent(p) {
		paths = append(paths, p)
	}
	for _, p := range paths {
		m, listed := c.nodes[p]
		if p != to {
			if _, isGroup := m.(*meta.Group); isGroup {
				continue
			}
			if err := is.read(ctx, join(c.path, p), document.Group); err != nil {
				return err
			}
		}
		n := is.nodes[join(c.path, p)]
		if p != to && n == nil {
			continue // a folder
		}
		if _, isGroup := n.(*Group); !isGroup && p == to {
			c.takeOutBelow(p)
		}
		if n == nil && listed {
			c.takeOut(p)
		}
		if n == nil || listed && c.has(m, n) {
			continue
		}
		if err := c.put(p, n); err != nil {
			return err
		}
	}
	return nil
}

// has tells whether an entry is what is stored of a node.
func (c *staleCopy) has(m meta.Node, n Node) bool {
	at := node{st: c.st, path: n.Path(), cfg: base(n).cfg}
	copied, err := at.bind(m)
	return err == nil && same(copied, n)
}

func (c *staleCopy) change(name string, doc []byte) {
	if c.changes == nil {
		c.changes = map[string][]byte{}
	}
	c.changes[name] = doc
}

// put makes what is stored of a node the entry of a path.
func (c *staleCopy) put(path string, n Node) error {
	if c.format == 3 {
		doc, err := strictV3(base(n))
		c.change(path, doc)
		return err
	}
	name, doc, attrs, err := strictV2(n)
	c.takeOut(path)
	c.change(join(path, name), doc)
	c.change(join(path, document.ZAttrs), attrs)
	return err
}

// takeOut takes the entry of a path out.
func (c *staleCopy) takeOut(path string) {
	if c.format == 3 {
		c.change(path, nil)
		return
	}
	for _, name := range []string{document.ZArray, document.ZGroup, document.ZAttrs} {
		c.change(join(path, name), nil)
	}
}

// takeOutBelow takes out what is below a path where there is no group.
func (c *staleCopy) takeOutBelow(path string) {
	for p := range c.nodes {
		if strings.HasPrefix(p, path+"/") {
			c.takeOut(p)
		}
	}
}

// update writes the document with the changes.
func (c *staleCopy) update(ctx context.Context) error {
	if c.bad != nil {
		return c.bad
	}
	splice := meta.SpliceV3
	if c.format == 2 {
		splice = meta.SpliceV2
	}
	doc, err := splice(c.key, c.doc, c.changes)
	if err != nil {
		return err
	}
	_, err = c.docs().Swap(ctx, c.key, doc, document.Was{There: true, Version: c.version}, "consolidated metadata cannot be changed")
	return err
}

// maxLost bounds how often a copy is changed again that another writer changed in between.
const maxLost = 1000
