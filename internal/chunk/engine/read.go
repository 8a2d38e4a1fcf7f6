package engine

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Read sets dst to the elements of the array that sel selects, in C order. dst has the shape of the
// selection. Elements of an absent object are the fill value. After an error the contents of dst
// are undefined.
func (a *Array) Read(ctx context.Context, dst pipeline.Memory, sel grid.Selection) error {
	ctx, r, err := a.begin(ctx, dst, sel, nil)
	if err != nil {
		return err
	}
	if r.inRuns() {
		return concurrency.Each(ctx, r.objects, r.plan.Runs(r.run), r.readRun)
	}
	return r.each(ctx, "read", r.read)
}

// inRuns reports whether a read takes its chunks in runs: many small chunks of a store whose
// requests take little time. Writes do not, because the encoding of a chunk takes longer.
func (r *Call) inRuns() bool {
	c := r.Layout.Pipe.Largest()
	return r.run(r.total/2) > 1 && !r.plan.Cost.Weighs() && c.Bytes <= maxRunning &&
		c.Shards == nil && !c.Varies() && r.Layout.Pipe.Even() && !r.caches(c)
}

// run returns the length of the run that starts at the i-th chunk. The first chunks are handed over
// one by one, so that an error of each of them stops the call at once. The last ones are too, so
// that no goroutine waits for the run of another.
func (r *Call) run(i int) int {
	return min(max(min(i, r.total-i)/r.objects/runShare, 1), maxRun)
}

// Bounds of runs. One goroutine hands over the objects of a call, which takes 1 µs for each. For
// chunks of 1 KiB that is an eighth of a read, and would limit a call to 8 cores.
const (
	maxRun     = 16       // chunks of a run
	maxRunning = 64 << 10 // bytes of a chunk; longer chunks are handed over one by one
	runShare   = 8        // a run has at most 1/8 of what is left for each goroutine
)

// Check reads and decodes the elements of the array that sel selects, and discards them.
func (a *Array) Check(ctx context.Context, sel grid.Selection) error {
	return a.Read(ctx, pipeline.Memory{Shape: sel.Shape()}, sel)
}

// readRun reads the chunks of a run.
func (r *Call) readRun(ctx context.Context, objects iter.Seq[*plan.Object]) error {
	var reads [maxRun]chunkRead
	run := slices.AppendSeq(make([]*plan.Object, 0, maxRun), objects)
	r.readTogether(ctx, run, reads[:len(run)])
	for i, o := range run {
		err := ctx.Err()
		switch {
		case reads[i].alone && err == nil:
			err = r.one(ctx, "read", o, r.read)
		case !reads[i].alone:
			if err = r.ready(ctx, o, 0, reads[i].err); err != nil {
				err = r.failed("read", o, err)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readTogether requests the chunks of a run one after another, until a request fails. Then it
// decodes the received chunks with one CPU slot, because to wait for a slot for each chunk takes
// longer. If the memory for that is not available now, each chunk must be read alone.
func (r *Call) readTogether(ctx context.Context, run []*plan.Object, reads []chunkRead) {
	for i := range reads {
		reads[i].alone = true
	}
	if len(run) == 1 || run[0].Err != nil {
		return
	}
	if reads[0].err = r.slots.Acquire(ctx); reads[0].err != nil {
		reads[0].alone = false
		return
	}
	defer r.slots.Release()
	c := run[0].Chunk
	n, room := 0, c.DecodeRoom(r.memory, run[0].Box)
	if c.Room(r.memory, run[0].Box) == nil { // otherwise chunks that need a buffer are read alone
		n = int(min(r.size().First(run[0].Whole()), 2*maxRunning)) // longer ones too
		room, _ = c.MostRoom()
	}
	need := plan.Sum(need(int64(n*len(run))), plan.Room(room))
	hold, ok := r.Options.Limits.Bytes.AcquireNow(concurrency.Task, need)
	if !ok {
		return
	}
	defer hold.Release()
	buf := hold.Buffer(n * len(run))
	for i, o := range run {
		reads[i] = r.fetchOne(ctx, o, hold, buf[i*n:i*n:(i+1)*n])
		if err := reads[i].err; err != nil && !errors.Is(err, fault.NotFound) {
			break
		}
	}
	s, err := r.cpu(ctx, hold)
	if err == nil {
		defer s.release()
	}
	for i, o := range run {
		if reads[i].stored == nil {
			continue
		}
		if reads[i].err = err; err == nil {
			reads[i].err = r.decodeOne(ctx, o.Key, o.Chunk, o.Box, reads[i].stored, &s.Scratch)
		}
	}
}

// read reads and decodes the selected elements of one object to r.memory.
func (r *Call) read(ctx context.Context, o *plan.Object) (err error) {
	missing := 0
	if o.Chunk.Shards != nil {
		s := &keptShard{shard: shard{Object: o, call: r}}
		err = r.readShard(ctx, o, s)
		missing = int(s.missing.Load())
	} else {
		err = r.readChunk(ctx, o)
	}
	return r.ready(ctx, o, missing, err)
}

// ready ends the read of an object with the result err. missing is the number of its chunks that
// are not stored. If the object is absent, ready sets its elements to the fill value.
func (r *Call) ready(ctx context.Context, o *plan.Object, missing int, err error) error {
	if errors.Is(err, fault.NotFound) {
		r.fillOne(ctx, o.Key, o.Chunk, o.Box)
		missing, err = o.Touched(), nil
	}
	if r.Options.Current != nil {
		err = r.Options.Current(ctx, missing, err)
	}
	if err == nil {
		r.account.Chunks(o.Touched(), missing)
	}
	return err
}

// readChunk reads a chunk, through the cache if possible. If it is absent: fault.NotFound.
func (r *Call) readChunk(ctx context.Context, o *plan.Object) error {
	if r.caches(o.Chunk) {
		if err := r.readKept(ctx, o); !errors.Is(err, errUncached) {
			return err
		}
	}
	return r.fetch(ctx, nil, o.Wanted())
}

// readShard reads a shard, whole or in parts, as the plan says and the store supports. It reads by
// kept, through the cache, or by kept.shard. It returns fault.NotFound if the shard is absent.
func (r *Call) readShard(ctx context.Context, o *plan.Object, kept *keptShard) error {
	if r.caches(o.Chunk) && !r.State.noRanges.Load() {
		if err := r.readRanges(ctx, o, kept); !errors.Is(err, plan.ErrNoRanges) && !errors.Is(err, errUncached) {
			return err
		}
	}
	s, only := &kept.shard, r.State.noRanges.Load()
	if !o.Ranged && !only {
		// A shard that is too long because of unused space is read in parts instead.
		if err := r.fetch(ctx, s, o.Whole()); !errors.Is(err, plan.ErrTooLong) {
			return err
		}
	}
	if !only {
		if err := r.readRanges(ctx, o, s); !errors.Is(err, plan.ErrNoRanges) {
			return err
		}
	}
	rd := o.Whole()
	rd.Bound = r.sizes.Longest(o.Chunk)
	return r.fetch(ctx, s, rd)
}
