package provider

import (
	"context"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Config is what the URL and the options of an Open say.
type Config interface {
	// Name is the store's URL as it is printed, as far as it was read.
	Name() string
	// Layers say what is around the store.
	Layers() *Stack
	// Connect returns the bucket as a store, without layers.
	Connect(ctx context.Context) (store.Store, error)
	// Shared is the bucket, for the process's other stores on it. It is called after Connect.
	Shared() Bucket
}

// Open opens the store of c: read reads and checks the URL and the options, then the store is made
// and gets its layers. An error has the store's name. A context that ended wins over both.
func Open(ctx context.Context, c Config, read func() error) (store.Store, error) {
	s, err := open(ctx, c, read)
	if end := ctx.Err(); end != nil {
		if err == nil {
			_ = s.Close() // nothing was done with it
		}
		err = end
	}
	if err != nil {
		return nil, &fault.KeyError{Op: "open", Store: c.Name(), Err: err}
	}
	return s, nil
}

func open(ctx context.Context, c Config, read func() error) (store.Store, error) {
	if err := read(); err != nil {
		return nil, err
	}
	s, err := c.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return c.Layers().Build(s, c.Shared())
}

// Name is a store's URL as it is printed: enough to tell stores apart, and no secrets.
func Name(scheme, bucket, prefix, query string) string {
	return strings.TrimSuffix(strings.TrimSuffix(scheme+"://"+bucket+"/"+prefix, "/")+"?"+query, "?")
}
