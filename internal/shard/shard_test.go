package shard

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

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// layout is of shards of uint8 without compression and with a plain index.
func layout(t testing.TB, shard, chunk []int, gap, longest int64) *Layout {
	t.Helper()
	plain := []codec.Spec{codec.Bytes(dtype.Little)}
	chain, err := codec.Builtin().Chain([]codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: chunk, Index: plain})}, codec.Repr{Shape: shard, Type: dtype.Uint8, Fill: []byte{0}})
	if err != nil {
		t.Fatal(err)
	}
	size := int64(1)
	for _, n := range chunk {
		size *= int64(n)
	}
	return &Layout{Shards: chain.Shards(), ChunkBytes: size, Gap: gap, Max: longest}
}

// index makes an index of pairs of offset and length; a length of -1 is a missing inner chunk.
func index(t testing.TB, l *Layout, size int64, pairs [][2]int64) codec.ShardIndex {
	t.Helper()
	var b []byte
	for _, p := range pairs {
		if p[1] == -1 {
			p[0] = -1
		}
		b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, uint64(p[0])), uint64(p[1]))
	}
	x, err := l.Index(b, size)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestTranscripts compares plans with testdata/plans.txt: a line "gap=… max=… chunks=offset+length,…", "----", the plan, an
// empty line. All of the shard's inner chunks are wanted; "-" is a missing one.
func TestTranscripts(t *testing.T) {
	b, err := os.ReadFile("testdata/plans.txt")
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
			l := layout(t, []int{len(pairs) * 100}, []int{100}, gap, longest)
			p, err := l.Cut(grid.Box{Parts: []grid.Part{{Step: 1, N: len(pairs) * 100}}}).Plan(index(t, l, 1<<20, pairs))
			if err != nil {
				t.Fatal(err)
			}
			if got := p.String(); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// TestCutAgainstGrid cuts random boxes and compares with cutting the region itself.
func TestCutAgainstGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		rank := 1 + r.IntN(3)
		chunk, shard, n := make([]int, rank), make([]int, rank), make([]int, rank)
		region := make(grid.Region, rank)
		for i := range rank {
			chunk[i] = 1 + r.IntN(3)
			shard[i] = chunk[i] * (1 + r.IntN(3))
			n[i] = 1 + r.IntN(2*shard[i])
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
		l := layout(t, shard, chunk, 0, 0)
		want := map[string]grid.Box{} // by position of the inner chunk in the array
		for b := range region.Chunks(grid.Even(chunk)) {
			want[fmt.Sprint(b.Coord)] = b
		}
		for b := range region.Chunks(grid.Even(shard)) {
			c := l.Cut(b)
			if l.Touched(b) != c.Len() {
				t.Fatalf("%v: %d touched, %d cut", b, l.Touched(b), c.Len())
			}
			for i := range c.Len() {
				in := c.Box(i)
				at := make([]int, rank)
				for k := range at {
					at[k] = b.Coord[k]*(shard[k]/chunk[k]) + in.Coord[k]
				}
				w, ok := want[fmt.Sprint(at)]
				if !ok {
					t.Fatalf("%v in %v of %v: inner chunk %v is not touched, or twice", region, chunk, shard, at)
				}
				delete(want, fmt.Sprint(at))
				for k := range at {
					w.Parts[k].Chunk = in.Coord[k]
				}
				if fmt.Sprint(w.Parts) != fmt.Sprint(in.Parts) {
					t.Fatalf("%v in %v of %v: %v, want %v", region, chunk, shard, in.Parts, w.Parts)
				}
				if c.place(i, make([]int, rank)) != l.Place(in.Coord) {
					t.Fatalf("place of %v", in.Coord)
				}
			}
		}
		if len(want) > 0 {
			t.Fatalf("%v in %v of %v: left out %v", region, chunk, shard, want)
		}
	}
}

