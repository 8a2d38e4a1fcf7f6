package plan

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/shard"
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

// TestTranscripts compares the requests of plans with testdata/*.txt: a line "read shape=… chunks=… sel=start:step:count,…",
// "----", the requests, an empty line. "inner=…" makes shards of the chunks, with an index of 16 bytes for each inner chunk,
// "chunks=3+4+1,…" has chunks that differ; "index=start" puts it there, "gap=…" and "max=…" are the store's.
func TestTranscripts(t *testing.T) {
	b, err := os.ReadFile("testdata/plans.txt")
	if err != nil {
		t.Fatal(err)
	}
	cases := strings.Split(strings.TrimSpace(string(b)), "\n\n")
	if len(cases) < 6 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		head, want, ok := strings.Cut(c, "\n----\n")
		if !ok {
			head, want = strings.TrimSuffix(c, "\n----"), ""
		}
		t.Run(head, func(t *testing.T) {
			p := parse(t, head)
			if got := strings.TrimSuffix(p.String(), "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func parse(t *testing.T, head string) Plan {
	t.Helper()
	p := Plan{Layout: Layout{Key: key}}
	var cut [][]grid.Run
	o := codec.ShardingOptions{Index: []codec.Spec{codec.Bytes(dtype.Little)}}
	l := &shard.Layout{ChunkBytes: 1}
	var region grid.Region
	for _, f := range strings.Fields(head)[1:] {
		name, value, _ := strings.Cut(f, "=")
		for _, v := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' }) {
			switch name {
			case "chunks":
				var runs []grid.Run
				for _, n := range strings.Split(v, "+") {
					edge, err := strconv.Atoi(n)
					if err != nil {
						t.Fatal(err)
					}
					runs = append(runs, grid.Run{Edge: edge, Count: 1})
				}
				if len(runs) == 1 {
					runs[0].Count = math.MaxInt
				}
				cut = append(cut, runs)
			case "shape", "inner", "gap", "max":
				n, err := strconv.Atoi(v)
				if err != nil {
					t.Fatal(err)
				}
				switch name {
				case "shape":
					p.Shape = append(p.Shape, n)
				case "inner":
					o.Chunk = append(o.Chunk, n)
					l.ChunkBytes *= int64(n)
				case "gap":
					l.Gap = int64(n)
				case "max":
					l.Max = int64(n)
				}
			case "index":
				o.AtStart = v == "start"
			case "sel":
				var s grid.Slice
				if _, err := fmt.Sscanf(v, "%d:%d:%d", &s.Start, &s.Step, &s.Count); err != nil {
					t.Fatal(err)
				}
				region = append(region, s)
			default:
				t.Fatalf("unknown word %q", f)
			}
		}
	}
	p.Region = region
	for i, runs := range cut {
		p.Chunks = append(p.Chunks, grid.Uneven(p.Shape[i], runs))
	}
	p.Object.Shape = grid.Shape(p.Chunks)
	of := func(shape []int) (*shard.Layout, error) {
		if o.Chunk == nil {
			return nil, nil
		}
		c, err := codec.Builtin().Chain([]codec.Spec{codec.Sharding(o)}, codec.Repr{Shape: shape, Type: dtype.Uint8})
		if err != nil {
			return nil, err
		}
		one := *l
		one.Shards = c.Shards()
		return &one, nil
	}
	if p.Object.Shape == nil {
		p.Shards = of
		for _, a := range p.Chunks {
			p.Object.Shape = append(p.Object.Shape, a.Longest())
		}
	}
	var err error
	if p.Object.Shards, err = of(p.Object.Shape); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPlansAreLazy: what is not asked for is not planned.
func TestPlansAreLazy(t *testing.T) {
	p := parse(t, "read shape=100 chunks=10 inner=1 sel=0:1:100")
	keys := 0
	p.Key = func(c []int) string { keys++; return key(c) }
	for range p.Indexes() {
		break
	}
	n := 0
	for range p.Fetches() {
		if n++; n == 3 {
			break
		}
	}
	if keys != 1+3 {
		t.Errorf("%d keys were made", keys)
	}
}

func TestLenIsTheNumberOfFetches(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		p := Plan{Layout: Layout{Key: key}}
		var region grid.Region
		for range 1 + r.IntN(3) {
			n := 1 + r.IntN(12)
			step, start := 1+r.IntN(5), r.IntN(n)
			p.Shape = append(p.Shape, n)
			runs := []grid.Run{{Edge: 1 + r.IntN(n+2), Count: 1 + r.IntN(3)}, {Edge: 1 + r.IntN(4), Count: n}}
			p.Chunks = append(p.Chunks, grid.Uneven(n, runs))
			region = append(region, grid.Slice{Start: start, Step: step, Count: r.IntN((n-start-1)/step + 2)})
		}
		p.Region = region
		if p.Object.Shape = grid.Shape(p.Chunks); p.Object.Shape == nil {
			p.Shards = func([]int) (*shard.Layout, error) { return nil, nil }
		}
		n := 0
		for f := range p.Fetches() {
			if !slices.Equal(f.Object.Shape, grid.ShapeOf(p.Chunks, f.Coord)) {
				t.Fatalf("%v has the shape %v", f.Coord, f.Object.Shape)
			}
			n++
		}
		if p.Len() != n {
			t.Fatalf("%v of %v in %v: Len is %d, there are %d", p.Region, p.Shape, p.Chunks, p.Len(), n)
		}
	}
}

// TestShapesThatCannotBe: an error of one shard is that shard's, and its index is not asked for.
func TestShapesThatCannotBe(t *testing.T) {
	p := parse(t, "read shape=12 chunks=4+8 inner=2 sel=0:1:12")
	no, of := errors.New("no such shard"), p.Shards
	p.Shards = func(shape []int) (*shard.Layout, error) {
		if shape[0] == 8 {
			return nil, no
		}
		return of(shape)
	}
	var errs []error
	for f := range p.Fetches() {
		errs = append(errs, f.Object.Err)
		if f.Object.Err != nil && (f.Whole || f.Object.Shards != nil) {
			t.Errorf("%+v", f)
		}
	}
	if len(errs) != 2 || errs[0] != nil || !errors.Is(errs[1], no) {
		t.Errorf("%v", errs)
	}
	if got := p.String(); got != "GET c/0 last 32\n" {
		t.Errorf("%s", got)
	}
}
