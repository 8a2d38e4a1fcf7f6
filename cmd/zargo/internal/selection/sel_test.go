package selection

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func TestSel(t *testing.T) {
	shape := []int{10, 7, 20}
	for _, r := range []struct {
		name, text string
		want       Region
	}{
		{"nothing", "", Region{{0, 1, 10, false, nil}, {0, 1, 7, false, nil}, {0, 1, 20, false, nil}}},
		{"the issue's", "0:10,5,::2", Region{{0, 1, 10, false, nil}, {5, 1, 1, true, nil}, {0, 2, 10, false, nil}}},
		{"fewer than the rank", "3", Region{{3, 1, 1, true, nil}, {0, 1, 7, false, nil}, {0, 1, 20, false, nil}}},
		{"from the end", "-1,-3:,:-19", Region{{9, 1, 1, true, nil}, {4, 1, 3, false, nil}, {0, 1, 1, false, nil}}},
		{"dots first", "...,2:4", Region{{0, 1, 10, false, nil}, {0, 1, 7, false, nil}, {2, 1, 2, false, nil}}},
		{"dots between", "0,...,0", Region{{0, 1, 1, true, nil}, {0, 1, 7, false, nil}, {0, 1, 1, true, nil}}},
		{"dots for nothing", "0,1,2,...", Region{{0, 1, 1, true, nil}, {1, 1, 1, true, nil}, {2, 1, 1, true, nil}}},
		{"spaces", " 1 : 9 : 3 , : , : ", Region{{1, 3, 3, false, nil}, {0, 1, 7, false, nil}, {0, 1, 20, false, nil}}},
		{"empty", "3:3,7:", Region{{3, 1, 0, false, nil}, {7, 1, 0, false, nil}, {0, 1, 20, false, nil}}},
		{"backwards", "::-1,5:2:-2,-1:-4:-1", Region{{9, -1, 10, false, nil}, {5, -2, 2, false, nil}, {19, -1, 3, false, nil}}},
		{"backwards from or to", "8:2:-3,3::-1,:2:-2", Region{{8, -3, 2, false, nil}, {3, -1, 4, false, nil}, {19, -2, 9, false, nil}}},
		{"backwards, empty", "3:3:-1", Region{{3, -1, 0, false, nil}, {0, 1, 7, false, nil}, {0, 1, 20, false, nil}}},
		{"lists", "[1,5,-1], [ 3 ] ,[]", Region{{0, 1, 3, false, []int{1, 5, 9}}, {0, 1, 1, false, []int{3}}, {0, 1, 0, false, []int{}}}},
		{"names", "x=2, t = [4,4]", Region{{0, 1, 2, false, []int{4, 4}}, {0, 1, 7, false, nil}, {2, 1, 1, true, nil}}},
		{"names last", "3,y=::-1", Region{{3, 1, 1, true, nil}, {6, -1, 7, false, nil}, {0, 1, 20, false, nil}}},
		{"dots and a name", "...,4:6,t=1", Region{{1, 1, 1, true, nil}, {0, 1, 7, false, nil}, {4, 1, 2, false, nil}}},
		{"long step back", "::-2147483647", Region{{9, -10, 1, false, nil}, {0, 1, 7, false, nil}, {0, 1, 20, false, nil}}},
		{"long step", "::2147483647", Region{{0, 10, 1, false, nil}, {0, 1, 7, false, nil}, {0, 1, 20, false, nil}}},
	} {
		t.Run(r.name, func(t *testing.T) {
			items, err := parseSel(r.text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Resolve(items, shape, []string{"t", "y", "x"})
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
			if _, err := Resolve(items, shape, names); !errors.Is(err, fault.Selection) || exit.Code(err) != 2 || !strings.Contains(err.Error(), r.says) {
				t.Error(err)
			}
		})
	}
}

func TestSelSyntax(t *testing.T) {
	for _, text := range []string{"a", "1,,2", ",", "1:2:3:4", "1.5", "::0", "[1", "1]", "[1,]", "[1:2]", "[[1]]", "[-9223372036854775808]", "=1", "x=", "x=...", "x=1,2", "x=1,...", "1[2]", "...,...", "....", "99999999999999999999", "1 2", "-9223372036854775808"} {
		if _, err := parseSel(text); exit.Code(err) != 2 {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestRegionBytes(t *testing.T) {
	r := Region{{0, 1, math.MaxInt, false, nil}, {0, 1, math.MaxInt, false, nil}, {0, 1, math.MaxInt, false, nil}}
	if _, err := r.Bytes(1); !errors.Is(err, fault.Limit) {
		t.Error(err)
	}
	r[2].Count = 0
	if n, err := r.Bytes(1); n != 0 || err != nil {
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
	r, err := Resolve(items, []int{n}, nil)
	if err != nil {
		t.Fatalf("%s of %d: %v", text, n, err)
	}
	var got []int
	for i := range r[0].Count {
		got = append(got, r[0].At(i))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s of %d: %v, want %v", text, n, got, want)
	}
}

// TestBandsLimit checks the limit on a row of chunks, also of chunks that differ in length.
func TestBandsLimit(t *testing.T) {
	r := Region{{0, 1, 1000, false, nil}, {0, 1, 1000, false, nil}}
	for _, tt := range []struct {
		name string
		spec zarr.Spec
		rows int64
	}{
		{"even", zarr.Spec{Chunks: []int{100, 1}}, 100},
		{"uneven", zarr.Spec{ChunkEdges: [][]int{{500, 40, 460}, {1000}}}, 500},
	} {
		tt.spec.Shape, tt.spec.DType = []int{1000, 1000}, dtype.Float64
		a, err := zarr.Create(t.Context(), mem.New(), "", tt.spec)
		if err != nil {
			t.Fatal(err)
		}
		axes := r.axes(a, walk.Objects)
		if _, err := cut(t.Context(), r, axes, 8, 1000, tt.rows*1000*8-1); !errors.Is(err, fault.Limit) {
			t.Errorf("%s: one byte less: %v", tt.name, err)
		}
		if _, err := cut(t.Context(), r, axes, 8, 1000, tt.rows*1000*8); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
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
		r, err := Resolve(items, shape, []string{"y", "x"})
		if err != nil {
			return
		}
		for i, a := range r {
			bad := a.Step == 0 || a.Count < 0 || a.List == nil && a.Count > shape[i] || a.List != nil && a.Count != len(a.List)
			for _, j := range []int{0, a.Count / 2, a.Count - 1} {
				bad = bad || a.Count > 0 && (a.At(j) < 0 || a.At(j) >= shape[i])
			}
			if bad {
				t.Fatalf("%q of %v is %v", s, shape, r)
			}
		}
	})
}
