package hedge

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store"
)

// Options are what second requests may take.
type Options struct {
	// Budget has the memory for answers of second requests. nil: there is none, and no second
	// request is made.
	Budget *concurrency.Budget
	// Free reports whether a request would begin at once. nil: it would.
	Free func() bool
}

// Store hedges Gets. Make it with [New]. All methods may be called concurrently.
type Store struct {
	s     store.Store
	o     Options
	least time.Duration // before which no request is slow

	mu        sync.Mutex
	classes   [classes]class
	allowed   float64   // second requests
	throttled time.Time // when the last request was
}

// New makes a Store of s. Close closes s.
func New(s store.Store, o Options) *Store {
	return &Store{s: s, o: o, least: shortest, allowed: burst}
}

// Unwrap returns the store below.
func (s *Store) Unwrap() store.Store { return s.s }

// String returns the name of the store below.
func (s *Store) String() string { return store.Name(s.s) }

// Close closes the store below.
func (s *Store) Close() error { return s.s.Close() }

// Put goes to the store below.
func (s *Store) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	return s.s.Put(ctx, key, value, o)
}

// Delete goes to the store below.
func (s *Store) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	return s.s.Delete(ctx, key, o)
}

// List goes to the store below.
func (s *Store) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return s.s.List(ctx, prefix, o)
}

// ListPage goes to the store below.
func (s *Store) ListPage(ctx context.Context, prefix string, o store.ListOptions, token string) ([]store.Entry, string, error) {
	if l, ok := s.s.(store.PageLister); ok {
		return l.ListPage(ctx, prefix, o, token)
	}
	return nil, "", errors.ErrUnsupported
}

// DeleteAll goes to the store below.
func (s *Store) DeleteAll(ctx context.Context, keys []string) error {
	if d, ok := s.s.(store.BatchDeleter); ok {
		return d.DeleteAll(ctx, keys)
	}
	return errors.ErrUnsupported
}

// PutParts goes to the store below.
func (s *Store) PutParts(ctx context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	if p, ok := s.s.(store.PartPutter); ok {
		return p.PutParts(ctx, key, o)
	}
	return nil, errors.ErrUnsupported
}

// Copy goes to the store below.
func (s *Store) Copy(ctx context.Context, from, to string, o store.CopyOptions) (store.Version, error) {
	return store.Copy(ctx, s.s, from, to, o)
}
