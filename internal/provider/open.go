package provider

import (
	"context"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Config is the configuration of a store. A provider makes it from the URL and the options of its
// Open.
type Config interface {
	// Name returns the printable URL of the store. It may be incomplete until the URL is parsed.
	Name() string
	// Layers returns the configuration of the layers around the store.
	Layers() *Stack
	// Connect connects to the bucket and returns it as a store without layers.
	Connect(ctx context.Context) (store.Store, error)
	// Shared identifies the state that all stores of the process on the bucket share. It is called
	// after Connect.
	Shared() Bucket
}

// Open opens the store of c. It first calls read, which parses and checks the URL and the options.
// It then calls c.Connect and adds the layers. Errors contain the name of the store. If ctx has
// ended, Open returns the error of ctx.
func Open(ctx context.Context, c Config, read func() error) (store.Store, error) {
	s, err := open(ctx, c, read)
	if end := ctx.Err(); end != nil {
		if err == nil {
			_ = s.Close() // the store is unused, so its error does not matter
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

// Name returns the printable URL of a store, which identifies the store. query must not contain
// secrets.
func Name(scheme, bucket, prefix, query string) string {
	return strings.TrimSuffix(strings.TrimSuffix(scheme+"://"+bucket+"/"+prefix, "/")+"?"+query, "?")
}
