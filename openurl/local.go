package openurl

import (
	"context"
	"errors"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// Dir returns an Opener for directories, given as a path or as file:///path. The directory need not
// exist.
func Dir(opts ...dir.Option) Opener {
	return func(_ context.Context, l Location) (store.Store, error) {
		if l.Scheme != "file" {
			return nil, fault.Newf(errors.ErrUnsupported, "%s is not a path", l)
		}
		return dir.New(l.Path, opts...), nil
	}
}

// Mem returns an Opener for stores in memory, mem://name/path. All URLs with the same name refer to
// one store of the Opener; each call of Mem creates its own set of stores. Use it for tests.
func Mem() Opener {
	var mu sync.Mutex
	stores := map[string]store.Store{}
	return func(_ context.Context, l Location) (store.Store, error) {
		mu.Lock()
		defer mu.Unlock()
		st := stores[l.Host]
		if st == nil {
			st = mem.New()
			stores[l.Host] = st
		}
		return store.Prefix(st, l.Path)
	}
}
