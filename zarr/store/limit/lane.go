package limit

import (
	"context"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store"
)

// lane returns the side whose limits apply to a key: s, or that of a directory which the service
// limits more than the others.
func (s *side) lane(below, key string) *side {
	l := s.find(below, key)
	if l == nil {
		return s
	}
	if l.over(time.Now()) {
		s.join(l)
		return s
	}
	return l
}

// mostLanes is the maximum number of directories of a bucket with limits of their own.
const mostLanes = 4

// find returns the lane of a key, or nil.
func (s *side) find(below, key string) *side {
	lanes := s.lanes.Load()
	if lanes == nil {
		return nil
	}
	for _, l := range *lanes {
		if l.class.has(below, key) {
			return l
		}
	}
	return nil
}

// Part returns a value that identifies the directory with limits of its own that a key belongs to.
// It returns nil if there is none. below is the prefix of the store in the bucket.
func (b *Bucket) Part(op store.Op, below, key string) any {
	if l := b.side(op).find(below, key); l != nil {
		return l
	}
	return nil
}

// split adds a lane for a directory. The limits of the other directories start anew at a quarter of
// the size before the first refusal, and grow as long as their requests are served. The lane has at
// most half of the normal size, and its maximum is subtracted from that of s, so that the bucket
// has a common maximum. The caller holds s.mu.
func (s *side) split(k class, now time.Time) {
	var lanes []*side
	if old := s.lanes.Load(); old != nil {
		lanes = *old
	}
	if len(lanes) == mostLanes {
		return
	}
	c := &s.control
	l := &side{main: s, class: k, rates: s.rates}
	l.most = min(max(paced, c.far/2), (c.most-c.normal)/2)
	if l.most < paced {
		return
	}
	l.control = newControl(paced, l.most, l.most, c.cured)
	l.control.refused = now
	l.slots.Resize(paced)
	l.turn.Resize(1)
	c.most -= l.most
	c.relieve(s.classes.size/4, now)
	s.slots.Resize(c.size)
	lanes = append(lanes[:len(lanes):len(lanes)], l)
	s.lanes.Store(&lanes)
}

// join removes a lane. Requests in the lane remain there.
func (s *side) join(l *side) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lanes []*side
	for _, o := range *s.lanes.Load() {
		if o != l {
			lanes = append(lanes, o)
		} else {
			s.control.most += l.most
		}
	}
	s.lanes.Store(&lanes)
}

// over reports whether the service no longer refuses the requests of the lane.
func (s *side) over(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return since(now, s.control.refused) >= forgotten
}

// relieve returns to the given size, because the refusals had another cause. If size is 0, requests
// were spaced already, and continue to be.
func (c *control) relieve(size int, now time.Time) {
	if size == 0 {
		return
	}
	*c = control{size: max(size, min(paced, c.size)), normal: c.normal, far: c.far, most: c.most, cured: c.cured, cuts: c.cuts, sized: now}
	c.next(now)
}

// begin takes a slot of s or of a lane for a request, and waits until the request may start.
func (s *side) begin(ctx context.Context, below string, c store.Call) (context.Context, error) {
	for {
		at := s.lane(below, c.Key)
		waited, err := take(ctx, &at.slots, c, func() any { return at.group(below, c.Key) })
		if waited {
			at.waits.Add(1)
		}
		if err != nil {
			return ctx, err
		}
		if waited && at == s && s.find(below, c.Key) != nil {
			at.slots.Release() // its directory has a lane now
			continue
		}
		if err = at.pause(ctx, c, false); err == nil && at != s {
			err = s.ramped(ctx)
		}
		if err != nil {
			at.slots.Release()
		} else if at != s {
			ctx = context.WithValue(ctx, laneKey{}, at)
		}
		return ctx, err
	}
}

// group returns the directory of a request that waits. Thousands of requests may wait that the
// service refuses, and they should not block requests to other directories. The responses to these
// also show whether the service limits the directories separately.
func (s *side) group(below, key string) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.groups.classOf(below, key)
}

// ramped waits until the ramp of s permits a request of a lane.
func (s *side) ramped(ctx context.Context) error {
	start := time.Now()
	s.mu.Lock()
	wait := s.ramp.book(start)
	s.mu.Unlock()
	if wait <= 0 {
		return nil
	}
	err := concurrency.Sleep(ctx, wait)
	waited(ctx, store.WaitPause, start)
	if err != nil {
		return ctx.Err()
	}
	return nil
}

// laneKey is the key of the lane of a request in its context.
type laneKey struct{}

// laneOf returns the side whose slot a request holds.
func (s *side) laneOf(ctx context.Context) *side {
	if s.lanes.Load() != nil {
		if l, ok := ctx.Value(laneKey{}).(*side); ok && l.main == s {
			return l
		}
	}
	return s
}
