package keys

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/zarr/meta"
)

func TestFind(t *testing.T) {
	v2 := Keys{Encoding: meta.KeyEncoding{Name: "v2", Separator: "."}, Format: 2, Grid: []int{2, 3}, Reach: []int{4, 3}}
	v3 := Keys{Encoding: meta.KeyEncoding{Name: "default", Separator: "/"}, Format: 3, Grid: []int{2, 3}}
	line := Keys{Encoding: meta.KeyEncoding{Name: "default", Separator: "/"}, Format: 3, Grid: []int{2}}
	tests := []struct {
		name string
		keys Keys
		key  string
		want string
	}{
		{"inside", v2, "1.2", "1 [1 2] v2."},
		{"under way", v2, "3.2", "2 [3 2] v2."},
		{"beyond what is under way", v2, "4.2", "3 [4 2] v2."},
		{"beyond along an axis that does not grow", v2, "1.3", "3 [1 3] v2."},
		{"the other separator", v2, "1/2", "4 [1 2] v2/"},
		{"v3's keys in v2", v2, "c/1/2", "0 [] "},
		{"inside, v3", v3, "c/1/2", "1 [1 2] default/"},
		{"beyond, v3", v3, "c/2/2", "3 [2 2] default/"},
		{"points in v3", v3, "c.1.2", "4 [1 2] default."},
		{"v2's keys in v3", v3, "1.2", "4 [1 2] v2."},
		{"v2's nested keys in v3", v3, "9/9", "4 [9 9] v2/"},
		{"another rank", v3, "c/1/2/3", "0 [] "},
		{"a word", v3, "README", "0 [] "},
		{"one axis", line, "1", "4 [1] v2."},
		{"one axis of points", line, "c.1", "4 [1] default."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := tt.keys.Find(tt.key)
			if got := fmt.Sprint(f.Place, f.Coord, " ", f.Encoding.Name+f.Encoding.Separator); got != tt.want {
				t.Errorf("%s is %s, want %s", tt.key, got, tt.want)
			}
		})
	}
}

func TestReach(t *testing.T) {
	tests := []struct {
		name string
		c    claim.Claim
		want []int
	}{
		{"none", claim.Claim{}, nil},
		{"append", claim.Claim{ID: "1", What: claim.Append, Axis: 1, From: 5, To: 8}, []int{4, 8}},
		{"append along an axis that is not there", claim.Claim{ID: "1", What: claim.Append, Axis: 7, To: 8}, []int{4, 5}},
		{"resize", claim.Claim{ID: "1", What: claim.Resize, Was: []int{9, 2, 7}}, []int{9, 5}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Reach(tt.c, []int{4, 5}); !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

// TestSet compares a set with a list of all positions.
func TestSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, grid := range [][]int{{}, {0}, {3, 0}, {1}, {7}, {3, 5}, {70, 130}} {
		s, kept := NewSet(grid), map[string]bool{}
		all := slices.Collect(func(yield func([]int) bool) {
			for c := range NewSet(grid).Absent() {
				if !yield(slices.Clone(c)) {
					return
				}
			}
		})
		for _, c := range all {
			if r.IntN(2) == 0 {
				s.Add(c)
				kept[fmt.Sprint(c)] = true
			}
		}
		for _, c := range all {
			if s.Has(c) != kept[fmt.Sprint(c)] {
				t.Errorf("%v: %v is in it: %v", grid, c, s.Has(c))
			}
		}
		n := 0
		for c := range s.Absent() {
			n++
			if kept[fmt.Sprint(c)] {
				t.Errorf("%v: %v is there", grid, c)
			}
		}
		if want := len(all) - len(kept); n != want || s.Missing() != want {
			t.Errorf("%v: %d and %d missing, want %d", grid, n, s.Missing(), want)
		}
	}
}

// TestHugeGrids checks that a set takes memory only for its members, even if its grid has more
// positions than an int can count.
func TestHugeGrids(t *testing.T) {
	const many = math.MaxInt
	s := NewSet([]int{many, many})
	s.Add([]int{0, 0})
	s.Add([]int{many - 1, many - 1})
	if !s.Has([]int{0, 0}) || s.Has([]int{0, 1}) || len(s.blocks) != 1 {
		t.Errorf("%d blocks", len(s.blocks))
	}
	for c := range s.Absent() {
		if !slices.Equal(c, []int{0, 1}) {
			t.Errorf("%v is absent first", c)
		}
		break
	}
	if s.Missing() < many-2 {
		t.Errorf("%d missing", s.Missing())
	}
}
