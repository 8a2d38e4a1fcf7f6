package validate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
)

// maxWhole is the maximum number of bytes of a shard that are decoded at once. A larger shard is
// decoded in parts. 64 MiB is a quarter of concurrency.MaxDefaultBudget.
const maxWhole = 64 << 20

// maxBadChunks is the number of bad inner chunks after which the rest of a shard is skipped.
// Without this limit, a wrong index could cost any number of attempts, because all its inner chunks
// fail.
const maxBadChunks = 16

// reader decodes the chunks of an array.
type reader struct {
	*chunks
	strict, plain *zarr.Array
}

// box is a region of the array: start and end along each axis.
type box [][2]int

func (b box) selections() []zarr.Selection {
	sel := make([]zarr.Selection, len(b))
	for i, r := range b {
		sel[i] = zarr.Range(r[0], r[1])
	}
	return sel
}

// elems returns the number of elements, or math.MaxInt if the number overflows.
func (b box) elems() int {
	n := 1
	for _, r := range b {
		if d := r[1] - r[0]; d == 0 {
			return 0
		} else if n > math.MaxInt/d {
			return math.MaxInt
		} else {
			n *= d
		}
	}
	return n
}

// chunk decodes the chunk at a position.
func (r *reader) chunk(ctx context.Context, coord []int) error {
	whole := r.box(coord)
	key := r.a.ChunkKey(coord...)
	if r.a.Sharded() {
		return r.shard(ctx, &object{coord: coord, key: key}, whole)
	}
	o := &object{coord: coord, key: key}
	return r.finding(ctx, o, r.decode(ctx, o, whole), nil)
}

// plan calls f with the bounds of the reads of the chunk or shard at a position.
func (r *reader) plan(coord []int, f func(least, most store.Amount)) error {
	var least, most store.Amount
	whole := r.box(coord)
	add := func(part box) error {
		p, err := r.plain.Plan(part.selections()...)
		if err == nil {
			l, m := p.Bounds()
			least, most = least.Add(l), most.Add(m)
		}
		return err
	}
	if !r.a.Sharded() {
		if err := add(whole); err != nil {
			return err
		}
	} else {
		for part := range whole.parts(partOf(r.a, whole)) {
			if err := add(part); err != nil {
				return err
			}
		}
	}
	f(least, most)
	return nil
}

// shard decodes a shard, in parts if it is large. If a part is corrupt, it decodes the inner chunks
// one by one to find the bad ones.
func (r *reader) shard(ctx context.Context, o *object, whole box) error {
	var torn error // error of the last corrupt part whose inner chunks all decode
	for part := range whole.parts(partOf(r.a, whole)) {
		err := r.decode(ctx, o, part)
		switch {
		case err == nil:
			o.good++
		case !errors.Is(err, fault.Corrupt) || fatal(ctx, err):
			return r.finding(ctx, o, err, nil)
		default:
			before := len(o.bad)
			if err := r.inner(ctx, o, part); err != nil {
				return err
			}
			if len(o.bad) == before {
				torn = err // other readers may still fail
			}
		}
		if o.full() {
			break
		}
	}
	if o.good == 0 && oneCause(o.bad) {
		return r.finding(ctx, o, o.bad[0].err, nil) // the index is bad
	}
	for _, b := range o.bad {
		if err := r.finding(ctx, o, b.err, b.box); err != nil {
			return err
		}
	}
	if len(o.bad) == 0 {
		return r.finding(ctx, o, torn, nil)
	}
	return nil
}

// partOf returns the shape of the parts of a shard that are decoded together. A part consists of as
// many inner chunks, in C order, as fit in maxWhole.
func partOf(a *zarr.Array, whole box) []int {
	part := a.Chunks()
	room := maxWhole / max(a.DType().Size(), 1)
	for _, n := range part {
		room /= n
	}
	for k := len(part) - 1; k >= 0 && room > 1; k-- {
		all := (whole[k][1]-whole[k][0]-1)/part[k] + 1
		n := min(all, room)
		part[k] *= n
		if room /= n; n < all {
			break
		}
	}
	return part
}

