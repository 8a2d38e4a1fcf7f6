package azure

import (
	"context"
	"errors"
	"strings"
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
			if known, err = b.size(ctx, key, o); err != nil {
				return store.Value{}, err
			}
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

// size requests the size of a value. After many requests for the sizes of values with a common
// prefix, it lists that prefix, because one page has the sizes of 5,000 values. Other requests do
// not wait for the listing.
func (b *bucket) size(ctx context.Context, key string, o store.GetOptions) (sized, error) {
	if prefix, ok := b.sizes.miss(key); ok {
		_, _, err := b.listPage(ctx, "", store.ListOptions{KeyPrefix: prefix}, "")
		known, listed := b.sizes.of(key)
		listed = listed && err == nil // the head of the value reports an error
		b.sizes.listed(listed)
		if listed && o.IfVersion == "" && o.IfNotVersion == "" {
			return known, nil
		}
	}
	known, err := b.head(ctx, key, o)
	if err == nil {
		b.sizes.set(key, known)
	}
	return known, err
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

// heads is the number of requests for sizes that is followed by a listing. The price of a listing
// is that of about 12 such requests. A call with fewer shards does not wait for a page, which takes
// longer than the requests.
const heads = 128

// maxSizes limits the number of cached sizes. 16,384 keys of 100 bytes need 3 MB.
const maxSizes = 1 << 14

// sizes caches the sizes of values that were written or listed, or whose suffix was read. An entry
// may be outdated, so a read that uses it requires the version in the entry.
type sizes struct {
	mu sync.Mutex
	m  map[string]sized

	missed  int    // number of sizes requested since the last listing
	common  string // common prefix of their keys
	useless int    // number of latest listings that lacked the size for which they were made
	listing bool   // set during a listing
}

// miss records that the size of a value has to be requested. It returns true with the common prefix
// of the latest such values if there were enough to list them. Each useless listing doubles the
// number for the next one.
func (s *sizes) miss(key string) (prefix string, list bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listing {
		return "", false
	}
	n := 0
	for n < min(len(key), len(s.common)) && key[n] == s.common[n] {
		n++
	}
	s.missed++
	if s.common = key[:n]; !strings.Contains(s.common, "/") {
		s.common, s.missed = key, 1
	}
	if s.missed <= heads<<s.useless {
		return "", false
	}
	s.listing = true
	return s.common, true
}

// listed records the end of a listing.
func (s *sizes) listed(useful bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listing, s.missed, s.common = false, 0, ""
	if s.useless = min(s.useless+1, 16); useful {
		s.useless = 0
	}
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
