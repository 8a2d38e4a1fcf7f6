package zarr

import (
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/zarr/store"
)

// Report counts the work of calls; see [WithReport]. Any number of calls may count into one Report,
// and its fields may be read at any time. The zero Report is ready for use.
type Report struct {
	// Requests to the store. A request and its retries count as one. A batch of deletes, a page of
	// a listing, and each step of an upload in parts count as one request.
	Gets, Puts, Deletes, Lists, Parts, Copies atomic.Int64

	AskedAgain atomic.Int64 // Gets repeated because a value was longer than expected

	Chunks       atomic.Int64 // chunks read or written; with shards, inner chunks read and shards written
	Missing      atomic.Int64 // chunks that were absent and read as the fill value
	Conflicts    atomic.Int64 // partial writes repeated because another writer replaced the chunk first
	Rewritten    atomic.Int64 // chunks or shards read and written for a partial write
	BytesRead    atomic.Int64 // bytes of values read: chunks, indexes, metadata
	BytesWritten atomic.Int64 // bytes of values written

	// The following fields count events of the store's layers and the network; see store.Trace.

	Attempts   atomic.Int64 // HTTP exchanges
	Retries    atomic.Int64 // failed attempts that were retried
	Hedges     atomic.Int64 // second requests sent because the first was slow
	HedgesWon  atomic.Int64 // second requests whose response was used
	Hits       atomic.Int64 // requests that a cache made unnecessary
	WireBytes  atomic.Int64 // bytes of request and response bodies, including failed attempts
	BytesUsed  atomic.Int64 // bytes of the selected elements of chunks
	SlotWait   atomic.Int64 // nanoseconds that requests waited for a request slot
	PauseWait  atomic.Int64 // nanoseconds that requests waited to obey the service or a rate limit
	MemoryWait atomic.Int64 // nanoseconds that chunks waited for memory
	CPUWait    atomic.Int64 // nanoseconds that chunks waited for a CPU slot
	KeyWait    atomic.Int64 // nanoseconds that partial writes waited for other writes to the same chunk
	RetryWait  atomic.Int64 // nanoseconds that retries waited before they were sent
	CodecTime  atomic.Int64 // nanoseconds of encoding and decoding
}

// String returns the counts on one line. It omits counts that are 0, except for the first eight.
func (r *Report) String() string { return (*account.Counts)(r).String() }

// Amount returns the requests and the bytes of values. Deletes, copies and parts count as puts.
func (r *Report) Amount() store.Amount { return (*account.Counts)(r).Amount() }

// MarshalJSON returns a JSON object with all counts, in the order and with the names of the fields.
func (r *Report) MarshalJSON() ([]byte, error) {
	v, members := reflect.ValueOf(r).Elem(), []string(nil)
	for i := range v.NumField() {
		if n, ok := v.Field(i).Addr().Interface().(*atomic.Int64); ok {
			members = append(members, fmt.Sprintf("%q:%d", v.Type().Field(i).Name, n.Load()))
		}
	}
	return []byte("{" + strings.Join(members, ",") + "}"), nil
}

// WithReport adds the work of the calls on a node to r. With nil, the default, no work is counted.
// Requests that a program sends to the node's store itself are not counted, unless it opens the
// store with [Option.Count].
func WithReport(r *Report) Option {
	var to *account.Report
	if r != nil {
		to = account.NewReport((*account.Counts)(r))
	}
	return Option{"WithReport(…)", func(c *config) error { c.Report = to; return nil }}
}

// Count returns st with all its requests counted in the Report of WithReport. Nodes with the same
// Report do not count these requests again. For other options, Count returns st and false.
//
//	st, _ = zarr.WithReport(&report).Count(st)
func (o Option) Count(st store.Store) (store.Store, bool) {
	none := new(account.Report)
	var c config
	c.Report = none
	if o.apply == nil || o.apply(&c) != nil || c.Report == none {
		return st, false
	}
	return account.Counted(st, c.Report), true
}
