package zarr

import (
	"context"
	"iter"
)

// Members yields the arrays and groups directly below the group, by name. With consolidated
// metadata that takes no request, or one the first time that it is needed of a v2 group; else a
// listing and a bounded number of requests at once. Folders that are no nodes are passed over.
// Consolidated metadata that cannot be read is passed over too, which is a finding of
// [rule.BadConsolidated], see [Findings]; [Strict] refuses it.
//
// A node whose metadata is malformed or unsupported yields an error in its place, a *MetaError, and
// the iteration goes on for who wants to. An error of the store ends it.
func (g *Group) Members(ctx context.Context) iter.Seq2[Node, error] { return g.visit(ctx, 1) }

// Walk yields every array and group below the group, each level by path and parents before
// children. Requests are as for Members, for each level, and so are errors.
func (g *Group) Walk(ctx context.Context) iter.Seq2[Node, error] { return g.visit(ctx, -1) }

// visit yields the nodes below the group down to a depth; -1 is no bound.
func (g *Group) visit(ctx context.Context, depth int) iter.Seq2[Node, error] {
	return func(yield func(Node, error) bool) {
		for f := range g.at.Members(ctx, depth) {
			var n Node
			if f.Node != nil {
				n = made(f.Node, g.cfg)
			}
			if !yield(n, f.Err) {
				return
			}
		}
	}
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