// check holds a plan to what it promises.
func check(t *testing.T, l *Layout, c Cut, x codec.ShardIndex, p Plan) {
	t.Helper()
	seen := slices.Clone(p.Missing)
	for _, i := range p.Missing {
		if _, _, ok, err := x.At(c.place(i, make([]int, 1))); ok || err != nil {
			t.Errorf("inner chunk %d is not missing", i)
		}
	}
	for k, r := range p.Reads {
		if len(r.Chunks) == 0 || r.Off < 0 || r.Len < 1 || r.Off+r.Len > x.Size() {
			t.Fatalf("read %+v", r)
		}
		if len(r.Chunks) > 1 && r.Len > max(l.Max, r.Chunks[0].Len) {
			// A chunk longer than Max may take others with it that lie in it, and nothing more.
			t.Errorf("%d bytes at once, more than %d: %+v", r.Len, l.Max, r)
		}
		end := r.Off
		for _, q := range r.Chunks {
			off, n, ok, err := x.At(c.place(q.I, make([]int, 1)))
			if !ok || err != nil || off != q.Off || n != q.Len || q.Off < r.Off || q.Off+q.Len > r.Off+r.Len {
				t.Errorf("%+v of %+v", q, r)
			}
			if q.Off-end > l.Gap {
				t.Errorf("a hole of %d in %+v", q.Off-end, r)
			}
			end = max(end, q.Off+q.Len)
			seen = append(seen, q.I)
		}
		if end != r.Off+r.Len || r.Chunks[0].Off != r.Off {
			t.Errorf("%+v reads more than its chunks", r)
		}
		if k > 0 {
			before := p.Reads[k-1]
			if r.Off-before.Off-before.Len <= l.Gap && max(before.Off+before.Len, r.Chunks[0].Off+r.Chunks[0].Len)-before.Off <= l.Max {
				t.Errorf("%+v and %+v could be one", before, r)
			}
		}
	}
	slices.Sort(seen)
	for i, s := range seen {
		if i != s || len(seen) != c.Len() {
			t.Fatalf("inner chunks %v of %d", seen, c.Len())
		}
	}
}

func TestPlans(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		n := 1 + r.IntN(12)
		l := layout(t, []int{8 * n}, []int{8}, int64(r.IntN(20)), int64(r.IntN(60)))
		pairs := make([][2]int64, n)
		for i := range pairs {
			if pairs[i] = [2]int64{int64(r.IntN(100)), int64(1 + r.IntN(8))}; r.IntN(4) == 0 {
				pairs[i][1] = -1
			}
		}
		x := index(t, l, 110, pairs)
		c := l.Cut(grid.Box{Parts: []grid.Part{{Step: 1, N: 8 * n}}})
		p, err := c.Plan(x)
		if err != nil {
			t.Fatal(err)
		}
		check(t, l, c, x, p)
	}
}

func TestHostileIndexes(t *testing.T) {
	l := layout(t, []int{16}, []int{8}, 10, 100)
	c := l.Cut(grid.Box{Parts: []grid.Part{{Step: 1, N: 16}}})
	for _, p := range [][2]int64{{0, 0}, {0, 9}, {math.MinInt64, 8}, {0, math.MinInt64}, {1001, 8}, {999, 8}, {-8, 12}, {16, -8}, {-1, 8}} {
		if _, err := c.Plan(index(t, l, 1000, [][2]int64{{0, 8}, p})); !errors.Is(err, fault.Corrupt) {
			t.Errorf("%v: %v", p, err)
		}
	}
}

// FuzzIndex plans by hostile indexes.
func FuzzIndex(f *testing.F) {
	f.Add([]byte{}, int64(0), int64(0), int64(0))
	f.Add(binary.LittleEndian.AppendUint64(make([]byte, 24), 8), int64(64), int64(16), int64(100))
	f.Add(slices.Repeat([]byte{0xff}, 32), int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64))
	f.Add(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(make([]byte, 16), math.MaxInt64-7), 8), int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, b []byte, size, gap, longest int64) {
		l := layout(t, []int{32}, []int{8}, max(gap, 0), max(longest, 0))
		x, err := l.Index(append(b, make([]byte, 64)...)[:64], max(size, 0))
		if err != nil {
			t.Fatal(err)
		}
		c := l.Cut(grid.Box{Parts: []grid.Part{{Step: 1, N: 32}}})
		p, err := c.Plan(x)
		if err != nil {
			if !errors.Is(err, fault.Corrupt) {
				t.Error(err)
			}
			return
		}
		check(t, l, c, x, p)
	})
}

func TestWhole(t *testing.T) {
	// Sixteen inner chunks of 100 bytes; their index has 256.
	tests := []struct {
		name         string
		gap, longest int64
		want, have   int
		whole        bool
	}{
		{"everything", 256, 1856, 16, 16, true},
		{"everything, one byte too long", 256, 1855, 16, 16, false},
		{"everything, the index too long", 255, 1 << 20, 16, 16, false},
		{"one of a small one", 1756, 1 << 20, 1, 16, true},
		{"one of one that is larger than a hole", 1755, 1 << 20, 1, 16, false},
		{"half", 1056, 1 << 20, 8, 16, true},
		{"all of what is inside", 256, 456, 2, 2, true},
		{"no numbers", 0, 0, 16, 16, false},
	}
	for _, tt := range tests {
		if got := layout(t, []int{1600}, []int{100}, tt.gap, tt.longest).Whole(tt.want, tt.have); got != tt.whole {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
