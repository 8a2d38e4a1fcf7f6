package pyramid

import (
	"context"
	"errors"
	"iter"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/keys"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// level creates a level from the previous one, unless it is complete. It writes the missing chunks
// or shards, and then stores the documents.
func (b *builder) level(ctx context.Context, level int, from *zarr.Array, u unpublished) error {
	to := u.array
	is, err := b.begin(ctx, level, u)
	if err != nil {
		return err
	}
	present, err := b.stored(ctx, level, to, is)
	if err != nil {
		return err
	}
	if present == nil {
		b.counter.add(level, objects(to), true)
		return nil
	}
	missing := b.missing(to, present, func() { b.counter.add(level, 1, true) })
	l := b.step(from, to)
	if b.o.Plan != nil {
		if err := l.plan(level, missing); err != nil || is {
			return err
		}
		return b.publish(ctx, u)
	}
	// Twice the number of CPUs, because objects also wait for requests.
	err = concurrency.Each(ctx, max(4, 2*runtime.GOMAXPROCS(0)), missing, func(ctx context.Context, r zarr.Region) error {
		if err := l.object(ctx, r); err != nil {
			return err
		}
		b.counter.add(level, 1, false)
		return nil
	})
	if err != nil || is {
		return err
	}
	return b.publish(ctx, u)
}

// objects returns the number of chunks or shards of an array.
func objects(a *zarr.Array) int { return int(min(walk.Bytes(a.GridShape(), 1), math.MaxInt)) }

// counter counts the completed objects and reports them to Options.Progress.
type counter struct {
	f     func(Progress)
	begun time.Time

	mu  sync.Mutex
	now Progress
}

// add adds n completed objects of a level.
func (c *counter) add(level, n int, skipped bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now.Level, c.now.Took = level, time.Since(c.begun)
	c.now.Done += n
	if skipped {
		c.now.Skipped += n
	}
	if c.f != nil && n > 0 {
		c.f(c.now)
	}
}

// stored returns the positions of the chunks or shards that a build skips, or nil if it skips all.
// is reports that the documents are stored. They do not prove that the chunks are: another process
// may have removed chunks before a build stored the documents. The positions are empty in a level
// whose objects may be from an earlier version of the source.
func (b *builder) stored(ctx context.Context, level int, a *zarr.Array, is bool) (*keys.Set, error) {
	if is && level <= b.state.Keep {
		return nil, nil
	}
	// A first build skips nothing: only builds with the same parameters have stored objects since
	// inspect found none.
	if !b.over(level) && (is || !b.first) {
		present, err := b.present(ctx, a)
		if present != nil || err != nil || is {
			return present, err
		}
	}
	return keys.NewSet(a.GridShape()), nil
}

// missing yields the regions of an array that are not present. It records the others, and calls
// skipped for them.
func (b *builder) missing(a *zarr.Array, present *keys.Set, skipped func()) iter.Seq[zarr.Region] {
	return func(yield func(zarr.Region) bool) {
		for r := range a.ObjectRegions() {
			if present.Has(r.Coord) {
				b.record.skip(join(a.Path(), a.Metadata().Keys.Key(r.Coord)))
				skipped()
			} else if !yield(r) {
				return
			}
		}
	}
}

// present returns the positions of the stored chunks or shards of an array, or nil if the store
// cannot list its keys.
func (b *builder) present(ctx context.Context, a *zarr.Array) (*keys.Set, error) {
	set, grid := keys.NewSet(a.GridShape()), keys.Of(a, claim.Claim{})
	for e, err := range store.ListAll(ctx, b.st, a.Path(), store.ListOptions{}) {
		switch {
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fault.Refused):
			return nil, nil
		case err != nil:
			return nil, err
		}
		if f := grid.Find(strings.TrimPrefix(e.Key, a.Path()+"/")); f.Place == keys.Inside && !set.Has(f.Coord) {
			set.Add(f.Coord)
		}
	}
	return set, nil
}

// step computes a level from the previous one.
type step struct {
	*builder
	from, to *zarr.Array
	factor   []int
	size     int64 // bytes of an element
	piece    []int // shape of the elements written to a large shard at a time; nil without large shards
	box      []int // shape of the elements computed at a time
}

// step returns the step from one array to another. The windows of a box need at most a twelfth of
// the memory, unless one chunk needs more. If the result needs the same amount, the memory for
// blocks, which is 5/8 of the memory, suffices for three objects in flight.
func (b *builder) step(from, to *zarr.Array) *step {
	s := &step{builder: b, from: from, to: to, factor: b.factor, size: int64(to.DType().Size())}
	boxBytes := b.o.Memory / 12
	most := to.Chunks() // shape of the pieces
	if shard := to.Shards(); shard != nil && walk.Bytes(shard, s.size) > boxBytes {
		s.piece = grown(most, shard, func(n []int) bool { return walk.Bytes(n, s.size) <= boxBytes })
		most = s.piece
	} else if shard != nil {
		most = shard
	}
	s.box = grown(least(smaller(from.Chunks(), s.factor), most), most, // at least the elements from one chunk
		func(n []int) bool { return walk.Bytes(s.windows(n), s.size) <= boxBytes })
	return s
}

// windows returns the shape of the windows of a box in the source array.
func (s *step) windows(box []int) []int {
	in := make([]int, len(box))
	for d, n := range box {
		if in[d] = math.MaxInt; n <= math.MaxInt/s.factor[d] {
			in[d] = n * s.factor[d]
		}
	}
	return in
}

