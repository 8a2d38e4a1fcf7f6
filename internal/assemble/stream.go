package assemble

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Options are the destination and the limits of a [Stream].
type Options struct {
	Store   store.Store
	Key     string
	Shards  *codec.Shards
	Limits  plan.Limits
	Buffer  func(n int64) []byte // returns memory that the stream owns until it ends
	Budget  int64                // memory budget that Limits were computed for, for messages
	NoParts *atomic.Bool         // set if the store does not support values in parts
}

// Stream sends a shard in parts while its inner chunks arrive, in any order. A shard shorter than
// one part is put by one request at the end. The caller must call Commit or Abort.
type Stream struct {
	Options
	locations *codec.Locations
	atStart   bool // where the index is

	turn     *concurrency.Slots // of one, from the place in the shard of an inner chunk on to its bytes in a part
	head     []byte             // part 0, where the index is at its start and not known before the end
	tail     []byte             // bytes that no part has yet
	off      int64              // bytes of the shard so far
	next     int                // part that is made next
	parts    store.Parts
	inMemory bool // the store takes no parts: all of the shard is in tail
}

// ErrNoParts says that a store takes no values in parts, and Limits.InMemory is 0.
var ErrNoParts = errors.New("the store takes no parts")

// NewStream begins to stream a shard. It sends no request.
func NewStream(o Options) *Stream {
	s := &Stream{Options: o, locations: o.Shards.Locations(), turn: concurrency.NewSlots(1)}
	s.tail = o.Buffer(min(o.Limits.Part, o.Limits.Most))
	if _, s.atStart = o.Shards.IndexSize(); s.atStart {
		s.tail = append(s.tail, make([]byte, o.Limits.Index)...)
		s.off = o.Limits.Index
	}
	return s
}

// Stored is the number of inner chunks that the shard stores so far.
func (s *Stream) Stored() int { return s.locations.Stored }

// Sender sends a part. The caller has b again when it returns.
type Sender func(ctx context.Context, n int, b []byte) error

// Add appends the stored bytes of an inner chunk; without bytes it is missing.
func (s *Stream) Add(ctx context.Context, place int, stored []byte, send Sender) error {
	if len(stored) == 0 {
		return nil
	}
	if err := s.turn.Acquire(ctx); err != nil {
		return err
	}
	defer s.turn.Release()
	n := int64(len(stored))
	if s.off > s.Limits.Most-s.Limits.Index-n && (!s.atStart || s.off > s.Limits.Most-n) {
		return fault.Newf(fault.Limit, "the shard that is written has more than %d bytes", s.Limits.Most)
	}
	s.locations.Set(place, s.off, n)
	return s.write(ctx, stored, send)
}

// To is Add with a sender.
func (s *Stream) To(send Sender) func(ctx context.Context, place int, stored []byte) error {
	return func(ctx context.Context, place int, stored []byte) error { return s.Add(ctx, place, stored, send) }
}

// write appends b to the shard and sends each part that becomes complete.
func (s *Stream) write(ctx context.Context, b []byte, send Sender) error {
	s.off += int64(len(b))
	for len(b) > 0 {
		if s.inMemory {
			if s.off > s.Limits.InMemory {
				return fault.Newf(fault.Limit, "the store takes no values in parts, and a shard of more than %d bytes is not held in memory: the budget has %d",
					s.Limits.InMemory, s.Budget)
			}
			s.tail = append(s.tail, b...)
			return nil
		}
		n := min(len(b), int(s.Limits.Part)-len(s.tail))
		s.tail = append(s.tail, b[:n]...)
		b = b[n:]
		if int64(len(s.tail)) < s.Limits.Part {
			return nil
		}
		if err := s.cut(ctx, send); err != nil {
			return err
		}
	}
	return nil
}

// cut makes a part of the tail.
func (s *Stream) cut(ctx context.Context, send Sender) error {
	if err := s.begin(ctx); err != nil || s.inMemory || int64(len(s.tail)) < s.Limits.Part {
		return err
	}
	n := s.next
	s.next++
	if n == 0 && s.atStart {
		s.head, s.tail = s.tail, s.Buffer(s.Limits.Part)
		return nil
	}
	if err := send(ctx, n, s.tail); err != nil {
		return err
	}
	s.tail = s.tail[:0]
	return nil
}

