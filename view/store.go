package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Store is a view. It is a read-only store.Store: Put and Delete return fault.ReadOnly. It is safe
// for concurrent use.
type Store struct {
	o       Options
	shared  *concurrency.Limits
	refresh sync.Mutex
	ds      *dataset.Dataset // guarded by refresh
	now     atomic.Pointer[state]
}

// New returns a view of a dataset. It computes the documents of the view from those of the dataset.
// It sends no request, except for arrays of Zarr format 1. Groups below that of the dataset,
// arrays that the dataset leaves out, and unknown members of metadata are not part of the view.
//
// The error is fault.Selection if ds is a selection (see Options.Sel), and for options that do not
// apply to the dataset. It is fault.Limit if a chunk does not fit in half of Options.Memory, or
// the index of a shard not in Options.Cache, and errors.ErrUnsupported for codecs that only decode.
// Other errors are those of zarr.Create.
func New(ctx context.Context, ds *dataset.Dataset, o Options) (*Store, error) {
	if ds.Group() == nil {
		return nil, fault.Newf(fault.Selection, "view: the dataset is not open")
	}
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("view: %w", err)
	}
	o.Name = cmp.Or(o.Name, "view of "+store.Name(ds.Group().Store()))
	o.Cache = cmp.Or(o.Cache, 64<<20)
	o.Memory = cmp.Or(o.Memory, min(concurrency.Memory()/4, concurrency.MaxDefaultBudget))
	s := &Store{o: o, ds: ds, shared: &concurrency.Limits{CPU: concurrency.Default().CPU, Bytes: concurrency.NewBudget(o.Memory)}}
	now, err := newState(ctx, ds, &s.o, s.shared)
	if err != nil {
		return nil, fmt.Errorf("view: %w", err)
	}
	s.now.Store(now)
	return s, nil
}

// Refresh makes the view one of the current state of its source, as dataset.Dataset.Refresh opens
// it. Computed values are forgotten. After an error the view is unchanged.
func (s *Store) Refresh(ctx context.Context) error {
	s.refresh.Lock()
	defer s.refresh.Unlock()
	ds, err := s.ds.Refresh(ctx)
	if err == nil {
		var now *state
		if now, err = newState(ctx, ds, &s.o, s.shared); err == nil {
			s.ds = ds
			s.now.Store(now)
			return nil
		}
	}
	return fmt.Errorf("view: refresh: %w", err)
}

// Get implements [store.Store]. The version of a value is a hash of its bytes, or
// of the hashes of its inner chunks. If all elements of a
// chunk are the fill value, the chunk is absent. The error is fault.Conflict if the documents of
// the source's array have changed since New or Refresh. Other errors are those of reads of the
// source; an object that the source cannot read is never absent.
func (s *Store) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	v, err := s.get(ctx, key, o, buf)
	if err != nil {
		return store.Value{}, s.failed("get", key, err)
	}
	return v, nil
}

// tries is the number of times that a range of a shard is read while the source changes.
const tries = 3

func (s *Store) get(ctx context.Context, key string, o store.GetOptions, buf []byte) (v store.Value, err error) {
	if err := cmp.Or(store.CheckKey(key), o.Range.Check(), context.Cause(ctx)); err != nil {
		return v, err
	}
	st := s.now.Load()
	for range tries {
		if v, err = st.get(ctx, key, o, buf); !errors.Is(err, errReplaced) {
			break
		}
	}
	return v, err
}

// Plan returns the maximum requests to the source, and the bytes that they return, for the value of
// a key that is not kept. It sends no request. A document of the view takes none. The requests
// include those that compare the documents of the source's array, but not their bytes. The error is
// fault.NotFound if the view has no such key.
func (s *Store) Plan(key string) (store.Amount, error) {
	st := s.now.Load()
	if _, ok := st.docs[key]; ok {
		return store.Amount{}, nil
	}
	a, coord, err := st.find(key)
	if err != nil {
		return store.Amount{}, s.failed("plan", key, err)
	}
	n, err := a.plan(coord)
	if err != nil {
		return n, s.failed("plan", key, err)
	}
	return n.Add(store.Amount{Gets: a.documents()}), nil
}

// Put returns fault.ReadOnly.
func (s *Store) Put(_ context.Context, key string, _ []byte, _ store.PutOptions) (store.Version, error) {
	return "", s.failed("put", key, cmp.Or(store.CheckKey(key), error(fault.ReadOnly)))
}

// Delete returns fault.ReadOnly.
func (s *Store) Delete(_ context.Context, key string, _ store.DeleteOptions) error {
	return s.failed("delete", key, cmp.Or(store.CheckKey(key), error(fault.ReadOnly)))
}

// ReadOnly returns true, for store.IsReadOnly.
func (s *Store) ReadOnly() bool { return true }

// Close does nothing. The store of the dataset remains open.
func (s *Store) Close() error { return nil }

// String returns Options.Name.
func (s *Store) String() string { return s.o.Name }

func (s *Store) failed(op, key string, err error) error {
	return &fault.KeyError{Op: op, Store: s.o.Name, Key: key, Err: err}
}
