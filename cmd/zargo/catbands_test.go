package main

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// TestCatInBands prints arrays of several layouts in every format, and checks that the output does
// not depend on the size of the bands.
func TestCatInBands(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	ctx := context.Background()
	for name, s := range map[string]zarr.Spec{
		"plain":   {Chunks: []int{3, 2, 4}},
		"columns": {Chunks: []int{7, 5, 1}},
		"sharded": {Chunks: []int{2, 1, 2}, Shards: []int{4, 5, 6}},
		"uneven":  {ChunkEdges: [][]int{{1, 2, 4}, {5}, {3, 3}}},
		"texts":   {Chunks: []int{3, 2, 4}, DType: dtype.String},
		"v2":      {Chunks: []int{3, 3, 3}, Format: 2, Order: "F"},
	} {
		s.Shape = []int{7, 5, 6}
		texts := s.DType == dtype.String
		if !texts {
			s.DType = dtype.Int32
		}
		a, err := zarr.Create(ctx, dir.New(name), "", s)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 7 * 5 * 6 {
			if i%11 > 6 || i > 60 && i < 140 {
				continue // chunks that are not stored, and elements with the fill value
			}
			at := []zarr.Selection{zarr.At(i / 30), zarr.At(i / 6 % 5), zarr.At(i % 6)}
			if texts {
				err = zarr.Write(ctx, a, []string{strings.Repeat("x", i%7) + strconv.Itoa(i)}, at...)
			} else {
				err = zarr.Write(ctx, a, []int32{int32(i)}, at...)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		formats := []string{"csv", "json", "raw", "npy"}
		if texts {
			formats = formats[:2]
		}
		for _, format := range formats {
			for _, sel := range []string{"...", "::-2,1:,::3", "3", "[6,0,6],...,[5,1]", "...,2"} {
				line := fmt.Sprintf("cat %s --format %s --sel %s", name, format, sel)
				want := do(t, p, line)
				for _, most := range []string{"1", "40", "200", "1000"} {
					if got := do(t, p, line+" --max-mem "+most); got != want {
						t.Errorf("%s --max-mem %s:\n%q\nwant\n%q", line, most, got, want)
					}
				}
			}
		}
	}
}

// TestCatOfHardlyAnything checks that cat refuses a huge selection if fewer than 1 in 100 chunks
// are stored.
func TestCatOfHardlyAnything(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	do(t, p, "create long --shape 4,268435456 --chunks 4,65536 --dtype int32 --codec none")
	do(t, p, "create fine --shape 2000000 --chunks 1 --dtype uint8 --codec none")
	for _, line := range []string{"cat long --format raw", "cat long --format csv --sel ::-1", "cat fine --format json"} {
		fails(t, zargo(t, p, line), 7, "stored", "--all")
	}
	for line, n := range map[string]int{
		"cat long --format raw --sel :,:1000":                16_000,
		"cat fine --format raw --sel :100":                   100,
		"cat fine --format raw --sel [0,1]":                  2,
		"cat fine --format raw --all --sel :200001 --header": 0,
	} {
		if n == 0 {
			fails(t, zargo(t, p, line), 2, "--header")
		} else if got := do(t, p, line); len(got) != n {
			t.Errorf("%s: %d bytes, want %d", line, len(got), n)
		}
	}
	if got := do(t, p, "cat fine --format raw --all --sel :200001"); len(got) != 200_001 {
		t.Errorf("%d bytes", len(got))
	}
	// The limit does not apply if one chunk in a hundred is stored.
	do(t, p, "create part --shape 300000 --chunks 1 --dtype uint8 --codec none")
	a := must(zarr.OpenArray(t.Context(), dir.New("part"), ""))
	succeed(t, zarr.Write(t.Context(), a, []uint8(strings.Repeat("a", 2_999)), zarr.Range(1, 3_000)))
	fails(t, zargo(t, p, "cat part --format raw"), 7, "2999", "--all")
	succeed(t, zarr.Write(t.Context(), a, []uint8("a"), zarr.At(7000)))
	if got := do(t, p, "cat part --format raw"); len(got) != 300_000 {
		t.Errorf("%d bytes", len(got))
	}
}

// TestJSONParses checks that the output of the format json parses and has the right shape.
func TestJSONParses(t *testing.T) {
	p := newProgram()
	t.Chdir(t.TempDir())
	do(t, p, `create mem://m/x --shape 2,2,3 --dtype complex64 --fill [1.5,"NaN"]`)
	var got any
	doJSON(t, p, "cat mem://m/x --format json", &got)
	one := []any{1.5, "NaN"}
	row := []any{one, one, one}
	if want := []any{[]any{row, row}, []any{row, row}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
}
