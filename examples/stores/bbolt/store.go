package bbolt

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"iter"
	"strconv"
	"strings"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Store is a store in a file of bbolt. Use [Open] to make one.
type Store struct {
	db   *bolt.DB
	name string
}

// bucket is the name of the bucket that contains all values.
var bucket = []byte("zarr")

// Open opens or creates the file path. Close the Store to release the file.
func Open(path string) (*Store, error) {
	db, err := bolt.Open(path, 0o666, &bolt.Options{Timeout: time.Second, FreelistType: bolt.FreelistMapType})
	if err == nil {
		if err = db.Update(func(tx *bolt.Tx) error { _, err := tx.CreateBucketIfNotExists(bucket); return err }); err != nil {
			_ = db.Close()
		}
	}
	if err != nil {
		return nil, &fault.KeyError{Op: "open", Store: "bbolt://" + path, Kind: kind(err), Err: err}
	}
	db.MaxBatchDelay = 2 * time.Millisecond // about as long as an SSD takes to store a transaction
	return &Store{db, "bbolt://" + path}, nil
}

// String returns "bbolt://" and the path of the file.
func (s *Store) String() string { return s.name }

// Close waits for the running transactions and closes the file.
func (s *Store) Close() error { return s.db.Close() }

// Provide provides a store.Listings.
func (s *Store) Provide(target any) bool {
	t, ok := target.(*store.Listings)
	if ok {
		*t = store.Listings{Ordered: true, Complete: true}
	}
	return ok
}

// run calls f in a transaction, unless the key or the context is not valid. It returns errors as
// *fault.KeyError. transact is a method of s.db.
func (s *Store) run(ctx context.Context, op, key string, transact func(func(*bolt.Tx) error) error, f func(*bolt.Bucket) error) error {
	err := store.CheckKey(key)
	if op == "list" {
		err = store.CheckPrefix(key)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = transact(func(tx *bolt.Tx) error { return f(tx.Bucket(bucket)) })
	}
	if err != nil {
		return &fault.KeyError{Op: op, Store: s.name, Key: key, Kind: kind(err), Err: err}
	}
	return nil
}

// kind returns the kind of an error of bbolt or of the file system, and nil for all other errors.
func kind(err error) error {
	switch {
	case errors.Is(err, berrors.ErrDatabaseNotOpen), errors.Is(err, berrors.ErrTimeout):
		return fault.Unavailable
	case errors.Is(err, berrors.ErrValueTooLarge):
		return fault.Limit
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum):
		return fault.Corrupt
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fault.Full
	case errors.Is(err, fs.ErrPermission):
		return fault.Denied
	}
	return nil
}

// Get implements [store.Store].
func (s *Store) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (v store.Value, err error) {
	err = s.run(ctx, "get", key, s.db.View, func(b *bolt.Bucket) error {
		if err := o.Range.Check(); err != nil {
			return err
		}
		v, err = read(b.Get([]byte(key)), o, buf)
		return err
	})
	return v, err
}

// read appends the bytes that o selects to buf. Stored bytes are memory of the database, and are
// valid until the end of the transaction.
func read(stored []byte, o store.GetOptions, buf []byte) (store.Value, error) {
	version, b, err := split(stored)
	switch {
	case err != nil:
		return store.Value{}, err
	case o.IfVersion != "" && version != o.IfVersion:
		return store.Value{}, conflict(version, o.IfVersion)
	case version == "":
		return store.Value{}, fault.NotFound
	case version == o.IfNotVersion:
		return store.Value{}, fault.Unchanged
	}
	off, n, err := o.Range.Resolve(int64(len(b)))
	if err != nil {
		return store.Value{}, err
	}
	if o.Max > 0 && n > o.Max {
		return store.Value{}, &store.TooLong{Announced: n, Max: o.Max, Version: version}
	}
	return store.Value{Bytes: append(buf, b[off:off+n]...), Size: int64(len(b)), Version: version}, nil
}

// split returns the version and the bytes of a stored value. For nil it returns the version "".
func split(stored []byte) (store.Version, []byte, error) {
	if stored == nil {
		return "", nil, nil
	}
	if len(stored) < 8 {
		return "", nil, fault.Newf(fault.Corrupt, "the stored value has %d bytes, less than its version", len(stored))
	}
	return store.Version(strconv.FormatUint(binary.BigEndian.Uint64(stored), 10)), stored[8:], nil
}

func conflict(version, want store.Version) error {
	return fault.Newf(fault.Conflict, "the value has version %q, not %q", version, want)
}

// Put implements [store.Store].
func (s *Store) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (version store.Version, err error) {
	// Batch calls the function again if another write of the transaction fails.
	err = s.run(ctx, "put", key, s.db.Batch, func(b *bolt.Bucket) error {
		version = ""
		old, _, err := split(b.Get([]byte(key)))
		switch {
		case o.IfAbsent && o.IfVersion != "":
			return fault.Newf(fault.Selection, "both IfAbsent and IfVersion are set")
		case err != nil && o != (store.PutOptions{}):
			return err // a plain Put replaces a damaged value
		case o.IfAbsent && old != "":
			return fault.Exists
		case o.IfVersion != "" && old != o.IfVersion:
			return conflict(old, o.IfVersion)
		}
		n, err := b.NextSequence()
		if err != nil {
			return err
		}
		stored := append(binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(value)), n), value...)
		if err := b.Put([]byte(key), stored); err != nil {
			return err
		}
		version, _, err = split(stored)
		return err
	})
	if err != nil {
		return "", err // the transaction may have failed after the function
	}
	return version, nil
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	return s.run(ctx, "delete", key, s.db.Batch, func(b *bolt.Bucket) error {
		if old, _, err := split(b.Get([]byte(key))); o.IfVersion != "" && err != nil {
			return err
		} else if o.IfVersion != "" && old != o.IfVersion {
			return conflict(old, o.IfVersion)
		}
		return b.Delete([]byte(key))
	})
}

// List implements [store.Store].
func (s *Store) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return store.Pages(ctx, s, prefix, o)
}

// ListPage implements [store.PageLister]. The token is the first key of the next page, so that it
// remains valid if keys are added or removed. Each page is a short transaction, because bbolt
// cannot reuse the pages of replaced values during a transaction.
func (s *Store) ListPage(ctx context.Context, prefix string, o store.ListOptions, token string) (page []store.Entry, next string, err error) {
	below := prefix
	if below != "" {
		below += "/"
	}
	level := below + o.KeyPrefix
	err = s.run(ctx, "list", prefix, s.db.View, func(b *bolt.Bucket) error {
		if err := o.Check(prefix); err != nil {
			return err
		}
		c := b.Cursor()
		for k, stored := c.Seek([]byte(max(level, token, below+o.StartAfter))); strings.HasPrefix(string(k), level) && k != nil; {
			if len(page) == 1000 {
				next = string(k)
				return nil
			}
			e := store.Entry{Key: string(k)}
			if slash := strings.IndexByte(e.Key[len(level):], '/'); o.Depth == store.OneLevel && slash >= 0 {
				e = store.Entry{Key: e.Key[:len(level)+slash], Dir: true}
				k, stored = c.Seek([]byte(e.Key + "0")) // the first key after the Dir: '0' follows '/'
			} else {
				e.Version, _, _ = split(stored)
				e.Size = max(int64(len(stored))-8, -1) // -1 if the value is damaged
				k, stored = c.Next()
			}
			if o.Match(prefix, e) {
				page = append(page, e)
			}
		}
		return nil
	})
	return page, next, err
}
