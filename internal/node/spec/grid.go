package spec

import (
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// grid returns the grid of the stored shards or chunks. chunk is the shape of the inner chunks of
// shards, or nil if the array is not sharded.
func (s Spec) grid(format int) (chunk []int, g meta.Grid, err error) {
	bad := func(format string, args ...any) ([]int, meta.Grid, error) {
		return nil, meta.Grid{}, fault.Newf(fault.Metadata, format, args...)
	}
	switch {
	case (s.Grid.Shape != nil || s.Grid.Edges != nil) && (s.Chunks != nil || s.ChunkEdges != nil || s.Shards != nil || s.ShardEdges != nil || s.ShardLayout != nil):
		return bad("Grid excludes Chunks, ChunkEdges, Shards, ShardEdges and ShardLayout")
	case s.Grid.Shape != nil || s.Grid.Edges != nil:
		return nil, s.Grid, s.checkGrid(format)
	case s.ChunkEdges != nil && (s.Chunks != nil || s.Shards != nil || s.ShardEdges != nil):
		return bad("ChunkEdges excludes Chunks, Shards and ShardEdges")
	case s.Shards != nil && s.ShardEdges != nil:
		return bad("only one of Shards and ShardEdges can be set")
	case s.ShardLayout != nil && (s.Shards != nil || s.ShardEdges != nil || s.ChunkEdges != nil):
		return bad("ShardLayout excludes Shards, ShardEdges and ChunkEdges")
	case (s.Shards != nil || s.ShardEdges != nil || s.ShardLayout != nil) && format != 3:
		return bad("format v%d does not support shards", format)
	case s.ChunkEdges != nil:
		g, err = s.edges("ChunkEdges", s.ChunkEdges, format)
		return nil, g, err
	case s.ShardEdges != nil:
		if g, err = s.edges("ShardEdges", s.ShardEdges, format); err != nil {
			return nil, g, err
		}
		chunk, err = s.inner(g)
		return chunk, g, err
	case s.Shards == nil:
		if chunk, err = s.chunkShape(); err != nil || s.ShardLayout == nil {
			return nil, meta.Grid{Shape: chunk}, err
		}
		g.Shape, err = s.ShardLayout.shards(s.Shape, chunk, s.DType.Size())
		return chunk, g, err
	case len(s.Shards) != len(s.Shape):
		return bad("shape %v has rank %d, shards %v has rank %d", s.Shape, len(s.Shape), s.Shards, len(s.Shards))
	}
	for i, n := range s.Shards {
		if n < 1 {
			return bad("the shard length along axis %d must be at least 1, is %d", i, n)
		}
	}
	g.Shape = slices.Clone(s.Shards)
	chunk, err = s.inner(g)
	return chunk, g, err
}

// checkGrid checks Grid against the shape. It does not check that the chunks cover each axis,
// because the construction of metadata does so.
func (s Spec) checkGrid(format int) error {
	bad := func(format string, args ...any) error { return fault.Newf(fault.Metadata, "Grid: "+format, args...) }
	switch g := s.Grid; {
	case g.Shape != nil && g.Edges != nil:
		return bad("only one of Shape and Edges can be set")
	case g.Edges != nil && format != 3:
		return bad("format v%d does not support chunks of different shapes", format)
	case len(g.Shape)+len(g.Edges) != len(s.Shape):
		return bad("has chunks for %d axes, want %d", len(g.Shape)+len(g.Edges), len(s.Shape))
	}
	for i, n := range s.Grid.Shape {
		if n < 1 {
			return bad("the chunk length along axis %d must be at least 1, is %d", i, n)
		}
	}
	for i, e := range s.Grid.Edges {
		if e.Every < 0 || (e.Every > 0) == (len(e.Runs) > 0 || s.Shape[i] == 0 && e.Runs != nil) {
			return bad("axis %d must have either chunks of one length or runs, has the length %d and %d runs", i, e.Every, len(e.Runs))
		}
		for _, r := range e.Runs {
			if r.Edge < 1 || r.Count < 1 {
				return bad("a run on axis %d must have at least 1 chunk of length 1, has %d of length %d", i, r.Count, r.Edge)
			}
		}
	}
	return nil
}

// inner returns the shape of the inner chunks.
func (s Spec) inner(g meta.Grid) (chunk []int, err error) {
	divided := make([]int, len(s.Shape)) // lengths that must be multiples of the chunk length
	for i, axis := range Axes(&meta.Array{Shape: s.Shape, Grid: g}) {
		divided[i] = axis.Divisor()
	}
	if s.Chunks == nil {
		if chunk, err = s.Layout.chunks(divided, s.DType.Size()); err != nil {
			return nil, err
		}
		for i := range chunk {
			for divided[i]%chunk[i] != 0 {
				chunk[i]--
			}
		}
		return chunk, nil
	}
	if chunk, err = s.chunkShape(); err != nil {
		return nil, err
	}
	for i, n := range divided {
		if n%chunk[i] != 0 {
			shards := fmt.Sprintf("shards %v", s.Shards)
			if s.Shards == nil {
				shards = fmt.Sprintf("ShardEdges along axis %d", i)
			}
			return nil, fault.Newf(fault.Metadata, "%s must be multiples of chunks %v", shards, chunk)
		}
	}
	return chunk, nil
}

func (s Spec) chunkShape() ([]int, error) {
	if s.Chunks != nil {
		if len(s.Chunks) != len(s.Shape) {
			return nil, fault.Newf(fault.Metadata, "shape %v has rank %d, chunks %v has rank %d", s.Shape, len(s.Shape), s.Chunks, len(s.Chunks))
		}
		for i, c := range s.Chunks {
			if c < 1 {
				return nil, fault.Newf(fault.Metadata, "the chunk length along axis %d must be at least 1, is %d", i, c)
			}
		}
		return slices.Clone(s.Chunks), nil
	}
	return s.Layout.chunks(s.Shape, s.DType.Size())
}

// edges returns the grid of chunks with these lengths. The construction of metadata checks the sum
// of the lengths, so edges does not.
func (s Spec) edges(name string, edges [][]int, format int) (g meta.Grid, err error) {
	bad := func(format string, args ...any) (meta.Grid, error) {
		return meta.Grid{}, fault.Newf(fault.Metadata, name+": "+format, args...)
	}
	if len(edges) != len(s.Shape) {
		return bad("has lengths for %d axes, want %d", len(edges), len(s.Shape))
	}
	g.Edges = make([]meta.Edges, len(edges))
	even := make([]int, 0, len(edges))
	for i, list := range edges {
		for k, n := range list {
			if n < 1 {
				return bad("length %d along axis %d must be at least 1, is %d", k, i, n)
			}
		}
		if len(list) == 1 {
			g.Edges[i].Every = list[0]
			even = append(even, list[0])
			continue
		}
		g.Edges[i] = meta.EdgesOf(list...)
	}
	switch {
	case len(even) == len(edges):
		return meta.Grid{Shape: even}, nil
	case format != 3:
		return bad("format v%d does not support chunks of different shapes", format)
	}
	return g, nil
}
