package plan

import (
	"errors"
	"math"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// ErrTooLong reports that a stored object has more bytes than its codecs can produce.
var ErrTooLong = errors.New("too long")

// ErrNoRanges reports that a store cannot pin a read to a version, or cannot read the end of an
// object. The caller then reads the whole shard with one request.
var ErrNoRanges = errors.New("the store cannot read parts of a shard")

// Check checks the response of a store to a request for at most n bytes: the value v or the error
// err. It returns errors of the store, fault.Corrupt for a value of the wrong length, and
// fault.Conflict for a shard that was deleted during the read. If the request is for an index,
// Check may return [ErrNoRanges]. If it is for a whole object, Check may return [ErrTooLong].
func (r Read) Check(n int64, v store.Value, err error) error {
	what := "shard"
	switch {
	case r.Role == Index || r.Role == Recheck:
		what = "index of a shard"
		if errors.Is(err, errors.ErrUnsupported) || err == nil && v.Version == "" {
			return ErrNoRanges
		}
	case r.Role == Chunk || r.Role == Shard:
		if what = "chunk"; r.Range.IsWhole() {
			return r.checkWhole(n, err)
		}
		// v.Size is -1 if the store does not know the length.
		if size := r.Pieces[0].Chunk().Chain.EncodedSize(); err == nil && v.Size >= 0 && v.Size != size {
			return fault.Newf(fault.Corrupt, "stored chunk has %d bytes, want %d", v.Size, size)
		}
	case errors.Is(err, fault.NotFound):
		// The index of the shard was read before, so the shard has been deleted since.
		return fault.Newf(fault.Conflict, "the shard was deleted while it was read: %v", err)
	}
	if err == nil && int64(len(v.Bytes)) != r.Bound {
		return fault.Newf(fault.Corrupt, "the store returned %d of %d bytes of the %s", len(v.Bytes), r.Bound, what)
	}
	return err
}

// checkWhole checks the response to a request for at most n bytes of a whole object.
func (r Read) checkWhole(n int64, err error) error {
	if _, again := r.Longer(n, err); again || !errors.Is(err, fault.Limit) {
		return err
	}
	if r.Bound > r.Pieces[0].Chunk().Chain.Worst() {
		return fault.Newf(fault.Limit, "a shard with unused space has more bytes than Limits.Chunk (%d), and the store cannot read it in parts", r.Bound)
	}
	// The object is corrupt, because no encoder produces a chunk of this length.
	return fault.Newf(fault.Corrupt, "stored chunk has more than the %d bytes that its codecs can produce: %w: %v", r.Bound, ErrTooLong, err)
}

// Longer returns the maximum bytes of a repeated request after an object was longer than the n
// requested bytes. The result is the length of the object if err contains it, and otherwise eight
// times n. ok is false if err is another error, or if the object is longer than r.Bound.
func (r Read) Longer(n int64, err error) (more int64, ok bool) {
	if n >= r.Bound || !errors.Is(err, fault.Limit) {
		return 0, false
	}
	if long, ok := errors.AsType[*store.TooLong](err); ok {
		return long.Announced, long.Announced > n && long.Announced <= r.Bound
	}
	if n > math.MaxInt64/8 {
		return r.Bound, true
	}
	return min(max(8*n, 1), r.Bound), true
}
