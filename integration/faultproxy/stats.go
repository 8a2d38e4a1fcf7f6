package faultproxy

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Stats are the counters since the start or the last reset.
type Stats struct {
	Requests     int64            `json:"requests"`       // requests whose header has arrived
	ByMethod     map[string]int64 `json:"by_method"`      // Requests by method
	Operations   map[string]int64 `json:"operations"`     // Requests by operation, of a Local proxy
	ByStatus     map[int]int64    `json:"by_status"`      // responses by status; 0 counts requests that ended without a response
	Faults       map[Kind]int64   `json:"faults"`         // injected faults by kind
	BytesIn      int64            `json:"bytes_in"`       // bytes of bodies from clients
	BytesOut     int64            `json:"bytes_out"`      // bytes of bodies to clients
	Connections  int64            `json:"connections"`    // accepted connections, including those for the control paths
	InFlight     int64            `json:"in_flight"`      // current number of requests in flight
	PeakInFlight int64            `json:"peak_in_flight"` // maximum number of concurrent requests
}

// Entry is one request in the log. Entries are in the order of arrival of the headers.
type Entry struct {
	Method string `json:"method"`
	Path   string `json:"path"`            // decoded, with the leading slash: "/bucket/key"
	Query  string `json:"query,omitempty"` // as received
	Range  string `json:"range,omitempty"` // the Range header, such as "bytes=0-9"
	Fault  Kind   `json:"fault,omitempty"`
	Status int    `json:"status"` // 0 while in flight, or if the request ended without a response
}

// String formats the entry as a line of a transcript: "GET /bucket/c/0/0 bytes=0-9 206".
func (e Entry) String() string {
	var b strings.Builder
	b.WriteString(e.Method + " " + e.Path)
	if e.Query != "" {
		b.WriteString("?" + e.Query)
	}
	if e.Range != "" {
		b.WriteString(" " + e.Range)
	}
	fmt.Fprintf(&b, " %d", e.Status)
	if e.Fault != None {
		b.WriteString(" (" + string(e.Fault) + ")")
	}
	return b.String()
}

// counters contains the statistics and the log. One lock protects both, so that the peak is exact.
type counters struct {
	mu    sync.Mutex
	s     Stats
	log   []Entry
	epoch int // number of resets; a request from before a reset is not counted when it ends
}

// ticket identifies a request in the counters.
type ticket struct{ epoch, line int }

func (c *counters) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.s = Stats{ByMethod: map[string]int64{}, Operations: map[string]int64{}, ByStatus: map[int]int64{}, Faults: map[Kind]int64{},
		InFlight: c.s.InFlight, PeakInFlight: c.s.InFlight}
	c.log = nil
	c.epoch++
}

// enter counts a request whose header has arrived.
func (c *counters) enter(r *http.Request, name func(*http.Request) string, logged int) ticket {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.s.Requests++
	if name != nil {
		c.s.Operations[name(r)]++
	}
	c.s.ByMethod[r.Method]++
	c.s.InFlight++
	c.s.PeakInFlight = max(c.s.PeakInFlight, c.s.InFlight)
	line := -1
	if len(c.log) < logged {
		line = len(c.log)
		c.log = append(c.log, Entry{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Range: r.Header.Get("Range")})
	}
	return ticket{c.epoch, line}
}

// leave counts the end of a request.
func (c *counters) leave(t ticket, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.s.InFlight--
	if t.epoch != c.epoch {
		return
	}
	c.s.ByStatus[status]++
	if t.line >= 0 {
		c.log[t.line].Status = status
	}
}

func (c *counters) fault(t ticket, k Kind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.epoch != c.epoch {
		return
	}
	c.s.Faults[k]++
	if t.line >= 0 {
		c.log[t.line].Fault = k
	}
}

func (c *counters) bytes(t ticket, in, out int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.epoch == c.epoch {
		c.s.BytesIn += int64(in)
		c.s.BytesOut += int64(out)
	}
}

func (c *counters) connection() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.s.Connections++
}

func (c *counters) stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.s
	s.Operations, s.ByMethod, s.ByStatus, s.Faults = maps.Clone(s.Operations), maps.Clone(s.ByMethod), maps.Clone(s.ByStatus), maps.Clone(s.Faults)
	return s
}

func (c *counters) entries() []Entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.log)
}
