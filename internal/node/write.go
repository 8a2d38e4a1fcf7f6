package node

import (
	"context"
	"errors"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
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
	case n.Cfg.SingleWriter:
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
	ctx, s := n.Begin(ctx)
	return s.Put(ctx, key, doc, cond)
}

// Delete deletes documents one after another, each on the condition that the stored document still
// has the version that was read. For a store without versions it returns errors.ErrUnsupported. If
// SingleWriter is set, Delete deletes without conditions.
func (n *Node) Delete(ctx context.Context, docs ...Stored) error {
	for _, d := range docs {
		if d.Version == "" && !n.Cfg.SingleWriter {
			return store.NoVersions(n.Store, "nothing can be removed")
		}
		if err := n.delete(ctx, d.Key, d.Version); err != nil {
			return err
		}
	}
	return nil
}

// delete deletes the document at key if it has version v. If SingleWriter is set or v is "", it
// deletes the document without a condition.
func (n *Node) delete(ctx context.Context, key string, v store.Version) error {
	if n.Cfg.SingleWriter {
		v = ""
	}
	ctx, s := n.Begin(ctx)
	return s.Delete(ctx, key, store.DeleteOptions{IfVersion: v})
}

// Settling is how long a process may continue after its context has ended or a request has failed.
// In this time it finds out whether its change was applied and completes the change. The caller
// waits.
const Settling = 10 * time.Second

// Detached returns a context for requests that must be sent even if ctx has ended. The new context
// ends after [Settling].
func Detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), Settling)
}

// unknown reports whether a put that failed with err may have been applied or may still be applied.
func unknown(err error) bool {
	var unsent interface{ Unsent() bool }
	if errors.As(err, &unsent) && unsent.Unsent() || errors.Is(err, errors.ErrUnsupported) {
		return false
	}
	for _, kind := range []fault.Kind{
		fault.NotFound, fault.Exists, fault.Conflict, fault.ReadOnly, fault.Selection,
		fault.Metadata, fault.Path, fault.Refused, fault.Limit,
	} {
		if errors.Is(err, kind) {
			return false
		}
	}
	return true
}

func ignoreAbsent(err error) error {
	if errors.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// maxRaces is the maximum number of attempts of a change. After each conflict, which means that
// another writer succeeded, the change is attempted again.
const maxRaces = 1000
