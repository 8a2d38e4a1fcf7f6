package node

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Open opens the node from Options.Documents if they contain the node, and otherwise from the
// store.
func (n *Node) Open(ctx context.Context, w Kind) (*Node, error) {
	if found, err := n.openGiven(w); err != nil || found != nil {
		return found, err
	}
	return n.OpenStored(ctx, w)
}

// OpenStored opens the node from the store. It returns fault.NotFound if no node of kind w exists.
func (n *Node) OpenStored(ctx context.Context, w Kind) (*Node, error) {
	found, err := n.find(ctx, w)
	if err == nil {
		err = found.wanted(w)
	}
	if err != nil {
		return nil, n.Errorf(err)
	}
	return found, nil
}

// find reads the node. It returns nil if the node does not exist.
func (n *Node) find(ctx context.Context, w Kind) (*Node, error) {
	if w == Group && n.Cfg.Format == 2 && !n.Cfg.Direct {
		return n.openGroupV2(ctx)
	}
	docs, err := n.FindAll(ctx, w)
	if err != nil {
		return nil, err
	}
	return n.Parse(docs)
}

// OpenBelow opens the node at a path below a group. It tries Options.Documents, then the group's
// consolidated metadata, then the store.
func (n *Node) OpenBelow(ctx context.Context, path string, w Kind) (*Node, error) {
	c, err := n.Child(path)
	if err != nil {
		return nil, err
	}
	if found, err := c.openGiven(w); err != nil || found != nil {
		return found, err
	}
	if found := c.known(ctx); found != nil && found.wanted(w) == nil {
		return found, nil
	}
	found, bad, err := n.listed(ctx, Below(n.Path, c.Path), w)
	if err != nil || found != nil {
		return found, err
	}
	found, err = c.OpenStored(ctx, w)
	if bad != nil && errors.Is(err, fault.NotFound) {
		return nil, bad
	}
	return found, err
}

// Refresh opens an array again from its stored documents. It returns fault.NotFound if the store
// proves their absence, also if consolidated metadata contains the array.
func (n *Node) Refresh(ctx context.Context) (*Node, error) {
	return n.again().OpenStored(ctx, Array)
}

// OpenArray opens the array at path, relative to n, by its stored documents. If handed is true, it
// uses those of [Node.Handed] if there are any.
func (n *Node) OpenArray(ctx context.Context, path string, handed bool) (*Node, error) {
	at, err := n.Child(Below(n.Path, path))
	if err != nil {
		return nil, err
	}
	if handed {
		if a := at.Handed(ctx); a != nil && a.Array() != nil {
			return a, nil
		}
	}
	return at.OpenStored(ctx, Array)
}

// OpenUnbound reads a v2 or v3 node without its codecs, which may be unknown. It returns nil if the
// node is absent. OpenUnbound first reads the documents of a node of kind k. If these make no node
// of that kind, it sends further requests.
func (n *Node) OpenUnbound(ctx context.Context, k Kind) (*Node, error) {
	for ; ; k = Any {
		docs, err := n.Find(ctx, k)
		if err != nil {
			return nil, err
		}
		found, err := n.parse(docs, n.Plain())
		if err != nil || k == Any || found != nil && found.Kind() == k {
			return found, err
		}
	}
}
