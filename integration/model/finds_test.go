package model

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// unconditional is a store that ignores the conditions of puts.
type unconditional struct{ store.Store }

func (s unconditional) Put(ctx context.Context, key string, b []byte, _ store.PutOptions) (store.Version, error) {
	return s.Store.Put(ctx, key, b, store.PutOptions{})
}

// forgetful is a store that acknowledges puts of chunks but drops one in twenty.
type forgetful struct {
	store.Store
	n int
}

func (s *forgetful) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	if !isDocument(key) {
		if s.n++; s.n%20 == 0 {
			return "0", nil
		}
	}
	return s.Store.Put(ctx, key, b, o)
}

// trusting is a store that reports every claim as unchanged when it is read again.
type trusting struct{ store.Store }

func (s trusting) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if o.IfNotVersion != "" && isDocument(key) {
		return store.Value{}, fault.Unchanged
	}
	return s.Store.Get(ctx, key, o, buf)
}

// hoarding is a store that always returns the first value of each chunk, like a cache without
// invalidation.
type hoarding struct {
	store.Store
	mu   sync.Mutex
	seen map[string][]byte
}

func (s *hoarding) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if isDocument(key) || !o.Range.IsWhole() {
		return s.Store.Get(ctx, key, o, buf)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v, err := s.Store.Get(ctx, key, o, buf)
	if err != nil {
		return v, err
	}
	if old, ok := s.seen[key]; ok {
		v.Bytes = append(buf, old...)
		return v, nil
	}
	if s.seen == nil {
		s.seen = map[string][]byte{}
	}
	s.seen[key] = slices.Clone(v.Bytes[len(buf):])
	return v, nil
}

// TestModelFinds checks that the model finds each planted fault.
func TestModelFinds(t *testing.T) {
	tests := []struct {
		name     string
		families string
		plant    func(store.Store) store.Store
	}{
		{"puts without their conditions", "arrays groups copies caches daily", func(s store.Store) store.Store { return unconditional{s} }},
		{"puts that are dropped", "arrays groups copies caches daily", func(s store.Store) store.Store { return &forgetful{Store: s} }},
		{"claims that are never lost", "arrays groups", func(s store.Store) store.Store { return trusting{s} }},
		{"reads of old values", "arrays groups caches", func(s store.Store) store.Store { return &hoarding{Store: s} }},
	}
	for _, tt := range tests {
		for name := range strings.FieldsSeq(tt.families) {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				for seed := range uint64(2000) {
					if h := run(t, name, seed, false, tt.plant); h.bad != "" {
						t.Logf("found by history %d: %s", seed, strings.SplitN(h.bad, "\n", 2)[0])
						return
					}
				}
				t.Error("no history finds it")
			})
		}
	}
}

// TestReplay runs histories twice and checks that a failure is found again by its number.
func TestReplay(t *testing.T) {
	for name := range families {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(60) {
				a, b := run(t, name, seed, true, nil), run(t, name, seed, true, nil)
				for i := range max(len(a.events), len(b.events)) {
					if i >= len(a.events) || i >= len(b.events) || chunk.ReplaceAllString(a.events[i], "") != chunk.ReplaceAllString(b.events[i], "") {
						t.Fatalf("history %d differs at its event %d:\n%s\nand\n%s", seed, i, at(a.events, i), at(b.events, i))
					}
				}
			}
		})
	}
}

// chunk matches the text that may differ between two runs: the position of an error, because any of
// several chunks that fail concurrently may be reported, and random numbers in keys.
var chunk = regexp.MustCompile(`\.[0-9a-f]{16}|chunk \[[0-9 ]*\] \([^)]*\)|"g/[dt]"`)

// at returns event i and the preceding events.
func at(events []string, i int) string {
	return strings.Join(events[max(0, min(i, len(events))-5):min(i+1, len(events))], "\n")
}
