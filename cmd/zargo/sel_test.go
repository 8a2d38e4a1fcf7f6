package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

func TestSel(t *testing.T) {
	shape := []int{10, 7, 20}
	for _, r := range []struct {
		name, text string
		want       region
	}{
		{"nothing", "", region{{0, 1, 10, false, nil}, {0, 1, 7, false, nil}, {0, 1, 20, false, nil}}},
		{"the issue's", "0:10,5,::2", region{{0, 1, 10, false, nil}, {5, 1, 1, true, nil}, {0, 2, 10, false, nil}}},
		{"fewer than the rank", "3", region{{3, 1, 1, true, nil}, {0, 1, 7, false, nil}, {0, 1, 20, false, nil}}},
		{"from the end", "-1,-3:,:-19", region{{9, 1, 1, true, nil}, {4, 1, 3, false, nil}, {0, 1, 1, false, nil}}},
		{"dots first", "...,2:4", region{{0, 1, 10, false, nil}, {0, 1, 7, false, nil}, {2, 1, 2, false, nil}}},
		{"dots between", "0,...,0", region{{0, 1, 1, true, nil}, {0, 1, 7, false, nil}, {0, 1, 1, true, nil}}},
		{"dots for nothing", "0,1,2,...", region{{0, 1, 1, true, nil}, {1, 1, 1, true, nil}, {2, 1, 1, true, nil}}},
		{"spaces", " 1 : 9 : 3 , : , : ", region{{1, 3, 3, false, nil}, {0, 1, 7, false, nil}, {0, 1, 20, false, nil}}},
		{"empty", "3:3,7:", region{{3, 1, 0, false, nil}, {7, 1, 0, false, nil}, {0, 1, 20, false, nil}}},
		{"backwards", "::-1,5:2:-2,-1:-4:-1", region{{9, -1, 10, false, nil}, {5, -2, 2, false, nil}, {19, -1, 3, false, nil}}},
		{"backwards from or to", "8:2:-3,3::-1,:2:-2", region{{8, -3, 2, false, nil}, {3, -1, 4, false, nil}, {19, -2, 9, false, nil}}},
		{"backwards, empty", "3:3:-1", region{{3, -1, 0, false, nil}, {0, 1, 7, false, nil}, {0, 1, 20, false, nil}}},
		{"lists", "[1,5,-1], [ 3 ] ,[]", region{{0, 1, 3, false, []int{1, 5, 9}}, {0, 1, 1, false, []int{3}}, {0, 1, 0, false, []int{}}}},
		{"names", "x=2, t = [4,4]", region{{0, 1, 2, false, []int{4, 4}}, {0, 1, 7, false, nil}, {2, 1, 1, true, nil}}},
		{"names last", "3,y=::-1", region{{3, 1, 1, true, nil}, {6, -1, 7, false, nil}, {0, 1, 20, false, nil}}},
		{"dots and a name", "...,4:6,t=1", region{{1, 1, 1, true, nil}, {0, 1, 7, false, nil}, {4, 1, 2, false, nil}}},
		{"long step back", "::-2147483647", region{{9, -10, 1, false, nil}, {0, 1, 7, false, nil}, {0, 1, 20, false, nil}}},
		{"long step", "::2147483647", region{{0, 10, 1, false, nil}, {0, 1, 7, false, nil}, {0, 1, 20, false, nil}}},
	} {
		t.Run(r.name, func(t *testing.T) {
			items, err := parseSel(r.text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := resolve(items, shape, []string{"t", "y", "x"})
			if err != nil || !reflect.DeepEqual(got, r.want) {
				t.Errorf("%v, %v; want %v", got, err, r.want)
			}
		})
	}
}

func TestSelOutOfBounds(t *testing.T) {
	for _, r := range []struct{ text, says string }{
		{"10", "10"}, {"-11", "-11"}, {"0:11", "0:11"}, {"-11:", "-11:"}, {":-11", ":-11"}, {"5:2", "5:2"}, {"0,0,0", "--sel has 3"},
		{"...,0,0,0", "--sel has 3"}, {":,7", "axis 1"}, {"2147483647:", "2147483647:"},
		{"10::-1", "10::-1"}, {":-11:-1", ":-11:-1"}, {"2:5:-1", "2:5:-1"}, {"0:10:-1", "0:10:-1"}, {"[1,10]", "10"}, {"[-11]", "-11"},
		{"z=1", `"z"`}, {"d=1", "more than one"}, {"0,a=1", "twice"}, {"a=1,a=2", "twice"}, {"a=10", "axis 0"},
	} {
		t.Run(r.text, func(t *testing.T) {
			items, err := parseSel(r.text)
			if err != nil {
				t.Fatal(err)
			}
			shape, names := []int{10, 7}, []string{"a", "b"}
			if strings.HasPrefix(r.text, "d") {
				names = []string{"d", "d"}
			}
			if _, err := resolve(items, shape, names); !errors.Is(err, fault.Selection) || exitCode(err) != 2 || !strings.Contains(err.Error(), r.says) {
				t.Error(err)
			}
		})
	}
}

func TestSelSyntax(t *testing.T) {
	for _, text := range []string{"a", "1,,2", ",", "1:2:3:4", "1.5", "::0", "[1", "1]", "[1,]", "[1:2]", "[[1]]", "[-9223372036854775808]", "=1", "x=", "x=...", "x=1,2", "x=1,...", "1[2]", "...,...", "....", "99999999999999999999", "1 2", "-9223372036854775808"} {
		if _, err := parseSel(text); exitCode(err) != 2 {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestRegionBytes(t *testing.T) {
	r := region{{0, 1, math.MaxInt, false, nil}, {0, 1, math.MaxInt, false, nil}, {0, 1, math.MaxInt, false, nil}}
	if _, err := r.bytes(1); !errors.Is(err, fault.Limit) {
		t.Error(err)
	}
	r[2].count = 0
	if n, err := r.bytes(1); n != 0 || err != nil {
		t.Error(n, err)
	}
}

// TestSlicesAgainstPython compares the elements of slices with those of a loop from the start to
// the end of the slice. The axes are short, and both ends of a slice are inside the axis.
func TestSlicesAgainstPython(t *testing.T) {
	for n := 1; n <= 5; n++ {
		for lo := range n {
			for hi := range n {
				for _, step := range []int{-7, -3, -2, -1, 1, 2, 3, 7} {
					if (hi-lo)*step < 0 {
						continue // an error, which TestSelOutOfBounds checks
					}
					var want []int
					for i := lo; (hi-i)*step > 0; i += step {
						want = append(want, i)
					}
					for _, text := range []string{fmt.Sprintf("%d:%d:%d", lo, hi, step), fmt.Sprintf("%d:%d:%d", lo-n, hi-n, step)} {
						checkSlice(t, text, n, want)
					}
				}
			}
			var down []int
			for i := lo; i >= 0; i-- {
				down = append(down, i)
			}
			checkSlice(t, fmt.Sprintf("%d::-1", lo), n, down)
		}
	}
}

func checkSlice(t *testing.T, text string, n int, want []int) {
	t.Helper()
	items, err := parseSel(text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := resolve(items, []int{n}, nil)
	if err != nil {
		t.Fatalf("%s of %d: %v", text, n, err)
	}
	var got []int
	for i := range r[0].count {
		got = append(got, r[0].at(i))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s of %d: %v, want %v", text, n, got, want)
	}
}

// TestBands checks that bands are consecutive, cover the selection, do not exceed the requested
// size and do not divide chunks.
func TestBands(t *testing.T) {
	for _, r := range []struct {
		name   string
		region region
		chunks []int
		target int64
	}{
		{"rows of one chunk", region{{0, 1, 100, false, nil}, {0, 1, 10, false, nil}}, []int{10, 10}, 100 * 8},
		{"several chunks", region{{0, 1, 100, false, nil}, {0, 1, 10, false, nil}}, []int{10, 10}, 350 * 8},
		{"less than a chunk", region{{0, 1, 100, false, nil}, {0, 1, 10, false, nil}}, []int{10, 10}, 8},
		{"off the grid", region{{3, 1, 94, false, nil}, {0, 1, 10, false, nil}}, []int{10, 3}, 250 * 8},
		{"steps", region{{3, 4, 20, false, nil}, {0, 1, 10, false, nil}}, []int{10, 10}, 50 * 8},
		{"steps longer than chunks", region{{3, 13, 7, false, nil}, {0, 1, 10, false, nil}}, []int{10, 10}, 20 * 8},
		{"backwards", region{{99, -1, 100, false, nil}, {0, 1, 10, false, nil}}, []int{10, 10}, 250 * 8},
		{"backwards with steps", region{{97, -4, 20, false, nil}, {0, 1, 10, false, nil}}, []int{10, 10}, 50 * 8},
		{"backwards, less than a chunk", region{{93, -1, 90, false, nil}, {9, -1, 10, false, nil}}, []int{10, 10}, 8},
		{"backwards, steps longer than chunks", region{{98, -13, 7, false, nil}, {0, 1, 10, false, nil}}, []int{10, 10}, 20 * 8},
		{"list", region{{0, 1, 12, false, []int{1, 2, 2, 4, 15, 16, 30, 31, 32, 55, 51, 50}}, {0, 1, 10, false, nil}}, []int{10, 10}, 50 * 8},
		{"list, less than a chunk", region{{0, 1, 7, false, []int{9, 8, 7, 25, 26, 3, 4}}, {0, 1, 10, false, nil}}, []int{10, 10}, 8},
		{"first axis an index", region{{5, 1, 1, true, nil}, {0, 1, 100, false, nil}}, []int{10, 10}, 25 * 8},
		{"all at once", region{{0, 1, 100, false, nil}, {0, 1, 10, false, nil}}, []int{10, 10}, 1 << 20},
		{"scalar", region{}, []int{}, 100},
	} {
		t.Run(r.name, func(t *testing.T) {
			checkBands(t, r.region, chunking{shape: r.chunks}, func(k, i int) int { return i / r.chunks[k] }, r.target)
		})
	}
}

// TestBandsOfUnevenChunks is like TestBands, for chunks that differ in length.
func TestBandsOfUnevenChunks(t *testing.T) {
	edges := []int{5, 20, 3, 1, 1, 30, 40}
	chunkOf := func(_, i int) (n int) {
		for ; i >= edges[n]; n++ {
			i -= edges[n]
		}
		return n
	}
	chunks := chunking{at: func(axis, i int) (chunk, start, length int) {
		chunk = chunkOf(axis, i)
		for _, n := range edges[:chunk] {
			start += n
		}
		return chunk, start, edges[chunk]
	}}
	for _, r := range []struct {
		name   string
		region region
		rows   int // of the longest chunk
		target int64
	}{
		{"all", region{{0, 1, 100, false, nil}, {0, 1, 10, false, nil}}, 40, 310 * 8},
		{"a part", region{{3, 1, 40, false, nil}, {0, 1, 10, false, nil}}, 20, 8},
		{"steps", region{{3, 4, 20, false, nil}, {0, 1, 10, false, nil}}, 8, 50 * 8},
		{"steps longer than chunks", region{{3, 33, 3, false, nil}, {0, 1, 10, false, nil}}, 1, 8},
		{"backwards", region{{99, -1, 100, false, nil}, {0, 1, 10, false, nil}}, 40, 350 * 8},
		{"backwards with steps", region{{97, -7, 14, false, nil}, {0, 1, 10, false, nil}}, 6, 8},
	} {
		t.Run(r.name, func(t *testing.T) {
			if got, err := chunks.most(t.Context(), 0, r.region[0]); got != r.rows || err != nil {
				t.Errorf("%d rows of a chunk, %v, want %d", got, err, r.rows)
			}
			checkBands(t, r.region, chunks, chunkOf, r.target)
			limit := int64(r.rows) * 10 * 8
			if _, err := cut(t.Context(), r.region, chunks, 8, r.target, limit); err != nil {
				t.Errorf("%d bytes: %v", limit, err)
			}
			if _, err := cut(t.Context(), r.region, chunks, 8, r.target, limit-1); !errors.Is(err, fault.Limit) {
				t.Errorf("one byte less: %v", err)
			}
		})
	}
}

// checkBands divides a region into bands. chunkOf returns the number of the chunk that contains an
// element along an axis.
func checkBands(t *testing.T, whole region, chunks chunking, chunkOf func(k, i int) int, target int64) {
	t.Helper()
	parts, err := cut(t.Context(), whole, chunks, 8, target, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	total, err := whole.bytes(8)
	if err != nil {
		t.Fatal(err)
	}
	var positions []int // along the axis that is divided
	sum, k := int64(0), slices.IndexFunc(whole, func(a axis) bool { return a.count > 1 })
	lastChunk := -1
	for b := range parts {
		n, err := b.region.bytes(8)
		if err != nil || n != int64(b.bytes) {
			t.Errorf("%d bytes of %v, %v", b.bytes, b.region, err)
		}
		sum += n
		if k < 0 {
			continue
		}
		a := b.region[k]
		for i := range a.count {
			positions = append(positions, a.at(i))
		}
		first, last := chunkOf(k, a.at(0)), chunkOf(k, a.at(a.count-1))
		if first == lastChunk {
			t.Errorf("chunk %d is in two bands", first)
		}
		if n > target && first != last {
			t.Errorf("a band of %d bytes, more than %d, has chunks %d to %d", n, target, first, last)
		}
		lastChunk = last
	}
	if sum != total {
		t.Errorf("%d bytes of %d", sum, total)
	}
	if k >= 0 {
		a := whole[k]
		for i, p := range positions {
			if p != a.at(i) {
				t.Fatalf("position %d is %d", i, p)
			}
		}
	}
}

func TestBandsLimit(t *testing.T) {
	r := region{{0, 1, 1000, false, nil}, {0, 1, 1000, false, nil}}
	if _, err := cut(t.Context(), r, chunking{shape: []int{100, 1}}, 8, 1000, 100*1000*8-1); !errors.Is(err, fault.Limit) {
		t.Error(err)
	}
	if _, err := cut(t.Context(), r, chunking{shape: []int{100, 1}}, 8, 1000, 100*1000*8); err != nil {
		t.Error(err)
	}
	parts, err := cut(t.Context(), region{{0, 1, 0, false, nil}, {0, 1, 1000, false, nil}}, chunking{shape: []int{1, 1}}, 8, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for b := range parts {
		t.Error("a band of nothing", b)
	}
	// A list that selects more elements of one chunk than the limit allows is divided within the
	// chunk.
	again := region{{0, 1, 1000, false, make([]int, 1000)}, {0, 1, 10, false, nil}}
	if parts, err = cut(t.Context(), again, chunking{shape: []int{100, 10}}, 8, 80, 300*10*8); err != nil {
		t.Fatal(err)
	}
	var counts []int
	for b := range parts {
		counts = append(counts, b.region[0].count)
	}
	if !slices.Equal(counts, []int{300, 300, 300, 100}) {
		t.Error(counts)
	}
}

// TestBandsWithinChunks checks that if a row of chunks exceeds the limit, bands are divided along
// any axis, are consecutive in C order, and do not exceed the limit.
func TestBandsWithinChunks(t *testing.T) {
	list := []int{5, 5, 1, 9, 2}
	for name, r := range map[string]region{
		"all":       {{0, 1, 11, false, nil}, {0, 1, 7, false, nil}, {0, 1, 9, false, nil}},
		"steps":     {{1, 2, 5, false, nil}, {6, -1, 7, false, nil}, {8, -2, 4, false, nil}},
		"an index":  {{3, 1, 1, true, nil}, {0, 1, 7, false, nil}, {0, 1, 9, false, nil}},
		"lists":     {{0, 1, 5, false, list}, {0, 1, 7, false, nil}, {0, 1, 3, false, []int{8, 0, 8}}},
		"one axis":  {{0, 1, 11, false, nil}},
		"no axis":   {},
		"nothing":   {{0, 1, 11, false, nil}, {0, 1, 0, false, nil}},
		"last axis": {{0, 1, 1, false, nil}, {0, 1, 1, false, nil}, {0, 1, 9, false, nil}},
	} {
		for _, chunk := range []int{1, 2, 3, 4, 100} {
			for limit := int64(1); limit < 800*8; limit += 1 + limit/3 {
				always := func() int64 { return limit }
				c := cutter{chunking{shape: []int{chunk, chunk, chunk}}, 8, always, always}
				var got [][]int
				for b := range c.bands(r) {
					if n, _ := b.region.bytes(8); n != int64(b.bytes) || n > max(limit, 8) {
						t.Fatalf("%s: a band of %d bytes, said to be %d, limit %d", name, n, b.bytes, limit)
					}
					got = append(got, b.positions()...)
				}
				if want := r.positions(); !slices.EqualFunc(got, want, slices.Equal) {
					t.Fatalf("%s in chunks of %d, limit %d: %v, want %v", name, chunk, limit, got, want)
				}
			}
		}
	}
}

// positions returns the positions of the elements of a region, in C order.
func (r region) positions() [][]int {
	all := [][]int{{}}
	for _, a := range r {
		var next [][]int
		for _, p := range all {
			for i := range a.count {
				next = append(next, append(slices.Clone(p), a.at(i)))
			}
		}
		all = next
	}
	return all
}

// TestBandsOfLongAxes checks the bands of axes that are too long to visit element by element.
func TestBandsOfLongAxes(t *testing.T) {
	const n = math.MaxInt
	for name, tt := range map[string]struct {
		axis  axis
		chunk int
		want  []int
	}{
		"one chunk":            {axis{0, 1, n, false, nil}, n, []int{n}},
		"two chunks":           {axis{0, 1, n, false, nil}, n/2 + 1, []int{n/2 + 1, n}},
		"two chunks backwards": {axis{n - 1, -1, n, false, nil}, n/2 + 1, []int{n / 2, n}},
		"steps":                {axis{1, 2, n / 2, false, nil}, n/2 + 1, []int{n/4 + 1, n / 2}},
	} {
		var got []int
		for from := 0; from < tt.axis.count; from = got[len(got)-1] {
			got = append(got, tt.axis.end(chunking{shape: []int{tt.chunk}}, 0, from, n/8, n))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: cut at %v, want %v", name, got, tt.want)
		}
	}
	// Chunks that differ in length are visited one by one until the context ends.
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	ones := chunking{at: func(_, i int) (chunk, start, length int) { return i, i, 1 }}
	if _, err := cut(ctx, region{{0, 1, n, false, nil}}, ones, 1, 1, n); !errors.Is(err, enough) {
		t.Errorf("chunks of one element: %v", err)
	}
}

func FuzzParseSel(f *testing.F) {
	for _, s := range []string{"0:10,5,::2", "...,-1", ":", "-3:", "1:2:3,...", "::-1,[3,-1]", "9:2:-3", "y=[],x=1"} {
		f.Add(s, 10, 7)
	}
	f.Fuzz(func(t *testing.T, s string, n, m int) {
		if n < 0 || m < 0 {
			return
		}
		items, err := parseSel(s)
		if err != nil {
			return
		}
		shape := []int{n, m}
		r, err := resolve(items, shape, []string{"y", "x"})
		if err != nil {
			return
		}
		for i, a := range r {
			bad := a.step == 0 || a.count < 0 || a.list == nil && a.count > shape[i] || a.list != nil && a.count != len(a.list)
			for _, j := range []int{0, a.count / 2, a.count - 1} {
				bad = bad || a.count > 0 && (a.at(j) < 0 || a.at(j) >= shape[i])
			}
			if bad {
				t.Fatalf("%q of %v is %v", s, shape, r)
			}
		}
	})
}
