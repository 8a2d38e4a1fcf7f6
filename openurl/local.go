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

// Dir opens directories: paths, and file:///path. Nothing need be there.
func Dir(opts ...dir.Option) Opener {
	return func(_ context.Context, l Location) (store.Store, error) {
		if l.Scheme != "file" {
			return nil, fault.Newf(errors.ErrUnsupported, "%s: this is no path", l)
		}
		return dir.New(l.Path, opts...), nil
	}
}

// Mem opens stores in the memory of the process: mem://name/path. All URLs with one name are places
// in one store, as long as they are opened through the same Opener; each call of Mem has stores of
// its own. It is for tests.
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
