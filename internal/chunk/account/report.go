package account

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/zargo-io/zargo/zarr/store"
)

// Counts has the counters of a Report. Package zarr declares the same struct for its users.
type Counts struct {
	// Requests to the store. A request counts once, even if it is retried. A batch of deletes, a
	// page of a listing, and each step of an upload in parts each count as one request.
	Gets, Puts, Deletes, Lists, Parts, Copies atomic.Int64

	AskedAgain atomic.Int64 // Gets repeated because a value was longer than expected

	Chunks       atomic.Int64 // chunks read or written; for shards, inner chunks and whole shards
	Missing      atomic.Int64 // chunks that were absent and read as the fill value
	Conflicts    atomic.Int64 // partial writes repeated because another writer succeeded first
	Rewritten    atomic.Int64 // chunks or shards read and written for a partial write
	BytesRead    atomic.Int64 // bytes of values read: chunks, indexes, metadata
	BytesWritten atomic.Int64 // bytes of values written

	// The following fields count events in the store and in the network; see store.Trace.

	Attempts   atomic.Int64 // HTTP exchanges
	Retries    atomic.Int64 // failed attempts that were retried
	Hedges     atomic.Int64 // second requests sent because the first was slow
	HedgesWon  atomic.Int64 // second requests whose response was used
	Hits       atomic.Int64 // requests avoided by a cache
	WireBytes  atomic.Int64 // bytes of request and response bodies, including failed attempts
	BytesUsed  atomic.Int64 // bytes of the selected elements of chunks
	SlotWait   atomic.Int64 // nanoseconds that requests waited for a slot, summed over requests
	PauseWait  atomic.Int64 // nanoseconds that requests paused, for the service or a rate limit
	MemoryWait atomic.Int64 // nanoseconds that chunks waited for memory
	CPUWait    atomic.Int64 // nanoseconds that chunks waited for a CPU slot
	KeyWait    atomic.Int64 // nanoseconds that partial writes waited for other writes of the same chunk
	RetryWait  atomic.Int64 // nanoseconds between failed attempts and retries, and of delays
	CodecTime  atomic.Int64 // nanoseconds of encoding and decoding
}

// Report adds up the counts of calls. Calls may share a Report, and it may be read at any time. Use
// NewReport to create one.
type Report struct {
	*Counts
	trace atomic.Pointer[store.Trace] // allocated once
}

// NewReport returns a Report that counts into c.
func NewReport(c *Counts) *Report { return &Report{Counts: c} }

// String returns the counts on one line. Except for the first eight, it omits counts of 0.
func (r *Counts) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d chunks (%d missing), %d gets of %d bytes, %d puts of %d bytes, %d deletes, %d conflicts", r.Chunks.Load(),
		r.Missing.Load(), r.Gets.Load(), r.BytesRead.Load(), r.Puts.Load(), r.BytesWritten.Load(), r.Deletes.Load(), r.Conflicts.Load())
	for _, f := range []struct {
		n    *atomic.Int64
		what string
	}{
		{&r.Rewritten, "rewritten"}, {&r.Lists, "listings"}, {&r.Parts, "parts"}, {&r.Copies, "copies"}, {&r.AskedAgain, "asked again"}, {&r.Retries, "retries"},
		{&r.Hedges, "hedges"}, {&r.Hits, "cache hits"},
	} {
		if n := f.n.Load(); n > 0 {
			fmt.Fprintf(&b, ", %d %s", n, f.what)
		}
	}
	if n := r.Attempts.Load(); n > 0 {
		fmt.Fprintf(&b, ", %d attempts with %d bytes", n, r.WireBytes.Load())
	}
	return b.String()
}

// Amount returns the requests and the bytes of values. Deletes, copies and parts count as puts.
func (r *Counts) Amount() store.Amount {
	return store.Amount{
		Gets: r.Gets.Load(), Puts: r.Puts.Load() + r.Deletes.Load() + r.Copies.Load() + r.Parts.Load(), Lists: r.Lists.Load(),
		BytesRead: r.BytesRead.Load(), BytesWritten: r.BytesWritten.Load(),
	}
}

// asked adds a request of kind op and its bytes to the report.
func (r *Report) asked(op store.Op, bytes int64) {
	switch op {
	case store.OpGet:
		r.Gets.Add(1)
		r.BytesRead.Add(bytes)
		return
	case store.OpPut:
		r.Puts.Add(1)
	case store.OpDelete:
		r.Deletes.Add(1)
	case store.OpList:
		r.Lists.Add(1)
	case store.OpCopy:
		r.Copies.Add(1)
	case store.OpBegin, store.OpPart, store.OpSent, store.OpCommit, store.OpAbort:
		r.Parts.Add(1)
	}
	r.BytesWritten.Add(bytes)
}

// listener returns the trace that adds events to the report.
func (r *Report) listener() *store.Trace {
	if t := r.trace.Load(); t != nil {
		return t
	}
	t := &store.Trace{
		Attempt: func(_ context.Context, a store.Attempt) {
			r.Attempts.Add(1)
			r.WireBytes.Add(a.Wire())
		},
		Retry: func(_ context.Context, e store.Retry) {
			r.Retries.Add(1)
			r.RetryWait.Add(int64(e.Wait))
		},
		Hedge: func(_ context.Context, h store.Hedge) {
			r.Hedges.Add(1)
			if h.Won {
				r.HedgesWon.Add(1)
			}
		},
		Hit:  func(context.Context, store.Hit) { r.Hits.Add(1) },
		Wait: func(_ context.Context, w store.Wait) { r.waited(w) },
		Chunk: func(_ context.Context, c store.Chunk) {
			r.BytesUsed.Add(c.Used)
			r.CodecTime.Add(int64(c.Took))
		},
	}
	r.trace.CompareAndSwap(nil, t)
	return r.trace.Load()
}

func (r *Report) waited(w store.Wait) {
	switch w.For {
	case store.WaitSlot:
		r.SlotWait.Add(int64(w.Took))
	case store.WaitPause:
		r.PauseWait.Add(int64(w.Took))
	case store.WaitQuota:
		r.RetryWait.Add(int64(w.Took))
	case store.WaitBytes:
		r.MemoryWait.Add(int64(w.Took))
	case store.WaitCPU:
		r.CPUWait.Add(int64(w.Took))
	case store.WaitKey:
		r.KeyWait.Add(int64(w.Took))
	}
}
