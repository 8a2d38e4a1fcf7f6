package blob

import (
	"context"
	"errors"

	gcblob "gocloud.dev/blob"

	"github.com/zargo-io/zargo/internal/provider/exact"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Get implements store.Store. Without a hook, IfVersion and IfNotVersion return
// errors.ErrUnsupported, and a suffix read needs a second request.
func (s *Store) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if err := s.begin(ctx, "get", key); err != nil {
		return store.Value{}, err
	}
	if err := o.Range.Check(); err != nil {
		return store.Value{}, s.fail("get", key, err)
	}
	if h := s.opt.hooks.Get; h != nil {
		v, err := h(ctx, key, o, buf)
		if err != nil {
			return store.Value{}, s.pinned(s.failed(ctx, "get", key, err), o.IfVersion)
		}
		return v, nil
	}
	if o.IfVersion != "" || o.IfNotVersion != "" {
		return store.Value{}, s.unsupported("get", key, "reading by version")
	}
	var v store.Value
	var err error
	if n, ok := o.Range.IsSuffix(); ok {
		v, err = s.getLast(ctx, key, n, o.Max, buf)
	} else {
		v, err = s.getFrom(ctx, key, o.Range, o.Max, buf)
	}
	if err != nil {
		return store.Value{}, s.failed(ctx, "get", key, err)
	}
	return v, nil
}

// pinned converts fault.NotFound to fault.Conflict if v, the version that the caller requires, is
// not "".
func (s *Store) pinned(err error, v store.Version) error {
	var e *fault.KeyError
	if v == "" || !errors.Is(err, fault.NotFound) || !errors.As(err, &e) {
		return err
	}
	return &fault.KeyError{
		Op: e.Op, Store: e.Store, Key: e.Key,
		Err: fault.Newf(fault.Conflict, "the required version %s no longer exists", v),
	}
}

// getLast reads the size and then the suffix. It retries if the size of the value has changed in
// between.
func (s *Store) getLast(ctx context.Context, key string, n, most int64, buf []byte) (store.Value, error) {
	attrs, err := s.bucket.Attributes(ctx, key)
	if err != nil {
		return store.Value{}, s.notFound(ctx, key, err)
	}
	size := attrs.Size
	for range 3 {
		if n > size {
			_, _, err := store.Suffix(n).Resolve(size)
			return store.Value{}, err
		}
		v, err := s.getFrom(ctx, key, store.Within(size-n, n), most, buf)
		if err == nil && v.Size != size {
			size = v.Size
			continue
		}
		return v, err
	}
	return store.Value{}, fault.Newf(fault.Unavailable, "the size of the value changed during each of 3 suffix reads")
}

// getFrom reads a whole value or a range that starts at an offset.
func (s *Store) getFrom(ctx context.Context, key string, r store.Range, most int64, buf []byte) (_ store.Value, err error) {
	off, n := int64(0), int64(-1)
	if o, ok := r.IsFrom(); ok {
		off = o
	} else if o, m, ok := r.IsWithin(); ok {
		off, n = o, m
	}
	// Cancelling the context lets Close return without a wait for the rest of the body, if getFrom
	// does not read all of it.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	body, err := s.bucket.NewRangeReader(ctx, key, off, n, nil)
	if err != nil {
		return store.Value{}, s.shortOr(ctx, key, r, s.notFound(ctx, key, err))
	}
	defer func() { closeBody(body, cancel, &err) }()
	size := body.Size()
	_, n, err = r.Resolve(size)
	if err != nil {
		return store.Value{}, err
	}
	if most > 0 && n > most {
		return store.Value{}, &store.TooLong{Announced: n, Max: most}
	}
	_, _, within := r.IsWithin()
	bytes, err := exact.Read(buf, body, n, most > 0 || within)
	v := store.Value{Bytes: bytes, Size: size}
	if err == nil {
		err = exact.End(body)
	}
	if err != nil {
		if errors.Is(err, fault.Limit) || len(bytes)-len(buf) == int(n) {
			return store.Value{}, err
		}
		return store.Value{}, fault.Newf(fault.Unavailable, "%w", &store.TruncatedError{Value: v, Want: n, Err: err})
	}
	return v, nil
}

func closeBody(body *gcblob.Reader, cancel context.CancelFunc, err *error) {
	if *err != nil {
		cancel()
	}
	if e := body.Close(); *err == nil && e != nil {
		*err = e
	}
}

// notFound converts a driver's error to fault.NotFound if the key is proven absent.
func (s *Store) notFound(ctx context.Context, key string, err error) error {
	if e := s.absent(ctx, key, err); e != nil {
		return e
	}
	return fault.Newf(fault.NotFound, "%w", err)
}

// shortOr handles a range read that failed for an unknown reason. It requests the size, because
// drivers lack an error code for a short value. If the value is shorter than the range, it returns
// the range error, otherwise err.
func (s *Store) shortOr(ctx context.Context, key string, r store.Range, err error) error {
	if r.IsWhole() || hasKind(err) || ctx.Err() != nil || s.kind(err) != error(fault.Unavailable) {
		return err
	}
	attrs, e := s.bucket.Attributes(ctx, key)
	if e != nil {
		return err
	}
	if _, _, short := r.Resolve(attrs.Size); short != nil {
		return short
	}
	return err
}
