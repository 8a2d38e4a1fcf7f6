package engine

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/assemble"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// ShardWriter writes one shard. It encodes inner chunks in any order, stores them in the order of
// the calls, and sends parts immediately. Commit makes the whole shard visible. Put and PutStored
// may be called concurrently. The other methods must not run concurrently with any method. The
// caller must call Commit or Abort.
//
// # Memory
//
// Other calls may wait for a Task, so a Task must not wait for its caller. Each Put therefore
// reserves a Task of its own, for the inner chunks that it encodes and the parts that it sends.
// Between calls, the ShardWriter keeps at most [ShardWriter.Kept] bytes that are not yet in a part.
// OpenShard tries to reserve these bytes as Ahead, the kind for read-ahead, which leaves 3/8 of the
// budget to Tasks. Otherwise they are outside of the budget. OpenShard does not wait, because two
// writers of one goroutine could deadlock.
type ShardWriter struct {
	r      *Call // made by OpenShard
	o      *plan.Object
	s      *assemble.Stream
	hold   *concurrency.Hold // reservation of Kept bytes, nil if they are not counted
	limits plan.Limits
	blocks []grid.Axis
	put    ShardOptions

	mu      sync.Mutex
	claimed []bool // by position in the index; true if it was put
	err     error  // first error of a Put; the shard cannot be committed
}

// ShardOptions configure how a shard is committed.
type ShardOptions struct {
	Put   store.PutOptions // the condition of the commit
	Guard Guard            // called before Commit makes the shard visible; nil means the Guard of the array
	// Latest makes the version that Commit reads before Guard the condition. Put must be zero.
	Latest bool
	// Carry decides about an inner chunk, at coord of the shard, that was not put. If Carry returns
	// true, Commit copies its stored form from the stored shard. Carry implies Latest.
	Carry func(coord []int) bool
}

// OpenShard starts to write the shard at a position of the array's grid. It sends no request. It
// returns fault.Selection if the position is outside the array, if the inner chunks cannot be
// written individually, or if the array is one field of structures.
func (a *Array) OpenShard(ctx context.Context, coord []int, o ShardOptions) (*ShardWriter, error) {
	sel := make(grid.Region, len(a.Layout.Axes))
	for i, axis := range a.Layout.Axes {
		if len(coord) != len(sel) || coord[i] < 0 || coord[i] >= axis.Count(a.Layout.Shape[i]) {
			return nil, fault.Newf(fault.Selection, "position %v is outside the array", coord)
		}
		start, edge := axis.Chunk(coord[i])
		sel[i] = grid.Slice{Start: start, Step: 1, Count: min(edge, a.Layout.Shape[i]-start)}
	}
	_, r, err := a.open(ctx, pipeline.Memory{}, sel, nil)
	if err != nil {
		return nil, err
	}
	w := &ShardWriter{r: r, put: o}
	for object := range r.plan.Objects() {
		w.o = object
	}
	switch {
	case w.o == nil:
		return nil, fault.Newf(fault.Selection, "the array has no elements")
	case w.o.Err != nil:
		return nil, r.failed("write", w.o, w.o.Err)
	case w.o.Chunk.Shards == nil:
		return nil, fault.Newf(fault.Selection, "the inner chunks of the array cannot be written individually")
	case a.Layout.Pipe.OfField():
		return nil, fault.Newf(fault.Selection, "an array of one field of structures cannot write whole shards")
	}
	if w.put.Guard == nil {
		w.put.Guard = a.Options.Guard
	}
	w.blocks, w.claimed = grid.Even(w.o.Chunk.Shards.Chunk), make([]bool, w.o.Chunk.Shards.Len())
	l := r.sizes.Limits(w.o.Chunk)
	l.InMemory = a.Options.Limits.Bytes.Size() / 2
	w.limits = l
	w.hold, _ = a.Options.Limits.Bytes.Try(concurrency.Ahead, r.sizes.Resident(w.o.Chunk, l))
	w.s = r.newStream(w.o, l, w.buffer)
	return w, nil
}

