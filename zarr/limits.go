package zarr

import (
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Limits are the bounds set by the option [Limit]. If a field is 0 or nil, its default applies. By
// default, Requests and Bytes are unbounded.
type Limits struct {
	// Requests is the maximum number of requests that one call may send to the store. A call that
	// needs more returns ErrLimit. If the selection alone shows this, the call fails before its
	// first request. Requests for inner chunks are counted, and refused, after the index of their
	// shard has been read. A request that is repeated because another writer replaced an object
	// counts again. Retries within the store and requests for metadata do not count.
	Requests int

	// Bytes is the maximum number of bytes of stored values that one call may read and write. A
	// call that needs more returns ErrLimit. Metadata does not count. Requests for inner chunks are
	// refused before they are sent, because the shard's index has their lengths. If lengths are
	// unknown in advance, a call may exceed Bytes by the requests in flight, which are not
	// canceled.
	Bytes int64

	// InFlight is the maximum number of chunks that one call processes concurrently. The default is
	// the number of concurrent requests of the store plus the number of CPU slots. The store's own
	// limit on requests, shared by all calls, also applies.
	InFlight int

	// Chunk is the maximum size in bytes of a decoded chunk in memory, and of the index of a shard.
	// An index has 16 bytes for each inner chunk. A larger chunk or index causes ErrLimit. An
	// element of varying length counts as its bytes plus 8. The default for a chunk is half of
	// [concurrency.Memory]. The default for an index is the same, but at most 32 MiB.
	Chunk int64

	// Metadata is the maximum size in bytes of one metadata document. Longer documents cause
	// ErrLimit. The default is 64 MiB. Metadata also bounds the memory of decoded attributes. If
	// they need more than the larger of 2 × Metadata and 128 MiB, they are not decoded, and the
	// error is ErrLimit.
	Metadata int64

	// Shared holds the CPU slots and the memory budget that calls use. The default is
	// [concurrency.Default].
	Shared *concurrency.Limits
}

// Limit bounds the requests, bytes and memory of the calls on a node. If the option is repeated, a
// later one replaces the fields that it sets. No bound may be negative (ErrSelection otherwise).
//
//	limit := zarr.Limit(zarr.Limits{Requests: 100, Chunk: 64 << 20})
//	a, err := zarr.OpenArray(ctx, st, "t2m", limit)
func Limit(l Limits) Option {
	return Option{"Limit({" + l.list() + "})", func(c *config) error {
		if min(int64(l.Requests), l.Bytes, int64(l.InFlight), l.Chunk, l.Metadata) < 0 {
			return fault.Newf(fault.Selection, "limits must not be negative")
		}
		if s := l.Shared; s != nil && (s.CPU == nil || s.Bytes == nil) {
			return fault.Newf(fault.Selection, "CPU and Bytes of Shared must be set")
		}
		c.set(l)
		return nil
	}}
}

// Limits returns the bounds of the calls on the array. Shared is never nil.
func (a *Array) Limits() Limits {
	c := a.cfg
	return Limits{Requests: c.MaxRequests, Bytes: c.MaxBytes, InFlight: c.InFlight, Chunk: c.Chunks.ChunkLimit, Metadata: c.MaxMetadata, Shared: c.Limits}
}

// list formats the fields that are set.
func (l Limits) list() string {
	var set []string
	for _, f := range []struct {
		name string
		n    int64
	}{
		{"Requests", int64(l.Requests)}, {"Bytes", l.Bytes}, {"InFlight", int64(l.InFlight)}, {"Chunk", l.Chunk}, {"Metadata", l.Metadata},
	} {
		if f.n != 0 {
			set = append(set, fmt.Sprintf("%s: %d", f.name, f.n))
		}
	}
	if l.Shared != nil {
		set = append(set, "Shared: …")
	}
	return strings.Join(set, ", ")
}

// set applies the fields of l that are set.
func (c *config) set(l Limits) {
	if l.Requests > 0 {
		c.MaxRequests = l.Requests
	}
	if l.Bytes > 0 {
		c.MaxBytes = l.Bytes
	}
	if l.InFlight > 0 {
		c.InFlight = l.InFlight
	}
	if l.Chunk > 0 {
		c.Chunks.ChunkLimit, c.Chunks.IndexLimit = l.Chunk, l.Chunk
	}
	if l.Metadata > 0 {
		c.MaxMetadata = l.Metadata
	}
	if l.Shared != nil {
		c.Limits = l.Shared
	}
}
