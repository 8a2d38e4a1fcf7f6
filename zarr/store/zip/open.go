package zip

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Open opens the archive that st has under key, and reads the directory of the archive. The
// returned store is read-only. The caller remains responsible for closing st. Open fails with:
//
//   - fault.NotFound if st lacks the key
//   - fault.Corrupt if the value is not a zip archive
//   - fault.Limit if the directory is larger than [MaxDirectory]
//   - errors.ErrUnsupported if the archive is split over several files
func Open(ctx context.Context, st store.Store, key string, opts ...Option) (store.Store, error) {
	c, err := newConfig(opts)
	s := &Store{st: st, archive: key, name: name(store.Name(st), key, c.inner)}
	if err == nil {
		err = s.open(ctx, c)
	}
	if err != nil {
		return nil, &fault.KeyError{Op: "open", Store: s.name, Key: key, Err: whole(err)}
	}
	return s, nil
}

// Store is an archive in a store. Use [Open] to open one.
type Store struct {
	st      store.Store
	archive string // key of the archive in st
	name    string
	version store.Version // version of the archive
	entries []entry       // sorted by key
	data    []atomic.Int64
	pool    sync.Pool // of *[]byte, for headers and packed values
}

var errUnsupported = errors.ErrUnsupported

// tailSize is the number of bytes at the end of an archive that are read first. The end records
// with the longest comment take 65,633 bytes. The rest of the 128 KiB is enough for the directory
// of a thousand chunks. Reading the rest takes less time than a second request.
const tailSize = 128 << 10

// name returns the URL of a directory in an archive, such as "s3://bucket/a.zip|zip:inner".
func name(base, key, inner string) string {
	base, query, found := strings.Cut(base, "?")
	if found {
		query = "?" + query
	}
	return strings.TrimSuffix(base, "/") + "/" + key + query + "|zip:" + inner
}

func (s *Store) open(ctx context.Context, c config) error {
	t, err := s.readTail(ctx)
	if err != nil {
		return err
	}
	e, err := t.parseEnd()
	if err != nil {
		return err
	}
	off, base, err := e.place(c.maxDirectory)
	if err != nil {
		return err
	}
	var dir []byte
	if off >= t.off {
		dir = t.bytes[off-t.off : e.at-t.off]
	} else {
		n := min(e.at, t.off) - off
		v, err := s.st.Get(ctx, s.archive, store.GetOptions{Range: store.Within(off, n), IfVersion: s.version, Max: n}, nil)
		if err != nil {
			return err
		}
		dir = append(v.Bytes, t.bytes[:max(0, e.at-t.off)]...)
	}
	if s.entries, err = parseDirectory(dir, e, off, base, c.inner); err != nil {
		return err
	}
	s.data = make([]atomic.Int64, len(s.entries))
	return nil
}

// readTail reads the end of the archive and sets s.version.
func (s *Store) readTail(ctx context.Context) (tail, error) {
	v, err := s.st.Get(ctx, s.archive, store.GetOptions{Range: store.Suffix(tailSize), Max: tailSize}, nil)
	switch {
	case errors.Is(err, fault.Corrupt): // the archive is shorter
		v, err = s.st.Get(ctx, s.archive, store.GetOptions{Max: tailSize}, nil)
	case errors.Is(err, errors.ErrUnsupported):
		return s.readTailBySize(ctx)
	}
	if err != nil {
		return tail{}, err
	}
	s.version = v.Version
	return tail{v.Bytes, v.Size - int64(len(v.Bytes))}, nil
}

// readTailBySize is readTail for stores without suffix ranges.
func (s *Store) readTailBySize(ctx context.Context) (tail, error) {
	v, err := s.st.Get(ctx, s.archive, store.GetOptions{Range: store.Within(0, 1)}, nil)
	if err != nil {
		return tail{}, err
	}
	s.version = v.Version
	n := min(v.Size, tailSize)
	v, err = s.st.Get(ctx, s.archive, store.GetOptions{Range: store.Within(v.Size-n, n), IfVersion: s.version, Max: n}, nil)
	if err != nil {
		return tail{}, err
	}
	return tail{v.Bytes, v.Size - n}, nil
}

// whole replaces a *store.TruncatedError by an error without bytes. Otherwise package retry would
// mistake the bytes of the archive for bytes of a value.
func whole(err error) error {
	if _, ok := errors.AsType[*store.TruncatedError](err); ok {
		return fault.Newf(fault.Unavailable, "%v", err)
	}
	return err
}
