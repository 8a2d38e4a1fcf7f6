package plan

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// TestStages compares stages with testdata/stages.txt. An entry is a line "gap=… max=…
// chunks=offset+length,…", a line "----", the ranges with the number of inner chunks in each, and
// an empty line. All inner chunks of the shard are wanted; "-" is a missing one.
func TestStages(t *testing.T) {
	b, err := os.ReadFile("testdata/stages.txt")
	if err != nil {
		t.Fatal(err)
	}
	cases := strings.Split(strings.TrimSpace(string(b)), "\n\n")
	if len(cases) < 8 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		head, want, _ := strings.Cut(c+"\n", "\n----\n")
		t.Run(head, func(t *testing.T) {
			var gap, longest int64
			var list string
			if _, err := fmt.Sscanf(head, "gap=%d max=%d chunks=%s", &gap, &longest, &list); err != nil {
				t.Fatal(err)
			}
			var pairs [][2]int64
			for _, text := range strings.Split(list, ",") {
				p := [2]int64{-1, -1}
				if text != "-" {
					if _, err := fmt.Sscanf(text, "%d+%d", &p[0], &p[1]); err != nil {
						t.Fatal(err)
					}
				}
				pairs = append(pairs, p)
			}
			_, o := shard(t, []int{len(pairs) * 100}, gap, longest, shards([]int{100}))
			s, err := expand(o, index(t, o.Chunk, 1<<20, pairs))
			if err != nil {
				t.Fatal(err)
			}
			var got, requests strings.Builder
			for r := range s.Reads.All() {
				fmt.Fprintf(&got, "%v for %d\n", r.Range, len(r.Pieces))
				fmt.Fprintf(&requests, "get c/0 %v\n", r.Range)
			}
			if len(s.Missing) > 0 {
				fmt.Fprintf(&got, "missing %d\n", len(s.Missing))
			}
			if got.String() != want || s.Reads.String() != requests.String() {
				t.Errorf("got\n%s%swant\n%s", got.String(), s.Reads, want)
			}
		})
	}
}

// TestCutAgainstGrid cuts random boxes and compares the result with a direct cut of the region.
func TestCutAgainstGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		rank := 1 + r.IntN(3)
		chunk, edges, n := make([]int, rank), make([]int, rank), make([]int, rank)
		region := make(grid.Region, rank)
		for i := range rank {
			chunk[i] = 1 + r.IntN(3)
			edges[i] = chunk[i] * (1 + r.IntN(3))
			n[i] = 1 + r.IntN(2*edges[i])
			start, step := r.IntN(n[i]), 1+r.IntN(3)
			region[i] = grid.Slice{Start: start, Step: step, Count: 1 + r.IntN((n[i]-start-1)/step+1)}
			switch r.IntN(4) {
			case 0:
				list := r.Perm(n[i])[:1+r.IntN(n[i])]
				region[i] = grid.Slice{Count: len(list), Index: list}
			case 1:
				region[i] = grid.Slice{Start: start, Step: -step, Count: 1 + r.IntN(start/step+1)}
			}
		}
		axes := grid.Even(edges)
		p := &Plan{Layout: Layout{Shape: n, Axes: axes, Key: key, Pipe: pipe(t, axes, 1<<20, shards(chunk))}, Select: region}
		want := map[string]grid.Box{} // keys are the positions of the inner chunks in the array
		for b := range region.Chunks(grid.Even(chunk)) {
			want[fmt.Sprint(b.Coord)] = b
		}
		for o := range p.Objects() {
			c := o.Inner()
			if o.Touched() != c.Len() {
				t.Fatalf("%v: %d touched, %d cut", o.Box, o.Touched(), c.Len())
			}
			for i := range c.Len() {
				in := c.Box(i)
				at := make([]int, rank)
				for k := range at {
					at[k] = o.Coord[k]*(edges[k]/chunk[k]) + in.Coord[k]
				}
				w, ok := want[fmt.Sprint(at)]
				if !ok {
					t.Fatalf("%v in %v of %v: inner chunk %v is not touched, or twice", region, chunk, edges, at)
				}
				delete(want, fmt.Sprint(at))
				for k := range at {
					w.Parts[k].Chunk = in.Coord[k]
				}
				if fmt.Sprint(w.Parts) != fmt.Sprint(in.Parts) {
					t.Fatalf("%v in %v of %v: %v, want %v", region, chunk, edges, in.Parts, w.Parts)
				}
				if c.Place(i) != o.Chunk.Shards.Position(in.Coord) {
					t.Fatalf("place of %v", in.Coord)
				}
			}
		}
		if len(want) > 0 {
			t.Fatalf("%v in %v of %v: left out %v", region, chunk, edges, want)
		}
	}
}

