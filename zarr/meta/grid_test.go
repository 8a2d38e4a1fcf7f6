package meta

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

const regular3 = `{"name":"regular","configuration":{"chunk_shape":[2,3]}}`

// rectilinear returns a document with a rectilinear grid.
func rectilinear(t *testing.T, chunkShapes string) string {
	t.Helper()
	return edit(t, valid3, regular3, `{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":`+chunkShapes+`}}`)
}

// TestRectilinear tests the forms of edges that the extension allows, and how they are encoded.
func TestRectilinear(t *testing.T) {
	tests := []struct {
		name, text string // text for the axes of 4 and 6 elements
		want       []Edges
		again      string
	}{
		{"lengths for all", `[4, 5]`, []Edges{{Every: 4}, {Every: 5}}, `[4,5]`},
		{"lists", `[[1,3],[1,2,3]]`, []Edges{{Runs: []Run{{1, 1}, {3, 1}}}, {Runs: []Run{{1, 1}, {2, 1}, {3, 1}}}}, `[[1,3],[1,2,3]]`},
		{"runs", `[[[2,2]],[[1,3],3]]`, []Edges{{Runs: []Run{{2, 2}}}, {Runs: []Run{{1, 3}, {3, 1}}}}, `[[[2,2]],[[1,3],3]]`},
		{"runs of one", `[[[1,1],[3,1]],6]`, []Edges{{Runs: []Run{{1, 1}, {3, 1}}}, {Every: 6}}, `[[1,3],6]`},
		{"equal neighbours", `[[2,2],[[1,2],[1,1],1,2]]`, []Edges{{Runs: []Run{{2, 2}}}, {Runs: []Run{{1, 4}, {2, 1}}}}, `[[[2,2]],[[1,4],2]]`},
		{"beyond the end", `[9,[4,4]]`, []Edges{{Every: 9}, {Runs: []Run{{4, 2}}}}, `[9,[[4,2]]]`},
		{"chunks wholly beyond the end", `[4,[[4,9],3]]`, []Edges{{Every: 4}, {Runs: []Run{{4, 9}, {3, 1}}}}, `[4,[[4,9],3]]`},
		{"counts that overflow", `[4,[[1,9223372036854775807],[1,9223372036854775807],[2,9223372036854775807]]]`,
			[]Edges{{Every: 4}, {Runs: []Run{{1, math.MaxInt}, {1, math.MaxInt}, {2, math.MaxInt}}}},
			`[4,[[1,9223372036854775807],[1,9223372036854775807],[2,9223372036854775807]]]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := parse3(t, rectilinear(t, tt.text))
			if want := (Grid{Edges: tt.want}); !a.Grid.Equal(want) {
				t.Fatalf("%+v, want %+v", a.Grid, want)
			}
			doc, err := a.documentV3()
			if err != nil || !strings.Contains(string(doc), `{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":`+tt.again+`}}`) {
				t.Errorf("%s, %v", doc, err)
			}
			if again := parse3(t, string(doc)); !again.Grid.Equal(a.Grid) {
				t.Errorf("became %+v", again.Grid)
			}
		})
	}
	empty := edit(t, edit(t, rectilinear(t, `[[],[]]`), `[4,6]`, `[0,0]`), `"a":1`, `"a":2`)
	if a := parse3(t, empty); !a.Grid.Equal(Grid{Edges: []Edges{{}, {}}}) {
		t.Errorf("of an empty array %+v", a.Grid)
	}
	scalar := edit(t, edit(t, rectilinear(t, `[]`), `[4,6]`, `[]`), `["y",null]`, `[]`)
	a := parse3(t, scalar)
	if a.Grid.Edges == nil || len(a.Grid.Edges) != 0 {
		t.Errorf("of a scalar %+v", a.Grid)
	}
	if doc, err := a.documentV3(); err != nil || !strings.Contains(string(doc), `"chunk_shapes":[]`) {
		t.Errorf("%s, %v", doc, err)
	}
}

