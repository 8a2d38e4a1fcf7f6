package zarr

import (
	"sync/atomic"

	"github.com/zargo-io/zargo/internal/account"
)

// Report counts what calls do. Its fields may be read at any time, and any number of calls may
// count into one Report. The zero Report is ready for use. See [ReportTo].
type Report struct {
	// Requests of the store. All tries of a request count as one, and so does a batch of deletes, a
	// page of a listing, and each step of a value in parts.
	Gets, Puts, Deletes, Lists, Parts, Copies atomic.Int64

	AskedAgain atomic.Int64 // Gets of values that were longer than expected the first time

	Chunks       atomic.Int64 // chunks read or written; of a sharded array inner chunks read, and shards written
	Missing      atomic.Int64 // chunks that were absent and read as the fill value
	Conflicts    atomic.Int64 // partial writes that had to be done again
	Rewritten    atomic.Int64 // chunks or shards that were read and written because a part of them was written
	BytesRead    atomic.Int64 // bytes of values that were read: chunks, indexes, metadata
	BytesWritten atomic.Int64 // bytes of values that were written

	// The fields that follow count what the layers of the store and the network report; see
	// store.Trace.

	Attempts   atomic.Int64 // HTTP exchanges
	Retries    atomic.Int64 // tries that failed and were repeated
	Hedges     atomic.Int64 // second requests for values whose first was slow
	HedgesWon  atomic.Int64 // second requests whose response was used
	Hits       atomic.Int64 // requests that a cache saved
	WireBytes  atomic.Int64 // bytes of bodies, both ways, those of failed attempts too
	BytesUsed  atomic.Int64 // bytes of elements that the selections wanted of the chunks
	SlotWait   atomic.Int64 // nanoseconds that requests waited for a slot, all of them added up
	PauseWait  atomic.Int64 // nanoseconds that requests waited at the service's request, or for its pace
	MemoryWait atomic.Int64 // nanoseconds that chunks waited for memory
	CPUWait    atomic.Int64 // nanoseconds that chunks waited for a processor
	KeyWait    atomic.Int64 // nanoseconds that partial writes waited for others of the same chunk
	RetryWait  atomic.Int64 // nanoseconds between failed tries, and that repeats were put off
	CodecTime  atomic.Int64 // nanoseconds that encoding and decoding took
}

// String returns the counts on one line. Those that are 0 are left out, except for the first eight.
func (r *Report) String() string { return (*account.Counts)(r).String() }

// ReportTo counts into r what calls on the node do.
func ReportTo(r *Report) Option {
	var to *account.Report
	if r != nil {
		to = account.NewReport((*account.Counts)(r))
	}
	return Option{"ReportTo(…)", func(c *config) error { c.Report = to; return nil }}
}