// begin begins the value in parts.
func (s *Stream) begin(ctx context.Context) error {
	if s.parts != nil {
		return nil
	}
	p, err := store.PutParts(ctx, s.Store, s.Key, store.PartsOptions{})
	switch {
	case errors.Is(err, errors.ErrUnsupported) && s.Limits.InMemory == 0:
		s.NoParts.Store(true)
		return ErrNoParts
	case errors.Is(err, errors.ErrUnsupported):
		s.NoParts.Store(true)
		s.inMemory = true
		return nil
	case err != nil:
		return err
	}
	s.parts = p
	// A store that takes longer parts only gets these. All have one length, as some providers take
	// nothing else (PartLimits.Equal).
	if least := p.Limits().Min; least > s.Limits.Part {
		s.Limits.Part = least
		s.tail = append(s.Buffer(least), s.tail...)
	}
	return nil
}

// SendPart sends a part at once.
func (s *Stream) SendPart(ctx context.Context, n int, b []byte) error {
	return s.parts.Part(ctx, n, b)
}

// part is a part in flight, in memory of a Task.
type part struct {
	n int
	b []byte
}

// During calls produce, and sends the parts that it makes while it runs, no more than flight at
// once, from memory of a hold. It returns when all are sent.
func (s *Stream) During(ctx context.Context, hold *concurrency.Hold, flight int, produce func(ctx context.Context, send Sender) error) error {
	full, free := make(chan part), make(chan []byte, flight)
	for range flight {
		free <- nil
	}
	send := func(ctx context.Context, n int, b []byte) error {
		var buf []byte
		select {
		case buf = <-free:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if cap(buf) < len(b) {
			buf = hold.Buffer(len(b))
		}
		select {
		case full <- part{n, append(buf[:0], b...)}:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return concurrency.EachN(ctx, 2, 2, func(ctx context.Context, i int) error {
		if i == 0 {
			defer close(full)
			return produce(ctx, send)
		}
		made := func(yield func(part) bool) {
			for {
				select {
				case p, ok := <-full:
					if !ok || !yield(p) {
						return
					}
				case <-ctx.Done(): // then produce may not even have begun
					return
				}
			}
		}
		return concurrency.Each(ctx, flight, made, func(ctx context.Context, p part) error {
			err := s.SendPart(ctx, p.n, p.b)
			free <- p.b
			return err
		})
	})
}

// Commit writes the index and makes the shard the value of its key, by the condition. A shard
// without inner chunks is not to be committed.
func (s *Stream) Commit(ctx context.Context, o store.PutOptions) error {
	index, err := s.locations.Encode(nil)
	if err != nil {
		return err
	}
	if !s.atStart {
		err = s.write(ctx, index, s.SendPart)
	} else if s.head == nil {
		copy(s.tail, index)
	} else {
		copy(s.head, index)
	}
	if err != nil {
		return err
	}
	if s.next == 0 {
		_, err = s.Store.Put(ctx, s.Key, s.tail, o)
		return err
	}
	if len(s.tail) > 0 {
		err = s.SendPart(ctx, s.next, s.tail)
	}
	if err == nil && s.head != nil {
		err = s.SendPart(ctx, 0, s.head)
	}
	if err != nil {
		return err
	}
	if _, err = s.parts.Commit(ctx, o); err == nil {
		s.parts = nil
	}
	return err
}

// removal bounds the time of the request that removes the parts of a shard that failed. The caller
// waits for it, also when its context has ended.
const removal = 10 * time.Second

// Abort removes the parts that were sent, and returns err, which is why. After a successful Commit
// it does nothing.
func (s *Stream) Abort(ctx context.Context, err error) error {
	if s.parts == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removal)
	defer cancel()
	left := s.parts.Abort(ctx)
	if s.parts = nil; left != nil && err != nil {
		return fmt.Errorf("%w (its parts could not be removed: %v)", err, left)
	} else if left != nil {
		return left
	}
	return err
}