// parts yields the parts of b with the specified shape, in C order. Parts at the end of b may be
// smaller. The next iteration overwrites the yielded box.
func (b box) parts(shape []int) iter.Seq[box] {
	return func(yield func(box) bool) {
		at := make(box, len(b))
		for i := range at {
			at[i] = [2]int{b[i][0], min(b[i][0]+shape[i], b[i][1])}
		}
		for {
			if !yield(at) {
				return
			}
			k := len(at) - 1
			for ; k >= 0; k-- {
				if at[k][1] < b[k][1] {
					at[k] = [2]int{at[k][1], min(at[k][1]+shape[k], b[k][1])}
					break
				}
				at[k] = [2]int{b[k][0], min(b[k][0]+shape[k], b[k][1])}
			}
			if k < 0 {
				return
			}
		}
	}
}

// object is a chunk or a shard that is being decoded.
type object struct {
	coord      []int
	key        string
	good       int        // number of parts that decode
	bad        []badChunk // inner chunks that do not, at most maxBadChunks
	limited    bool       // an inner chunk exceeds a limit, so all will
	overlapped bool       // the overlap of inner chunks was reported
}

// full reports whether the rest of the object need not be decoded.
func (o *object) full() bool { return len(o.bad) == maxBadChunks || o.limited }

// badChunk is an inner chunk that cannot be decoded.
type badChunk struct {
	box
	err error
}

// oneCause reports whether all of the inner chunks failed with the same message.
func oneCause(bad []badChunk) bool {
	for _, b := range bad {
		if rule.FromError("", b.err).Text != rule.FromError("", bad[0].err).Text {
			return false
		}
	}
	return len(bad) > 0
}

// inner decodes the inner chunks of a part of a shard one by one. It returns only errors that end
// the run.
func (r *reader) inner(ctx context.Context, o *object, part box) error {
	for at := range part.parts(r.a.Chunks()) {
		switch err := r.decode(ctx, o, at); {
		case err == nil:
			o.good++
		case fatal(ctx, err):
			return err
		default:
			o.bad = append(o.bad, badChunk{slices.Clone(at), err})
			o.limited = errors.Is(err, fault.Limit)
		}
		if o.full() {
			return nil
		}
	}
	return nil
}

// finding reports err, the error of decoding a chunk or a part of a shard, as a finding. It returns
// only errors that end the run.
func (r *reader) finding(ctx context.Context, o *object, err error, part box) error {
	if err == nil || fatal(ctx, err) {
		return err
	}
	f := rule.FromError(r.a.Path(), err)
	if f.Key = o.key; part != nil {
		f.Text = fmt.Sprintf("elements %v: %s", part, f.Text)
	}
	r.findings.report(f)
	if f.Rule == rule.Corrupt {
		r.reportDamaged(f.Rule, o.coord)
	}
	return nil
}

// decode decodes a part of the array in strict mode. If the error is the violation of a rule,
// decode reports the violation and decodes the part again without strict mode.
func (r *reader) decode(ctx context.Context, o *object, b box) error {
	err := decodes(ctx, r.strict, b)
	var broken *rule.Error
	if !errors.As(err, &broken) {
		return err
	}
	if overlap := broken.Rule == rule.ShardOverlap; !overlap || !o.overlapped {
		r.findings.report(rule.Finding{Rule: broken.Rule, Key: o.key, Text: broken.Text})
		o.overlapped = o.overlapped || overlap
	}
	return decodes(ctx, r.plain, b)
}

// decodes returns the error of decoding a part of an array, or nil if the part can be decoded. The
// error is fault.Limit if the part exceeds the memory limit or Limits.Chunk.
func decodes(ctx context.Context, a *zarr.Array, b box) error {
	n, typ := b.elems(), a.DType()
	size := typ.Size()
	if size == 0 {
		size = 16 // size of a string or slice header, rounded up
	}
	if int64(n) > concurrency.Memory()/2/int64(size) {
		return fault.Newf(fault.Limit, "elements %v of %v exceed half of the memory limit", b, typ)
	}
	if int64(n) > a.ChunkLimit()/int64(size) {
		return fault.Newf(fault.Limit, "elements %v of %v exceed Limits.Chunk (%d)", b, typ, a.ChunkLimit())
	}
	return a.Check(ctx, b.selections()...)
}
