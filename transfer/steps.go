package transfer

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/zargo-io/zargo/transfer/internal/rechunk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// steps adds the steps that copy an array to the stages.
func (m *maker) steps(ctx context.Context, s *Step, from, to *zarr.Array) error {
	if sameObjects(&Step{Start: s.Start}, from, to) {
		s.Kind = Encoded
		if !m.fits(needOf(s, from, to).memory(), from) {
			return nil
		}
		s.Block = gathered(ones(len(s.Grid)), to, taskBytes)
		m.add(0, s)
		return nil
	}
	s.Kind, s.Block = Blocks, ones(len(s.Grid))
	n := needOf(s, from, to)
	if inner := innerShape(to); n.memory() > m.o.Memory && inner != nil && !m.o.WholeShards {
		s.Inner = ones(len(inner))
		if divided := needOf(s, from, to); divided.memory() < n.memory() {
			n = divided
		} else { // parts and index take more memory than a small shard
			s.Inner = nil
		}
	}
	if !m.fits(n.memory(), from) {
		return nil
	}
	stages, err := m.solve(s, from, to)
	if err != nil {
		return err
	}
	at := *s
	for k, stage := range stages[:len(stages)-1] {
		next, err := m.temporary(ctx, stage.Write, from, to)
		if err != nil {
			return err
		}
		at.Inner = nil
		at.To, at.Grid = &Array{In: Temporary, Path: next.Path()}, next.GridShape()
		m.addBlocks(k, at, stage.Block, from, next)
		from = next
		at.From, at.Start = at.To, nil
	}
	at.To, at.Grid, at.Inner = s.To, s.Grid, s.Inner
	last := len(stages) - 1
	m.addBlocks(last, at, stages[last].Block, from, to)
	return nil
}

const (
	// taskObjects and taskBytes bound the size of a task if a larger task would not save requests,
	// because an interruption repeats whole tasks. A task of either size takes some seconds.
	taskObjects = 48
	taskBytes   = 64 << 20
)

// fits reports whether Options.Memory suffices for a task that copies objects of an array. If not,
// the plan fails after all arrays, so that its error contains the memory that suffices for all.
func (m *maker) fits(memory int64, from *zarr.Array) bool {
	if memory > max(m.least, m.o.Memory) {
		m.least, m.largest = memory, from.Path()
	}
	return memory <= m.o.Memory
}

// solve finds the stages that copy the elements of from to the chunks of to. It plans an
// intermediate array if the requests that this saves cost more than the additional bytes. If memory
// does not suffice for such a plan, the result is one stage that copies object by object.
func (m *maker) solve(s *Step, from, to *zarr.Array) ([]rechunk.Stage, error) {
	write, memory := objectShape(to), (m.o.Memory-overhead)/8*5 // see blocksShare
	if s.Inner != nil {
		write = innerShape(to)
		// The unsent parts and the index reduce the memory for a box. A part reduces the memory for
		// encoded chunks.
		kept, left := needOf(s, from, to).block-boxBytes(to, s.Inner), m.o.Memory-overhead
		part, _ := shardParts(to)
		memory = max(min(memory, left-(left+7)/8-part)-kept, 0)
	}
	best, one, err := rechunk.Solve(rechunk.Problem{
		Shape: to.Shape(), ItemSize: itemSize(to), From: unitShape(from), To: write, Parts: plain(from),
		Memory:  memory,
		MinRead: m.get, MinIntermediate: m.request,
	})
	switch {
	case errors.Is(err, fault.Limit):
		return []rechunk.Stage{{Write: write, Block: write}}, nil
	case err != nil:
		return nil, err
	case m.o.OneStage, to.DType().Size() == 0: // the size of intermediate arrays is unknown
		return one.Stages, nil
	}
	return best.Stages, nil
}

// requestCost returns the number of bytes that take as long to transfer as a request takes: four
// times the RangeGap of the store. RangeGap is smaller than the cost because the bytes of a gap are
// discarded. The cost is 4 MiB for a cloud store (80 MB/s for 50 ms) and 16 KiB for a disk.
func requestCost(st store.Store) int64 {
	var t store.Tuning
	if st == nil || !store.As(st, &t) || t.RangeGap < 1 || t.RangeGap > rechunk.DefaultRequest {
		return rechunk.DefaultRequest
	}
	return 4 * t.RangeGap
}

// plain reports whether the chunks of an array are stored without compression, so that a read can
// request a part of a chunk.
func plain(a *zarr.Array) bool {
	return !slices.ContainsFunc(a.Metadata().Codecs, func(c meta.Named) bool { return c.Name != "bytes" })
}

// addBlocks adds a step. block is the number of elements of a task along each dimension, which
// addBlocks rounds up to whole objects.
func (m *maker) addBlocks(stage int, s Step, block []int, from, to *zarr.Array) {
	s.Block = ones(len(s.Grid))
	if s.Inner != nil {
		s.Inner = perShard(to)
		for d, n := range innerShape(to) {
			s.Inner[d] = min(ceil(block[d], n), s.Inner[d])
		}
		m.add(stage, &s)
		return
	}
	most := blocksShare(budget(m.o.Memory), needOf(&s, from, to).work)
	for d, n := range objectShape(to) {
		s.Block[d] = min(ceil(block[d], n), s.Grid[d])
	}
	s.Block = gathered(s.Block, to, min(most, taskBytes))
	m.add(stage, &s)
}

// temporary creates an intermediate array with a fast compression, and adds its documents to the
// plan.
func (m *maker) temporary(ctx context.Context, chunks []int, from, to *zarr.Array) (*zarr.Array, error) {
	path := strconv.Itoa(m.made)
	m.made++
	spec := zarr.Spec{
		Format: to.Format(), Shape: to.Shape(), Chunks: chunks, DType: to.DType(), Fill: from.Spec().Fill,
		Codecs: []codec.Spec{codec.Blosc(codec.BloscOptions{Cname: "lz4", Level: 1, Shuffle: "shuffle"})},
	}
	if product(int64(itemSize(to)), chunks...) > math.MaxInt32/2 { // too large for blosc
		spec.Codecs = []codec.Spec{codec.Zstd(1)}
	}
	a, err := zarr.Create(ctx, m.tmp, path, spec, m.o.Zarr...)
	if err != nil { // the fill value cannot be represented in the other format
		spec.Fill = nil
		a, err = zarr.Create(ctx, m.tmp, path, spec, m.o.Zarr...)
	}
	if err != nil {
		return nil, err
	}
	docs, err := a.Documents()
	for key, doc := range docs {
		m.p.Documents.Temporary[key] = string(doc)
	}
	return a, err
}

// gathered extends a block of objects, in place, along the last dimensions first. The result has at
// most taskObjects objects, and its elements have at most the given number of bytes.
func gathered(block []int, to *zarr.Array, bytes int64) []int {
	grid := to.GridShape()
	fits := func() bool {
		return product(1, block...) <= taskObjects && blockBytes(to, block) <= bytes
	}
	for d := len(block) - 1; d >= 0; d-- {
		was := block[d]
		for n := grid[d]; n > was; n = (n + 1) / 2 { // the whole dimension, a half, a quarter, ...
			if block[d] = n; fits() {
				break
			}
			block[d] = was
		}
		if block[d] < grid[d] {
			break
		}
	}
	return block
}

func ones(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = 1
	}
	return s
}
