package validate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// maxWhole is how many bytes of a shard are decoded at once; inner chunks of a larger one are decoded one by one. 64 MiB: a
// quarter of what a process has in flight by default.
const maxWhole = 64 << 20

// maxTorn is after how many bad chunks a shard is given up: one whose index is wrong fails for each, and there may be any
// number of them.
const maxTorn = 16

// reader decodes the chunks of an array.
type reader struct {
	*chunks
	strict, plain *zarr.Array
}

// box is a part of the array along each axis.
type box [][2]int

func (b box) selections() []zarr.Selection {
	sel := make([]zarr.Selection, len(b))
	for i, r := range b {
		sel[i] = zarr.Range(r[0], r[1])
	}
	return sel
}

// elems is the number of elements; math.MaxInt when there are more.
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
	if !r.a.Sharded() {
		return r.finding(ctx, key, r.decode(ctx, key, whole), nil)
	}
	var err error
	if whole.elems() <= maxWhole/max(r.a.DType().Size(), 1) {
		if err = r.decode(ctx, key, whole); !errors.Is(err, fault.Corrupt) {
			return r.finding(ctx, key, err, nil)
		}
	}
	// A torn shard, or a large one: which of its chunks are to blame?
	bad, good, ended := r.inner(ctx, key, whole)
	if ended != nil {
		return ended
	}
	if good == 0 && alike(bad) {
		return r.finding(ctx, key, bad[0].err, nil) // its index
	}
	for _, b := range bad {
		if err := r.finding(ctx, key, b.err, b.box); err != nil {
			return err
		}
	}
	if err != nil && len(bad) == 0 {
		return r.finding(ctx, key, err, nil) // another reader may still be told so
	}
	return nil
}

// badChunk is a chunk of a shard that cannot be read.
type badChunk struct {
	box
	err error
}

// alike tells whether all chunks failed for one reason.
func alike(bad []badChunk) bool {
	for _, b := range bad {
		if rule.FromError("", b.err).Text != rule.FromError("", bad[0].err).Text {
			return false
		}
	}
	return len(bad) > 0
}

// inner decodes the inner chunks of a shard one by one, and gives those that failed, and how many did not. An error is not
// the shard's.
func (r *reader) inner(ctx context.Context, key string, whole box) (bad []badChunk, good int, _ error) {
	each := r.a.Chunks()
	at := make(box, len(whole))
	for i := range at {
		at[i] = [2]int{whole[i][0], min(whole[i][0]+each[i], whole[i][1])}
	}
	for {
		if err := context.Cause(ctx); err != nil {
			return bad, good, err
		}
		switch err := r.decode(ctx, key, at); {
		case err == nil:
			good++
		case fatal(ctx, err):
			return bad, good, err
		default:
			bad = append(bad, badChunk{slices.Clone(at), err})
			if len(bad) == maxTorn || errors.Is(err, fault.Limit) {
				return bad, good, nil
			}
		}
		k := len(at) - 1
		for ; k >= 0; k-- {
			if at[k][1] < whole[k][1] {
				at[k] = [2]int{at[k][1], min(at[k][1]+each[k], whole[k][1])}
				break
			}
			at[k] = [2]int{whole[k][0], min(whole[k][0]+each[k], whole[k][1])}
		}
		if k < 0 {
			return bad, good, nil
		}
	}
}

// finding tells of a chunk, or of a part of a shard, that cannot be decoded; what is not its fault is returned.
func (r *reader) finding(ctx context.Context, key string, err error, part box) error {
	if err == nil || fatal(ctx, err) {
		return err
	}
	f := rule.FromError(r.a.Path(), err)
	if f.Key = key; part != nil {
		f.Text = fmt.Sprintf("elements %v: %s", part, f.Text)
	}
	r.told.tell(f)
	return nil
}

// decode reads a part of the array, strictly first: what breaks a rule only is told and read again.
func (r *reader) decode(ctx context.Context, key string, b box) error {
	err := r.read(ctx, r.strict, b)
	var broken *rule.Error
	if !errors.As(err, &broken) {
		return err
	}
	r.told.tell(rule.Finding{Rule: broken.Rule, Key: key, Text: broken.Text})
	return r.read(ctx, r.plain, b)
}

func (r *reader) read(ctx context.Context, a *zarr.Array, b box) error {
	n, typ := b.elems(), a.DType()
	size := typ.Size()
	if size == 0 {
		size = 16 // a string's or a slice's header
	}
	if int64(n) > concurrency.Memory()/2/int64(size) {
		return fault.Newf(fault.Limit, "%v elements of %v at once are more than half of the memory", b, typ)
	}
	hold, err := r.r.op.Acquire(ctx, int64(n)*int64(size))
	if err != nil {
		return err
	}
	defer hold.Release()
	if typ.Size() == 0 {
		_, err = zarr.ReadItems(ctx, a, b.selections()...)
		return err
	}
	buf, _ := r.r.scratch.Get().(*[]byte)
	if buf == nil || cap(*buf) < n*size {
		all := make([]byte, n*size)
		buf = &all
	}
	defer r.r.scratch.Put(buf)
	return zarr.ReadBytes(ctx, a, (*buf)[:n*size], b.selections()...)
}
