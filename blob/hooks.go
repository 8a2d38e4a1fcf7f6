package blob

import (
	"context"

	"github.com/zargo-io/zargo/zarr/store"
)

// Hooks are the verbs that a provider does better than the portable API; nil ones stay portable.
// Each follows the verb of package store with the same name, with this division of work: the Store
// checks keys, ranges, contradicting conditions and the context before it calls a hook; it wraps
// the hook's errors in *fault.KeyError, takes their kind from [Classify] unless they carry one, and
// turns fault.NotFound into fault.Conflict where a version is pinned.
type Hooks struct {
	Get    func(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error)
	Put    func(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error)
	Delete func(ctx context.Context, key string, o store.DeleteOptions) error

	// ListPage may give entries that the options do not select: the Store leaves them out. So what
	// the provider has no parameter for need not be filtered by the hook.
	ListPage func(ctx context.Context, prefix string, o store.ListOptions, token string) ([]store.Entry, string, error)

	// DeleteAll returns the key that its error is about.
	DeleteAll func(ctx context.Context, keys []string) (key string, err error)
	// PutParts' Parts return errors like a hook's.
	PutParts func(ctx context.Context, key string, o store.PartsOptions) (store.Parts, error)
	// Copy is called with keys that were checked.
	Copy func(ctx context.Context, from, to string, o store.CopyOptions) (store.Version, error)

	// Close gives back what the provider holds; it is called once, after the bucket was closed.
	Close func() error

	// Provide gives handles beyond the bucket, the tuning and what the bucket's As gives.
	Provide func(target any) bool
}
