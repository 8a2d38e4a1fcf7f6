package zarr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Members yields the arrays and groups directly below the group, by name. With consolidated
// metadata that takes no request, or one the first time that it is needed of a v2 group; else a
// listing and a bounded number of requests at once. Folders that are no nodes are passed over.
// Consolidated metadata that cannot be read is passed over too, which is a finding of
// [rule.BadConsolidated], see [Findings]; [Strict] refuses it.
//
// A node whose metadata is malformed or unsupported yields an error in its place, a *MetaError, and
// the iteration goes on for who wants to. An error of the store ends it.
func (g *Group) Members(ctx context.Context) iter.Seq2[Node, error] {
	return g.visit(ctx, 1)
}

// Walk yields every array and group below the group, each level by path and parents before
// children. Requests are as for Members, for each level, and so are errors.
func (g *Group) Walk(ctx context.Context) iter.Seq2[Node, error] {
	return g.visit(ctx, -1)
}

// Names yields the names of what may be a node directly below the group, in the order of Members,
// and opens nothing. With consolidated metadata these are the nodes that it has, as for Members,
// and take no request, or one the first time that it is needed of a v2 group. Else they are the
// folders below the group, one request for each page of the listing (1,000 entries on S3 and GCS).
// A folder is a name, whatever is in it: it is no node unless zarr.json is in it, or .zarray or
// .zgroup, which only opening says. Objects directly below the group are no nodes and have no names
// here, nor have names that v3 reserves.
//
// An error ends the iteration: the store's, or errors.ErrUnsupported where there is no listing.
func (g *Group) Names(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		names, err := g.names(ctx)
		for _, name := range names {
			if !yield(name, nil) {
				return
			}
		}
		if err != nil {
			yield("", err)
		}
	}
}

func (g *Group) names(ctx context.Context) (names []string, err error) {
	var bad error
	if !g.cfg.direct {
		c, err := g.copied(ctx)
		if err != nil {
			return nil, err
		}
		if c.nodes != nil {
			for path := range c.nodes {
				if path != "" && !strings.Contains(path, "/") {
					names = append(names, path)
				}
			}
			slices.Sort(names)
			return names, nil
		}
		bad = c.bad
	}
	children, err := g.children(ctx, []*Group{g})
	if err != nil {
		return nil, g.unlisted(bad, err)
	}
	for _, c := range children {
		names = append(names, below(g.path, c.Path))
	}
	return names, nil
}

// unlisted is an error of a listing, with why consolidated metadata was of no use where there is no
// listing.
func (g *Group) unlisted(bad, err error) error {
	if bad == nil || !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return fmt.Errorf("%w; %w", g.errf(bad), err)
}

// found is a node, or why there is none.
type found struct {
	path string
	node Node
	err  error

	large bool // its documents are too long to be read before it is wanted
}

// visit yields the nodes below the group down to a depth; -1 is no bound.
func (g *Group) visit(ctx context.Context, depth int) iter.Seq2[Node, error] {
	return func(yield func(Node, error) bool) {
		nodes, ok, bad, err := g.consolidated(ctx, depth)
		if err != nil {
			yield(nil, err)
			return
		}
		if !ok {
			g.walk(ctx, depth, func(f found) bool {
				if f.path == "" { // of the listing
					f.err = g.unlisted(bad, f.err)
				}
				return yield(f.node, f.err)
			})
			return
		}
		for _, n := range nodes {
			if !yield(n.node, n.err) {
				return
			}
		}
	}
}

// walk calls yield with the nodes below the group as they are stored, in the order of Walk, while
// it wants more. An error of the store is about no path, and the last.
func (g *Group) walk(ctx context.Context, depth int, yield func(found) bool) {
	for level := []*Group{g}; len(level) > 0 && depth != 0; depth-- {
		children, err := g.children(ctx, level)
		if err != nil {
			yield(found{err: err})
			return
		}
		level = nil
		for some := range slices.Chunk(children, windowOf*max(store.TuningOf(g.st).Requests, 1)) {
			nodes, err := g.openAll(ctx, some)
			if err != nil {
				yield(found{err: err})
				return
			}
			for i := range nodes {
				n := nodes[i]
				nodes[i] = found{} // it is the caller's alone now
				if n.large {
					if n.node, n.err = g.openChild(ctx, some[i], g.cfg.maxMetadata); notMeta(n.err) {
						yield(found{err: n.err})
						return
					}
				}
				if n.node == nil && n.err == nil {
					continue
				}
				if !yield(n) {
					return
				}
				if sub, ok := n.node.(*Group); ok && depth != 1 {
					level = append(level, &Group{node: node{st: g.st, path: sub.path, cfg: g.cfg, format: sub.format}, meta: &meta.Group{Format: sub.format}})
				}
			}
		}
	}
}

