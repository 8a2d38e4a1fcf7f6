package limit

import (
	"errors"
	"time"
)

// State describes the limits of a bucket at one time. [store.As] with a *State sets it for a store
// that uses the bucket:
//
//	var state limit.State
//	ok := store.As(st, &state)
//
// A store with MaxInFlight has slots of its own, which State does not contain. The pauses apply to
// it as well, and the counters Refused and Stalls include its requests.
type State struct {
	Reads, Writes Side

	// Prefixes has the states of the directories of the bucket that have limits of their own, because
	// the service refuses their requests more often than others.
	Prefixes []Prefix
}

// Prefix is the state of a directory with limits of its own.
type Prefix struct {
	Name   string // prefix of the keys in the bucket, with a trailing slash
	Writes bool   // set for writes, and unset for reads
	Side
}

// Side is the state of a bucket's reads or of its writes. The counters start at zero when the
// bucket is first opened by the process.
type Side struct {
	Size     int // maximum number of requests in flight
	InFlight int // number of requests that hold a slot
	Waiting  int // number of requests that wait for a slot
	Ceiling  int // latest size at which the service refused too many requests; 0 means none

	Pace float64 // requests per second if requests are spaced instead; 0 means that they are not

	PausedUntil time.Time // end of the pause that the service requested; zero without a pause
	Why         error     // refusal that requested the pause; nil without a pause

	Refused int64 // number of requests that the service refused because of its load
	Cuts    int64 // number of reductions of Size because of refusals
	Stalls  int64 // number of requests that ended because they made no progress
}

// State returns the state of the bucket's limits.
func (b *Bucket) State() State {
	v := State{Reads: b.reads.state(), Writes: b.writes.state()}
	for _, s := range []*side{&b.reads, &b.writes} {
		if lanes := s.lanes.Load(); lanes != nil {
			for _, l := range *lanes {
				v.Prefixes = append(v.Prefixes, Prefix{l.class.below + l.class.dir, s == &b.writes, l.state()})
			}
		}
	}
	return v
}

func (s *side) state() Side {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &s.control
	v := Side{
		Size: s.slots.Size(), InFlight: s.slots.Held(), Waiting: s.slots.Waiting(), Ceiling: c.ceiling, Pace: c.pace.rate,
		Refused: s.refusals, Cuts: c.cuts, Stalls: s.stalls.Load(),
	}
	if s.left(time.Now()) > 0 {
		v.PausedUntil, v.Why = s.until, s.why
	}
	return v
}

// stalled reports whether a request ended because it made no progress. The error of such a request
// has a method Stalled() bool that returns true.
func stalled(err error) bool {
	var stall interface{ Stalled() bool }
	return errors.As(err, &stall) && stall.Stalled()
}
