package diff

import (
	"context"
	"strings"

	"github.com/zargo-io/zargo/internal/copying/unread"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// Top is one of the two compared hierarchies.
type Top struct {
	Node   zarr.Node    // nil for a node that cannot be opened
	unread *unread.Node // nil for any other node
}

// Unread returns a node that cannot be opened because this version does not support its metadata.
// failed is the error of opening it in st. Unread returns failed if it has another cause.
func Unread(ctx context.Context, st store.Store, failed error) (Top, error) {
	n, err := unread.Of(ctx, st, failed)
	return Top{unread: n}, err
}

// entry is a node of a tree. Exactly one of its members is not nil.
type entry struct {
	node   zarr.Node
	unread *unread.Node
}

func (e entry) is() bool { return e.node != nil || e.unread != nil }

func (e entry) isGroup() bool {
	if e.unread != nil {
		return e.unread.Group
	}
	_, ok := e.node.(*zarr.Group)
	return ok
}

// tree has the nodes of a hierarchy by path relative to its top.
type tree struct {
	store store.Store
	top   string
	nodes map[string]entry
}

// read reads the stored documents of all nodes.
func (t Top) read(ctx context.Context) (*tree, error) {
	if u := t.unread; u != nil {
		return &tree{u.Store, u.Path, map[string]entry{"": {unread: u}}}, nil
	}
	n, err := t.Node.Stored(ctx)
	if err != nil {
		return nil, err
	}
	r := &tree{n.(interface{ Store() store.Store }).Store(), n.Path(), map[string]entry{"": {node: n}}}
	g, ok := n.(*zarr.Group)
	if !ok {
		return r, nil
	}
	for m, err := range g.Walk(ctx) {
		if err == nil {
			r.nodes[r.below(m.Path())] = entry{node: m}
			continue
		}
		u, err := unread.Of(ctx, r.store, err)
		if err != nil {
			return nil, err
		}
		r.nodes[r.below(u.Path)] = entry{unread: u}
	}
	return r, nil
}

func (t *tree) below(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, t.top), "/")
}

// kinds returns the nodes for unread.Keys. The nodes below a group that cannot be opened are not
// known, so they are not accounted for.
func (t *tree) kinds() map[string]bool {
	all := map[string]bool{}
	for at, e := range t.nodes {
		all[at] = e.isGroup() && e.unread == nil
	}
	return all
}

// array returns the array at a path, or nil.
func (t *tree) array(path string) *zarr.Array {
	a, _ := t.nodes[path].node.(*zarr.Array)
	return a
}
