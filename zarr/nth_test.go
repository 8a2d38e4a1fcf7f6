package zarr_test

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/zarr/store"
)

// nth is a store that calls do or fails at its n-th request, counted from 0.
type nth struct {
	store.Store
	mu    sync.Mutex
	puts  bool // count only puts
	n     int
	seen  int
	do    func()                   // called before the request
	fails func(apply func()) error // called instead of the put
}

// at counts a request, and reports whether it is the n-th.
func (s *nth) at(put bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.puts && !put {
		return false
	}
	s.seen++
	return s.seen == s.n+1
}

func (s *nth) before(put bool) bool {
	is := s.at(put)
	if is && s.do != nil {
		s.do()
	}
	return is
}

func (s *nth) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	s.before(false)
	return s.Store.Get(ctx, key, o, buf)
}

func (s *nth) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	if s.before(true) && s.fails != nil {
		b := slices.Clone(b)
		return "", s.fails(func() { _, _ = s.Store.Put(context.WithoutCancel(ctx), key, b, o) })
	}
	return s.Store.Put(ctx, key, b, o)
}

func (s *nth) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	s.before(false)
	return s.Store.Delete(ctx, key, o)
}

func (s *nth) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	s.before(false)
	return s.Store.List(ctx, prefix, o)
}

// reached reports whether there was an n-th request.
func (s *nth) reached() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen > s.n
}
