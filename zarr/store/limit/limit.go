package limit

import (
	"context"
	"errors"
	"iter"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Store bounds the requests of the store below. Make it with [New] or [With].
type Store struct {
	s     store.Store
	slots *Slots
}

// New lets s have n requests in flight; fewer than one is fault.Limit. Close closes s.
func New(s store.Store, n int) (*Store, error) {
	slots, err := NewSlots(n)
	if err != nil {
		return nil, err
	}
	return With(s, slots), nil
}

// With makes s take its slots from those that others use too.
func With(s store.Store, slots *Slots) *Store { return &Store{s, slots} }

// Slots gives the slots.
func (s *Store) Slots() *Slots { return s.slots }

// Unwrap gives the store below.
func (s *Store) Unwrap() store.Store { return s.s }

// String gives the name of the store below.
func (s *Store) String() string { return store.Name(s.s) }

// Close closes the store below.
func (s *Store) Close() error { return s.s.Close() }

// take takes a slot for a request on key. The key is looked at first: what is refused anyway does not wait.
func (s *Store) take(ctx context.Context, op, key string) error {
	err := store.CheckKey(key)
	if op == "list" {
		err = store.CheckPrefix(key)
	}
	if err == nil {
		err = s.slots.acquire(ctx)
	}
	if err != nil {
		return &fault.KeyError{Op: op, Store: s.String(), Key: key, Err: err}
	}
	return nil
}

// Get implements [store.Store].
func (s *Store) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if err := o.Range.Check(); err != nil {
		return store.Value{}, &fault.KeyError{Op: "get", Store: s.String(), Key: key, Err: err}
	}
	if err := s.take(ctx, "get", key); err != nil {
		return store.Value{}, err
	}
	defer s.slots.release()
	return s.s.Get(ctx, key, o, buf)
}

// Put implements [store.Store].
func (s *Store) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	if err := s.take(ctx, "put", key); err != nil {
		return "", err
	}
	defer s.slots.release()
	return s.s.Put(ctx, key, value, o)
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	if err := s.take(ctx, "delete", key); err != nil {
		return err
	}
	defer s.slots.release()
	return s.s.Delete(ctx, key, o)
}

// List implements [store.Store].
func (s *Store) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return store.PagesOf(func(token string) ([]store.Entry, string, error) {
		return s.ListPage(ctx, prefix, o, token)
	}, s.listSteps(ctx, prefix, o))
}

// listSteps pulls the listing below entry by entry, so that no slot is held while the reader has the word.
func (s *Store) listSteps(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		next, stop := iter.Pull2(s.s.List(ctx, prefix, o))
		defer stop()
		for {
			if err := s.take(ctx, "list", prefix); err != nil {
				yield(store.Entry{}, err)
				return
			}
			e, err, ok := s.step(next)
			if !ok || !yield(e, err) || err != nil {
				return
			}
		}
	}
}

func (s *Store) step(next func() (store.Entry, error, bool)) (store.Entry, error, bool) {
	defer s.slots.release() // also when next panics
	return next()
}

// ListPage implements [store.PageLister] where the store below does.
func (s *Store) ListPage(ctx context.Context, prefix string, o store.ListOptions, token string) ([]store.Entry, string, error) {
	pl, ok := s.s.(store.PageLister)
	if !ok {
		return nil, "", errors.ErrUnsupported
	}
	if err := s.take(ctx, "list", prefix); err != nil {
		return nil, "", err
	}
	defer s.slots.release()
	return pl.ListPage(ctx, prefix, o, token)
}

// DeleteAll implements [store.BatchDeleter] where the store below does.
func (s *Store) DeleteAll(ctx context.Context, keys []string) error {
	bd, ok := s.s.(store.BatchDeleter)
	if !ok {
		return errors.ErrUnsupported
	}
	if len(keys) == 0 {
		return nil
	}
	if err := s.take(ctx, "delete", keys[0]); err != nil {
		return err
	}
	defer s.slots.release()
	return bd.DeleteAll(ctx, keys)
}

// PutParts implements [store.PartPutter] where the store below does. Each part is a request of its own.
func (s *Store) PutParts(ctx context.Context, key string) (store.Parts, error) {
	pp, ok := s.s.(store.PartPutter)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	if err := s.take(ctx, "put", key); err != nil {
		return nil, err
	}
	defer s.slots.release()
	p, err := pp.PutParts(ctx, key)
	if err != nil {
		return nil, err
	}
	return &parts{s, key, p}, nil
}

type parts struct {
	s   *Store
	key string
	p   store.Parts
}

func (p *parts) MinPart() int { return p.p.MinPart() }

func (p *parts) Part(ctx context.Context, n int, b []byte) error {
	if err := p.s.take(ctx, "put", p.key); err != nil {
		return err
	}
	defer p.s.slots.release()
	return p.p.Part(ctx, n, b)
}

func (p *parts) Commit(ctx context.Context, o store.PutOptions) (store.Version, error) {
	if err := p.s.take(ctx, "put", p.key); err != nil {
		return "", err
	}
	defer p.s.slots.release()
	return p.p.Commit(ctx, o)
}

func (p *parts) Abort(ctx context.Context) error {
	if err := p.s.take(ctx, "put", p.key); err != nil {
		return err
	}
	defer p.s.slots.release()
	return p.p.Abort(ctx)
}
