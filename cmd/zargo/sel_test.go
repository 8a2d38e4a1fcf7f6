package main

import (
	"errors"
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
		{"nothing", "", region{{0, 1, 10, false}, {0, 1, 7, false}, {0, 1, 20, false}}},
		{"the issue's", "0:10,5,::2", region{{0, 1, 10, false}, {5, 1, 1, true}, {0, 2, 10, false}}},
		{"fewer than the rank", "3", region{{3, 1, 1, true}, {0, 1, 7, false}, {0, 1, 20, false}}},
		{"from the end", "-1,-3:,:-19", region{{9, 1, 1, true}, {4, 1, 3, false}, {0, 1, 1, false}}},
		{"dots first", "...,2:4", region{{0, 1, 10, false}, {0, 1, 7, false}, {2, 1, 2, false}}},
		{"dots between", "0,...,0", region{{0, 1, 1, true}, {0, 1, 7, false}, {0, 1, 1, true}}},
		{"dots for nothing", "0,1,2,...", region{{0, 1, 1, true}, {1, 1, 1, true}, {2, 1, 1, true}}},
		{"spaces", " 1 : 9 : 3 , : , : ", region{{1, 3, 3, false}, {0, 1, 7, false}, {0, 1, 20, false}}},
		{"empty", "3:3,7:", region{{3, 1, 0, false}, {7, 1, 0, false}, {0, 1, 20, false}}},
		{"long step", "::2147483647", region{{0, 10, 1, false}, {0, 1, 7, false}, {0, 1, 20, false}}},
	} {
		t.Run(r.name, func(t *testing.T) {
			items, err := parseSel(r.text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := resolve(items, shape)
			if err != nil || !reflect.DeepEqual(got, r.want) {
				t.Errorf("%v, %v; want %v", got, err, r.want)
			}
		})
	}
}

func TestSelOutOfBounds(t *testing.T) {
	shape := []int{10, 7}
	for _, r := range []struct{ text, says string }{
		{"10", "10"}, {"-11", "-11"}, {"0:11", "0:11"}, {"-11:", "-11:"}, {":-11", ":-11"}, {"5:2", "5:2"}, {"0,0,0", "3 axes"},
		{"...,0,0,0", "3 axes"}, {":,7", "axis 1"}, {"2147483647:", "2147483647:"},
	} {
		t.Run(r.text, func(t *testing.T) {
			items, err := parseSel(r.text)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := resolve(items, shape); !errors.Is(err, fault.Selection) || exitCode(err) != 2 || !strings.Contains(err.Error(), r.says) {
				t.Error(err)
			}
		})
	}
}

func TestSelSyntax(t *testing.T) {
	for _, text := range []string{"a", "1,,2", ",", "1:2:3:4", "1.5", "::0", "::-1", "...,...", "....", "99999999999999999999", "1 2", "-9223372036854775808"} {
		if _, err := parseSel(text); exitCode(err) != 2 {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestRegionBytes(t *testing.T) {
	r := region{{0, 1, math.MaxInt, false}, {0, 1, math.MaxInt, false}, {0, 1, math.MaxInt, false}}
	if _, err := r.bytes(1); !errors.Is(err, fault.Limit) {
		t.Error(err)
	}
	r[2].count = 0
	if n, err := r.bytes(1); n != 0 || err != nil {
		t.Error(n, err)
	}
}

// Bands follow one another, cover the selection, hold no more than asked for, and cut no chunk in two.
func TestBands(t *testing.T) {
	for _, r := range []struct {
		name   string
		region region
		chunks []int
		target int64
	}{
		{"rows of one chunk", region{{0, 1, 100, false}, {0, 1, 10, false}}, []int{10, 10}, 100 * 8},
		{"several chunks", region{{0, 1, 100, false}, {0, 1, 10, false}}, []int{10, 10}, 350 * 8},
		{"less than a chunk", region{{0, 1, 100, false}, {0, 1, 10, false}}, []int{10, 10}, 8},
		{"off the grid", region{{3, 1, 94, false}, {0, 1, 10, false}}, []int{10, 3}, 250 * 8},
		{"steps", region{{3, 4, 20, false}, {0, 1, 10, false}}, []int{10, 10}, 50 * 8},
		{"steps longer than chunks", region{{3, 13, 7, false}, {0, 1, 10, false}}, []int{10, 10}, 20 * 8},
		{"first axis an index", region{{5, 1, 1, true}, {0, 1, 100, false}}, []int{10, 10}, 25 * 8},
		{"all at once", region{{0, 1, 100, false}, {0, 1, 10, false}}, []int{10, 10}, 1 << 20},
		{"scalar", region{}, []int{}, 100},
	} {
		t.Run(r.name, func(t *testing.T) {
			parts, err := cut(r.region, r.chunks, 8, r.target, 1<<30)
			if err != nil {
				t.Fatal(err)
			}
			total, err := r.region.bytes(8)
			if err != nil {
				t.Fatal(err)
			}
			var positions []int // along the axis that is cut
			sum, k := int64(0), slices.IndexFunc(r.region, func(a axis) bool { return a.count > 1 })
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
					positions = append(positions, a.start+i*a.step)
				}
				first, last := a.start/r.chunks[k], (a.start+(a.count-1)*a.step)/r.chunks[k]
				if first == lastChunk {
					t.Errorf("chunk %d is in two bands", first)
				}
				if n > r.target && first != last {
					t.Errorf("a band of %d bytes, more than %d, has chunks %d to %d", n, r.target, first, last)
				}
				lastChunk = last
			}
			if sum != total {
				t.Errorf("%d bytes of %d", sum, total)
			}
			if k >= 0 {
				a := r.region[k]
				for i, p := range positions {
					if p != a.start+i*a.step {
						t.Fatalf("position %d is %d", i, p)
					}
				}
			}
		})
	}
}

func TestBandsLimit(t *testing.T) {
	r := region{{0, 1, 1000, false}, {0, 1, 1000, false}}
	if _, err := cut(r, []int{100, 1}, 8, 1000, 100*1000*8-1); !errors.Is(err, fault.Limit) {
		t.Error(err)
	}
	if _, err := cut(r, []int{100, 1}, 8, 1000, 100*1000*8); err != nil {
		t.Error(err)
	}
	parts, err := cut(region{{0, 1, 0, false}, {0, 1, 1000, false}}, []int{1, 1}, 8, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for b := range parts {
		t.Error("a band of nothing", b)
	}
}

func FuzzParseSel(f *testing.F) {
	for _, s := range []string{"0:10,5,::2", "...,-1", ":", "-3:", "1:2:3,..."} {
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
		r, err := resolve(items, shape)
		if err != nil {
			return
		}
		for i, a := range r {
			if a.start < 0 || a.step < 1 || a.count < 0 || a.count > shape[i] || a.count > 0 && a.start+(a.count-1)*a.step >= shape[i] {
				t.Fatalf("%q of %v is %v", s, shape, r)
			}
		}
	})
}
