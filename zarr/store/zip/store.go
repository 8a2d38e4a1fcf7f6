package zip

import (
	"context"
	"iter"
	"sort"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// String returns the URL of the directory in the archive that is the root, such as
// "s3://bucket/a.zip|zip:inner".
func (s *Store) String() string { return s.name }

// Close does nothing, because the store below belongs to the caller.
func (s *Store) Close() error { return nil }

// Provide provides a store.Listings, and the store.Tuning of the store below. It hides other
// interfaces of this store, because their keys are not those in the archive.
func (s *Store) Provide(target any) bool {
	switch t := target.(type) {
	case *store.Tuning:
		*t = store.TuningOf(s.st)
	case *store.Listings:
		*t = store.Listings{Complete: true} // the directory of the archive has all keys
	default:
		return false
	}
	return true
}

func (s *Store) fail(op, key string, err error) error {
	return &fault.KeyError{Op: op, Store: s.name, Key: key, Err: err}
}

// ReadOnly returns true; see store.IsReadOnly.
func (s *Store) ReadOnly() bool { return true }

// Put returns fault.ReadOnly. Use [Save] or [Writer] to write an archive.
func (s *Store) Put(_ context.Context, key string, _ []byte, _ store.PutOptions) (store.Version, error) {
	return "", s.refuse("put", key)
}

// Delete returns fault.ReadOnly.
func (s *Store) Delete(_ context.Context, key string, _ store.DeleteOptions) error {
	return s.refuse("delete", key)
}

func (s *Store) refuse(op, key string) error {
	if err := store.CheckKey(key); err != nil {
		return s.fail(op, key, err)
	}
	return &fault.KeyError{Op: op, Store: s.name, Key: key, Kind: fault.ReadOnly}
}

// List implements [store.Store]. It yields keys in order and makes no requests. Names that
// [store.CheckKey] refuses, which the Store cannot read, have size -1. With OneLevel, such a name
// is not below a Dir if the next segment of the name is invalid.
func (s *Store) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if err := o.Check(prefix); err != nil {
			yield(store.Entry{}, s.fail("list", prefix, err))
			return
		}
		root := prefix
		if root != "" {
			root += "/"
		}
		level := root + o.KeyPrefix
		for i := s.seek(max(level, root+o.StartAfter)); ; {
			if err := ctx.Err(); err != nil {
				yield(store.Entry{}, s.fail("list", prefix, err))
				return
			}
			if i == len(s.entries) || !strings.HasPrefix(s.entries[i].key, level) {
				return
			}
			e := &s.entries[i]
			out := store.Entry{Key: e.key, Size: e.size, Version: s.versionOf(e)}
			if e.unsafe {
				out = store.Entry{Key: e.key, Size: -1}
			}
			i++
			slash := strings.IndexByte(e.key[len(level):], '/')
			if slash >= 0 && o.Depth == store.OneLevel && store.CheckKey(e.key[:len(level)+slash]) == nil {
				out = store.Entry{Key: e.key[:len(level)+slash], Dir: true}
				// Go to the first key after those below the Dir: '0' follows '/'.
				i = s.seek(out.Key + "0")
			}
			if o.Match(prefix, out) && !yield(out, nil) {
				return
			}
		}
	}
}

// seek returns the index of the first entry whose key is not less than key.
func (s *Store) seek(key string) int {
	return sort.Search(len(s.entries), func(i int) bool { return s.entries[i].key >= key })
}
