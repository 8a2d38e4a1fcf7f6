package rechunk

import (
	"fmt"
	"math"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Problem is an array and the chunks it is to be copied into.
type Problem struct {
	Shape    []int // of the array, in elements
	ItemSize int   // bytes of an element
	From     []int // what one request of the source gives: its chunk, or the part of one that can be read alone
	To       []int // what one request of the target writes: its chunk, or its shard
	Parts    bool  // of a source chunk only what lies in the block is read, along the first axis of which it has more than one: it is uncompressed

	// Memory is what one task may hold, in bytes: its block, and beside it twice the larger of the
	// chunk it reads and the chunk it writes, stored and decoded.
	Memory int64
	// MinIntermediate is the size in bytes below which an object costs more for its request than
	// for its bytes; 0 is 4 MiB, what a connection to a cloud store transfers (80 MB/s) while a
	// request waits for its first byte (50 ms).
	MinIntermediate int64
	// MinRead is the same for what is read of the source, which may be farther or nearer than the
	// target and the intermediates; 0 is MinIntermediate.
	MinRead int64
}

// Stage copies one array into another. Its shapes are in elements.
type Stage struct {
	Read  []int // the chunk that is read
	Write []int // the chunk that is written
	Block []int // what a task moves: along each axis a multiple of Write, or all of the axis
}

// Solution is the stages of a copy, in their order, and what they cost together.
type Solution struct {
	Stages   []Stage
	Gets     int64 // chunks of the source that are read, again for each block that they touch
	Requests int64 // all chunks that are read, again for each block that they touch, and chunks that are written
	Bytes    int64 // decoded bytes of those, without what of a chunk lies beyond the array or, along rows that are Parts, the block
}

// DefaultRequest is the MinIntermediate of a problem that has none.
const DefaultRequest = 4 << 20

// mostIntermediates bounds the search. Each one costs a write and a read of the array; more than
// two are the best only where memory is a handful of chunks.
const mostIntermediates = 4

// Solve finds the stages that cost least, where a request costs as much as MinIntermediate bytes or
// MinRead, and beside them the best single stage. One stage is what needs the least memory, so it
// is there whenever err is nil.
//
// Where Memory is too little it returns a [fault.Limit], which names the smallest that would do. It
// returns a [fault.Selection] for shapes that fit no array, and a [fault.Limit] for arrays of 8 EiB
// or more.
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

// solver is a problem that was checked. Lengths of chunks are cut to the array's.
type solver struct {
	shape, from, to    []int64
	item               int64
	memory             int64
	get, request       int64 // what a request costs: one of the source, and any other
	fromBytes, toBytes int64 // of whole chunks, which may reach beyond the array
	rows               int   // the axis of the source's Parts, or -1
	empty              bool
}

func newSolver(p Problem) (*solver, error) {
	if len(p.From) != len(p.Shape) || len(p.To) != len(p.Shape) {
		return nil, fmt.Errorf("rechunk: shape %v, from chunks %v to %v: lengths differ: %w", p.Shape, p.From, p.To, fault.Selection)
	}
	if p.ItemSize < 1 || p.Memory < 0 || p.MinIntermediate < 0 || p.MinRead < 0 {
		return nil, fmt.Errorf("rechunk: items of %d bytes, memory %d, requests worth %d and %d bytes: %w", p.ItemSize, p.Memory, p.MinRead, p.MinIntermediate, fault.Selection)
	}
	s := &solver{rows: -1, item: int64(p.ItemSize), memory: p.Memory, get: p.MinRead, request: p.MinIntermediate, fromBytes: int64(p.ItemSize), toBytes: int64(p.ItemSize)}
	if s.request == 0 {
		s.request = DefaultRequest
	}
	if s.get == 0 {
		s.get = s.request
	}
	for a, n := range p.Shape {
		if n < 0 || p.From[a] < 1 || p.To[a] < 1 {
			return nil, fmt.Errorf("rechunk: axis %d: %d elements, chunks of %d into %d: %w", a, n, p.From[a], p.To[a], fault.Selection)
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
		return nil, fmt.Errorf("rechunk: chunks %v into %v need 8 EiB of memory or more: %w", p.From, p.To, fault.Limit)
	case need > s.memory:
		return nil, fmt.Errorf("rechunk: chunks %v into %v within %d bytes: at least %d are needed: %w", p.From, p.To, s.memory, need, fault.Limit)
	}
	return s, nil
}

// solution writes out a chain of chunk shapes, each block as good as memory allows.
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

// cost is what a solution costs, in bytes.
func (s *solver) cost(sol Solution) float64 {
	return float64(sol.Gets)*float64(s.get) + float64(sol.Requests-sol.Gets)*float64(s.request) + float64(sol.Bytes)
}

// least is what n intermediates cost at least, in bytes: all is moved, and the source and the
// target have the chunks they have.
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
