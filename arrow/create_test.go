package arrow_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/arrow"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// after returns a store whose writes fail after the first n.
func after(st store.Store, n int, failure error) store.Store {
	var left atomic.Int64
	left.Store(int64(n))
	return store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
		if (c.Op == store.OpPut || c.Op == store.OpDelete) && left.Add(-1) < 0 {
			return nil, failure
		}
		return ctx, nil
	}})
}

// TestImportCreates ends an import after each of its writes, into no group and into an empty group
// with an attribute. An import of another table then stores nothing, unless nothing was stored. The
// same import completes the dataset, and no attribute is lost or left in any document.
func TestImportCreates(t *testing.T) {
	errKilled := errors.New("killed")
	one, other := "x,v\n1,1\n2,2\n", "x,v\n3,3\n4,4\n"
	for format := 2; format <= 3; format++ {
		for _, attrs := range []map[string]any{nil, {"title": "mine"}} {
			for n, ended := 0, false; !ended; n++ {
				st := mem.New()
				if attrs != nil {
					_, err := zarr.CreateGroup(t.Context(), st, "", zarr.Spec{Format: format, Attrs: attrs})
					must(t, err)
				}
				o := arrow.ImportOptions{Labels: []string{"x"}, Format: format}
				ended = importText(t.Context(), t, after(st, n, errKilled), o, one) == nil
				if n > 1 {
					err := importText(t.Context(), t, st, o, other)
					if !errors.Is(err, fault.Exists) && !errors.Is(err, fault.Selection) {
						t.Errorf("v%d, %v, after %d writes: the other table: %v", format, attrs, n, err)
					}
				}
				if err := importText(t.Context(), t, st, o, one); err != nil {
					t.Errorf("v%d, %v, after %d writes: %v", format, attrs, n, err)
					continue
				}
				wantText(t, st, "x,v", "1,1", "2,2")
				d, err := dataset.Open(t.Context(), st, "", dataset.Options{})
				must(t, err)
				if !maps.Equal(d.Attrs(), attrs) {
					t.Errorf("v%d, after %d writes: %v, want %v", format, n, d.Attrs(), attrs)
				}
				if ended && n < 5 {
					t.Errorf("only %d writes", n)
				}
			}
		}
	}
	st := mem.New()
	_, err := zarr.CreateGroup(t.Context(), st, "", zarr.Spec{Format: 2})
	must(t, err)
	if err = importText(t.Context(), t, st, arrow.ImportOptions{Labels: []string{"x"}}, one); !errors.Is(err, fault.Exists) {
		t.Error(err)
	}
}

// TestImportsOfOtherLabelsMeet creates one dataset from two tables with as many labels at the same
// time. One of the imports fails, and the dataset is the other table.
func TestImportsOfOtherLabelsMeet(t *testing.T) {
	texts := []string{"x,v\n1,1\n2,2\n", "x,v\n3,3\n4,4\n"}
	for round := range 100 {
		st, errs := mem.New(), make([]error, len(texts))
		must(t, concurrency.EachN(t.Context(), len(texts), len(texts), func(ctx context.Context, i int) error {
			errs[i] = importText(ctx, t, st, arrow.ImportOptions{Labels: []string{"x"}, Format: 2 + round%2}, texts[i])
			return nil
		}))
		won := 0
		if errs[0] != nil {
			won = 1
		}
		if errs[won] != nil || errs[1-won] == nil {
			t.Fatalf("%v", errs)
		}
		wantText(t, st, strings.Split(strings.TrimSpace(texts[won]), "\n")...)
	}
}

// TestImportBesideExtension extends a dataset before each request of an import that creates it,
// fills it, or extends it. Rows of both are stored, unless the import fails, is repeated and then
// succeeds.
func TestImportBesideExtension(t *testing.T) {
	o := arrow.ImportOptions{Labels: []string{"x"}, Chunks: map[string]int{"x": 3}, Extend: "x"}
	for _, tt := range []struct{ name, before, rows string }{
		{"new", "", "x,v\n1,1\n2,2\n"}, {"fill", "x,v\n1,5\n2,5\n", "x,v\n1,1\n2,2\n"}, {"extend", "x,v\n1,1\n", "x,v\n2,2\n"},
	} {
		for n, ran := 0, true; ran; n++ {
			st := mem.New()
			if tt.before != "" {
				must(t, importText(t.Context(), t, st, o, tt.before))
			}
			var left atomic.Int64
			left.Store(int64(n))
			beside := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
				if left.Add(-1) == -1 {
					if err := importText(t.Context(), t, st, o, "x,v\n8,8\n9,9\n"); err != nil && tt.name == "fill" {
						t.Errorf("%s, %d: the other import: %v", tt.name, n, err)
					}
				}
				return ctx, nil
			}})
			err := importText(t.Context(), t, beside, o, tt.rows)
			ran = left.Load() < 0
			if err != nil && tt.name == "fill" {
				t.Errorf("%s, %d: %v", tt.name, n, err)
			}
			again := importText(t.Context(), t, st, o, tt.rows)
			got := text(t, st)
			if first := strings.Contains(got, "1,1\n2,2\n"); first != (again == nil) || err == nil && !first {
				t.Errorf("%s, %d: %v, again %v:\n%s", tt.name, n, err, again, got)
			}
		}
	}
}

