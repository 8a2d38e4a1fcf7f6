package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/internal/written"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// stream is a shard that is sent in parts while its inner chunks come, in any order. One that stays
// below the length of a part is put by one request at its end.
type stream struct {
	*Call
	key       string
	limits    plan.Limits
	buffer    func(n int64) []byte // memory for as long as the stream is under way
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

// errNoParts says that a store takes no values in parts.
var errNoParts = errors.New("the store takes no parts")

// newStream begins to stream a shard.
func (r *Call) newStream(o *plan.Object, l plan.Limits, buffer func(n int64) []byte) *stream {
	s := &stream{Call: r, key: o.Key, limits: l, buffer: buffer, locations: o.Chunk.Shards.Locations(), turn: concurrency.NewSlots(1)}
	s.tail = buffer(min(l.Part, l.Most))
	if _, s.atStart = o.Chunk.Shards.IndexSize(); s.atStart {
		s.tail = append(s.tail, make([]byte, l.Index)...)
		s.off = l.Index
	}
	return s
}

// sender sends a part; b is the caller's again when it returns.
type sender func(ctx context.Context, n int, b []byte) error

// add appends the stored bytes of an inner chunk; without bytes it is missing.
func (s *stream) add(ctx context.Context, place int, stored []byte, send sender) error {
	if len(stored) == 0 {
		return nil
	}
	if err := s.turn.Acquire(ctx); err != nil {
		return err
	}
	defer s.turn.Release()
	n := int64(len(stored))
	if s.off > s.limits.Most-s.limits.Index-n && (!s.atStart || s.off > s.limits.Most-n) {
		return fault.Newf(fault.Limit, "the shard that is written has more than %d bytes", s.limits.Most)
	}
	s.locations.Set(place, s.off, n)
	return s.write(ctx, stored, send)
}

// write appends bytes, and sends what is a whole part by then.
func (s *stream) write(ctx context.Context, b []byte, send sender) error {
	s.off += int64(len(b))
	for len(b) > 0 {
		if s.inMemory {
			if s.off > s.limits.InMemory {
				return fault.Newf(fault.Limit, "the store takes no values in parts, and a shard of more than %d bytes is not held in memory: the budget has %d",
					s.limits.InMemory, s.Options.Limits.Bytes.Size())
			}
			s.tail = append(s.tail, b...)
			return nil
		}
		n := min(len(b), int(s.limits.Part)-len(s.tail))
		s.tail = append(s.tail, b[:n]...)
		b = b[n:]
		if int64(len(s.tail)) < s.limits.Part {
			return nil
		}
		if err := s.cut(ctx, send); err != nil {
			return err
		}
	}
	return nil
}

// cut makes a part of the tail.
func (s *stream) cut(ctx context.Context, send sender) error {
	if err := s.begin(ctx); err != nil || s.inMemory || int64(len(s.tail)) < s.limits.Part {
		return err
	}
	n := s.next
	s.next++
	if n == 0 && s.atStart {
		s.head, s.tail = s.tail, s.buffer(s.limits.Part)
		return nil
	}
	if err := send(ctx, n, s.tail); err != nil {
		return err
	}
	s.tail = s.tail[:0]
	return nil
}

// begin begins the value in parts.
func (s *stream) begin(ctx context.Context) error {
	if s.parts != nil {
		return nil
	}
	p, err := store.PutParts(ctx, s.store, s.key, store.PartsOptions{})
	switch {
	case errors.Is(err, errors.ErrUnsupported) && s.limits.InMemory == 0:
		s.State.noParts.Store(true)
		return errNoParts
	case errors.Is(err, errors.ErrUnsupported):
		s.State.noParts.Store(true)
		s.inMemory = true
		return nil
	case err != nil:
		return err
	}
	s.parts = p
	// A store that takes longer parts only gets these. All have one length, as some providers take
	// nothing else (PartLimits.Equal).
	if least := p.Limits().Min; least > s.limits.Part {
		s.limits.Part = least
		s.tail = append(s.buffer(least), s.tail...)
	}
	return nil
}

func (s *stream) sendPart(ctx context.Context, n int, b []byte) error {
	return s.parts.Part(ctx, n, b)
}

// part is a part under way, in memory of a Task.
type part struct {
	n int
	b []byte
}

// during calls produce, and sends the parts that it makes while it goes on, no more than flight at
// once, from memory of a hold. It returns when all are sent.
func (s *stream) during(ctx context.Context, hold *concurrency.Hold, flight int, produce func(ctx context.Context, send sender) error) error {
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
			err := s.sendPart(ctx, p.n, p.b)
			free <- p.b
			return err
		})
	})
}

// made is the new stored form of an object.
type made struct {
	bytes  []byte
	stream *stream           // that has it, in place of bytes
	empty  bool              // all is the fill value, and is not to be stored
	hold   *concurrency.Hold // of bytes
}

func (s *stream) made() made { return made{stream: s, empty: s.locations.Stored == 0} }

// commit makes the new stored form the value of an object's key, by a condition. One that is empty
// takes the place of what is there, if there may be something. A stream that fails is aborted.
func (r *Call) commit(ctx context.Context, o *plan.Object, m made, c store.PutOptions) (err error) {
	switch {
	case m.empty && c.IfAbsent:
		written.Absent(r.Store, o.Key)
		return nil
	case m.empty:
		err = r.store.Delete(ctx, o.Key, store.DeleteOptions{IfVersion: c.IfVersion, AsPut: true})
	case m.stream != nil:
		_, err = m.stream.commit(ctx, c)
	default:
		_, err = r.store.Put(ctx, o.Key, m.bytes, c)
	}
	r.State.Forget(o.Key)
	switch {
	case err == nil && !m.empty:
		r.account.Chunks(1, 0)
	case err != nil && m.stream != nil:
		return m.stream.abort(ctx, err)
	}
	return err
}

// commit writes the index and makes the shard the value of its key, by the condition. A shard
// without inner chunks is not to be committed.
func (s *stream) commit(ctx context.Context, o store.PutOptions) (store.Version, error) {
	index, err := s.locations.Encode(nil)
	if err != nil {
		return "", err
	}
	if !s.atStart {
		err = s.write(ctx, index, s.sendPart)
	} else if s.head == nil {
		copy(s.tail, index)
	} else {
		copy(s.head, index)
	}
	if err != nil {
		return "", err
	}
	if s.next == 0 {
		return s.store.Put(ctx, s.key, s.tail, o)
	}
	if len(s.tail) > 0 {
		err = s.sendPart(ctx, s.next, s.tail)
	}
	if err == nil && s.head != nil {
		err = s.sendPart(ctx, 0, s.head)
	}
	if err != nil {
		return "", err
	}
	return s.parts.Commit(ctx, o)
}

// removal is how long the parts of a shard that failed are tried to be removed. The caller waits
// for it, also when its context has ended.
const removal = 10 * time.Second

// abort removes the parts of a shard that failed with err.
func (s *stream) abort(ctx context.Context, err error) error {
	if s.parts == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removal)
	defer cancel()
	if left := s.parts.Abort(ctx); left != nil && err != nil {
		return fmt.Errorf("%w (its parts could not be removed: %v)", err, left)
	} else if left != nil {
		return left
	}
	return err
}
