package zarr

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Array is an array as its metadata was when it was opened. It is immutable and safe for any number of goroutines.
type Array struct {
	node
	meta   *meta.Array
	chain  *codec.Chain
	chunk  int    // bytes of a decoded chunk
	fill   []byte // one element: the fill value, or zero where it is undefined
	shared *shared
	field  *fieldView // of a view of one field; else nil
}

// shared is the state that all views of one opened array have in common.
type shared struct {
	mean  atomic.Int64 // running mean of encoded chunk sizes, 0 before the first
	locks concurrency.Keyed

	indexes indexCache // of shards
	loads   concurrency.Joined[*shardIndex]
	structs structPlans
	whole   atomic.Bool // the store cannot read parts of shards: it has no versions, or no ranges from the end
}

// newArray binds metadata to a store. Its errors are *fault.MetaError.
func newArray(n node, m *meta.Array) (*Array, error) {
	fail := func(pointer string, err error) error {
		return &fault.MetaError{Key: n.docKey, Pointer: pointer, Err: err}
	}
	pointer := "/chunk_key_encoding"
	if m.Format == 2 {
		pointer = "/dimension_separator"
	}
	m, err := n.cfg.keys(m)
	if err != nil {
		return nil, fail(pointer, err)
	}
	repr := codec.Repr{Shape: m.Grid.Shape, Type: m.DType, Fill: m.Fill}
	size, err := repr.Bytes()
	if err != nil {
		return nil, fail("/chunk_grid", err)
	}
	specs := make([]codec.Spec, len(m.Codecs))
	for i, c := range m.Codecs {
		specs[i] = codec.Spec{Name: c.Name, Config: c.Config}
	}
	chain, err := n.cfg.table.Chain(specs, repr)
	if err != nil {
		return nil, fail("/codecs", err)
	}
	fill := m.Fill
	if fill == nil {
		fill = make([]byte, m.DType.Size())
	}
	return &Array{node: n, meta: m, chain: chain, chunk: size, fill: fill, shared: &shared{}}, nil
}

// Shape is the number of elements along each axis. The slice is the caller's.
func (a *Array) Shape() []int { return slices.Clone(a.meta.Shape) }

// Chunks is the number of elements of a chunk along each axis: of what is encoded as one piece, which in a sharded array is
// an inner chunk. The slice is the caller's.
func (a *Array) Chunks() []int { return slices.Clone(a.chunkShape()) }

func (a *Array) chunkShape() []int {
	if s := a.chain.Shards(); s != nil {
		return s.Chunk
	}
	return a.meta.Grid.Shape
}

// Shards is the number of elements along each axis of a shard, which is one stored object with many chunks in it; nil when
// chunks are stored each by itself, or cannot be read from their shard without all of it.
func (a *Array) Shards() []int {
	if a.chain.Shards() != nil {
		return slices.Clone(a.meta.Grid.Shape)
	}
	return nil
}

// DType is the data type of the elements.
func (a *Array) DType() dtype.Type { return a.meta.DType }

// Codecs is the pipeline from chunk to stored bytes, v2's filters and compressor included.
func (a *Array) Codecs() []codec.Spec {
	if a.field != nil {
		return a.field.base.Codecs()
	}
	return slices.Clone(a.chain.Specs())
}

// Fill is the fill value in memory form (see package dtype); nil when it is undefined, as v2's null.
func (a *Array) Fill() []byte { return slices.Clone(a.meta.Fill) }

// Metadata is the parsed metadata document, with the keys that Separator gives. It is shared: do not change it.
func (a *Array) Metadata() *meta.Array { return a.meta }

// Len is the number of elements.
func (a *Array) Len() int {
	n := 1
	for _, d := range a.meta.Shape {
		n *= d
	}
	return n
}

// ChunkKey is the key, below the store's root, of the chunk, or the shard, at a position of the grid that they make.
func (a *Array) ChunkKey(coord ...int) string {
	return join(a.path, a.meta.Keys.Key(a.stored(coord)))
}

// With returns a view of the same array with other options.
func (a *Array) With(opts ...Option) (*Array, error) {
	if a.field != nil {
		return a.field.again(a.field.base.With(opts...))
	}
	b := *a
	if err := b.cfg.add(opts); err != nil {
		return nil, err
	}
	m, err := b.cfg.keys(b.meta)
	if err != nil {
		return nil, a.errf(err)
	}
	b.meta = m
	if b.cfg.table == a.cfg.table {
		return &b, nil
	}
	other, err := newArray(b.node, m) // with codecs of the other table
	if err != nil {
		return nil, a.errf(err)
	}
	other.shared = a.shared
	return other, nil
}

// String gives the path and what the array is, for people.
func (a *Array) String() string {
	in := ""
	if a.chain.Shards() != nil {
		in = fmt.Sprintf(" in shards %v", a.meta.Grid.Shape)
	}
	return fmt.Sprintf("%q %v %v chunks %v%s v%d", a.path, a.meta.DType, a.meta.Shape, a.Chunks(), in, a.meta.Format)
}

// Refresh opens the array again and returns it as it is now.
func (a *Array) Refresh(ctx context.Context) (*Array, error) {
	if a.field != nil {
		return a.field.again(a.field.base.Refresh(ctx))
	}
	n, err := open(ctx, a.st, a.path, a.cfg, wantArray)
	if err != nil {
		return nil, err
	}
	return n.(*Array), nil
}

func (a *Array) layout() plan.Layout {
	return plan.Layout{Shape: a.meta.Shape, Chunks: a.meta.Grid.Shape, Key: func(c []int) string { return a.ChunkKey(c...) }, Shards: a.shardLayout()}
}

// estimate is how many bytes to reserve for a chunk whose encoded size is not known yet.
func (a *Array) estimate() int64 {
	if m := a.shared.mean.Load(); m > 0 {
		return m
	}
	return min(int64(a.chunk), a.chain.MaxEncoded())
}

// observe takes the encoded size of a chunk into the running mean; a lost update between goroutines does no harm.
func (a *Array) observe(n int) {
	m := a.shared.mean.Load()
	if m == 0 {
		m = int64(n)
	}
	a.shared.mean.Store(max(m+(int64(n)-m)/8, 1))
}

// inFlight is how many chunks one call works on at once: enough to keep the store's requests and every core busy.
func (a *Array) inFlight() int {
	if a.cfg.inFlight > 0 {
		return a.cfg.inFlight
	}
	return store.TuningOf(a.st).Requests + a.cfg.limits.CPU.Slots()
}