// check checks a stage of an object that is read whole.
func check(t *testing.T, p *Plan, o *Object, x codec.ShardIndex, s Stage) {
	t.Helper()
	c := o.Inner()
	var seen []int
	for _, k := range s.Missing {
		seen = append(seen, k.I)
		if _, _, ok, err := x.At(c.Place(k.I)); ok || err != nil || k.Place() != c.Place(k.I) {
			t.Errorf("inner chunk %d is not missing", k.I)
		}
	}
	if !slices.IsSorted(seen) {
		t.Errorf("missing are %v", seen)
	}
	var before Read
	n, bytes := 0, int64(0)
	for r := range s.Reads.All() {
		off, length, ok := r.Range.IsWithin()
		if !ok || off != r.Off || length != r.Bound || !r.Exact || r.Role != Inner || r.Key != o.Key || r.Version != "v" {
			t.Fatalf("read %+v", r)
		}
		if len(r.Pieces) == 0 || r.Off < 0 || r.Bound < 1 || r.Off+r.Bound > x.Size() {
			t.Fatalf("read %+v", r)
		}
		if len(r.Pieces) > 1 && r.Bound > max(p.Cost.Max, r.Pieces[0].Len) {
			// A chunk longer than Max may be read with chunks that are inside it, but with no
			// others.
			t.Errorf("a request for %d bytes, more than %d: %+v", r.Bound, p.Cost.Max, r)
		}
		end := r.Off
		for _, q := range r.Pieces {
			off, n, ok, err := x.At(c.Place(q.I))
			if !ok || err != nil || off != q.Off || n != q.Len || q.Off < r.Off || q.Off+q.Len > r.Off+r.Bound {
				t.Errorf("%+v of %+v", q, r)
			}
			if q.Off-end > p.Cost.Gap {
				t.Errorf("a hole of %d in %+v", q.Off-end, r)
			}
			end = max(end, q.Off+q.Len)
			seen = append(seen, q.I)
		}
		if end != r.Off+r.Bound || r.Pieces[0].Off != r.Off {
			t.Errorf("%+v reads more than its chunks", r)
		}
		if n > 0 && r.Off-before.Off-before.Bound <= p.Cost.Gap && max(before.Off+before.Bound, r.Pieces[0].Off+r.Pieces[0].Len)-before.Off <= p.Cost.Max {
			t.Errorf("%+v and %+v could be one", before, r)
		}
		before = r
		n++
		bytes += r.Bound
	}
	if n != s.Reads.Len() || bytes != s.Reads.Bytes() {
		t.Errorf("%d reads of %d bytes, said to be %d of %d", n, bytes, s.Reads.Len(), s.Reads.Bytes())
	}
	slices.Sort(seen)
	for i, s := range seen {
		if i != s || len(seen) != c.Len() {
			t.Fatalf("inner chunks %v of %d", seen, c.Len())
		}
	}
	for range s.Next(1 << 20) {
		t.Error("there are shards within")
	}
}

func TestRandomStages(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		n := 1 + r.IntN(12)
		p, o := shard(t, []int{8 * n}, int64(r.IntN(20)), int64(r.IntN(60)), shards([]int{8}))
		pairs := make([][2]int64, n)
		for i := range pairs {
			if pairs[i] = [2]int64{int64(r.IntN(100)), int64(1 + r.IntN(8))}; r.IntN(4) == 0 {
				pairs[i][1] = -1
			}
		}
		x := index(t, o.Chunk, 110, pairs)
		s, err := expand(o, x)
		if err != nil {
			t.Fatal(err)
		}
		check(t, p, o, x, s)
	}
}

func TestHostileIndexes(t *testing.T) {
	_, o := shard(t, []int{16}, 10, 100, shards([]int{8}))
	for _, p := range [][2]int64{{0, 0}, {0, 9}, {math.MinInt64, 8}, {0, math.MinInt64}, {1001, 8}, {999, 8}, {-8, 12}, {16, -8}, {-1, 8}} {
		if _, err := expand(o, index(t, o.Chunk, 1000, [][2]int64{{0, 8}, p})); !errors.Is(err, fault.Corrupt) {
			t.Errorf("%v: %v", p, err)
		}
	}
}

// FuzzIndex checks plans by malicious indexes.
func FuzzIndex(f *testing.F) {
	f.Add([]byte{}, int64(0), int64(0), int64(0))
	f.Add(binary.LittleEndian.AppendUint64(make([]byte, 24), 8), int64(64), int64(16), int64(100))
	f.Add(slices.Repeat([]byte{0xff}, 32), int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64))
	f.Add(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(make([]byte, 16), math.MaxInt64-7), 8), int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, b []byte, size, gap, longest int64) {
		p, o := shard(t, []int{32}, max(gap, 0), max(longest, 0), shards([]int{8}))
		x, err := o.Chunk.Shards.Index(append(b, make([]byte, 64)...)[:64], max(size, 0))
		if err != nil {
			t.Fatal(err)
		}
		s, err := expand(o, x)
		if err != nil {
			if !errors.Is(err, fault.Corrupt) {
				t.Error(err)
			}
			return
		}
		check(t, p, o, x, s)
	})
}

