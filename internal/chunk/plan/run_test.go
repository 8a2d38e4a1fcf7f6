package plan

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// executor executes the requests of plans, and no others, on objects in memory.
type executor struct {
	t       *testing.T
	objects map[string][]byte
	dst     pipeline.Memory
	memory  int
	indexes map[IndexID]codec.ShardIndex // known indexes
	scratch pipeline.Scratch

	requests int
	bytes    int64
	ranges   int // number of read ranges of uncompressed chunks
}

func (e *executor) run(p *Plan) {
	for o := range p.Objects() {
		if o.Err != nil {
			e.t.Fatal(o.Err)
		}
		if _, ok := e.objects[o.Key]; !ok {
			e.requests++
			o.Chunk.FillBox(e.dst, o.Box)
			continue
		}
		if o.Ranged {
			e.level(o, o.Shard())
			continue
		}
		r := o.Wanted()
		b := r.Of(r.Pieces[0], e.get(r))
		if !r.Range.IsWhole() {
			e.ranges++
			if err := o.Chunk.DecodeSpan(e.dst, o.Box, b, &e.scratch); err != nil {
				e.t.Fatal(err)
			}
			continue
		}
		e.decode(r.Pieces[0], b)
	}
}

func (e *executor) level(o *Object, l *Level) {
	found := make([]codec.ShardIndex, l.Len())
	for i := range found {
		found[i] = e.indexes[l.ID(i)]
	}
	reads, err := l.Indexes(found)
	if err != nil {
		e.t.Fatal(err)
	}
	for r := range reads.All() {
		b := e.get(r)
		for _, k := range r.Pieces {
			if found[k.I], err = l.Decode(k.I, r.Of(k, b), int64(len(e.objects[o.Key]))); err != nil {
				e.t.Fatal(err)
			}
			e.indexes[l.ID(k.I)] = found[k.I]
		}
	}
	s, err := l.Expand("v", found)
	if err != nil {
		e.t.Fatal(err)
	}
	e.fill(s.Missing)
	for next := range s.Next(e.memory) {
		e.level(o, next)
	}
	for r := range s.Reads.All() {
		b := e.get(r)
		for _, k := range r.Pieces {
			e.decode(k, r.Of(k, b))
		}
	}
}

func (e *executor) get(r Read) []byte {
	b := e.objects[r.Key]
	off, n, err := r.Range.Resolve(int64(len(b)))
	if err != nil || n > r.Bound || r.Exact && n != r.Bound {
		e.t.Fatalf("%v of %d bytes: %v", r, len(b), err)
	}
	e.requests++
	e.bytes += n
	return b[off : off+n]
}

func (e *executor) fill(missing []Piece) {
	for _, k := range missing {
		k.Chunk().FillBox(e.dst, k.Box())
	}
}

func (e *executor) decode(k Piece, stored []byte) {
	c := k.Chunk()
	if c.Shards == nil {
		if err := c.Decode(e.dst, k.Box(), stored, &e.scratch); err != nil {
			e.t.Fatal(err)
		}
		return
	}
	x, err := c.Shards.IndexOf(stored)
	if err != nil {
		e.t.Fatal(err)
	}
	pieces, missing, err := k.Within(x)
	if err != nil {
		e.t.Fatal(err)
	}
	e.fill(missing)
	for _, in := range pieces {
		e.decode(in, stored[in.Off:in.Off+in.Len])
	}
}

// pipes returns pipelines for an array of 11 × 13.
func pipes(t *testing.T) map[string]*pipeline.Pipeline {
	in := func(chunk []int, atStart bool, codecs ...codec.Spec) codec.Spec {
		return codec.Sharding(codec.ShardingOptions{Chunk: chunk, Codecs: codecs, AtStart: atStart})
	}
	turn, raw, gzip := codec.Transpose(1, 0), codec.Bytes(dtype.NoOrder), codec.Gzip(1)
	edges := []grid.Axis{grid.Uneven(11, []grid.Run{{Edge: 4, Count: 1}, {Edge: 8, Count: 1}}), grid.Uneven(13, []grid.Run{{Edge: 6, Count: 1}, {Edge: 12, Count: 1}})}
	even := grid.Even([]int{8, 6})
	return map[string]*pipeline.Pipeline{
		"chunks":            pipe(t, even, 1<<20, raw),
		"chunks that turn":  pipe(t, edges, 1<<20, turn, raw),
		"edges":             pipe(t, edges, 1<<20, raw, gzip),
		"shards":            pipe(t, even, 1<<20, in([]int{2, 3}, false, raw)),
		"shards that turn":  pipe(t, even, 1<<20, turn, in([]int{3, 2}, true, raw, gzip)),
		"uneven shards":     pipe(t, edges, 1<<20, in([]int{2, 2}, true, raw, gzip)),
		"nested":            pipe(t, even, 1<<20, in([]int{4, 6}, false, in([]int{2, 2}, false, raw, gzip))),
		"nested at start":   pipe(t, even, 1<<20, in([]int{4, 3}, true, in([]int{1, 3}, true))),
		"nested and turned": pipe(t, even, 1<<20, turn, in([]int{6, 4}, false, turn, in([]int{2, 3}, false, turn, raw))),
		"uneven nested":     pipe(t, edges, 1<<20, in([]int{4, 6}, false, in([]int{2, 2}, false, raw))),
		"three":             pipe(t, even, 1<<20, in([]int{8, 6}, false, in([]int{4, 6}, true, turn, in([]int{3, 2}, false, raw, gzip)))),
		"compressed within": pipe(t, even, 1<<20, in([]int{4, 6}, false, in([]int{2, 2}, false), gzip)),
	}
}

