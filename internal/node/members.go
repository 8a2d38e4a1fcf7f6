package node

import (
	"context"
	"iter"
	"slices"
	"strings"
)

// Names returns the names of possible nodes directly below the group.
func (n *Node) Names(ctx context.Context) (names []string, err error) {
	var bad error
	if !n.Cfg.Direct {
		c, err := n.copied(ctx)
		if err != nil {
			return nil, err
		}
		if c.nodes != nil {
			for path := range c.nodes.Paths() {
				if path != "" && !strings.Contains(path, "/") {
					names = append(names, path)
				}
			}
			slices.Sort(names)
			return names, nil
		}
		bad = c.bad
	}
	children, err := n.Children(ctx, []Place{{Path: n.Path, Format: n.Format}})
	if err != nil {
		return nil, n.unlisted(bad, n.Errorf(err))
	}
	for _, c := range children {
		if !c.Object || c.Unread {
			names = append(names, Below(n.Path, c.Path))
		}
	}
	return names, nil
}

// Members yields the nodes at most depth levels below the group. A depth of -1 means all levels.
// Nodes are sorted by level and then by path. After a *fault.MetaError, which concerns one node,
// the iteration continues. Any other error ends it.
func (n *Node) Members(ctx context.Context, depth int) iter.Seq[Found] {
	return func(yield func(Found) bool) {
		if n.Cfg.Named {
			n.own(ctx, depth, yield)
			return
		}
		c, err := n.browsed(ctx)
		if err != nil {
			yield(Found{Err: err})
			return
		}
		if c.nodes == nil {
			n.walk(ctx, depth, func(f Found) bool {
				if f.path == "" { // an error of the listing
					f.Err = n.unlisted(c.bad, f.Err)
				}
				return yield(f)
			})
			return
		}
		for _, path := range pathsOf(c.nodes, depth) { // each node is parsed when it is yielded
			if ctx.Err() != nil { // no request would notice
				yield(Found{Err: n.Errorf(context.Cause(ctx))})
				return
			}
			f := Found{path: path}
			f.Node, f.Err = n.fromCopy(c.key, path, c.nodes.Node(path))
			if !yield(f) {
				return
			}
		}
	}
}
