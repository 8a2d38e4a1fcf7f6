package zarr

import (
	"context"
	"iter"
)

// Members yields the arrays and groups directly below the group, sorted by name. With consolidated
// metadata Members sends no request, except that a v2 group's copy is read when it is first needed.
// Otherwise Members lists the group and opens a bounded number of members concurrently. Directories
// that contain no node are skipped.
//
// Consolidated metadata that cannot be read is ignored, and reported as [rule.BadConsolidated] to
// [OnFinding]. With [Strict] it is an error.
//
// A member whose metadata is malformed or unsupported yields a *MetaError, and the iteration
// continues. An error of the store ends it.
func (g *Group) Members(ctx context.Context) iter.Seq2[Node, error] { return g.visit(ctx, 1) }

// Walk yields all arrays and groups below the group, level by level. Each level is sorted by path,
// and parents precede their children. The requests for each level and the errors are as for
// [Group.Members].
func (g *Group) Walk(ctx context.Context) iter.Seq2[Node, error] { return g.visit(ctx, -1) }

// visit yields the nodes down to the given depth below the group, or all nodes if depth is -1.
func (g *Group) visit(ctx context.Context, depth int) iter.Seq2[Node, error] {
	return func(yield func(Node, error) bool) {
		for f := range g.at.Members(ctx, depth) {
			var n Node
			if f.Node != nil {
				n = newNode(f.Node, g.cfg)
			}
			if !yield(n, f.Err) {
				return
			}
		}
	}
}

// Names yields the names of possible nodes directly below the group, in the order of
// [Group.Members], without opening them. With consolidated metadata these are the nodes that it
// contains, and the requests are as for Members. Otherwise they are the directories below the
// group, at one request for each page of the listing (1,000 entries on S3 and GCS).
//
// A directory is a node only if it contains zarr.json, .zarray or .zgroup, which Names does not
// check. Names omits objects directly below the group.
//
// An error of the store ends the iteration. It is errors.ErrUnsupported if the store cannot list.
func (g *Group) Names(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		names, err := g.at.Names(ctx)
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
