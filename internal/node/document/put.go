package document

import (
	"context"

	"github.com/zargo-io/zargo/zarr/store"
)

// Add puts a document, or returns fault.Exists if the document exists.
func (n *Node) Add(ctx context.Context, key string, doc []byte) (store.Version, error) {
	return n.put(ctx, key, doc, store.PutOptions{IfAbsent: true})
}

// Swap stores doc at the key of was. The put is conditional: the stored document must still have
// the version of was, or must still be absent. If another writer changed the document, Swap returns
// fault.Conflict or fault.Exists. With SingleWriter the put is unconditional. The error for a store
// without versions contains what, a text about the impossible operation.
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