// grown doubles the lengths of a box from the last dimension to the first, up to the lengths in
// most, while fits reports true.
func grown(start, most []int, fits func([]int) bool) []int {
	box := append([]int{}, start...)
	for d := len(box) - 1; d >= 0; d-- {
		for was := box[d]; was < most[d]; was = box[d] {
			if box[d] = min(2*was, most[d]); !fits(box) {
				box[d] = was
				return box
			}
		}
	}
	return box
}

// target is an array or a shard.
type target interface {
	WriteBytes(ctx context.Context, src []byte, sel ...zarr.Selection) error
}

// object computes and writes one chunk or shard.
func (s *step) object(ctx context.Context, r zarr.Region) error {
	var shard *zarr.ShardWriter
	if s.piece != nil {
		var err error
		if shard, err = s.to.OpenShard(ctx, r.Coord...); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	if shard == nil {
		bufs, err := s.reserve(ctx, r.Shape, 0)
		if err != nil {
			return err
		}
		defer bufs.hold.Release()
		return s.write(ctx, s.to, r, bufs)
	}
	err := s.pieces(ctx, shard, r)
	if err != nil {
		return errors.Join(err, shard.Abort(context.WithoutCancel(ctx)))
	}
	return shard.Commit(ctx)
}

// pieces computes and writes a shard piece by piece.
func (s *step) pieces(ctx context.Context, shard *zarr.ShardWriter, r zarr.Region) error {
	bufs, err := s.reserve(ctx, least(s.piece, r.Shape), shard.Kept())
	if err != nil {
		return err
	}
	defer bufs.hold.Release()
	for piece := range boxes(r, s.piece) {
		if err := s.write(ctx, shard, piece, bufs); err != nil {
			return err
		}
	}
	return nil
}

// buffers contains the buffers for the computation of one object.
type buffers struct {
	hold     *concurrency.Hold
	dst, src []byte // elements of a region of the result, and elements of the windows of a box
}

// reserve reserves memory for regions of at most the given shape, and kept more bytes.
func (s *step) reserve(ctx context.Context, shape []int, kept int64) (buffers, error) {
	result, source := walk.Bytes(shape, s.size), int64(0)
	if s.reducer != nil {
		source = walk.Bytes(s.windows(least(s.box, shape)), s.size)
	}
	if most := min(concurrency.Memory()/4, math.MaxInt/4); max(result, source) > most {
		return buffers{}, fault.Newf(fault.Limit, "a chunk of %v elements of %q and its windows need %d bytes, more than %d", shape, s.to.Path(), max(result, source), most)
	}
	need := concurrency.Need(int(result)) + concurrency.Need(int(source)) + kept
	if s.o.Method == Mode { // modes keeps and sorts the elements of a row of windows
		need += source
	}
	hold, err := s.memory.Acquire(ctx, concurrency.Block, need)
	if err != nil {
		return buffers{}, err
	}
	return buffers{hold, hold.Buffer(int(result)), hold.Buffer(int(source))}, nil
}

// least returns the smaller length along each dimension.
func least(a, b []int) []int {
	c := make([]int, len(a))
	for d := range a {
		c[d] = min(a[d], b[d])
	}
	return c
}

// boxes divides a region into boxes and yields them in C order.
func boxes(r zarr.Region, box []int) iter.Seq[zarr.Region] {
	return func(yield func(zarr.Region) bool) {
		for b := range (walk.Box{At: r.Start, Shape: r.Shape}).Parts(box) {
			if !yield(zarr.Region{Start: b.At, Shape: b.Shape}) {
				return
			}
		}
	}
}

// write computes the elements of a region and writes them.
func (s *step) write(ctx context.Context, to target, r zarr.Region, bufs buffers) error {
	dst := bufs.dst[:walk.Bytes(r.Shape, s.size)]
	if s.reducer == nil {
		if err := s.from.ReadBytes(ctx, dst, s.selection(r, s.factor)...); err != nil {
			return err
		}
	} else {
		for part := range boxes(r, s.box) {
			if err := s.compute(ctx, dst, bufs.src, r, part); err != nil {
				return err
			}
		}
	}
	return to.WriteBytes(ctx, dst, r.Select()...)
}

// selection selects the source elements of a region of the result, or every step-th of them.
func (s *step) selection(r zarr.Region, step []int) []zarr.Selection {
	sel, shape := make([]zarr.Selection, len(r.Start)), s.from.Shape()
	for d, at := range r.Start {
		lo := at * s.factor[d]
		sel[d] = zarr.Range(lo, lo+min(r.Shape[d]*s.factor[d], shape[d]-lo)).By(step[d])
	}
	return sel
}

// compute reads the windows of a part of region r into src, and stores the reduced elements in dst.
// dst has the shape of r.
func (s *step) compute(ctx context.Context, dst, src []byte, r, part zarr.Region) error {
	in, shape, off, whole := s.windows(part.Shape), s.from.Shape(), make([]int, len(part.Start)), slices.Repeat([]int{1}, len(part.Start))
	for d, start := range part.Start {
		off[d] = start - r.Start[d]
		in[d] = min(in[d], shape[d]-start*s.factor[d])
	}
	src = src[:walk.Bytes(in, s.size)]
	if err := s.from.ReadBytes(ctx, src, s.selection(part, whole)...); err != nil {
		return err
	}
	slot, err := s.cpu.Acquire(ctx)
	if err != nil {
		return err
	}
	defer slot.Release()
	return s.reducer.reduce(dst, r.Shape, off, part.Shape, src, in, s.factor)
}
