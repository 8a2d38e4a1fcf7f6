package sentparts

import (
	"maps"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Part is a stored part.
type Part[At any] struct {
	Size int64 // stored bytes
	Sent int64 // sent bytes, from the label of the part; Size if it has no label
	At   At    // location of the stored part
}

// Set records the parts of one upload.
type Set[At any] struct {
	mu     sync.Mutex
	sent   map[int]int64    // sizes of the parts that must be stored
	stored map[int]Part[At] // parts of the last listing, and parts sent since
	known  int              // minimum number of parts that this process knows of
	label  int              // minimum number of parts in the labels of stored parts
	listed bool             // the parts of other processes are known
	over   bool             // the upload was committed or aborted through this Set
	newer  func(old, p Part[At]) bool
}

// New returns the Set of a new or a resumed upload. A resumed upload may have parts that other
// processes sent. If a part may be sent several times concurrently, newer(old, p) reports whether p
// is newer than old. newer may be nil.
func New[At any](resumed bool, newer func(old, p Part[At]) bool) *Set[At] {
	return &Set[At]{sent: map[int]int64{}, stored: map[int]Part[At]{}, listed: !resumed, newer: newer}
}

// Going returns fault.Conflict if [Set.End] was called, because the upload was committed or
// aborted.
func (s *Set[At]) Going() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.going()
}

func (s *Set[At]) going() error {
	if s.over {
		return fault.Newf(fault.Conflict, "the upload was already committed or aborted")
	}
	return nil
}

// End records that the upload was committed or aborted.
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

// Unlisted reports whether other processes may have sent parts that have not been listed yet.
func (s *Set[At]) Unlisted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.listed
}

// Empty reports whether the upload is known to be empty.
func (s *Set[At]) Empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listed && len(s.stored) == 0 && len(s.sent) == 0
}

// Known records that the upload exists at the provider, even if it is empty.
func (s *Set[At]) Known() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = true
}

// Begin records that part n will be sent, and returns its label: the minimum number of parts that
// the value has.
func (s *Set[At]) Begin(n int) (label int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = max(s.known, n+1)
	return s.known
}

// Sent records that part n was sent. It returns the previous part n, and whether p replaces it. If
// the function newer of [New] returns false for the two parts, the previous part is kept.
func (s *Set[At]) Sent(n int, p Part[At]) (old Part[At], replaced bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, replaced = s.stored[n]
	if replaced && s.newer != nil && !s.newer(old, p) {
		return old, false
	}
	s.stored[n], s.sent[n] = p, p.Size
	return old, replaced
}

// At returns part n as it was last sent or listed.
func (s *Set[At]) At(n int) (p Part[At], ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok = s.stored[n]
	return p, ok
}

// Each calls f for each part as it was last sent or listed, in any order. f must not call methods
// of the Set.
func (s *Set[At]) Each(f func(n int, p Part[At])) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n, p := range s.stored {
		f(n, p)
	}
}

// Move records a new location of part n.
func (s *Set[At]) Move(n int, at At) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.stored[n]; ok {
		p.At = at
		s.stored[n] = p
	}
}

// Listed records a listing of the stored parts. label is the greatest label of these parts, or 0.
// Listed returns fault.Conflict for an empty listing if parts were sent, or if the upload was
// resumed and not listed before.
func (s *Set[At]) Listed(found map[int]Part[At], label int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(found) == 0 && (!s.listed || len(s.sent) > 0) {
		return fault.Newf(fault.Conflict, "the upload has no parts: they were committed, aborted, or never sent")
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

// Parts returns the parts of the value in order.
//
// It returns fault.Conflict if a part that was sent or listed is not stored, if another process
// sent a part again with another size, if the labels contain a greater number of parts, or if the
// upload was committed or aborted. It returns fault.Corrupt if the stored size of a part differs
// from the sent size, and fault.Selection if a part was never sent.
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
			return nil, fault.Newf(fault.Conflict, "part %d is no longer stored: another process committed or aborted the upload, or removed the part", n)
		case p.Sent != s.sent[n]:
			return nil, fault.Newf(fault.Conflict, "part %d has %d bytes, but %d were sent: another process sent it again", n, p.Sent, s.sent[n])
		case p.Size != p.Sent:
			return nil, fault.Newf(fault.Corrupt, "part %d has %d stored bytes, but %d were sent", n, p.Size, p.Sent)
		}
	}
	all := make([]Part[At], 0, len(s.stored))
	for n := range len(s.stored) {
		p, ok := s.stored[n]
		if !ok {
			return nil, fault.Newf(fault.Selection, "part %d of %d was not sent", n, len(s.stored))
		}
		all = append(all, p)
	}
	if len(all) < s.label {
		return nil, fault.Newf(fault.Conflict, "%d of at least %d parts are stored: another process committed or aborted the upload, or removed parts", len(all), s.label)
	}
	return all, nil
}
