package view

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/internal/chunk/cache"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// state is a view of one state of its source. It is immutable, except for its cache.
type state struct {
	fresh  time.Duration    // Options.Fresh
	cache  int              // Options.Cache
	whole  *dataset.Dataset // reads through a source
	docs   map[string]*value
	arrays map[string]*array // by name

	values cache.Recent[string, *value]
	loads  concurrency.SingleFlight[string, *value]
	mu     sync.Mutex
	looked map[*array]time.Time // when the documents of the array were last compared
}

// get returns what Store.Get returns. The error is errReplaced if the source has changed during the
// call.
func (s *state) get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	var a *array
	var coord []int
	v, ok := s.docs[key]
	if !ok {
		var err error
		switch a, coord, err = s.find(key); {
		case errors.Is(err, fault.NotFound):
			v = &value{}
		case err != nil:
			return store.Value{}, err
		default:
			if v, err = s.value(ctx, a, coord, key); err != nil {
				return store.Value{}, err
			}
		}
	}
	switch {
	case o.IfVersion != "" && v.version != o.IfVersion:
		return store.Value{}, fault.Newf(fault.Conflict, "the value has version %q, not %q", v.version, o.IfVersion)
	case v.version == "":
		return store.Value{}, fault.NotFound
	case o.IfNotVersion != "" && v.version == o.IfNotVersion:
		return store.Value{}, fault.Unchanged
	}
	off, n, err := o.Range.Resolve(v.size)
	if err != nil {
		return store.Value{}, err
	}
	if o.Max > 0 && n > o.Max {
		return store.Value{}, &store.TooLong{Announced: n, Max: o.Max, Version: v.version}
	}
	if buf, err = s.appendRange(ctx, a, coord, v, off, n, buf); err != nil {
		return store.Value{}, err
	}
	return store.Value{Bytes: buf, Size: v.size, Version: v.version}, nil
}

// find returns the array and the position of the chunk with a key. The error is fault.NotFound if
// the view has no such chunk.
func (s *state) find(key string) (*array, []int, error) {
	name, rest, _ := strings.Cut(key, "/")
	a := s.arrays[name]
	if a == nil {
		return nil, nil, fault.NotFound
	}
	coord, err := a.find(rest)
	return a, coord, err
}

// current reports whether facts of the source that were known at a time are used without a request.
func (s *state) current(at time.Time) bool { return time.Since(at) < s.fresh }

// value returns the value of a chunk, which it computes once for all callers.
func (s *state) value(ctx context.Context, a *array, coord []int, key string) (*value, error) {
	if v := s.values.Get(key); v != nil && s.current(time.Unix(0, v.checked.Load())) {
		return v, nil
	}
	v, _, err := s.loads.Do(ctx, key, func(ctx context.Context) (*value, error) {
		started := time.Now()
		v := s.values.Get(key)
		if v != nil {
			same, err := v.inputs.unchanged(ctx, s.whole.Group().Store())
			if err != nil {
				return nil, err
			}
			if !same {
				v = nil
			}
		}
		if v == nil {
			v = &value{key: key}
			if err := s.compute(ctx, a, coord, v); err != nil {
				return nil, err
			}
		}
		if err := s.look(ctx, a); err != nil {
			return nil, err
		}
		v.checked.Store(started.UnixNano())
		s.values.Put(v, s.cache)
		return v, nil
	})
	if errors.Is(err, fault.NotFound) || errors.Is(err, fault.Unchanged) { // never of this chunk
		err = fault.Newf(fault.Conflict, "the source has changed: %v", err)
	}
	return v, err
}

// compute sets the bytes and the version of a value.
func (s *state) compute(ctx context.Context, a *array, coord []int, v *value) error {
	if a.shard != nil {
		return a.measure(ctx, coord, v, func(i int, b []byte) { s.values.Put(&value{key: pieceKey(v.key, i), bytes: b}, s.cache) })
	}
	b, err := a.encode(ctx, coord, &v.inputs)
	if err == nil && b != nil {
		v.bytes, v.size, v.version = b, int64(len(b)), versionOf(b)
	}
	return err
}

// pieceKey returns the key of an inner chunk in the cache, which is not the key of a store.
func pieceKey(key string, i int) string { return key + "//" + strconv.Itoa(i) }

// appendRange appends a range of a value to buf. It returns errReplaced if the source has other
// values than those that a shard was measured with, and forgets the shard.
func (s *state) appendRange(ctx context.Context, a *array, coord []int, v *value, off, n int64, buf []byte) ([]byte, error) {
	if v.parts == nil {
		return append(buf, v.bytes[off:off+n]...), nil
	}
	b, err := v.appendRange(buf, off, n, func(i int) ([]byte, error) {
		key := pieceKey(v.key, i)
		if p := s.values.Get(key); p != nil && innerOf(p.bytes) == v.parts[i] {
			return p.bytes, nil
		}
		p, _, err := s.loads.Do(ctx, key+string(v.version), func(ctx context.Context) (*value, error) {
			b, err := a.piece(ctx, coord, v, i)
			p := &value{key: key, bytes: b}
			if err == nil {
				s.values.Put(p, s.cache)
			}
			return p, err
		})
		if err != nil {
			return nil, err
		}
		return p.bytes, nil
	})
	if errors.Is(err, errReplaced) {
		s.values.Drop(v.key, v)
	}
	return b, err
}

// look compares the documents of an array of the source, unless that was done recently. A value
// that was read before documents that are still the same is one of these documents.
func (s *state) look(ctx context.Context, a *array) error {
	s.mu.Lock()
	at := s.looked[a]
	s.mu.Unlock()
	if s.current(at) {
		return nil
	}
	at = time.Now()
	if err := a.check(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looked[a] = at
	return nil
}
