package view

import (
	"context"

	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr/fault"
)

// measure computes the inner chunks of a shard, and sets the index and the version of v. keep is
// called with the bytes of each inner chunk.
func (a *array) measure(ctx context.Context, coord []int, v *value, keep func(i int, b []byte)) error {
	s := a.shard
	v.parts = make([]inner, s.number())
	limit := a.made.Limits().Shared.Bytes.Size() / 4
	for b := range walk.Object(a.made, coord).Parts(s.steps(a.each(), limit)) {
		out, err := a.write(ctx, s.inner, b, &v.inputs)
		if err != nil {
			return err
		}
		for at := range walk.Overlapping(s.inner, b).Positions() {
			i := 0
			for d := range at {
				i = i*s.counts[d] + at[d] - coord[d]*s.counts[d]
			}
			if bytes := out.values[s.inner.ChunkKey(at...)]; bytes != nil {
				v.parts[i] = innerOf(bytes)
				keep(i, bytes)
			}
		}
	}
	v.index(s.number())
	return nil
}

// errReplaced is the error for an inner chunk whose elements in the source differ from those that
// its shard was measured with.
var errReplaced = fault.Newf(fault.Conflict, "the source has changed during the request")

// piece returns the bytes of an inner chunk of a shard that was measured.
func (a *array) piece(ctx context.Context, coord []int, v *value, i int) ([]byte, error) {
	at := a.shard.position(coord, i)
	out, err := a.write(ctx, a.shard.inner, walk.Object(a.shard.inner, at), &inputs{})
	if err != nil {
		return nil, err
	}
	b := out.values[a.shard.inner.ChunkKey(at...)]
	if innerOf(b) != v.parts[i] {
		return nil, errReplaced
	}
	return b, nil
}
