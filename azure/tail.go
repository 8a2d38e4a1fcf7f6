package azure

import (
	"context"
	"errors"
	"sync"

	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// getLast reads a suffix. Azure lacks suffix ranges, so getLast first takes the size from the cache
// or requests it. The read requires the version that has this size. If the value was replaced,
// getLast therefore starts again.
func (b *bucket) getLast(ctx context.Context, key string, n int64, o store.GetOptions, buf []byte) (store.Value, error) {
	if o.Max > 0 && n > o.Max {
		// Without a read, absence and a version mismatch must still be reported.
		if _, err := b.head(ctx, key, o); err != nil {
			return store.Value{}, err
		}
		return store.Value{}, &store.TooLong{Announced: n, Max: o.Max}
	}
	known, remembered := b.sizes.of(key)
	if o.IfNotVersion != "" || o.IfVersion != "" && o.IfVersion != known.version {
		remembered = false
	}
	for range 4 {
		if !remembered {
			var err error
			if known, err = b.head(ctx, key, o); err != nil {
				return store.Value{}, err
			}
			b.sizes.set(key, known)
		}
		off, n, err := store.Suffix(n).Resolve(known.size)
		if err == nil {
			var v store.Value
			v, err = b.getFrom(ctx, key, store.GetOptions{Range: store.Within(off, n), IfVersion: known.version, Max: o.Max}, buf)
			if err == nil {
				return v, nil
			}
			if !errors.Is(err, fault.Conflict) || o.IfVersion != "" {
				return store.Value{}, err
			}
		} else if !remembered {
			return store.Value{}, err
		}
		remembered = false
	}
	return store.Value{}, fault.Newf(fault.Unavailable, "the value changed during each attempt to read its suffix")
}

// head sends one Get Blob Properties.
func (b *bucket) head(ctx context.Context, key string, o store.GetOptions) (sized, error) {
	out, err := b.blob(key).GetProperties(ctx, &azblob.GetPropertiesOptions{AccessConditions: when(o.IfVersion, "")})
	if err != nil {
		return sized{}, explain(err, false)
	}
	v := version(out.ETag)
	folder := make(map[string][]string, len(out.Metadata))
	for name, value := range out.Metadata {
		if value != nil {
			folder["X-Ms-Meta-"+name] = []string{*value}
		}
	}
	if err := accept(folder, v, o); err != nil {
		return sized{}, err
	}
	if out.ContentLength == nil || *out.ContentLength < 0 {
		return sized{}, foreign("it has no length")
	}
	return sized{v, *out.ContentLength}, nil
}

// sized is a version of a value and its size.
type sized struct {
	version store.Version
	size    int64
}

// maxSizes limits the number of cached sizes. 16,384 keys of 100 bytes need 3 MB.
const maxSizes = 1 << 14

// sizes caches the sizes of values that were written or listed, or whose suffix was read. An entry
// may be outdated, so a read that uses it requires the version in the entry.
type sizes struct {
	mu sync.Mutex
	m  map[string]sized
}

func (s *sizes) of(key string) (sized, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.m[key]
	return v, ok
}

func (s *sizes) set(key string, v sized) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = map[string]sized{}
	}
	if _, ok := s.m[key]; !ok && len(s.m) >= maxSizes {
		for other := range s.m { // an arbitrary entry
			delete(s.m, other)
			break
		}
	}
	s.m[key] = v
}

func (s *sizes) forget(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.m, key)
}
