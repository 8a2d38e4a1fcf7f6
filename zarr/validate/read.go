package validate

import (
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/walk"
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

func selections(b walk.Box) []zarr.Selection {
	return zarr.Region{Start: b.At, Shape: b.Shape}.Select()
}

// chunk decodes the chunk at a position.
func (r *reader) chunk(ctx context.Context, coord []int) error {
	whole := r.box(coord)
	key := r.a.ChunkKey(coord...)
	if r.a.Sharded() {
		return r.shard(ctx, &object{coord: coord, key: key}, whole)
	}
	o := &object{coord: coord, key: key}
	return r.finding(ctx, o, r.decode(ctx, o, whole), walk.Box{})
}

// plan calls f with the bounds of the reads of the chunk or shard at a position.
func (r *reader) plan(coord []int, f func(least, most store.Amount)) error {
	var least, most store.Amount
	whole := r.box(coord)
	add := func(part walk.Box) error {
		p, err := r.plain.Plan(selections(part)...)
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
		for part := range whole.Parts(partOf(r.a, whole)) {
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
func (r *reader) shard(ctx context.Context, o *object, whole walk.Box) error {
	var torn error // error of the last corrupt part whose inner chunks all decode
	for part := range whole.Parts(partOf(r.a, whole)) {
		err := r.decode(ctx, o, part)
		switch {
		case err == nil:
			o.good++
		case !errors.Is(err, fault.Corrupt) || fatal(ctx, err):
			return r.finding(ctx, o, err, walk.Box{})
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
		return r.finding(ctx, o, o.bad[0].err, walk.Box{}) // the index is bad
	}
	for _, b := range o.bad {
		if err := r.finding(ctx, o, b.err, b.Box); err != nil {
			return err
		}
	}
	if len(o.bad) == 0 {
		return r.finding(ctx, o, torn, walk.Box{})
	}
	return nil
}

// partOf returns the shape of the parts of a shard that are decoded together. A part consists of as
// many inner chunks, in C order, as fit in maxWhole.
func partOf(a *zarr.Array, whole walk.Box) []int {
	part := a.Chunks()
	room := maxWhole / max(a.DType().Size(), 1)
	for _, n := range part {
		room /= n
	}
	for k := len(part) - 1; k >= 0 && room > 1; k-- {
		all := (whole.Shape[k]-1)/part[k] + 1
		n := min(all, room)
		part[k] *= n
		if room /= n; n < all {
			break
		}
	}
	return part
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
	walk.Box
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
func (r *reader) inner(ctx context.Context, o *object, part walk.Box) error {
	for at := range part.Parts(r.a.Chunks()) {
		switch err := r.decode(ctx, o, at); {
		case err == nil:
			o.good++
		case fatal(ctx, err):
			return err
		default:
			o.bad = append(o.bad, badChunk{at, err})
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
func (r *reader) finding(ctx context.Context, o *object, err error, part walk.Box) error {
	if err == nil || fatal(ctx, err) {
		return err
	}
	f := rule.FromError(r.a.Path(), err)
	if f.Key = o.key; part.At != nil {
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
func (r *reader) decode(ctx context.Context, o *object, b walk.Box) error {
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
func decodes(ctx context.Context, a *zarr.Array, b walk.Box) error {
	n, typ := b.Len(), a.DType()
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
	return a.Check(ctx, selections(b)...)
}