// TestRunAgainstOracle runs the requests of random plans, and no others. It checks that they read
// the written elements, within the plan's Amount.
func TestRunAgainstOracle(t *testing.T) {
	shape := []int{11, 13}
	for name, chunks := range pipes(t) {
		layout := Layout{Shape: shape, Axes: chunks.Axes(), Key: key, Pipe: chunks}
		for _, numbers := range [][2]int64{{-1, 0}, {0, 100}, {60, 1 << 20}, {1 << 20, 1 << 20}} {
			t.Run(fmt.Sprint(name, numbers), func(t *testing.T) {
				r := rand.New(rand.NewPCG(9, uint64(numbers[1])))
				cost := Cost{Gap: numbers[0], Cheap: numbers[0], Max: numbers[1]}
				ranges := 0
				for range 12 {
					oracle, objects := fresh(t, r, layout)
					e := executor{t: t, objects: objects, indexes: map[IndexID]codec.ShardIndex{}, memory: r.IntN(4000)}
					for range 4 {
						sel, at := random(r, shape, chunks.Axes())
						e.dst = pipeline.Memory{Block: codec.Block{Bytes: make([]byte, len(at))}, Shape: sel.Shape()}
						e.requests, e.bytes, e.ranges = 0, 0, 0
						p := &Plan{Layout: layout, Select: sel, Cost: cost}
						e.run(p)
						ranges += e.ranges
						for i, k := range at {
							if e.dst.Bytes[i] != oracle[k] {
								t.Fatalf("%v: %d at %d, want %d", sel, e.dst.Bytes[i], k, oracle[k])
							}
						}
						// A shard with a known index and no wanted inner chunk needs a recheck.
						if a := p.Amount(); int64(e.requests) > a.Requests.Most || e.bytes > a.Bytes.Most || a.Requests.Least != int64(p.Len()) {
							t.Fatalf("%d requests and %d bytes, planned %+v", e.requests, e.bytes, a)
						}
					}
				}
				if raw := strings.HasPrefix(name, "chunks"); ranges == 0 && raw && numbers[0] < 40 || ranges > 0 && (!raw || numbers[0] > 100) {
					t.Errorf("%d ranges of chunks", ranges)
				}
			})
		}
	}
}

// fresh returns an array with some elements of the fill value, and its objects.
func fresh(t *testing.T, r *rand.Rand, l Layout) (elements []byte, objects map[string][]byte) {
	t.Helper()
	elements = make([]byte, l.Shape[0]*l.Shape[1])
	y, x, below := r.IntN(l.Shape[0]), r.IntN(l.Shape[1]), 1+r.IntN(255)
	for i := range elements {
		if i/l.Shape[1] < y || i%l.Shape[1] < x {
			elements[i] = byte(r.IntN(below))
		}
	}
	objects = map[string][]byte{}
	src := pipeline.Memory{Block: codec.Block{Bytes: elements}, Shape: l.Shape}
	for o := range (&Plan{Layout: l, Select: grid.Whole(l.Shape), Write: &WriteOptions{}}).Objects() {
		out, fill, err := o.Chunk.Encode(nil, nil, src, o.Box, &pipeline.Scratch{})
		if err != nil {
			t.Fatal(err)
		}
		if !fill {
			objects[o.Key] = out
		}
	}
	return elements, objects
}

// random selects a region or points, and returns the positions of the selected elements in the
// array.
func random(r *rand.Rand, shape []int, axes []grid.Axis) (grid.Selection, []int) {
	var at []int
	if r.IntN(4) == 0 {
		n := 1 + r.IntN(12)
		rows, cols := make([]int, n), make([]int, n)
		for i := range n {
			rows[i], cols[i] = r.IntN(shape[0]), r.IntN(shape[1])
			at = append(at, rows[i]*shape[1]+cols[i])
		}
		return grid.NewPoints([][]int{rows, cols}, n, axes), at
	}
	region := make(grid.Region, len(shape))
	for i, n := range shape {
		start, step := r.IntN(n), 1+r.IntN(3)
		region[i] = grid.Slice{Start: start, Step: step, Count: 1 + r.IntN((n-start-1)/step+1)}
		switch r.IntN(5) {
		case 0:
			region[i] = grid.Slice{Start: start, Step: -step, Count: 1 + r.IntN(start/step+1)}
		case 1:
			region[i] = grid.Slice{Count: n, Index: r.Perm(n)}
		}
	}
	for y := range along(region[0]) {
		for x := range along(region[1]) {
			at = append(at, y*shape[1]+x)
		}
	}
	return region, at
}

// along yields the elements of a slice.
func along(s grid.Slice) iter.Seq[int] {
	if s.Index != nil {
		return slices.Values(s.Index)
	}
	return func(yield func(int) bool) {
		for i := range s.Count {
			if !yield(s.Start + i*s.Step) {
				return
			}
		}
	}
}
