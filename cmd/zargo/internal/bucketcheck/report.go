package bucketcheck

import (
	"time"
)

// Verdict is the result of a check.
type Verdict string

// The possible verdicts.
const (
	Holds       Verdict = "holds"
	Fails       Verdict = "does not hold"
	Unsupported Verdict = "not supported"   // the store reports it as unsupported
	Refused     Verdict = "refused"         // a permission is missing, or the store is read-only
	Unknown     Verdict = "cannot be known" // the service failed or the check is not possible
)

// Report is the result of [Run]. "zargo bucket check --json" prints it as JSON. The members of the
// JSON object are stable, but new members may be added.
type Report struct {
	Store    string    `json:"store"`    // name of the store
	Place    string    `json:"place"`    // prefix of the written objects; "" with Options.Key
	Key      string    `json:"key"`      // Options.Key
	Complete bool      `json:"complete"` // all checks and the measurement were performed
	Checks   []Finding `json:"checks"`
	Speed    *Speed    `json:"speed"`   // null if not measured
	Tuning   []Advice  `json:"tuning"`  // settings derived from Speed
	Objects  int       `json:"objects"` // number of keys that were put
	Cost     Cost      `json:"cost"`    // total, including deletes at the end
	Left     []string  `json:"left"`    // keys that could not be deleted, relative to the store's root
}

// Finding is the result of one check.
type Finding struct {
	Name        string  `json:"name"`     // stable identifier, such as "put if absent, race"
	Expected    string  `json:"expected"` // description of the expected behaviour
	Verdict     Verdict `json:"verdict"`
	Seen        string  `json:"seen"`                  // description of the observed behaviour
	Consequence string  `json:"consequence,omitempty"` // for Zarr arrays, with a remedy; "" if the verdict is Holds
	Cost        Cost    `json:"cost"`
}

// Cost is the number of requests and of bytes in bodies. Requests are HTTP requests including
// retries. Without a network, calls of the store's methods are counted instead.
type Cost struct {
	Requests int64 `json:"requests"`
	Sent     int64 `json:"bytes_sent"`
	Received int64 `json:"bytes_received"`
}

// Count returns the number of findings with verdict v.
func (r *Report) Count(v Verdict) (n int) {
	for _, f := range r.Checks {
		if f.Verdict == v {
			n++
		}
	}
	return n
}

// Speed has the measured times. In JSON, times are in nanoseconds.
type Speed struct {
	Get       *Latency `json:"get"` // small values, in sequence
	Put       *Latency `json:"put"`
	Bandwidth *Stream  `json:"bandwidth"` // one connection, larger values
	Reads     []Level  `json:"reads"`     // many concurrent requests
	Writes    []Level  `json:"writes"`
	Note      string   `json:"note,omitempty"` // reason why measurements are missing
}

// Latency has the times of consecutive requests.
type Latency struct {
	Requests  int           `json:"requests"`
	Bytes     int64         `json:"bytes"` // size of each value
	P50       time.Duration `json:"p50_ns"`
	P95       time.Duration `json:"p95_ns"`
	FirstByte time.Duration `json:"first_byte_p50_ns"` // until the header of the response; 0 without a network
	Tail      time.Duration `json:"first_byte_p95_ns"`
}

// first returns an estimate of the latency of a request without a body.
func (l *Latency) first() time.Duration {
	if l.FirstByte > 0 {
		return l.FirstByte
	}
	return l.P50
}

// Stream is the bandwidth of one connection, without the time to the first byte.
type Stream struct {
	Requests  int     `json:"requests"`
	Bytes     int64   `json:"bytes"` // size of each value
	PerSecond float64 `json:"bytes_per_second"`
}

// Level is the throughput with InFlight requests in flight.
type Level struct {
	InFlight  int           `json:"in_flight"`
	Requests  int           `json:"requests"`
	Bytes     int64         `json:"bytes"` // total bytes
	Took      time.Duration `json:"took_ns"`
	P50       time.Duration `json:"p50_ns"`
	P95       time.Duration `json:"p95_ns"`
	Repeats   int64         `json:"repeats"` // retries after failures or throttling
	PerSecond float64       `json:"requests_per_second"`
}

// Advice is a setting derived from the measured times. Why shows the calculation.
type Advice struct {
	Name  string `json:"name"` // as in store.Tuning: "requests", "range_gap", "split_above", and "part"
	Value int64  `json:"value"`
	Unit  string `json:"unit"`
	Now   int64  `json:"now"` // current setting of the store, or 0
	Why   string `json:"why"`
}