// TestRanged checks that a shard is read whole if that is cheaper than its index and some chunks.
func TestRanged(t *testing.T) {
	// The shard has sixteen inner chunks of 100 bytes and an index of 256 bytes.
	tests := []struct {
		name         string
		gap, longest int64
		want, have   int
		whole        bool
	}{
		{"everything", 256, 1747, 16, 16, true},
		{"everything, one byte too long", 256, 1746, 16, 16, false},
		{"everything, the index too long", 255, 1 << 20, 16, 16, false},
		{"one of a small one", 1756, 1 << 20, 1, 16, true},
		{"one of one that is larger than a hole", 1755, 1 << 20, 1, 16, false},
		{"half", 1056, 1 << 20, 8, 16, true},
		{"all of what is inside", 256, 430, 2, 2, true},
		{"no numbers", 0, 0, 16, 16, false},
	}
	axes := grid.Even([]int{1600})
	chunks := pipe(t, axes, 1<<20, shards([]int{100}))
	for _, tt := range tests {
		p := &Plan{Layout: Layout{Shape: []int{100 * tt.have}, Axes: axes, Key: key, Pipe: chunks}, Select: grid.Whole([]int{100 * tt.want}), Cost: Cost{Gap: tt.gap, Max: tt.longest}}
		for o := range p.Objects() {
			if o.Ranged == tt.whole {
				t.Errorf("%s: in parts is %v", tt.name, o.Ranged)
			}
			if r := o.Whole(); r.Role != Shard || r.Exact || r.Bound < 1856 {
				t.Errorf("%s: %+v", tt.name, r)
			}
		}
	}
}

// TestIndexRequests checks the requests for an unknown index, a known index, and one to revalidate.
func TestIndexRequests(t *testing.T) {
	_, o := shard(t, []int{16}, 0, 0, shards([]int{8}))
	l := o.Shard()
	reads, err := l.Indexes(make([]codec.ShardIndex, l.Len()))
	if err != nil || reads.String() != "get c/0 last 32\n" || reads.Len() != 1 || reads.Bytes() != 32 {
		t.Errorf("%v, %v", reads, err)
	}
	for r := range reads.All() {
		if o := r.Options(); r.Role != Index || o.Max != 32 || o.IfVersion != "" || o.IfNotVersion != "" || !r.Exact {
			t.Errorf("%+v", r)
		}
		b := binary.LittleEndian.AppendUint64(make([]byte, 8), 8)
		b = append(b, slices.Repeat([]byte{0xff}, 16)...)
		x, err := l.Decode(r.Pieces[0].I, r.Of(r.Pieces[0], b), 40)
		if err != nil || x.Size() != 40 {
			t.Fatalf("%+v, %v", x, err)
		}
		if again, err := l.Indexes([]codec.ShardIndex{x}); err != nil || again.Len() != 0 || again.String() != "" {
			t.Errorf("%v, %v", again, err)
		}
		if _, err := l.Decode(0, b[:31], 40); !errors.Is(err, fault.Corrupt) {
			t.Errorf("of a cut index: %v", err)
		}
	}
	r := l.Recheck("v")
	if o := r.Options(); r.Role != Recheck || o.IfVersion != "" || o.IfNotVersion != "v" || o.Max != 32 || r.String() != "get c/0 last 32" {
		t.Errorf("%+v", r)
	}
	if id := l.ID(0); id != (IndexID{Key: "c/0"}) || l.Depth() != 0 {
		t.Errorf("%+v", id)
	}
}

// TestStored checks the reads of all inner chunks of a shard in their stored form.
func TestStored(t *testing.T) {
	p, _ := shard(t, []int{16}, 0, 100, shards([]int{8}))
	p.Select = grid.Region{{Start: 3, Step: 1, Count: 1}}
	for o := range p.Objects() {
		l := o.Stored()
		s, err := l.Expand("v", []codec.ShardIndex{index(t, o.Chunk, 100, [][2]int64{{20, 8}, {3, 4}})})
		if err != nil || s.Reads.String() != "get c/0 3+4\nget c/0 20+8\n" {
			t.Fatalf("%v, %v", s.Reads, err)
		}
		var places []int
		for r := range s.Reads.All() {
			for _, k := range r.Pieces {
				places = append(places, k.Place())
				if !k.Box().Full([]int{8}) {
					t.Errorf("%+v", k.Box())
				}
			}
		}
		if !slices.Equal(places, []int{1, 0}) {
			t.Errorf("%v", places)
		}
	}
}
