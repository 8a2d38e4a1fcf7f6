package engine

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/assemble"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// ShardWriter writes one shard. Its inner chunks may come in any order, are stored in that order,
// and are encoded and sent in parts immediately. Commit makes the whole shard visible. Put and
// PutStored may be called concurrently; the other methods only while neither runs. The caller must
// call Commit or Abort.
//
// # Memory
//
// A Task may wait only for slots, because others may wait for the Task, and a ShardWriter lives as
// long as its caller likes. So each Put takes its own Task, for the inner chunks that it encodes
// and the parts that it sends. Bytes that are not yet in a part remain between calls, at most
// [ShardWriter.Kept] of them. OpenShard tries to reserve them as Ahead, the kind for read-ahead,
// which leaves Tasks their 3/8 of the budget. If others have taken that share, the bytes are the
// caller's memory and not counted. Waiting here could deadlock two writers of one goroutine.
type ShardWriter struct {
	r      *Call // of OpenShard
	o      *plan.Object
	s      *assemble.Stream
	hold   *concurrency.Hold // nil: Kept bytes are the caller's memory
	limits plan.Limits
	blocks []grid.Axis
	put    ShardOptions

	mu      sync.Mutex
	claimed []bool // by position in the index: put
	err     error  // of a failed Put; the shard cannot be committed
}

// ShardOptions configure how a shard is committed.
type ShardOptions struct {
	Put   store.PutOptions // the condition
	Guard Guard            // called before Commit makes it visible; nil: the array's, if any
	// Latest requires the version that Commit reads before it calls the Guard. Put must be zero.
	Latest bool
	// Carry reports whether an inner chunk that was not put is copied, in its stored form, from the
	// shard that Commit finds. coord is its position in the shard. Carry implies Latest.
	Carry func(coord []int) bool
}

// OpenShard starts to write the shard at a position of the array's grid. It sends no request.
// fault.Selection: the position is outside the array, the inner chunks cannot be written one by
// one, or the array is one field of structures.
func (a *Array) OpenShard(ctx context.Context, coord []int, o ShardOptions) (*ShardWriter, error) {
	sel := make(grid.Region, len(a.Layout.Axes))
	for i, axis := range a.Layout.Axes {
		if len(coord) != len(sel) || coord[i] < 0 || coord[i] >= axis.Count(a.Layout.Shape[i]) {
			return nil, fault.Newf(fault.Selection, "there is no shard at %v", coord)
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
		return nil, fault.Newf(fault.Selection, "the array is not stored in shards whose inner chunks can be written by themselves")
	case a.Layout.Pipe.OfField():
		return nil, fault.Newf(fault.Selection, "one field of structures is not a whole shard")
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

// Kept returns the maximum bytes of memory that the shard takes between calls, if the store
// supports values in parts. Other stores receive the shard in one request, so it takes its whole
// length; more than half of the budget is fault.Limit.
func (w *ShardWriter) Kept() int64 { return w.r.sizes.Resident(w.o.Chunk, w.limits) }

// Put encodes inner chunks of the shard. src has the elements that sel selects of the array: whole
// inner chunks of this shard, as far as they are inside the array. fault.Selection: some are not,
// or were put before. Put does not keep src. After an error the shard can only be aborted.
func (w *ShardWriter) Put(ctx context.Context, src pipeline.Memory, sel grid.Selection) error {
	return w.r.PutShards(ctx, src, sel, func([]int) *ShardWriter { return w })
}

// PutShards is Put into several shards concurrently: those in which sel selects elements. of
// returns the writer of each by its position. a is the array that opened them, or one with another
// shape, other options or another form of its elements.
func (a *Array) PutShards(ctx context.Context, src pipeline.Memory, sel grid.Selection, of func(coord []int) *ShardWriter) error {
	ctx, r, err := a.begin(ctx, src, sel, nil)
	if err != nil {
		return err
	}
	return concurrency.Each(ctx, r.objects, r.plan.Objects(), func(ctx context.Context, o *plan.Object) error {
		w := of(o.Coord)
		if w == nil {
			return r.failed("write", o, fault.Newf(fault.Selection, "no shard is under way there"))
		}
		err := o.Err
		switch {
		case !slices.Equal(o.Coord, w.o.Coord):
			err = fault.Newf(fault.Selection, "it is no part of the shard at %v", w.o.Coord)
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
	at := m.Packing(o, plan.Product(need(l.Part), 2))
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

// take checks that inner chunks are whole and were not put before, and claims them.
func (w *ShardWriter) take(p *packer) error {
	inside := p.o.Inside()
	for _, t := range p.order {
		if box := p.cut.Box(t.i); !box.Covers(inside, w.blocks) {
			return fault.Newf(fault.Selection, "not all of inner chunk %v is written", box.Coord)
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

// claim records that an inner chunk is put. w.mu is held.
func (w *ShardWriter) claim(place int) error {
	switch {
	case w.err != nil:
		return w.err
	case w.claimed[place]:
		return fault.Newf(fault.Selection, "inner chunk %d in the index of the shard is put twice", place)
	}
	w.claimed[place] = true
	return nil
}

// PutStored appends an inner chunk in its stored form, encoded by the same codecs. coord is its
// position in the shard. Without bytes it is missing: fill value.
func (w *ShardWriter) PutStored(ctx context.Context, coord []int, stored []byte) error {
	for i, n := range w.o.Chunk.Shards.Grid {
		if len(coord) != len(w.o.Chunk.Shards.Grid) || coord[i] < 0 || coord[i] >= n {
			return w.r.failed("write", w.o, fault.Newf(fault.Selection, "there is no inner chunk at %v", coord))
		}
	}
	place := w.o.Chunk.Shards.Position(coord)
	w.mu.Lock()
	err := w.claim(place)
	w.mu.Unlock()
	if err == nil {
		err = w.s.Add(ctx, place, stored, w.s.SendPart) // sends Kept bytes
	}
	if err != nil {
		return w.r.failed("write", w.o, w.fail(err))
	}
	return nil
}

// fail prevents a commit of the shard and returns err.
func (w *ShardWriter) fail(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	return err
}

// Commit writes the index and stores the shard under its key, on the condition. fault.Exists,
// fault.Conflict: the condition does not hold. Inner chunks that were neither put nor carried over
// are missing. A shard without inner chunks is not stored; it deletes an existing object, unless
// the condition is that it is absent. After an error the shard is aborted.
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

// condition returns the condition of the commit, after adding the inner chunks to carry over.
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

// carry appends the remaining inner chunks of the stored shard and returns its version, "" for
// none.
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

// free releases the memory that is kept between calls.
func (w *ShardWriter) free() {
	if w.hold != nil {
		w.hold.Release()
		w.hold = nil
	}
}

// Abort discards the parts that were sent: nothing becomes visible. It also works after ctx has
// ended. After Commit it does nothing.
func (w *ShardWriter) Abort(ctx context.Context) error {
	defer w.free()
	return w.s.Abort(ctx, nil)
}
