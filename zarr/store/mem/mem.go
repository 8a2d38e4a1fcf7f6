package mem

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Store is a store in memory. Use [New] to make one.
type Store struct {
	mu     sync.RWMutex
	values map[string]value
	sorted []string // sorted keys; nil if they must be sorted again
	writes uint64   // number of writes so far, which is the last Version

	begun   uint64            // number of uploads in parts so far, which is the last token
	uploads map[string]*parts // unfinished uploads by token
}

// value is a stored value. A value in the map is never modified, so it may be read without the
// lock.
type value struct {
	bytes   []byte
	version store.Version
}

// New returns an empty store.
func New() *Store { return &Store{values: map[string]value{}} }

// String returns "mem://".
func (s *Store) String() string { return "mem://" }

// Close does nothing. The Store keeps its values and can still be used.
func (s *Store) Close() error { return nil }

// Provide provides a store.Listings.
func (s *Store) Provide(target any) bool {
	t, ok := target.(*store.Listings)
	if ok {
		*t = store.Listings{Complete: true} // a page is the state of one moment
	}
	return ok
}

func failed(op, key string, err error) error {
	return &fault.KeyError{Op: op, Store: "mem://", Key: key, Err: err}
}

// Get implements [store.Store].
func (s *Store) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if err := check(ctx, key, o.Range); err != nil {
		return store.Value{}, failed("get", key, err)
	}
	v, err := s.lookup(key, o)
	if err != nil {
		return store.Value{}, failed("get", key, err)
	}
	out, err := v.read(o, buf)
	if err != nil {
		return store.Value{}, failed("get", key, err)
	}
	return out, nil
}

func check(ctx context.Context, key string, ranges ...store.Range) error {
	if err := store.CheckKey(key); err != nil {
		return err
	}
	for _, r := range ranges {
		if err := r.Check(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (s *Store) lookup(key string, o store.GetOptions) (value, error) {
	s.mu.RLock()
	v, ok := s.values[key]
	s.mu.RUnlock()
	switch {
	case o.IfVersion != "" && v.version != o.IfVersion:
		return v, conflict(v, o.IfVersion)
	case !ok:
		return v, fault.NotFound
	case o.IfNotVersion != "" && v.version == o.IfNotVersion:
		return v, fault.Unchanged
	}
	return v, nil
}

// conflict returns the error for a value v whose version is not "want". If the key is absent, v is
// the zero value.
func conflict(v value, want store.Version) error {
	if v.version == "" {
		return fault.Newf(fault.Conflict, "the key has no value")
	}
	return fault.Newf(fault.Conflict, "the value has version %q, not %q", v.version, want)
}

func (v value) read(o store.GetOptions, buf []byte) (store.Value, error) {
	size := int64(len(v.bytes))
	off, n, err := o.Range.Resolve(size)
	if err != nil {
		return store.Value{}, err
	}
	if o.Max > 0 && n > o.Max {
		return store.Value{}, &store.TooLong{Announced: n, Max: o.Max, Version: v.version}
	}
	return store.Value{Bytes: append(buf, v.bytes[off:off+n]...), Size: size, Version: v.version}, nil
}

// Put implements [store.Store].
func (s *Store) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	if err := check(ctx, key); err != nil {
		return "", failed("put", key, err)
	}
	version, err := s.set(key, slices.Clone(b), o)
	if err != nil {
		return "", failed("put", key, err)
	}
	return version, nil
}

// set stores b without copying it.
func (s *Store) set(key string, b []byte, o store.PutOptions) (store.Version, error) {
	if o.IfAbsent && o.IfVersion != "" {
		return "", fault.Newf(fault.Selection, "both IfAbsent and IfVersion are set")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.values[key]
	if o.IfAbsent && ok {
		return "", fault.Exists
	}
	if o.IfVersion != "" && old.version != o.IfVersion {
		return "", conflict(old, o.IfVersion)
	}
	s.writes++
	version := store.Version(strconv.FormatUint(s.writes, 10))
	s.values[key] = value{b, version}
	if !ok {
		s.sorted = nil
	}
	return version, nil
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	if err := check(ctx, key); err != nil {
		return failed("delete", key, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.values[key]
	if o.IfVersion != "" && old.version != o.IfVersion {
		return failed("delete", key, conflict(old, o.IfVersion))
	}
	s.drop(key, ok)
	return nil
}

// DeleteAll implements [store.BatchDeleter].
func (s *Store) DeleteAll(ctx context.Context, keys []string) error {
	for _, k := range keys {
		if err := check(ctx, k); err != nil {
			return failed("delete", k, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range keys {
		_, ok := s.values[k]
		s.drop(k, ok)
	}
	return nil
}

func (s *Store) drop(key string, present bool) {
	if present {
		delete(s.values, key)
		s.sorted = nil
	}
}

// List implements [store.Store].
func (s *Store) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return store.Pages(ctx, s, prefix, o)
}
