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

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestTranscripts compares the requests of plans with testdata/plans.txt. An entry is a line "read
// shape=… chunks=… sel=start:step:count,…", a line "----", the requests, those for indexes first,
// and an empty line. "inner=…" makes shards of the chunks, with an index of 16 bytes for each inner
// chunk. "chunks=3+4+1,…" has chunks of different lengths. "index=start" stores the index at the
// start. "gap=…" and "max=…" are settings of the store.
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
			p := parse(t, head, math.MaxInt64)
			var indexes, others, all []string
			for r := range p.Requests() {
				all = append(all, r.String()+"\n")
				switch n, last := r.Range.IsSuffix(); {
				case last:
					indexes = append(indexes, fmt.Sprintf("GET %s last %d", r.Key, n))
				case r.Role == Index:
					_, n, _ := r.Range.IsWithin()
					indexes = append(indexes, fmt.Sprintf("GET %s first %d", r.Key, n))
				default:
					others = append(others, "GET "+r.Key+" whole")
				}
			}
			if got := strings.Join(slices.Concat(indexes, others), "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if got := p.String(); got != strings.Join(all, "") {
				t.Errorf("printed as\n%s", got)
			}
		})
	}
}

func parse(t *testing.T, head string, indexLimit int64) *Plan {
	t.Helper()
	p := &Plan{Layout: Layout{Key: key}}
	var cut [][]grid.Run
	o := codec.ShardingOptions{Index: []codec.Spec{codec.Bytes(dtype.Little)}}
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
				case "gap":
					p.Cost.Gap, p.Cost.Cheap = int64(n), int64(n)
				case "max":
					p.Cost.Max = int64(n)
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
	p.Select = region
	for i, runs := range cut {
		p.Axes = append(p.Axes, grid.Uneven(p.Shape[i], runs))
	}
	specs := []codec.Spec{codec.Bytes(dtype.Little)}
	if o.Chunk != nil {
		specs = []codec.Spec{codec.Sharding(o)}
	}
	p.Pipe = pipe(t, p.Axes, indexLimit, specs...)
	return p
}

// TestWholeObjects checks that a whole object is read by one request with one piece.
func TestWholeObjects(t *testing.T) {
	p := parse(t, "read shape=9,9 chunks=4,4 sel=3:1:6,0:1:4", 0)
	n := 0
	for o := range p.Objects() {
		r := o.Whole()
		if r.Role != Chunk || r.Key != o.Key || !r.Range.IsWhole() || r.Bound != 16 || !r.Exact || len(r.Pieces) != 1 || o.Touched() != 1 {
			t.Errorf("%+v", r)
		}
		if k := r.Pieces[0]; fmt.Sprint(k.Box()) != fmt.Sprint(o.Box) || k.Chunk() != o.Chunk || k.Touched() != 1 {
			t.Errorf("%+v", k)
		}
		if b := []byte{1, 2}; !slices.Equal(r.Of(r.Pieces[0], b), b) {
			t.Error("the piece is not all there is")
		}
		n++
	}
	if n != 3 {
		t.Errorf("%d objects", n)
	}
}

// TestObjectsTakeFewAllocations checks that planning an object allocates only a position, a box,
// and the object with its read.
func TestObjectsTakeFewAllocations(t *testing.T) {
	p := parse(t, "read shape=800 chunks=4 sel=0:1:800", 0)
	p.Key = func([]int) string { return "k" }
	got := testing.AllocsPerRun(10, func() {
		for o := range p.Objects() {
			for _, k := range o.Whole().Pieces {
				_ = k.Chunk()
			}
		}
	})
	if got > 3*200+10 {
		t.Errorf("%v allocations for 200 objects", got)
	}
}

