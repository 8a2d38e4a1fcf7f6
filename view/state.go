package view

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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
	docs   map[string]document
	arrays map[string]*array // by name

	values cache.Recent[string, *value]
	loads  concurrency.SingleFlight[string, *value]
	mu     sync.Mutex
	looked map[*array]time.Time // when the documents of the array were last compared
}

type document struct {
	bytes   []byte
	version store.Version
}

// versionOf returns the version of a value: a hash of its bytes.
func versionOf(b []byte) store.Version {
	sum := sha256.Sum256(b)
	return store.Version(hex.EncodeToString(sum[:16]))
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
			b, err := a.encode(ctx, coord, &v.inputs)
			if err != nil {
				return nil, err
			}
			if v.bytes = b; b != nil {
				v.version = versionOf(b)
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
