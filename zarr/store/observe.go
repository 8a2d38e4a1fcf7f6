package store

import (
	"context"
	"fmt"
	"time"
)

// Event is one call of a store as its caller sees it, including the retries that stores below make.
type Event struct {
	Op Op
	// Key is the key of the request. For a listing it is the prefix, for a batch delete the first
	// key, and for a copy the destination.
	Key   string
	From  string // source of a copy
	Range Range  // range of a get
	Part  int    // number of a part
	Count int    // entries of a listing, keys of a delete, else 1
	Bytes int64  // bytes of values read or sent; 0 if the request failed
	Start time.Time
	Took  time.Duration // from call to return
	Err   error
}

// String returns one line, such as "get c/0/0 5+20: 20 bytes in 3ms".
func (e Event) String() string {
	s := string(e.Op) + " " + e.Key
	if e.From != "" {
		s += " from " + e.From
	}
	if e.Op == OpGet && !e.Range.IsWhole() {
		s += " " + e.Range.String()
	}
	if e.Op == OpPart {
		s += fmt.Sprintf(" %d", e.Part)
	}
	if e.Count > 1 {
		s += fmt.Sprintf(" ×%d", e.Count)
	}
	if e.Err != nil {
		return fmt.Sprintf("%s: %v in %v", s, e.Err, e.Took)
	}
	return fmt.Sprintf("%s: %d bytes in %v", s, e.Bytes, e.Took)
}

// Observe returns a store that calls f after each request to s. f gets the context of the request,
// so trace spans that f creates belong to the caller's span. f runs in the goroutine that made the
// request, so it must be quick, and it must be safe for concurrent calls. Each page of a listing is
// one event; see [Around]. Calls of optional verbs that s lacks are not events. Close closes s.
func Observe(s Store, f func(context.Context, Event)) Store {
	return Around(s, Hooks{After: func(ctx context.Context, c Call, r Result) {
		if r.Unsupported {
			return
		}
		f(ctx, Event{
			Op: c.Op, Key: c.Key, From: c.From, Range: c.Range, Part: c.Part,
			Count: r.Count, Bytes: r.Bytes, Start: c.Start, Took: time.Since(c.Start), Err: r.Err,
		})
	}})
}
