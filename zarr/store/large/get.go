package large

import (
	"context"
	"errors"
	"math"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Get implements [store.Store].
func (s *Store) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	r := &read{s: s, key: key, o: o, held: len(buf), buf: buf, version: o.IfVersion}
	if !r.splits() {
		return s.Store.Get(ctx, key, o, buf)
	}
	v, err := r.get(ctx)
	switch {
	case err == nil:
		return v, nil
	case errors.Is(err, errAnew) && ctx.Err() == nil:
		return s.Store.Get(ctx, key, o, buf)
	}
	return store.Value{}, s.failed(ctx, "get", key, err)
}

// errAnew means that the ranges may be of different values, because the value was replaced or
// removed during the read, or the store lacks versions. After errAnew the value is read in one
// request.
var errAnew = errors.New("the ranges are not of one value")

// read is the state of a Get in ranges.
type read struct {
	s       *Store
	key     string
	o       store.GetOptions
	off, n  int64         // offset and number of the selected bytes; n is 0 while unknown
	version store.Version // version of all ranges; empty while unknown
	size    int64         // size of the whole value
	held    int           // length of the caller's buffer
	buf     []byte        // the caller's buffer and the bytes that have arrived
}

// splits reports whether the selection may be too long for one request.
func (r *read) splits() bool {
	most := r.s.o.SplitAbove
	if most <= 0 || r.s.whole.Load() || r.o.IfVersion != "" && r.o.IfNotVersion != "" || r.o.Max > 0 && r.o.Max <= most {
		return false
	}
	if r.o.Range.IsWhole() {
		return true
	}
	var ok bool
	r.off, r.n, ok = r.o.Range.IsWithin()
	return ok && r.o.Range.Check() == nil && r.n > most && (r.o.Max <= 0 || r.n <= r.o.Max) && r.fits(r.n) == nil
}

// fits returns fault.Limit if n bytes cannot fit in memory.
func (r *read) fits(n int64) error {
	if n > int64(math.MaxInt-r.held) {
		return fault.Newf(fault.Limit, "a value of %d bytes does not fit in memory", n)
	}
	return nil
}

func (r *read) get(ctx context.Context) (v store.Value, err error) {
	done := false
	switch {
	case r.n == 0:
		v, done, err = r.requestAll(ctx)
	case r.version == "":
		err = r.requestFirst(ctx)
	}
	if done || err != nil {
		return v, err
	}
	for left := r.left(); left > 0; left = r.left() {
		step := r.step(left)
		r.grow(step)
		if err := r.requestRest(ctx, r.buf[len(r.buf):len(r.buf)+int(step)]); err != nil {
			return store.Value{}, err
		}
		r.buf = r.buf[:len(r.buf)+int(step)]
	}
	return store.Value{Bytes: r.buf, Size: r.size, Version: r.version}, nil
}

// requestAll requests the whole value. done is true if the value is short enough for one request.
// Otherwise requestAll sets the length and the version that the response announced.
func (r *read) requestAll(ctx context.Context) (v store.Value, done bool, err error) {
	o := r.o
	o.Max = r.s.o.SplitAbove
	v, err = r.s.Store.Get(ctx, r.key, o, r.buf)
	if err == nil || !errors.Is(err, fault.Limit) {
		return v, true, err
	}
	var long *store.TooLong
	switch known := errors.As(err, &long); {
	case !known || long.Announced <= o.Max:
		return store.Value{}, false, errAnew
	case r.o.Max > 0 && long.Announced > r.o.Max:
		return store.Value{}, false, &store.TooLong{Announced: long.Announced, Max: r.o.Max, Version: long.Version}
	case long.Version == "":
		r.s.whole.Store(true)
		return store.Value{}, false, errAnew
	}
	r.n, r.size, r.version = long.Announced, long.Announced, long.Version
	return store.Value{}, false, r.fits(r.n)
}

// requestFirst requests the beginning of the selection and records the version of the value.
func (r *read) requestFirst(ctx context.Context) error {
	o := r.o
	o.Range = store.Within(r.off, min(r.n, r.s.o.Piece))
	r.grow(r.n)
	v, err := r.s.Store.Get(ctx, r.key, o, r.buf)
	if err != nil {
		return err
	}
	if v.Version == "" {
		r.s.whole.Store(true)
		return errAnew
	}
	r.buf, r.version, r.size = v.Bytes, v.Version, v.Size
	return nil
}

// left returns the number of bytes that have not arrived.
func (r *read) left() int64 { return r.n - int64(len(r.buf)-r.held) }

// unproven is the maximum allocation based only on an announced length, as in exact.Read.
const unproven = 64 << 20

// step returns the number of bytes to request next. That is all remaining bytes if the buffer has
// the capacity or the caller has set a limit.
func (r *read) step(remaining int64) int64 {
	if !r.o.Range.IsWhole() || r.o.Max > 0 || remaining <= unproven || int64(cap(r.buf)-len(r.buf)) >= remaining {
		return remaining
	}
	return min(remaining, max(unproven, int64(len(r.buf))))
}

// grow ensures that the buffer has capacity for n more bytes. A new buffer has exactly that
// capacity.
func (r *read) grow(n int64) {
	if int64(cap(r.buf)-len(r.buf)) < n {
		r.buf = append(make([]byte, 0, len(r.buf)+int(n)), r.buf...)
	}
}

// requestRest requests the next len(dst) bytes in concurrent pieces.
func (r *read) requestRest(ctx context.Context, dst []byte) error {
	at := r.off + int64(len(r.buf)-r.held)
	pieces := split(int64(len(dst)), r.s.o.Piece)
	sizes := make([]int64, pieces.count)
	err := concurrency.EachN(ctx, r.s.o.InFlight, pieces.count, func(ctx context.Context, i int) error {
		from, to := pieces.span(i)
		v, err := r.s.Store.Get(ctx, r.key, store.GetOptions{Range: store.Within(at+from, to-from), IfVersion: r.version}, dst[from:from:to])
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			r.s.whole.Store(true)
			return errAnew
		case errors.Is(err, fault.Conflict), errors.Is(err, fault.NotFound), errors.Is(err, fault.Corrupt):
			return errAnew
		case err != nil:
			return err
		case v.Version != r.version || int64(len(v.Bytes)) != to-from:
			return errAnew
		}
		if &v.Bytes[0] != &dst[from] {
			copy(dst[from:to], v.Bytes)
		}
		sizes[i] = v.Size
		return nil
	})
	if err != nil {
		return err
	}
	for _, size := range sizes {
		if r.size == 0 {
			r.size = size
		}
		if size != r.size {
			return errAnew
		}
	}
	return nil
}

// pieces divides a length into pieces of equal length and a last piece that may be shorter.
type pieces struct {
	total, each int64
	count       int
}

// split divides total bytes into pieces of up to limit bytes. total must be positive.
func split(total, limit int64) pieces {
	count := (total-1)/limit + 1
	each := (total-1)/count + 1
	return pieces{total, each, int((total-1)/each + 1)}
}

// span returns the start and the end of piece i.
func (p pieces) span(i int) (from, to int64) {
	from = int64(i) * p.each
	return from, min(from+p.each, p.total)
}