// windowOf is how many nodes are opened before they are wanted, times the requests that a store
// takes.
const windowOf = 4

// soon is how long in bytes a document may be that is read before its node is wanted. Longer ones
// are read one by one. 1 MiB: nearly all are a few kilobytes, and consolidated metadata is rarely
// below a group.
const soon = 1 << 20

// notMeta reports whether an error is the store's, and not about one node.
func notMeta(err error) bool {
	var me *fault.MetaError
	return err != nil && !errors.As(err, &me)
}

// consolidated gives the nodes below the group from consolidated metadata, in the order of Walk; ok
// reports whether there is any. bad is why there is some that cannot be read.
func (g *Group) consolidated(ctx context.Context, depth int) (nodes []found, ok bool, bad, err error) {
	if g.cfg.direct {
		return nil, false, nil, nil
	}
	c, err := g.copied(ctx)
	if err != nil || c.nodes == nil {
		return nil, false, c.unreadable(), err
	}
	return g.bindAll(c.nodes, c.key, depth), true, nil, nil
}

// bindAll makes nodes of consolidated metadata, in the order of Walk.
func (g *Group) bindAll(all map[string]meta.Node, key string, depth int) (nodes []found) {
	for path, m := range all {
		if path == "" || depth > 0 && strings.Count(path, "/") >= depth {
			continue
		}
		f := found{path: join(g.path, path)}
		n := node{st: g.st, path: f.path, cfg: g.cfg, from: fromCopy, doc: document.Stored{Key: key}}
		if f.node, f.err = n.bind(m); f.err != nil {
			f.node, f.err = nil, n.errf(f.err)
		}
		nodes = append(nodes, f)
	}
	slices.SortFunc(nodes, func(a, b found) int {
		return cmp.Or(cmp.Compare(strings.Count(a.path, "/"), strings.Count(b.path, "/")), cmp.Compare(a.path, b.path))
	})
	return nodes
}

// children lists the folders one level below some groups, by path.
func (g *Group) children(ctx context.Context, level []*Group) ([]document.Place, error) {
	groups := make([]document.Place, len(level))
	for i, l := range level {
		groups[i] = document.Place{Path: l.path, Format: l.format}
	}
	all, err := g.docs().Children(ctx, groups)
	if err != nil {
		return nil, g.errf(err)
	}
	return all, nil
}

// openAll opens the nodes in folders, in their order, but for those with large documents.
func (g *Group) openAll(ctx context.Context, children []document.Place) ([]found, error) {
	nodes := make([]found, len(children))
	err := concurrency.EachN(ctx, store.TuningOf(g.st).Requests, len(children), func(ctx context.Context, i int) error {
		n, err := g.openChild(ctx, children[i], min(soon, g.cfg.maxMetadata))
		if errors.Is(err, fault.Limit) && notMeta(err) && g.cfg.maxMetadata > soon {
			nodes[i] = found{path: children[i].Path, large: true}
			return nil
		}
		if notMeta(err) {
			return err
		}
		nodes[i] = found{path: children[i].Path, node: n, err: err}
		return nil
	})
	return nodes, err
}

// openChild opens the node in a folder, nil when there is none. Nearly all hierarchies have one
// format, so the parent's is asked for first: one request for a v3 node instead of four, two for a
// v2 array, and three for a v2 group. No document may be longer than most.
func (g *Group) openChild(ctx context.Context, c document.Place, most int64) (Node, error) {
	formats := []int{c.Format, 5 - c.Format}
	if g.cfg.format != 0 {
		formats = []int{g.cfg.format}
	}
	if n, err := openGiven(g.st, c.Path, g.cfg, document.Any); err != nil || n != nil {
		return n, err
	}
	for _, f := range formats {
		n := node{st: g.st, path: c.Path, cfg: g.cfg}
		at := n.docs()
		at.Format, at.Limit = f, most
		docs, err := at.FindMember(ctx)
		if err != nil {
			return nil, n.errf(err)
		}
		found, err := n.parse(docs)
		if err != nil {
			return nil, n.errf(err)
		}
		if found != nil {
			return found, nil
		}
	}
	return nil, nil
}
