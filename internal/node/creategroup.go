package node

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/node/spec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// OpenOrCreateGroup opens a group and creates the missing parts: the group, its arrays and the
// consolidated metadata. specs has the arrays by path below the group. Package zarr documents the
// details.
func (n *Node) OpenOrCreateGroup(ctx context.Context, format int, attrs map[string]any, specs map[string]spec.Spec) (*Node, error) {
	g, err := n.again().groupThere(ctx, format, attrs)
	if err != nil {
		return nil, err
	}
	complete, err := g.has(ctx, specs)
	if err != nil || complete {
		return g, err
	}
	paths := slices.Sorted(maps.Keys(specs))
	err = concurrency.EachN(ctx, max(len(paths), 1), len(paths), func(ctx context.Context, i int) error {
		c, err := g.Child(paths[i])
		if err == nil {
			err = c.openOrCreate(ctx, specs[paths[i]])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	// Another creator may have put a document of another format, which it will withdraw.
	// Consolidate must neither read nor change that document.
	own := *g
	own.Cfg.Format = g.Format
	out, err := own.Consolidate(ctx)
	if err != nil {
		return nil, err
	}
	out.Cfg.Format = g.Cfg.Format
	return out, nil
}

// groupThere opens or creates the group. If the creator of the group was killed, groupThere
// completes the group.
func (n *Node) groupThere(ctx context.Context, format int, attrs map[string]any) (*Node, error) {
	docs, err := OfGroup(&meta.Group{Format: format, Attrs: attrs})
	if err != nil {
		return nil, n.Errorf(err)
	}
	for try := 1; ; try++ {
		g, err := n.OpenStored(ctx, Group)
		if errors.Is(err, fault.NotFound) {
			g, err := n.CreateGroup(ctx, format, attrs)
			if errors.Is(err, fault.Exists) && try == 1 {
				continue // another caller created it
			}
			return g, err
		}
		if err != nil {
			return nil, err
		}
		if g.Format != format {
			return nil, n.Errorf(fault.Newf(fault.Exists, "the group exists in format v%d", g.Format))
		}
		put, err := g.Complete(ctx, docs)
		if err != nil {
			return nil, n.Errorf(err)
		}
		if !put {
			return g, nil
		}
		return n.OpenStored(ctx, Group)
	}
}

// has reports whether the consolidated metadata contains all arrays of specs. It returns an error
// if an array does not agree with its spec.
func (n *Node) has(ctx context.Context, specs map[string]spec.Spec) (bool, error) {
	c, err := n.copied(ctx)
	if err != nil || c.nodes == nil {
		return false, err
	}
	for path, spec := range specs {
		m, ok := c.nodes.Node(path).(*meta.Array)
		if !ok {
			return false, nil
		}
		a, err := n.Child(path)
		if err == nil {
			err = a.agrees(m, spec)
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// CreateGroup creates a group in a format. It returns fault.Exists if a node of any format exists.
func (n *Node) CreateGroup(ctx context.Context, format int, attrs map[string]any) (*Node, error) {
	docs, err := OfGroup(&meta.Group{Format: format, Attrs: attrs})
	if err != nil {
		return nil, n.Errorf(err)
	}
	if err := n.Create(ctx, format, docs, n.NoV1); err != nil {
		return nil, n.Errorf(err)
	}
	g, err := n.Parse(docs.Set())
	if err != nil {
		return nil, n.Errorf(err)
	}
	return g, nil
}