// TestImportTypes creates datasets from tables whose columns have several types.
func TestImportTypes(t *testing.T) {
	for _, tt := range []struct{ name, first, second, want string }{
		{"labels", "x,v\n1,1\n2,2\n", "x,v\n0.5,3\n", "x,v 0.5,3 1,1 2,2"},
		{"values", "x,v\n1,1\n2,2\n", "x,v\n3,1.5\n", "x,v 1,1 2,2 3,1.5"},
		{"times", "x,v\n2020-01-01,2020-01-01\n", "x,v\n2020-01-01T12:00:00.5,2020-01-01T00:00:00.000001\n", "x,v 2020-01-01T00:00:00,2020-01-01T00:00:00 2020-01-01T12:00:00.5,2020-01-01T00:00:00.000001"},
		{"nulls", "x,v\n1,\n", "x,v\n2,a\n", "x,v 1, 2,a"},
		{"large", "x,v\n1,18446744073709551615\n", "x,v\n2,18446744073709551614\n", "x,v 1,18446744073709551615 2,18446744073709551614"},
		{"text of null", "x,v\n1,(null)\n", "x,v\n2,b\n", "x,v 1,(null) 2,b"},
		{"texts and numbers", "x,v\n1,1\n", "x,v\n2,b\n", `column "v" has the type int64 in a table, and utf8`},
		{"texts and times", "x,v\n2020-01-01,1\n", "x,v\nb,2\n", `column "x" has the type timestamp[s] in a table, and utf8`},
	} {
		st := mem.New()
		err := importText(t.Context(), t, st, arrow.ImportOptions{Labels: []string{"x"}}, tt.first, tt.second)
		if err != nil {
			if !errors.Is(err, fault.Type) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if got := strings.Join(strings.Fields(text(t, st)), " "); got != tt.want {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
	st := mem.New()
	create(t, st, map[string]int{"x": 2}, variable{name: "x", dims: "x", t: dtype.Int32, data: stored("x", []int32{0, 1})},
		variable{name: "v", dims: "x", t: dtype.Float16, data: stored("v", make([]dtype.F16, 2))})
	before := text(t, st)
	o := arrow.ImportOptions{Labels: []string{"x"}, Extend: "x"}
	for rows, want := range map[string]string{"x,v\n2.4,1\n": "2.4 is not an integer", "x,v\n0,2048\n1,2049\n": `row 2, column "v"`} {
		if err := importText(t.Context(), t, st, o, rows); !errors.Is(err, fault.Type) || !strings.Contains(err.Error(), want) || text(t, st) != before {
			t.Errorf("%s: %v\n%s", rows, err, text(t, st))
		}
	}
}

// TestImportBesideOtherDimension extends x of an array of booleans, which cannot be missing, while
// y grows before each write. The new rows of x then lack elements, so that the import must fail
// unless it ended before.
func TestImportBesideOtherDimension(t *testing.T) {
	conflicts := 0
	for n, ran := 0, true; ran; n++ {
		st := mem.New()
		create(t, st, map[string]int{"x": 1, "y": 1}, variable{name: "x", dims: "x", t: dtype.Int32, data: stored("x", []int32{0})},
			variable{name: "y", dims: "y", t: dtype.Int32, data: stored("y", []int32{0})}, variable{name: "v", dims: "x y", t: dtype.Bool, data: stored("v", []bool{true})})
		var left atomic.Int64
		left.Store(int64(n))
		beside := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			if (c.Op == store.OpPut || c.Op == store.OpDelete) && left.Add(-1) == -1 {
				_ = importText(t.Context(), t, st, arrow.ImportOptions{Labels: []string{"x", "y"}, Extend: "y"}, "x,y,v\n0,1,true\n")
			}
			return ctx, nil
		}})
		err := importText(t.Context(), t, beside, arrow.ImportOptions{Labels: []string{"x", "y"}, Extend: "x"}, "x,y,v\n1,0,true\n")
		ran = left.Load() < 0
		if errors.Is(err, fault.Conflict) {
			conflicts++
		}
		if got := text(t, st); strings.Contains(got, "1,1,") || err == nil != strings.Contains(got, "1,0,true") {
			t.Errorf("%d: %v\n%s", n, err, got)
		}
	}
	if conflicts == 0 {
		t.Error("no conflicts")
	}
}

// TestImportExtendsTimes extends a variable of the data type datetime64, of which the table has
// some elements or none.
func TestImportExtendsTimes(t *testing.T) {
	st := mem.New()
	create(t, st, map[string]int{"x": 1}, variable{name: "x", dims: "x", t: dtype.Int32, data: stored("x", []int32{0})},
		variable{name: "v", dims: "x", t: dtype.DateTime{Unit: dtype.Second, Scale: 1}, data: stored("v", []dtype.Instant{1})},
		variable{name: "w", dims: "x", t: dtype.Float32, attrs: map[string]any{"_FillValue": -1}, data: stored("w", []float32{1})})
	o := arrow.ImportOptions{Labels: []string{"x"}, Extend: "x"}
	must(t, importText(t.Context(), t, st, o, "x,w\n1,2\n"))
	must(t, importText(t.Context(), t, st, o, "x,v\n2,2020-01-01\n3,\n"))
	wantText(t, st, "x,v,w", "0,1970-01-01T00:00:01,1", "1,,2", "2,2020-01-01T00:00:00,", "3,,")
}
