package node

import (
	"context"
	"sync"

	"github.com/zargo-io/zargo/internal/chunk/written"
)

// Known contains opened nodes that later parts of one operation use instead of reading them again.
// An operation that needs the nodes twice within a short time passes Known in its context. It is
// safe for concurrent use.
type Known struct {
	mu    sync.Mutex
	nodes map[string]*Node // by path
	last  func(context.Context)
}

// WithLast sets the function that Last calls. It must not be called during the operation.
func (k *Known) WithLast(f func(context.Context)) { k.last = f }

// Last is called by an append to a group when all arrays have their new shapes, while it ends its
// claim. It sends requests that the operation needs next. k may be nil.
func (k *Known) Last(ctx context.Context) {
	if k != nil && k.last != nil {
		k.last(ctx)
	}
}

// KnownIn returns the Known in a context of [Knowing], or nil.
func KnownIn(ctx context.Context) *Known {
	k, _ := ctx.Value(knowing{}).(*Known)
	return k
}

// knowing is the key of a *Known in a context.
type knowing struct{}

// Knowing returns a context with k. Members adds the nodes that it reads. Members, and openings
// through the group, use the nodes of k. An append to a group uses them for its first attempt,
// whose puts are conditional on the versions of their documents. It then replaces or forgets them.
func Knowing(ctx context.Context, k *Known) context.Context {
	return context.WithValue(ctx, knowing{}, k)
}

// Add adds a node, unless it is from documents outside the store. k may be nil.
func (k *Known) Add(n *Node) {
	if k == nil || n.From != FromStore {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.nodes == nil {
		k.nodes = map[string]*Node{}
	}
	k.nodes[n.Path] = n
}

// Forget removes all nodes. k may be nil.
func (k *Known) Forget() {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.nodes = nil
}

// At returns the known node at a path below n, or nil. k may be nil.
func (k *Known) At(n *Node, path string) *Node {
	c, err := n.Child(path)
	if k == nil || err != nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if is := k.nodes[c.Path]; is != nil && is.Store == c.Store {
		return is
	}
	return nil
}

// Stored returns a stored document of the node at, as it was read with a known node. k may be nil.
func (k *Known) Stored(at *Node, name string) (Stored, bool) {
	if k == nil {
		return Stored{}, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	is := k.nodes[at.Path]
	if is == nil || is.Doc.Key != at.Key(name) || !is.Doc.There() || !written.Same(is.Store, at.Store) {
		return Stored{}, false
	}
	return is.Doc, true
}

// known returns the node in the context of [Knowing] that was opened through the same handle of the
// store as n, or nil.
func (n *Node) known(ctx context.Context) *Node {
	return KnownIn(ctx).At(n, "")
}

// Handed returns the node as it was read before, for a change whose puts are conditional on the
// versions of its documents. n may be unopened. Handed returns nil if the context of [Knowing]
// lacks the node, or if a put would be unconditional.
func (n *Node) Handed(ctx context.Context) *Node {
	is := n.known(ctx)
	if is == nil || is.Cfg.SingleWriter || !versioned(is.Doc) || !versioned(is.AttrsDoc) {
		return nil
	}
	b := *is
	b.Cfg.Documents, b.Cfg.Direct = nil, true // nodes below are read from the store
	return &b
}

// versioned reports whether a put in place of the document can be conditional.
func versioned(d Stored) bool {
	return d.Refused == nil && (d.Version != "" || !d.There())
}