// TestWrites checks which objects are read before they are put.
func TestWrites(t *testing.T) {
	all := store.Conditions{IfAbsent: true, IfVersion: true}
	for _, tt := range []struct {
		name  string
		write WriteOptions
		want  string
		least int64
	}{
		{"parts", WriteOptions{Conditions: all}, "get c/0\nput c/0\nput c/1\nput c/2\nget c/2\nput c/2\n", 4},
		{"something of each stays", WriteOptions{Conditions: all, Merge: true}, "get c/0\nput c/0\nget c/1\nput c/1\nget c/2\nput c/2\n", 6},
		{"claimed", WriteOptions{Conditions: all, Held: true}, "get c/0\nput c/0\nput c/1\nget c/1 0+1\nput c/1\nput c/2\nget c/2 0+1\nput c/2\n", 4},
		{"a single writer", WriteOptions{Conditions: all, Single: true}, "get c/0\nput c/0\nput c/1\nget c/2\nput c/2\n", 5},
		{"no conditions", WriteOptions{}, "get c/0\nput c/0\nput c/1\nget c/2\nput c/2\n", 5},
	} {
		p := parse(t, "write shape=9 chunks=4 sel=2:1:7", 0)
		p.Write = &tt.write
		if got := p.String(); got != tt.want {
			t.Errorf("%s: got\n%s", tt.name, got)
		}
		n := int64(strings.Count(tt.want, "\n"))
		probes := int64(strings.Count(tt.want, " 0+1\n"))
		if a := p.Amount(); a.Requests != (Span{tt.least, n}) || a.Bytes != (Span{0, 4*(n-probes) + probes}) {
			t.Errorf("%s: %+v", tt.name, a)
		}
	}
	p := parse(t, "write shape=200 chunks=100 inner=10 sel=5:1:195", 1<<20)
	p.Write = &WriteOptions{}
	if got := p.String(); got != "get c/0\nput c/0\nput c/1\n" {
		t.Errorf("shards: got\n%s", got)
	}
}

// TestPlansAreLazy checks that objects are planned only when they are yielded.
func TestPlansAreLazy(t *testing.T) {
	p := parse(t, "read shape=100 chunks=10 inner=1 sel=0:1:100", math.MaxInt64)
	keys := 0
	p.Key = func(c []int) string { keys++; return key(c) }
	for range p.Requests() {
		break
	}
	n := 0
	for range p.Objects() {
		if n++; n == 3 {
			break
		}
	}
	if keys != 1+3 {
		t.Errorf("%d keys were made", keys)
	}
}

func TestLenIsTheNumberOfObjects(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		p := &Plan{Layout: Layout{Key: key}}
		var region grid.Region
		for range 1 + r.IntN(3) {
			n := 1 + r.IntN(12)
			step, start := 1+r.IntN(5), r.IntN(n)
			p.Shape = append(p.Shape, n)
			runs := []grid.Run{{Edge: 1 + r.IntN(n+2), Count: 1 + r.IntN(3)}, {Edge: 1 + r.IntN(4), Count: n}}
			p.Axes = append(p.Axes, grid.Uneven(n, runs))
			region = append(region, grid.Slice{Start: start, Step: step, Count: r.IntN((n-start-1)/step + 2)})
		}
		p.Select, p.Pipe = region, pipe(t, p.Axes, 0, codec.Bytes(dtype.Little))
		n := 0
		for o := range p.Objects() {
			if o.Err != nil || !slices.Equal(o.Chunk.Shape, grid.ShapeOf(p.Axes, o.Coord)) {
				t.Fatalf("%v has the shape %v, %v", o.Coord, o.Chunk.Shape, o.Err)
			}
			n++
		}
		if p.Len() != n {
			t.Fatalf("%v of %v in %v: Len is %d, there are %d", p.Select, p.Shape, p.Axes, p.Len(), n)
		}
		if a := p.Amount(); a.Requests != (Span{int64(n), int64(n)}) {
			t.Fatalf("%+v of %d requests", a, n)
		}
	}
}

// TestShapesThatCannotBe checks that a shard whose codecs do not accept its shape has an error and
// that its index is not requested. Other shards have no error.
func TestShapesThatCannotBe(t *testing.T) {
	p := parse(t, "read shape=12 chunks=4+8 inner=2 sel=0:1:12", 32)
	var errs []error
	for o := range p.Objects() {
		errs = append(errs, o.Err)
		if o.Err != nil && (o.Ranged || o.Chunk != nil) {
			t.Errorf("%+v", o)
		}
	}
	if len(errs) != 2 || errs[0] != nil || !errors.Is(errs[1], fault.Limit) {
		t.Errorf("%v", errs)
	}
	if got := p.String(); got != "get c/0 last 32\n" {
		t.Errorf("%s", got)
	}
	p = parse(t, "read shape=12 chunks=4 inner=2 sel=0:1:12", 31)
	if got := p.String(); got != "" || p.Len() != 3 {
		t.Errorf("%d objects, %q", p.Len(), got)
	}
}
