package document

import (
	"context"

	"github.com/zargo-io/zargo/zarr/store"
)

// Add puts a document where there is none. fault.Exists: there is one.
func (n *Node) Add(ctx context.Context, key string, doc []byte) (store.Version, error) {
	return n.put(ctx, key, doc, store.PutOptions{IfAbsent: true})
}

// Swap puts a document in the place of one that was read, on condition that it still is the same,
// or still absent: fault.Conflict or fault.Exists where another writer came in between. A single
// writer puts it without a condition. what says what cannot be done where the store has no
// versions.
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