func TestInvalidRectilinear(t *testing.T) {
	const at = "/chunk_grid/configuration"
	tests := []struct {
		name, text string
		pointer    string
		kind       error
	}{
		{"too short", `[4,[1,2]]`, "/chunk_shapes/1", fault.Metadata},
		{"runs too short", `[[[1,3]],6]`, "/chunk_shapes/0", fault.Metadata},
		{"no chunks", `[4,[]]`, "/chunk_shapes/1", fault.Metadata},
		{"length 0", `[4,0]`, "/chunk_shapes/1", fault.Metadata},
		{"length 0 in a list", `[4,[6,0]]`, "/chunk_shapes/1/1", fault.Metadata},
		{"negative", `[4,[-6,12]]`, "/chunk_shapes/1/0", fault.Metadata},
		{"run of length 0", `[4,[[0,6]]]`, "/chunk_shapes/1/0/0", fault.Metadata},
		{"run of none", `[4,[6,[6,0]]]`, "/chunk_shapes/1/1/1", fault.Metadata},
		{"negative count", `[4,[6,[6,-1]]]`, "/chunk_shapes/1/1/1", fault.Metadata},
		{"run of three", `[4,[[1,2,3]]]`, "/chunk_shapes/1/0", fault.Metadata},
		{"run of nothing", `[4,[[]]]`, "/chunk_shapes/1/0", fault.Metadata},
		{"run in a run", `[4,[[[1,2],3]]]`, "/chunk_shapes/1/0/0", fault.Metadata},
		{"fraction", `[4,[6.5]]`, "/chunk_shapes/1/0", fault.Metadata},
		{"a word", `[4,["6"]]`, "/chunk_shapes/1/0", fault.Metadata},
		{"an object", `[4,{"edge":6}]`, "/chunk_shapes/1", fault.Metadata},
		{"rank", `[4]`, "/chunk_shapes", fault.Metadata},
		{"no list", `4`, "/chunk_shapes", fault.Metadata},
		{"beyond int64", `[4,[[1,9223372036854775808]]]`, "/chunk_shapes/1/0/1", fault.Limit},
		{"a chunk beyond 2^63 bytes", `[[4,2147483647],[6,2147483647]]`, "/chunk_shapes/1", fault.Limit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseV3("k", []byte(rectilinear(t, tt.text)))
			refused(t, err, "k", at+tt.pointer, tt.kind)
		})
	}
	for name, tt := range map[string]struct {
		config, pointer string
		kind            error
	}{
		"no kind":         {`{"chunk_shapes":[4,6]}`, at + "/kind", fault.Metadata},
		"other kind":      {`{"kind":"array","chunk_shapes":"edges"}`, at + "/kind", unsupported},
		"kind a number":   {`{"kind":1,"chunk_shapes":[4,6]}`, at + "/kind", unsupported},
		"name of ZEP 3":   {`{"kind":"inline","chunk_shape":[4,6]}`, at + "/chunk_shapes", fault.Metadata},
		"unknown member":  {`{"kind":"inline","chunk_shapes":[4,6],"x":1}`, at + "/x", unsupported},
		"of another grid": {`{"kind":"inline","chunk_shapes":[4,6],"chunk_shape":[4,6]}`, at + "/chunk_shape", unsupported},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseV3("k", []byte(edit(t, valid3, regular3, `{"name":"rectilinear","configuration":`+tt.config+`}`)))
			refused(t, err, "k", tt.pointer, tt.kind)
		})
	}
	_, err := ParseV3("k", []byte(edit(t, valid3, regular3, `"rectilinear"`)))
	refused(t, err, "k", at+"/kind", fault.Metadata)
}

func TestGridsNotWritable(t *testing.T) {
	list, all := EdgesOf(1, 3), Edges{Every: 6}
	tests := []struct {
		name string
		grid Grid
		kind error
	}{
		{"both", Grid{Shape: []int{2, 3}, Edges: []Edges{list, all}}, fault.Metadata},
		{"rank", Grid{Edges: []Edges{all}}, fault.Metadata},
		{"too short", Grid{Edges: []Edges{EdgesOf(1, 2), all}}, fault.Metadata},
		{"no chunks", Grid{Edges: []Edges{list, {}}}, fault.Metadata},
		{"negative", Grid{Edges: []Edges{list, {Every: -1}}}, fault.Metadata},
		{"length 0", Grid{Edges: []Edges{list, {Runs: []Run{{6, 1}, {0, 1}}}}}, fault.Metadata},
		{"none of a run", Grid{Edges: []Edges{list, {Runs: []Run{{6, 1}, {1, 0}}}}}, fault.Metadata},
		{"a list and a length for all", Grid{Edges: []Edges{{Every: 4, Runs: list.Runs}, all}}, fault.Metadata},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := parse3(t, valid3)
			a.Grid = tt.grid
			if doc, err := a.EncodeV3(); !errors.Is(err, tt.kind) {
				t.Errorf("%s, %v", doc, err)
			}
		})
	}
	a := parse2(t, valid2)
	a.Grid = Grid{Edges: []Edges{list, all}}
	if doc, _, err := a.EncodeV2(); !errors.Is(err, unsupported) {
		t.Errorf("v2: %s, %v", doc, err)
	}
}

func TestGridsThatDiffer(t *testing.T) {
	grids := []Grid{{Shape: []int{2}}, {Shape: []int{3}}, {Edges: []Edges{{Every: 2}}}, {Edges: []Edges{EdgesOf(2)}}, {Edges: []Edges{EdgesOf(2, 2)}},
		{Edges: []Edges{EdgesOf(2, 3)}}, {Shape: []int{}}, {Edges: []Edges{}}}
	for i, g := range grids {
		for k, h := range grids {
			if g.Equal(h) != (i == k) {
				t.Errorf("%+v equals %+v: %v", g, h, g.Equal(h))
			}
		}
	}
}

// TestEdgesOf checks that the same lengths in different forms are equal Edges.
func TestEdgesOf(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		lengths := make([]int, 1+r.IntN(8))
		sum, text := 0, "["
		for i := range lengths {
			lengths[i] = 1 + r.IntN(3)
			sum += lengths[i]
			if i > 0 {
				text += ","
			}
			if r.IntN(2) == 0 {
				text += fmt.Sprint(lengths[i])
			} else {
				text += fmt.Sprintf("[%d,1]", lengths[i])
			}
		}
		a := parse3(t, edit(t, rectilinear(t, `[4,`+text+`]]`), `"shape":[4,6]`, fmt.Sprintf(`"shape":[4,%d]`, sum)))
		e := EdgesOf(lengths...)
		if !a.Grid.Equal(Grid{Edges: []Edges{{Every: 4}, e}}) {
			t.Fatalf("%s is %+v, want %+v", text, a.Grid, e)
		}
		var back []int
		for _, run := range e.Runs {
			back = append(back, slices.Repeat([]int{run.Edge}, run.Count)...)
		}
		if !slices.Equal(back, lengths) {
			t.Fatalf("%v became %+v", lengths, e)
		}
	}
}
