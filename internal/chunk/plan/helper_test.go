package plan

import (
	"encoding/binary"
	"strconv"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

func key(coord []int) string {
	var b strings.Builder
	b.WriteByte('c')
	for _, c := range coord {
		b.WriteByte('/')
		b.WriteString(strconv.Itoa(c))
	}
	return b.String()
}

// pipe returns a pipeline of the codecs for uint8.
func pipe(t testing.TB, axes []grid.Axis, indexLimit int64, specs ...codec.Spec) *pipeline.Pipeline {
	t.Helper()
	p, err := pipeline.New(codec.Builtin(), specs, codec.Repr{Type: dtype.Uint8, Fill: []byte{0}}, axes, pipeline.Options{ChunkLimit: 1 << 30, IndexLimit: indexLimit})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// shards returns a sharding codec for uint8 in uncompressed chunks, with an uncompressed index.
func shards(chunk []int) codec.Spec {
	return codec.Sharding(codec.ShardingOptions{Chunk: chunk, Index: []codec.Spec{codec.Bytes(dtype.Little)}})
}

// shard returns an array of one shard, and a plan that selects all of it.
func shard(t testing.TB, shape []int, gap, longest int64, specs ...codec.Spec) (*Plan, *Object) {
	t.Helper()
	axes := grid.Even(shape)
	p := &Plan{Layout: Layout{Shape: shape, Axes: axes, Key: key, Pipe: pipe(t, axes, 1<<40, specs...)}, Select: grid.Whole(shape), Cost: Cost{Gap: gap, Cheap: gap, Max: longest}}
	for o := range p.Objects() {
		return p, o
	}
	t.Fatal("no object")
	return nil, nil
}

// index encodes an index from pairs of offset and length. A length of -1 is a missing inner chunk.
func index(t testing.TB, o *pipeline.Chunk, size int64, pairs [][2]int64) codec.ShardIndex {
	t.Helper()
	var b []byte
	for _, p := range pairs {
		if p[1] == -1 {
			p[0] = -1
		}
		b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, uint64(p[0])), uint64(p[1]))
	}
	x, err := o.Shards.Index(b, size)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// expand returns the stage of inner chunks of the only shard of an object.
func expand(o *Object, x codec.ShardIndex) (Stage, error) {
	return o.Shard().Expand("v", []codec.ShardIndex{x})
}