func (w *ShardWriter) buffer(n int64) []byte {
	if w.hold == nil {
		return make([]byte, 0, n)
	}
	return w.hold.Buffer(int(n))
}

// Kept returns the maximum memory, in bytes, of the shard between calls if the store supports
// values in parts. For other stores the whole shard is in memory, as it is sent in one request. If
// it is then longer than half of the budget, writing fails with fault.Limit.
func (w *ShardWriter) Kept() int64 { return w.r.sizes.Resident(w.o.Chunk, w.limits) }

// Put encodes inner chunks of the shard. src has the elements that sel selects, which must be whole
// inner chunks of this shard, inside the array and not put before. Otherwise Put returns
// fault.Selection. Put does not retain src. After an error, the shard can only be aborted.
func (w *ShardWriter) Put(ctx context.Context, src pipeline.Memory, sel grid.Selection) error {
	return w.r.PutShards(ctx, src, sel, func([]int) *ShardWriter { return w })
}

// PutShards calls Put concurrently for the shards whose elements sel selects. writer returns the
// open writer of the shard at coord, or nil. The array a must be the array that opened the shards,
// or differ from it only in shape, options or element type.
func (a *Array) PutShards(ctx context.Context, src pipeline.Memory, sel grid.Selection, writer func(coord []int) *ShardWriter) error {
	ctx, r, err := a.begin(ctx, src, sel, nil)
	if err != nil {
		return err
	}
	return concurrency.Each(ctx, r.objects, r.plan.Objects(), func(ctx context.Context, o *plan.Object) error {
		w := writer(o.Coord)
		if w == nil {
			return r.failed("write", o, fault.Newf(fault.Selection, "the shard is not open for writing"))
		}
		err := o.Err
		switch {
		case !slices.Equal(o.Coord, w.o.Coord):
			err = fault.Newf(fault.Selection, "the elements are not part of the shard at %v", w.o.Coord)
		case err == nil:
			err = w.fill(ctx, r, o)
		}
		if err != nil {
			return r.failed("write", o, w.fail(err))
		}
		return nil
	})
}

func (w *ShardWriter) fill(ctx context.Context, r *Call, o *plan.Object) error {
	l := w.limits
	m := r.size()
	at := m.Encoding(o, plan.Product(need(l.Part), 2))
	flight, total := m.Flight(l, at.Room)
	hold, err := r.reserve(ctx, concurrency.Task, total)
	if err != nil {
		return err
	}
	defer hold.Release()
	p := r.packer(hold, o, at)
	if err := w.take(p); err != nil {
		return err
	}
	return w.s.During(ctx, hold, flight, func(ctx context.Context, send assemble.Sender) error {
		p.to = w.s.To(send)
		return p.run(ctx)
	})
}

