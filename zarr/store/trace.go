package store

import (
	"context"
	"time"
)

// Trace is a set of functions that report the progress of calls on a store, or of reads and writes
// of arrays in it. Like httptrace.ClientTrace, a Trace is carried by a context: [WithTrace] adds
// it. The layers that do the work call its functions with the context of the work, from many
// goroutines. The functions must be quick and safe for concurrent calls. Nil functions are skipped.
// Without a Trace, the cost is one lookup in the context per layer.
//
// [Observe] reports the calls of a store. A Trace reports what happens within such a call: retries,
// waits and HTTP exchanges. Stores without a network never call Attempt or FirstByte.
type Trace struct {
	// Attempt is called at the end of a provider's HTTP exchange: when its response has been read
	// or closed, or when it has failed.
	Attempt func(context.Context, Attempt)
	// FirstByte is called when the header of a response has arrived.
	FirstByte func(context.Context, FirstByte)
	// Retry is called before a failed request is sent again, after the wait.
	Retry func(context.Context, Retry)
	// Hedge is called when one of two requests for the same value is chosen.
	Hedge func(context.Context, Hedge)
	// Hit is called when a cache has an entry that would otherwise be requested.
	Hit func(context.Context, Hit)
	// Wait is called when a wait for a limited resource ends, even if the caller gave up. If the
	// resource was free immediately, Wait is not called.
	Wait func(context.Context, Wait)
	// Conflict is called while a change of an array or a group waits for another process: before
	// each pause between two attempts of the change.
	Conflict func(context.Context, Conflict)
	// Chunk is called when a chunk, or an inner chunk of a shard, has been decoded or encoded, or
	// was found not to be stored. A shard that is not stored counts as one chunk. If work is
	// repeated because a shard was replaced in the meantime, Chunk is called again.
	Chunk func(context.Context, Chunk)
}

// Attempt is one HTTP exchange.
type Attempt struct {
	Op           Op     // operation of the store request that caused it, or ""
	Key          string // key of that request, or ""
	Method, Host string
	Status       int           // 0 if there is no response
	Request      string        // the provider's request ID for support requests, or ""
	Sent         int64         // bytes sent of the request's body
	Received     int64         // bytes read of the response's body, before decompression
	FirstByte    time.Duration // time until the response's header; 0 if none arrived
	Took         time.Duration
	Remote       string        // address of the server or the proxy; "" without a connection
	Reused       bool          // set if an earlier exchange used the connection
	TLS          time.Duration // time to establish TLS on a new connection, after it was made
	Err          error         // error of the exchange or the body; a status such as 404 is not an error
}

// Wire returns the number of bytes in both bodies.
func (a Attempt) Wire() int64 { return a.Sent + a.Received }

// FirstByte is the header of a response.
type FirstByte struct {
	Op        Op     // as in Attempt
	Key       string // as in Attempt
	Status    int
	Announced int64 // bytes in the response's body; -1 if unknown
	After     time.Duration
}

// Retry is the repetition of a failed attempt.
type Retry struct {
	Op      Op
	Key     string
	Try     int           // number of the failure, from 1; progress in a body resets it
	Elapsed time.Duration // time from the first attempt, or the last progress, to the failure
	Wait    time.Duration // time from the failure to the next attempt
	Left    time.Duration // maximum time that further failed attempts and waits may take
	Err     error
}

// Hedge is a second request for a value whose first request is slow.
type Hedge struct {
	Op    Op
	Key   string
	After time.Duration // time from the first request to the second
	Won   bool          // set if the second request is used
}

// Hit reports a request that was not sent because a cache had the entry.
type Hit struct {
	Key   string
	Bytes int64
	Of    Cached
}

// Cached is the kind of a cache entry.
type Cached string

// The kinds of cache entries.
const (
	CachedChunk    Cached = "chunk"
	CachedIndex    Cached = "index" // index of a shard
	CachedDocument Cached = "document"
)

// Wait is a wait for a limited resource.
type Wait struct {
	For  Resource
	Took time.Duration
}

// Resource is a limited resource.
type Resource string

// The limited resources.
const (
	WaitSlot  Resource = "slot"  // requests in flight, of a bucket or a call (zarr.Limits.InFlight)
	WaitPause Resource = "pause" // a pause requested by the service or for a rising rate
	WaitQuota Resource = "quota" // retries, after many failed requests to the bucket
	WaitBytes Resource = "bytes" // the memory budget
	WaitCPU   Resource = "cpu"   // chunks being encoded or decoded
	WaitKey   Resource = "key"   // another write to the same chunk in this process
)

// Conflict is a pause of a change that waits for another process, such as an append that waits for
// the end of another append. Times are zero if they are not known.
type Conflict struct {
	Key    string        // of the document that the other process changes, or ""
	Try    int           // number of attempts of the change so far, from 1
	Waited time.Duration // time from the end of the first attempt to the pause
	Err    error         // the error of the last attempt, which describes the other change
	Since  time.Time     // start of the other change, by the clock of its process
	Until  time.Time     // when the wait ends with Err
	// TakeOver is when the claim of the other process may be taken over if the process does not
	// renew it before. It is zero if the claim may not be taken over.
	TakeOver time.Time
}

// Chunk describes a chunk that was decoded, was encoded, or is not stored.
type Chunk struct {
	Key     string
	Coord   []int         // position of a chunk in the grid or of an inner chunk in its shard; read-only
	Encoded int64         // stored bytes
	Decoded int64         // bytes of the elements; 8 bytes for each element of variable length
	Used    int64         // bytes of Decoded that the selection uses
	Took    time.Duration // time of encoding or decoding
	Missing bool          // the chunk is not stored, and the numbers above are 0
}

type traceKey struct{}

// WithTrace returns a context with t. If ctx already has a trace, the functions of that trace are
// called as well, after those of t. If t is nil, WithTrace returns ctx.
func WithTrace(ctx context.Context, t *Trace) context.Context {
	if t == nil {
		return ctx
	}
	if outer := TraceOf(ctx); outer != nil {
		t = &Trace{
			Attempt:   both(t.Attempt, outer.Attempt),
			FirstByte: both(t.FirstByte, outer.FirstByte),
			Retry:     both(t.Retry, outer.Retry),
			Hedge:     both(t.Hedge, outer.Hedge),
			Hit:       both(t.Hit, outer.Hit),
			Wait:      both(t.Wait, outer.Wait),
			Conflict:  both(t.Conflict, outer.Conflict),
			Chunk:     both(t.Chunk, outer.Chunk),
		}
	}
	return context.WithValue(ctx, traceKey{}, t)
}

func both[E any](inner, outer func(context.Context, E)) func(context.Context, E) {
	if inner == nil || outer == nil {
		if inner == nil {
			return outer
		}
		return inner
	}
	return func(ctx context.Context, e E) {
		inner(ctx, e)
		outer(ctx, e)
	}
}

// TraceOf returns the trace of ctx, or nil. It does not allocate.
func TraceOf(ctx context.Context) *Trace {
	t, _ := ctx.Value(traceKey{}).(*Trace)
	return t
}
