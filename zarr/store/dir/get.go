package dir

import (
	"context"
	"io"
	"math"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Get implements [store.Store].
func (s *Store) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	path, err := s.path(ctx, key)
	if err == nil {
		err = o.Range.Check()
	}
	if err != nil {
		return store.Value{}, s.failed("get", key, err)
	}
	t, err := s.enter(false)
	if err != nil {
		return store.Value{}, s.failed("get", key, err)
	}
	defer t.close()
	f, in, err := s.open(ctx, t, path, key, o)
	if err != nil {
		return store.Value{}, s.failed("get", key, err)
	}
	defer func() { _ = f.close() }()
	v, err := read(ctx, f, in, in.seen(o), o, buf)
	if err != nil {
		return store.Value{}, s.failed("get", key, err)
	}
	return v, nil
}

// piece is the maximum number of bytes that are read between two checks of the context.
const piece = 8 << 20

// open opens the file of a key and checks the conditions in o.
func (s *Store) open(ctx context.Context, t tree, path, key string, o store.GetOptions) (file, info, error) {
	f, err := t.open(path)
	if absent(err) {
		if err = s.proven(t, path); err == nil {
			err = missing(o)
		}
	}
	if err != nil {
		return f, info{}, err
	}
	in, err := f.info()
	switch {
	case err != nil:
	case in.kind == folderKind:
		if err = s.noValueIn(ctx, t, path, key); err == nil {
			err = missing(o)
		}
	case in.kind == special:
		err = fault.Newf(fault.Refused, "the path is neither a file nor a directory")
	case o.IfVersion != "" && !in.is(o.IfVersion):
		err = fault.Newf(fault.Conflict, "the value has version %q, not %q", in.version(), o.IfVersion)
	case o.IfNotVersion != "" && in.is(o.IfNotVersion):
		err = fault.Unchanged
	}
	if err != nil {
		_ = f.close()
		return f, in, err
	}
	s.mark(t)
	return f, in, nil
}

// noValueIn returns an error if the directory at the path of a value has keys below it. Empty
// directories are permitted, because deletes leave them behind.
func (s *Store) noValueIn(ctx context.Context, t tree, path, key string) error {
	w := walk{s: s, t: t, ctx: ctx, above: s.above(key)}
	any, err := w.holdsKey(path, key+"/")
	if any && err == nil {
		err = fault.Newf(fault.Refused, "the path is a directory with keys below it, not a value")
	}
	if err != nil {
		return err
	}
	return s.checkRoot(t)
}

func missing(o store.GetOptions) error {
	if o.IfVersion != "" {
		return fault.Newf(fault.Conflict, "the key has no value")
	}
	return fault.NotFound
}

// seen returns the version of a file that open has opened with o. It reuses the string in
// o.IfVersion if there is one, because open has compared the versions.
func (i info) seen(o store.GetOptions) store.Version {
	if o.IfVersion != "" {
		return o.IfVersion
	}
	return i.version()
}

func read(ctx context.Context, f file, in info, version store.Version, o store.GetOptions, buf []byte) (store.Value, error) {
	off, n, err := o.Range.Resolve(in.size)
	if err != nil {
		return store.Value{}, err
	}
	if o.Max > 0 && n > o.Max {
		return store.Value{}, &store.TooLong{Announced: n, Max: o.Max, Version: version}
	}
	if n > math.MaxInt-int64(len(buf)) {
		return store.Value{}, fault.Newf(fault.Limit, "%d bytes do not fit in memory", n)
	}
	v := store.Value{Bytes: grown(buf, int(n)), Size: in.size, Version: version}
	for held, end := len(buf), len(v.Bytes); held < end; {
		if err := ctx.Err(); err != nil {
			return store.Value{}, err
		}
		got, err := f.readAt(v.Bytes[held:min(end, held+piece)], off)
		held, off = held+got, off+int64(got)
		if err == nil && got == 0 {
			err = io.ErrUnexpectedEOF // another program has truncated the open file
		}
		if err != nil {
			v.Bytes = v.Bytes[:held]
			return store.Value{}, fault.Newf(fault.Unavailable, "%w", &store.TruncatedError{Value: v, Want: n, Err: clean(err)})
		}
	}
	return v, nil
}

// grown returns buf extended by n bytes. It allocates only if the capacity of buf is too small.
func grown(buf []byte, n int) []byte {
	if n <= cap(buf)-len(buf) {
		return buf[:len(buf)+n]
	}
	b := make([]byte, len(buf)+n)
	copy(b, buf)
	return b
}
