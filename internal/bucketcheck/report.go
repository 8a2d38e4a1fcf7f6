package bucketcheck

import (
	"time"
)

// Verdict is what came out of a check.
type Verdict string

// Verdicts.
const (
	Holds       Verdict = "holds"
	Fails       Verdict = "does not hold"
	Unsupported Verdict = "not supported"   // and said so: nothing was ignored
	Refused     Verdict = "refused"         // by a permission that is missing
	Unknown     Verdict = "cannot be known" // the service failed, or there is no way to see it
)

// Report is the result of [Run]. Its JSON is what "zargo bucket check --json" prints: members stay
// what they are, and new ones may be added.
type Report struct {
	Store    string    `json:"store"`    // as the store calls itself
	Place    string    `json:"place"`    // the prefix below which everything was written; "" where nothing was
	Key      string    `json:"key"`      // the object that was read where nothing was written, else ""
	Complete bool      `json:"complete"` // every check was made
	Checks   []Finding `json:"checks"`
	Speed    *Speed    `json:"speed"`  // null where it was not measured
	Tuning   []Advice  `json:"tuning"` // what follows from Speed
	Objects  int       `json:"objects"`
	Cost     Cost      `json:"cost"` // of everything, the deleting at the end included
	Left     []string  `json:"left"` // keys that could not be deleted, from the store's root
}

// Finding is what one check found.
type Finding struct {
	Name        string  `json:"name"`     // stable: "put if absent, race"
	Expected    string  `json:"expected"` // in words
	Verdict     Verdict `json:"verdict"`
	Seen        string  `json:"seen"`
	Consequence string  `json:"consequence,omitempty"` // what that means for Zarr arrays, and what to do; empty where all is well
	Cost        Cost    `json:"cost"`
}

// Cost is what was sent and received. Requests are HTTP exchanges, repeats included; of a store
// without a network, calls of its verbs. Bytes are those of bodies.
type Cost struct {
	Requests int64 `json:"requests"`
	Sent     int64 `json:"bytes_sent"`
	Received int64 `json:"bytes_received"`
}

// Count is how many findings have the verdict.
func (r *Report) Count(v Verdict) (n int) {
	for _, f := range r.Checks {
		if f.Verdict == v {
			n++
		}
	}
	return n
}

// Speed is how long requests took. Times are nanoseconds in JSON.
type Speed struct {
	Get       *Latency `json:"get"` // small values, one after another
	Put       *Latency `json:"put"`
	Bandwidth *Stream  `json:"bandwidth"` // one connection, a larger value
	Reads     []Level  `json:"reads"`     // many at once
	Writes    []Level  `json:"writes"`
	Note      string   `json:"note,omitempty"` // why something is missing
}

// Latency is how long requests took that were made one after another.
type Latency struct {
	Requests  int           `json:"requests"`
	Bytes     int64         `json:"bytes"` // of each value
	P50       time.Duration `json:"p50_ns"`
	P95       time.Duration `json:"p95_ns"`
	FirstByte time.Duration `json:"first_byte_p50_ns"` // until the head of the answer; 0 without a network
	Tail      time.Duration `json:"first_byte_p95_ns"`
}

// first is the latency of a request of no bytes, as near as it is known.
func (l *Latency) first() time.Duration {
	if l.FirstByte > 0 {
		return l.FirstByte
	}
	return l.P50
}

// Stream is how fast one connection is, the wait for the first byte left out.
type Stream struct {
	Requests  int     `json:"requests"`
	Bytes     int64   `json:"bytes"` // of each
	PerSecond float64 `json:"bytes_per_second"`
}

// Level is the throughput with a number of requests in flight.
type Level struct {
	InFlight  int           `json:"in_flight"`
	Requests  int           `json:"requests"`
	Bytes     int64         `json:"bytes"` // of all
	Took      time.Duration `json:"took_ns"`
	P50       time.Duration `json:"p50_ns"`
	P95       time.Duration `json:"p95_ns"`
	Repeats   int64         `json:"repeats"` // requests that failed or were throttled, and were made again
	PerSecond float64       `json:"requests_per_second"`
}

// Advice is a number that follows from Speed. Its arithmetic is in Why.
type Advice struct {
	Name  string `json:"name"` // as in store.Tuning: "requests", "range_gap", "split_above", and "part"
	Value int64  `json:"value"`
	Unit  string `json:"unit"`
	Now   int64  `json:"now"` // what the store works with; 0 where it has no such number, or never does it
	Why   string `json:"why"`
}
