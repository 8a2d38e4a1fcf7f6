package assemble

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/plan"
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
	Budget  int64                // the memory budget from which Limits were computed, for messages
	NoParts *atomic.Bool         // set if the store does not support values in parts
}

// Stream sends a shard in parts while its inner chunks arrive, in any order. A shard shorter than
// one part is put by one request at the end. The caller must call Commit or Abort.
type Stream struct {
	Options
	locations *codec.Locations
	atStart   bool // the index is at the start of the shard

	turn     *concurrency.Slots // one slot, so that inner chunks are appended one at a time
	head     []byte             // part 0 if it contains the index; the index is known only at the end
	tail     []byte             // bytes that are not yet in a part
	off      int64              // current length of the shard
	next     int                // number of the next part
	parts    store.Parts
	inMemory bool // the store does not support parts, so tail is the whole shard
}

// ErrNoParts means that the store does not support values in parts. A Stream returns it only if
// Limits.InMemory is 0.
var ErrNoParts = errors.New("the store does not support values in parts")

// NewStream starts a stream. It sends no request.
func NewStream(o Options) *Stream {
	s := &Stream{Options: o, locations: o.Shards.Locations(), turn: concurrency.NewSlots(1)}
	s.tail = o.Buffer(min(o.Limits.Part, o.Limits.Most))
	if _, s.atStart = o.Shards.IndexSize(); s.atStart {
		s.tail = append(s.tail, make([]byte, o.Limits.Index)...)
		s.off = o.Limits.Index
	}
	return s
}

// Stored returns the number of inner chunks, so far, that were added with at least one byte.
func (s *Stream) Stored() int { return s.locations.Stored }

// Sender sends a part. It does not retain b.
type Sender func(ctx context.Context, n int, b []byte) error

// Add appends the stored bytes of an inner chunk. If stored is empty, the inner chunk is missing.
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
		return fault.Newf(fault.Limit, "the new shard has more than %d bytes", s.Limits.Most)
	}
	s.locations.Set(place, s.off, n)
	return s.write(ctx, stored, send)
}

// To returns a function that calls Add with send.
func (s *Stream) To(send Sender) func(ctx context.Context, place int, stored []byte) error {
	return func(ctx context.Context, place int, stored []byte) error { return s.Add(ctx, place, stored, send) }
}

// write appends b to the shard. It sends each part that becomes complete.
func (s *Stream) write(ctx context.Context, b []byte, send Sender) error {
	s.off += int64(len(b))
	for len(b) > 0 {
		if s.inMemory {
			if s.off > s.Limits.InMemory {
				return fault.Newf(fault.Limit, "a shard of more than %d bytes needs a store that supports values in parts: the memory budget is %d bytes",
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

// cut sends the tail as a part.
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

// begin starts the value in parts.
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
	// If the store requires longer parts, all parts have its minimum length, because some providers
	// require parts of equal length (PartLimits.Equal).
	if least := p.Limits().Min; least > s.Limits.Part {
		s.Limits.Part = least
		s.tail = append(s.Buffer(least), s.tail...)
	}
	return nil
}

// SendPart sends a part and waits for the response.
func (s *Stream) SendPart(ctx context.Context, n int, b []byte) error {
	return s.parts.Part(ctx, n, b)
}

// part is a part in flight. Its bytes are in the memory of a Task.
type part struct {
	n int
	b []byte
}

// During calls the function produce, which makes parts. It sends these parts concurrently, from
// buffers in hold. flight is the maximum number of parts in flight. During returns after all parts
// are sent.
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
				case <-ctx.Done(): // produce may not have started
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

// Commit writes the index and stores the shard under s.Key, subject to the conditions in o. The
// shard must have at least one inner chunk.
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

// removal is the maximum time for removing the parts of a failed shard. The caller waits for this,
// even if its context has ended.
const removal = 10 * time.Second

// Abort removes the parts that were sent and returns err, the reason for the abort. After a
// successful Commit, Abort only returns err.
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
