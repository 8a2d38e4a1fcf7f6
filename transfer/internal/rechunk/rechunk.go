package rechunk

import (
	"fmt"
	"math"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Problem describes a copy of an array into other chunks.
type Problem struct {
	Shape    []int // shape of the array in elements
	ItemSize int   // size of an element in bytes
	From     []int // shape that one request reads: a source chunk, or an inner chunk
	To       []int // shape that one request writes: a target chunk, or a shard
	// Parts means that source chunks are uncompressed, so that a task can read only a part of a
	// chunk. Chunks are divided into parts along the first axis on which a chunk has more than one
	// element.
	Parts bool

	// Memory is the maximum number of bytes of one task. A task needs memory for its block, and
	// twice the larger of a source chunk and a target chunk, which is held in encoded and in
	// decoded form.
	Memory int64
	// MinIntermediate is the overhead of one request: the number of bytes that a connection
	// transfers in the time to the first byte of a response. The default is 4 MiB, which is 50 ms
	// at 80 MB/s.
	MinIntermediate int64
	// MinRead is the overhead of one request to the source, which may be in another store. The
	// default is MinIntermediate.
	MinRead int64
}

// Stage copies one array into another. Its shapes are in elements.
type Stage struct {
	Read  []int // shape of the chunks that are read
	Write []int // shape of the chunks that are written
	Block []int // shape of a task's block: along each axis a multiple of Write, or the whole axis
}

// Solution contains the stages of a copy, in order, and their total cost. A chunk that touches
// several blocks is counted as read once for each of these blocks.
type Solution struct {
	Stages   []Stage
	Gets     int64 // chunks read from the source
	Requests int64 // chunks read and written in all stages
	// Bytes is the number of decoded bytes of the chunks that are read and written. It excludes the
	// part of a chunk beyond the array. If Parts is set, it also excludes the part of a chunk
	// outside of the block.
	Bytes int64
}

// DefaultRequest is the default of Problem.MinIntermediate.
const DefaultRequest = 4 << 20

// mostIntermediates is the maximum number of intermediate arrays in the search. Each intermediate
// array costs a write and a read of all elements. More than two are best only if memory holds no
// more than a few chunks.
const mostIntermediates = 4

// Solve returns the solution of least cost, and the best solution of one stage. A request costs
// MinRead bytes for the source and MinIntermediate bytes for other arrays. A solution of one stage
// needs the least memory, so oneStage is always set if err is nil.
//
// Solve returns fault.Limit if Memory is too small, with the smallest sufficient size in the
// message, or if the array has 8 EiB or more. It returns fault.Selection if the shapes or sizes are
// invalid.
func Solve(p Problem) (best, oneStage Solution, err error) {
	s, err := newSolver(p)
	if err != nil {
		return Solution{}, Solution{}, err
	}
	if s.empty {
		sol := Solution{Stages: []Stage{{slices.Clone(p.From), slices.Clone(p.To), clip(p.To, p.Shape)}}}
		return sol, sol, nil
	}
	chain := [][]int64{s.from, s.to}
	oneStage = s.solution(p, chain)
	best, cost := oneStage, s.cost(oneStage)
	for n := 1; n <= mostIntermediates; n++ {
		if s.least(n) >= cost {
			break
		}
		chain, ok := s.search(n)
		if !ok {
			continue
		}
		if sol := s.solution(p, chain); s.cost(sol) < cost {
			best, cost = sol, s.cost(sol)
		}
	}
	return best, oneStage, nil
}

// solver holds a problem that has been checked. Along each axis, from and to are at most as long as
// shape.
type solver struct {
	shape, from, to    []int64
	item               int64
	memory             int64
	get, request       int64 // cost of a request to the source, and to another array
	fromBytes, toBytes int64 // size of whole chunks, which may extend beyond the array
	rows               int   // the axis along which Parts are cut, or -1
	empty              bool
}

func newSolver(p Problem) (*solver, error) {
	if len(p.From) != len(p.Shape) || len(p.To) != len(p.Shape) {
		return nil, fmt.Errorf("rechunk: shape %v and chunks %v and %v must have the same number of axes: %w", p.Shape, p.From, p.To, fault.Selection)
	}
	switch {
	case p.ItemSize < 1:
		return nil, fmt.Errorf("rechunk: ItemSize must be at least 1, is %d: %w", p.ItemSize, fault.Selection)
	case p.Memory < 0:
		return nil, fmt.Errorf("rechunk: Memory must be at least 0, is %d: %w", p.Memory, fault.Selection)
	case p.MinRead < 0:
		return nil, fmt.Errorf("rechunk: MinRead must be at least 0, is %d: %w", p.MinRead, fault.Selection)
	case p.MinIntermediate < 0:
		return nil, fmt.Errorf("rechunk: MinIntermediate must be at least 0, is %d: %w", p.MinIntermediate, fault.Selection)
	}
	s := &solver{rows: -1, item: int64(p.ItemSize), memory: p.Memory, get: p.MinRead, request: p.MinIntermediate, fromBytes: int64(p.ItemSize), toBytes: int64(p.ItemSize)}
	if s.request == 0 {
		s.request = DefaultRequest
	}
	if s.get == 0 {
		s.get = s.request
	}
	for a, n := range p.Shape {
		if n < 0 {
			return nil, fmt.Errorf("rechunk: axis %d must have at least 0 elements, has %d: %w", a, n, fault.Selection)
		}
		if p.From[a] < 1 || p.To[a] < 1 {
			return nil, fmt.Errorf("rechunk: chunks of axis %d must have at least 1 element, have %d and %d: %w", a, p.From[a], p.To[a], fault.Selection)
		}
		s.empty = s.empty || n == 0
		s.shape = append(s.shape, int64(n))
		s.from = append(s.from, int64(min(n, p.From[a])))
		s.to = append(s.to, int64(min(n, p.To[a])))
		s.fromBytes = times(s.fromBytes, int64(p.From[a]))
		s.toBytes = times(s.toBytes, int64(p.To[a]))
	}
	if p.Parts {
		s.rows = slices.IndexFunc(s.from, func(n int64) bool { return n > 1 })
	}
	if total := times(volume(s.shape), s.item); total == math.MaxInt64 && !s.empty {
		return nil, fmt.Errorf("rechunk: an array of shape %v has 8 EiB or more: %w", p.Shape, fault.Limit)
	}
	unit := max(s.fromBytes, s.toBytes)
	switch need := plus(volume(s.to)*s.item, times(2, unit)); {
	case s.empty:
	case need == math.MaxInt64:
		return nil, fmt.Errorf("rechunk: copying chunks %v into %v needs 8 EiB of memory or more: %w", p.From, p.To, fault.Limit)
	case need > s.memory:
		return nil, fmt.Errorf("rechunk: copying chunks %v into %v needs at least %d bytes of memory, more than %d: %w", p.From, p.To, need, s.memory, fault.Limit)
	}
	return s, nil
}

// solution returns the stages of a chain of chunk shapes, with the best blocks that fit in memory.
func (s *solver) solution(p Problem, chain [][]int64) Solution {
	var out Solution
	for i := range chain[1:] {
		st, _ := s.stage(chain, i, s.fine())
		if i == 0 {
			out.Gets = st.gets
		}
		out.Requests = plus(out.Requests, plus(st.gets, st.puts))
		out.Bytes = plus(out.Bytes, plus(st.read, times(volume(s.shape), s.item)))
		out.Stages = append(out.Stages, Stage{ints(chain[i]), ints(chain[i+1]), ints(st.block)})
	}
	out.Stages[0].Read = slices.Clone(p.From)
	out.Stages[len(out.Stages)-1].Write = slices.Clone(p.To)
	return out
}

// cost returns the cost of a solution in bytes.
func (s *solver) cost(sol Solution) float64 {
	return float64(sol.Gets)*float64(s.get) + float64(sol.Requests-sol.Gets)*float64(s.request) + float64(sol.Bytes)
}

// least returns a lower bound of the cost of n intermediate arrays in bytes: each stage reads and
// writes all bytes, each source chunk is read and each target chunk is written once, and each
// intermediate array has one chunk.
func (s *solver) least(n int) float64 {
	first, last := float64(chunks(s.shape, s.from)), float64(chunks(s.shape, s.to))
	return 2*float64(n+1)*float64(volume(s.shape))*float64(s.item) + first*float64(s.get) + (last+2*float64(n))*float64(s.request)
}

func clip(chunk, shape []int) []int {
	out := slices.Clone(chunk)
	for a := range out {
		out[a] = min(out[a], shape[a])
	}
	return out
}

func ints(v []int64) []int {
	out := make([]int, len(v))
	for a, n := range v {
		out[a] = int(n)
	}
	return out
}
