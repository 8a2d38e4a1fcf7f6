package node

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store"
)

// PageSize is the maximum number of entries that First reads. S3 and GCS return the same number per
// request.
const PageSize = 1000

// First lists a folder of the node and calls visit for each entry, with the key relative to the
// node. It stops when visit returns false or after [PageSize] entries.
func (n *Node) First(ctx context.Context, folder string, o store.ListOptions, visit func(store.Entry, string) bool) error {
	ctx, s := n.Begin(ctx)
	seen := 0
	for e, err := range store.Pages(ctx, s, n.Key(folder), o) {
		if err != nil {
			return err
		}
		if seen++; !visit(e, n.below(e.Key)) || seen == PageSize {
			return nil
		}
	}
	return nil
}

// Each calls visit for every object below the node, in any order, with the key relative to the
// node. If visit returns an error, Each stops and returns that error.
func (n *Node) Each(ctx context.Context, visit func(e store.Entry, key string) error) error {
	ctx, s := n.Begin(ctx)
	for e, err := range store.ListAll(ctx, s, n.Path, store.ListOptions{}) {
		if err == nil {
			err = visit(e, n.below(e.Key))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// below returns key relative to the node.
func (n *Node) below(key string) string {
	return strings.TrimPrefix(strings.TrimPrefix(key, n.Path), "/")
}

// Place is a path that may have a node, and the format whose documents are read first.
type Place struct {
	Path   string
	Format int
	// Object is set if the path is not a directory, but an object that is not a document.
	Object bool
	// Unread is set for an Object whose size the listing does not report. It may be a name that the
	// store cannot read, such as a symbolic link without a target.
	Unread bool
}

// Children lists the directories and the objects one level below the groups, without documents,
// sorted by path. Each has the format of its group.
func (n *Node) Children(ctx context.Context, groups []Place) ([]Place, error) {
	ctx, s := n.Begin(ctx)
	dirs := make([][]Place, len(groups))
	err := concurrency.EachN(ctx, store.TuningOf(s).ListFanout, len(groups), func(ctx context.Context, i int) error {
		g := groups[i]
		for e, err := range store.Pages(ctx, s, g.Path, store.ListOptions{Depth: store.OneLevel}) {
			if err != nil {
				return err
			}
			if !e.Dir && IsNoObject(e.Key[strings.LastIndexByte(e.Key, '/')+1:]) {
				continue
			}
			dirs[i] = append(dirs[i], Place{e.Key, g.Format, !e.Dir, !e.Dir && e.Size < 0})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := slices.Concat(dirs...)
	slices.SortFunc(all, func(a, b Place) int { return cmp.Compare(a.Path, b.Path) })
	return all, nil
}

// IsNoObject reports whether a document of a node has the name, or a file of a file manager.
func IsNoObject(name string) bool {
	return IsDocument(name) || name == ".DS_Store" || name == "Thumbs.db" || name == "desktop.ini"
}
