package blob

import (
	"context"

	"github.com/zargo-io/zargo/zarr/store"
)

// Hooks are a provider's functions that replace methods of the portable API. If a hook is nil, the
// portable method is used. Each hook implements the method of package store with the same name. The
// Store checks keys, ranges, conflicting conditions and the context before it calls a hook. It
// wraps the hook's errors in *fault.KeyError, and calls the function set by [Classify] for errors
// without a kind. If the caller requires a version, it converts fault.NotFound to fault.Conflict.
type Hooks struct {
	Get    func(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error)
	Put    func(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error)
	Delete func(ctx context.Context, key string, o store.DeleteOptions) error

	// ListPage may return entries that the options do not select, because the Store filters the
	// page.
	ListPage func(ctx context.Context, prefix string, o store.ListOptions, token string) ([]store.Entry, string, error)

	// DeleteAll returns, with an error, the key that could not be deleted.
	DeleteAll func(ctx context.Context, keys []string) (key string, err error)
	// PutParts starts or continues an upload. Errors of the returned Parts are handled like errors
	// of a hook.
	PutParts func(ctx context.Context, key string, o store.PartsOptions) (store.Parts, error)
	// Copy copies a value within the bucket. Both keys are valid.
	Copy func(ctx context.Context, from, to string, o store.CopyOptions) (store.Version, error)

	// Close releases the provider's resources. It is called once, after the bucket was closed.
	Close func() error

	// Provide sets target if it is of a type that the provider supports in addition to the bucket,
	// the tuning and the types of the bucket's As.
	Provide func(target any) bool
}
