package store

import (
	"context"
	"time"
)

// Trace is a set of functions that are called as a call on a store, or on what is stored in it,
// goes on. It travels in the context, as httptrace.ClientTrace does: [WithTrace] puts it there, and
// the layers that do the work call its functions, from many goroutines at once and with the context
// of the work. They must be quick and safe for concurrent calls. Nil functions are skipped. Without
// a trace, a layer costs one look-up and no allocation.
//
// [Observe] reports what a store is asked for; a Trace reports what becomes of it: retries, waits,
// and what goes over the wire. Stores without a network emit no Attempt and no FirstByte.
type Trace struct {
	// Attempt is called when an HTTP exchange of a provider is over: its answer was read or closed,
	// or it failed.
	Attempt func(context.Context, Attempt)
	// FirstByte is called when the head of an answer is there.
	FirstByte func(context.Context, FirstByte)
	// Retry is called when a failed request has waited, and is made again.
	Retry func(context.Context, Retry)
	// Hedge is called when it is decided which of two requests for the same value is used.
	Hedge func(context.Context, Hedge)
	// Hit is called when a cache has what would otherwise be requested.
	Hit func(context.Context, Hit)
	// Wait is called when something that was waited for has been had, or the wait was given up.
	// What is had at once is no wait.
	Wait func(context.Context, Wait)
	// Chunk is called when a chunk, or an inner chunk of a shard, has been decoded or encoded, or
	// is not stored: a shard that is not stored is one. What is done again, because a shard was
	// replaced meanwhile, is reported again.
	Chunk func(context.Context, Chunk)
}

// Attempt is one HTTP exchange.
type Attempt struct {
	Op           Op     // of the request to the store that it belongs to; "" where there is none
	Key          string // likewise
	Method, Host string
	Status       int           // 0 where no answer came
	Request      string        // the provider's number of the request, which its support asks for; "" where it sends none
	Sent         int64         // bytes of the request's body that were sent
	Received     int64         // bytes of the answer's body that were read, as they come over the wire
	FirstByte    time.Duration // until the head of the answer; 0 where none came
	Took         time.Duration
	Err          error // of the exchange or of reading the answer; an answer such as 404 is none
}

// Wire is the bytes of both bodies.
func (a Attempt) Wire() int64 { return a.Sent + a.Received }

// FirstByte is the head of an answer.
type FirstByte struct {
	Op        Op     // as in Attempt
	Key       string // likewise
	Status    int
	Announced int64 // bytes of the answer's body; -1 where it does not say
	After     time.Duration
}

// Retry is a try that failed and is repeated.
type Retry struct {
	Op      Op
	Key     string
	Try     int           // of this failure, from 1; progress of a body starts anew
	Elapsed time.Duration // from the begin of the first try, or the last progress, to this failure
	Wait    time.Duration // from it to the next try
	Err     error
}

// Hedge is a second request for a value whose first request is slow.
type Hedge struct {
	Op    Op
	Key   string
	After time.Duration // from the first request to the second
	Won   bool          // the second one is used
}

// Hit is a request that a cache saved.
type Hit struct {
	Key   string
	Bytes int64
	Of    Cached
}

// Cached says what a cache holds.
type Cached string

// What caches hold.
const (
	CachedChunk    Cached = "chunk"
	CachedIndex    Cached = "index" // of a shard
	CachedDocument Cached = "document"
)

// Wait is a wait for something that is limited.
type Wait struct {
	For  Resource
	Took time.Duration
}

// Resource is what is waited for.
type Resource string

// What is limited.
const (
	WaitSlot  Resource = "slot"  // requests in flight: those of the bucket, or of one call (zarr.Limits.InFlight)
	WaitPause Resource = "pause" // the service asked to wait, or takes more requests only gradually
	WaitQuota Resource = "quota" // a repeat, while too many requests to the bucket have failed already
	WaitBytes Resource = "bytes" // the memory budget
	WaitCPU   Resource = "cpu"   // chunks being encoded or decoded
	WaitKey   Resource = "key"   // another write to the same chunk in this process
)

// Chunk is a chunk that was decoded or encoded, or is not stored.
type Chunk struct {
	Key     string
	Coord   []int         // of the chunk in the grid; of an inner chunk in its shard. It is shared: do not change it
	Encoded int64         // bytes as stored
	Decoded int64         // bytes as elements; 8 for each where their lengths vary
	Used    int64         // of Decoded: what the selection wanted
	Took    time.Duration // of encoding or decoding
	Missing bool          // it is not stored: the numbers above are 0
}

type traceKey struct{}

// WithTrace gives ctx a trace. One that ctx has already is called too, after t. nil gives ctx
// itself.
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

// TraceOf gives the trace of ctx; nil where there is none. It does not allocate.
func TraceOf(ctx context.Context) *Trace {
	t, _ := ctx.Value(traceKey{}).(*Trace)
	return t
}
