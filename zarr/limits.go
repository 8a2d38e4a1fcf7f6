package zarr

import (
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Limits are the bounds of [Limit]. A field that is 0 or nil sets nothing.
type Limits struct {
	// Requests is the most requests that one call may send to the store; a call that needs more is
	// ErrLimit. There is no default. Where the selection alone shows that a call needs more, it is
	// refused before its first request; requests for inner chunks are counted, and refused, when
	// the index of their shard was read. What is repeated because another writer replaced an object
	// counts again. Retries of the store and requests for metadata do not count.
	Requests int

	// Bytes is the most bytes of stored values that one call may read and write; a call that needs
	// more is ErrLimit. There is no default. Requests for inner chunks, whose lengths the index of
	// their shard has, are refused before they are sent. Where lengths are unknown, requests that
	// are in flight are not cancelled, so that a call may exceed Bytes by these. Metadata does not
	// count.
	Bytes int64

	// InFlight is the most chunks that one call works on at once. The default is the number of
	// requests that the store takes plus the number of CPU slots. The store's own limit on
	// requests, which all calls share, holds in any case.
	InFlight int

	// Chunk is the most bytes of a decoded chunk, and of the index of a shard, which has 16 bytes
	// for each inner chunk, that are held in memory; larger ones are ErrLimit. The default is half
	// of [concurrency.Memory], and 32 MiB for an index. An element that varies in length counts as
	// its bytes and 8 more.
	Chunk int64

	// Metadata is the most bytes of one metadata document; longer ones are ErrLimit. The default is
	// 64 MiB. Attributes that would take more memory as Go values than twice as much, and than 128
	// MiB, are ErrLimit too, before they are decoded.
	Metadata int64

	// Shared has the CPU slots and the memory budget that calls draw on. The default is
	// [concurrency.Default].
	Shared *concurrency.Limits
}

// Limit bounds what calls on a node take, and what they hold in memory. Of several such options a
// later one replaces the fields that it sets. A negative bound is ErrSelection.
//
//	a, err := zarr.OpenArray(ctx, st, "t2m", zarr.Limit(zarr.Limits{Requests: 100, Chunk: 64 << 20}))
func Limit(l Limits) Option {
	return Option{"Limit({" + l.list() + "})", func(c *config) error {
		if min(int64(l.Requests), l.Bytes, int64(l.InFlight), l.Chunk, l.Metadata) < 0 {
			return fault.Newf(fault.Selection, "a bound is negative")
		}
		if s := l.Shared; s != nil && (s.CPU == nil || s.Bytes == nil) {
			return fault.Newf(fault.Selection, "CPU and Bytes of Shared must be set")
		}
		c.set(l)
		return nil
	}}
}

// list spells the fields that are set.
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

// set replaces the limits that l sets.
func (c *config) set(l Limits) {
	if l.Requests > 0 {
		c.maxRequests = l.Requests
	}
	if l.Bytes > 0 {
		c.maxBytes = l.Bytes
	}
	if l.InFlight > 0 {
		c.inFlight = l.InFlight
	}
	if l.Chunk > 0 {
		c.Chunks.ChunkLimit, c.Chunks.IndexLimit = l.Chunk, l.Chunk
	}
	if l.Metadata > 0 {
		c.MaxMetadata = l.Metadata
	}
	if l.Shared != nil {
		c.limits = l.Shared
	}
}