// take checks that the inner chunks are whole and were not put before. Then it claims them.
func (w *ShardWriter) take(p *packer) error {
	inside := p.o.Inside()
	for _, t := range p.order {
		if box := p.cut.Box(t.i); !box.Covers(inside, w.blocks) {
			return fault.Newf(fault.Selection, "only part of inner chunk %v is written", box.Coord)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range p.order {
		if err := w.claim(t.place); err != nil {
			return err
		}
	}
	return nil
}

// claim records that an inner chunk was put. The caller must hold w.mu.
func (w *ShardWriter) claim(place int) error {
	switch {
	case w.err != nil:
		return w.err
	case w.claimed[place]:
		return fault.Newf(fault.Selection, "inner chunk %d of the shard is put twice", place)
	}
	w.claimed[place] = true
	return nil
}

// PutStored appends an inner chunk, which the same codecs have encoded. coord is its position in
// the shard. If stored is empty, the inner chunk is missing from the shard.
func (w *ShardWriter) PutStored(ctx context.Context, coord []int, stored []byte) error {
	for i, n := range w.o.Chunk.Shards.Grid {
		if len(coord) != len(w.o.Chunk.Shards.Grid) || coord[i] < 0 || coord[i] >= n {
			return w.r.failed("write", w.o, fault.Newf(fault.Selection, "inner chunk %v is outside the shard", coord))
		}
	}
	place := w.o.Chunk.Shards.Position(coord)
	w.mu.Lock()
	err := w.claim(place)
	w.mu.Unlock()
	if err == nil {
		err = w.s.Add(ctx, place, stored, w.s.SendPart) // sends the Kept bytes
	}
	if err != nil {
		return w.r.failed("write", w.o, w.fail(err))
	}
	return nil
}

// fail records and returns err. The shard can then no longer be committed.
func (w *ShardWriter) fail(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	return err
}

// Commit writes the index and stores the shard under its key, on the condition in ShardOptions. It
// returns fault.Exists or fault.Conflict if the condition fails. Inner chunks that were neither put
// nor carried over are not stored. If the shard is empty, Commit deletes the object, unless the
// condition requires it to be absent. After an error the shard is aborted.
func (w *ShardWriter) Commit(ctx context.Context) error {
	defer w.free()
	put, err := w.condition(ctx)
	if err == nil && w.put.Guard != nil {
		err = w.put.Guard(ctx)
	}
	if err != nil {
		err = w.s.Abort(ctx, err)
	} else {
		err = w.r.commit(ctx, w.o, streamMade(w.s), put)
	}
	if err != nil {
		return w.r.failed("write", w.o, err)
	}
	if w.put.Carry != nil && put.IfVersion != "" {
		w.r.account.Rewritten()
	}
	return nil
}

// condition adds inner chunks of the stored shard and returns the condition of the commit.
func (w *ShardWriter) condition(ctx context.Context) (put store.PutOptions, err error) {
	switch {
	case w.err != nil:
		return put, w.err
	case w.put.Carry != nil:
		put.IfVersion, err = w.carry(ctx)
	case w.put.Latest:
		put.IfVersion, err = w.r.version(ctx, w.o.Key)
	default:
		return w.put.Put, nil
	}
	put.IfAbsent = put.IfVersion == ""
	return put, err
}

// carry adds the inner chunks that are kept from the stored shard. It returns the version of the
// stored shard, or "" if the shard is absent.
func (w *ShardWriter) carry(ctx context.Context) (store.Version, error) {
	r := w.r
	index, err := r.reserve(ctx, concurrency.Index, plan.Sum(r.indexed(w.o), int64(w.o.Chunk.Shards.Len())*4))
	if err != nil {
		return "", err
	}
	defer index.Release()
	x, err := r.storedIndex(ctx, w.o, "")
	if errors.Is(err, fault.NotFound) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	cost := r.sizes.Carrying(r.plan.Cost)
	stays, err := w.o.Without(x.ShardIndex, x.version, &cost, func(p plan.Piece) bool { return w.claimed[p.Place()] || !w.put.Carry(p.Box().Coord) })
	if err != nil {
		return "", err
	}
	st, err := r.admit(w.o, &stays)
	if err != nil {
		return "", err
	}
	flight, total := r.sizes.Flight(w.limits, plan.Product(need(stays.Longest), plan.ReadsAhead))
	hold, err := r.reserve(ctx, concurrency.Task, total)
	if err != nil {
		return "", err
	}
	defer hold.Release()
	return x.version, w.s.During(ctx, hold, flight, func(ctx context.Context, send assemble.Sender) error {
		p := &packer{Call: r, hold: hold, to: w.s.To(send)}
		return p.carry(ctx, st, &stays)
	})
}

// free releases the memory that the shard uses between calls.
func (w *ShardWriter) free() {
	if w.hold != nil {
		w.hold.Release()
		w.hold = nil
	}
}

// Abort removes the parts that were sent, so that nothing becomes visible, even after ctx has
// ended. After Commit it does nothing.
func (w *ShardWriter) Abort(ctx context.Context) error {
	defer w.free()
	return w.s.Abort(ctx, nil)
}
