package sentparts

import (
	"maps"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Part is a stored part.
type Part[At any] struct {
	Size int64 // bytes that are stored
	Sent int64 // bytes that were sent, as a label of the part says; Size where there is none
	At   At    // where it is stored
}

// Set is the parts of one value.
type Set[At any] struct {
	mu     sync.Mutex
	sent   map[int]int64    // bytes of the parts that must be stored
	stored map[int]Part[At] // as of the last listing, and what was sent since
	known  int              // parts that the value has at least, as far as this process knows
	label  int              // the same, as labels of stored parts have it
	listed bool             // what other processes sent is known
	over   bool             // the value was committed or aborted through this Set
	later  func(old, p Part[At]) bool
}

// New makes the Set of a new value, or of one that another process may have begun. Where one part
// may be sent several times at once, later reports whether p is the one that stays; it may be nil.
func New[At any](resumed bool, later func(old, p Part[At]) bool) *Set[At] {
	return &Set[At]{sent: map[int]int64{}, stored: map[int]Part[At]{}, listed: !resumed, later: later}
}

// Going refuses a value that was committed or aborted through this Set, with fault.Conflict.
func (s *Set[At]) Going() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.going()
}

func (s *Set[At]) going() error {
	if s.over {
		return fault.Newf(fault.Conflict, "the parts were committed or aborted before")
	}
	return nil
}

// End notes that the value was committed or aborted.
func (s *Set[At]) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
}

// Over reports whether End was called.
func (s *Set[At]) Over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

// Unlisted reports whether other processes may have sent parts that no listing has shown yet.
func (s *Set[At]) Unlisted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.listed
}

// Empty reports whether no part of the value is known.
func (s *Set[At]) Empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listed && len(s.stored) == 0 && len(s.sent) == 0
}

// Known notes that the provider still has the value, of which perhaps nothing was sent.
func (s *Set[At]) Known() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = true
}

// Begin notes that part n is about to be sent, and returns its label: the least number of parts
// that the value has.
func (s *Set[At]) Begin(n int) (label int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = max(s.known, n+1)
	return s.known
}

// Sent notes that part n was sent. It replaces an earlier one, which it returns.
func (s *Set[At]) Sent(n int, p Part[At]) (old Part[At], replaced bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, replaced = s.stored[n]
	if replaced && s.later != nil && !s.later(old, p) {
		return old, false
	}
	s.stored[n], s.sent[n] = p, p.Size
	return old, replaced
}

// At returns part n as it was sent or listed last.
func (s *Set[At]) At(n int) (p Part[At], ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok = s.stored[n]
	return p, ok
}

// Each calls f for each part as it was sent or listed last.
func (s *Set[At]) Each(f func(n int, p Part[At])) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n, p := range s.stored {
		f(n, p)
	}
}

// Move notes that part n is stored elsewhere.
func (s *Set[At]) Move(n int, at At) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.stored[n]; ok {
		p.At = at
		s.stored[n] = p
	}
}

// Listed notes what a listing found. The label is the greatest of its parts', 0 where there are
// none. No parts at all, where some were sent or another process is to have sent some, is
// fault.Conflict.
func (s *Set[At]) Listed(found map[int]Part[At], label int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(found) == 0 && (!s.listed || len(s.sent) > 0) {
		return fault.Newf(fault.Conflict, "the parts are gone: committed, aborted, or never sent")
	}
	s.stored, s.label, s.listed = maps.Clone(found), label, true
	if s.stored == nil {
		s.stored = map[int]Part[At]{}
	}
	for n, p := range found {
		if _, ok := s.sent[n]; !ok {
			s.sent[n] = p.Sent
		}
		s.known = max(s.known, n+1)
	}
	s.known = max(s.known, label)
	return nil
}

// Parts returns the parts in order, to become the value.
//
// fault.Conflict: a part that was sent or listed is not stored, or another process sent it again
// with another size; labels say that there were more parts; or the value is over. fault.Corrupt: a
// part is stored with another size than it was sent with. fault.Selection: a part was never sent.
func (s *Set[At]) Parts() ([]Part[At], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.going(); err != nil {
		return nil, err
	}
	for _, n := range slices.Sorted(maps.Keys(s.sent)) {
		p, ok := s.stored[n]
		switch {
		case !ok:
			return nil, fault.Newf(fault.Conflict, "part %d is gone: another process committed or aborted the value, or removed the part", n)
		case p.Sent != s.sent[n]:
			return nil, fault.Newf(fault.Conflict, "part %d has %d bytes, and %d were sent: another process sent it again", n, p.Sent, s.sent[n])
		case p.Size != p.Sent:
			return nil, fault.Newf(fault.Corrupt, "part %d has %d bytes, and %d were sent", n, p.Size, p.Sent)
		}
	}
	all := make([]Part[At], 0, len(s.stored))
	for n := range len(s.stored) {
		p, ok := s.stored[n]
		if !ok {
			return nil, fault.Newf(fault.Selection, "%d parts were sent, but not part %d", len(s.stored), n)
		}
		all = append(all, p)
	}
	if len(all) < s.label {
		return nil, fault.Newf(fault.Conflict, "%d parts are left of %d or more: another process committed or aborted the value, or removed parts", len(all), s.label)
	}
	return all, nil
}
