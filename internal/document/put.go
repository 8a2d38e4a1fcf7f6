package document

import (
	"context"

	"github.com/zargo-io/zargo/zarr/store"
)

// Add puts a document on the condition that it is absent. It returns fault.Exists if it exists.
func (n *Node) Add(ctx context.Context, key string, doc []byte) (store.Version, error) {
	return n.put(ctx, key, doc, store.PutOptions{IfAbsent: true})
}

// Swap replaces the document was by doc, on the condition that the stored document still has the
// version of was, or is still absent. It returns fault.Conflict or fault.Exists if another writer
// changed it. A single writer puts without a condition. what completes the error message for a
// store without versions: the operation that is impossible.
func (n *Node) Swap(ctx context.Context, was Stored, doc []byte, what string) (store.Version, error) {
	var cond store.PutOptions
	switch {
	case n.SingleWriter:
	case !was.There():
		cond.IfAbsent = true
	case was.Version == "":
		return "", store.NoVersions(n.Store, what)
	default:
		cond.IfVersion = was.Version
	}
	return n.put(ctx, was.Key, doc, cond)
}

func (n *Node) put(ctx context.Context, key string, doc []byte, cond store.PutOptions) (store.Version, error) {
	ctx, s := n.begin(ctx)
	return s.Put(ctx, key, doc, cond)
}
