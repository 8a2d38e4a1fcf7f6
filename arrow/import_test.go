package arrow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zargo-io/zargo/arrow"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// table returns the table in a text of CSV.
func table(t testing.TB, text string) arrow.Source {
	t.Helper()
	s, err := arrow.OpenSource(strings.NewReader(text), int64(len(text)), arrow.CSV)
	must(t, err)
	return s
}

// text returns the table of a dataset as CSV.
func text(t testing.TB, st store.Store) string {
	t.Helper()
	d, err := dataset.Open(t.Context(), st, "", dataset.Options{})
	must(t, err)
	all, err := arrow.New(d)
	must(t, err)
	var b bytes.Buffer
	must(t, all.Write(t.Context(), &b, arrow.CSV))
	return b.String()
}

func wantText(t testing.TB, st store.Store, want ...string) {
	t.Helper()
	if got := strings.TrimSuffix(text(t, st), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func importText(ctx context.Context, t testing.TB, st store.Store, o arrow.ImportOptions, texts ...string) error {
	t.Helper()
	var from []arrow.Source
	for _, x := range texts {
		from = append(from, table(t, x))
	}
	_, err := arrow.Import(ctx, st, "", o, from...)
	return err
}

// TestImport imports into a new dataset, again, and into the extended dataset.
func TestImport(t *testing.T) {
	for format := range 4 {
		st := mem.New()
		o := arrow.ImportOptions{Labels: []string{"time", "lat"}, Format: format % 2 * 2, Chunks: map[string]int{"time": 1 + format/2}}
		first := "lat,time,n,f,s,b,id\n50,2020-01-02,1,0.5,x,true,9007199254740993\n40,2020-01-02,2,,\"a,b\",false,1\n50,2020-01-01,3,1e3,,true,2\n"
		for range 2 {
			must(t, importText(t.Context(), t, st, o, first))
			wantText(t, st, "time,lat,b,f,id,n,s", "2020-01-01T00:00:00,40,,,,,", "2020-01-01T00:00:00,50,1,1000,2,3,",
				"2020-01-02T00:00:00,40,0,,1,2,\"a,b\"", "2020-01-02T00:00:00,50,1,0.5,9007199254740993,1,x")
		}
		o.Columns, o.Extend = []string{"f", "n"}, "time"
		before := text(t, st)
		for _, wrong := range []string{"2020-01-01T12:00", "2019-01-01"} { // between the labels, and before them
			if err := importText(t.Context(), t, st, o, "time,lat,f,n\n"+wrong+",40,1,2\n"); !errors.Is(err, fault.Selection) || text(t, st) != before {
				t.Errorf("%s: %v\n%s", wrong, err, text(t, st))
			}
		}
		// b is not a column and becomes missing; a row of the second table replaces a value
		must(t, importText(t.Context(), t, st, o, "time,lat,f,n\n2020-01-04,40,1,2\n", "lat,f,n,time\n50,-3,7,2020-01-03\n40,8,,2020-01-02\n"))
		wantText(t, st, "time,lat,b,f,id,n,s", "2020-01-01T00:00:00,40,,,,,", "2020-01-01T00:00:00,50,1,1000,2,3,",
			"2020-01-02T00:00:00,40,0,8,1,,\"a,b\"", "2020-01-02T00:00:00,50,1,0.5,9007199254740993,1,x",
			"2020-01-03T00:00:00,40,,,,,", "2020-01-03T00:00:00,50,,-3,,7,", "2020-01-04T00:00:00,40,,1,,2,", "2020-01-04T00:00:00,50,,,,,")
	}
}

// existing creates a dataset with a packed variable, a descending coordinate, a bool, and times of
// another calendar.
func existing(t testing.TB) store.Store {
	st := mem.New()
	create(t, st, map[string]int{"time": 2, "y": 3},
		variable{name: "time", dims: "time", t: dtype.Int32, attrs: map[string]any{"units": "days since 2000-01-01", "calendar": "360_day"}, data: stored("time", []int32{29, 59})},
		variable{name: "y", dims: "y", t: dtype.Float32, data: stored("y", []float32{0.3, 0.2, 0.1})},
		variable{name: "t", dims: "y time", t: dtype.Int16, chunks: []int{2, 1}, attrs: map[string]any{"scale_factor": 0.5, "_FillValue": -99, "actual_range": []any{0, 0}}, data: stored("t", make([]int16, 6))},
		variable{name: "n", dims: "time y", t: dtype.Uint8, chunks: []int{1, 2}, data: stored("n", make([]uint8, 6))},
		variable{name: "b", dims: "time y", t: dtype.Bool, data: stored("b", make([]bool, 6))},
	)
	return st
}

// TestImportExisting writes to variables of other orders, calendars and encodings.
func TestImportExisting(t *testing.T) {
	st := existing(t)
	o := arrow.ImportOptions{Labels: []string{"y", "time"}}
	must(t, importText(t.Context(), t, st, o, "y,time,t,n\n0.1,2000-02-30,1.5,255\n0.3,2000-01-30,,7\n"))
	wantText(t, st, "time,y,b,n,t", "2000-01-30T00:00:00,0.3,false,7,", "2000-01-30T00:00:00,0.2,false,0,0", "2000-01-30T00:00:00,0.1,false,0,0",
		"2000-02-30T00:00:00,0.3,false,0,0", "2000-02-30T00:00:00,0.2,false,0,0", "2000-02-30T00:00:00,0.1,false,255,1.5")
	d, err := dataset.Open(t.Context(), st, "", dataset.Options{})
	must(t, err)
	if v, err := d.Var("t"); err != nil || v.Attrs()["actual_range"] != nil {
		t.Error(v.Attrs(), err)
	}
}

// TestImportRefuses checks that imports that fail name the row and the cause, and that those whose
// labels or types are wrong store nothing.
func TestImportRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, rows string
		change     func(*arrow.ImportOptions)
		kind       error
		want       string
	}{
		{"label", "y,time,t\n0.1,2000-01-30,1\n0.15,2000-01-30,1\n", nil, fault.Selection, "row 2: dimension y has no label 0.15"},
		{"date", "y,time,t\n0.1,2000-01-31,1\n", nil, fault.Selection, "row 1: dimension time has no label"},
		{"null label", "y,time,t\n0.1,2000-01-30,1\n,2000-01-30,1\n", nil, fault.Selection, "row 2: the label y is missing"},
		{"twice", "y,time,t\n0.1,2000-01-30,1\n0.2,2000-01-30,1\n0.1,2000-01-30,2\n", nil, fault.Exists, `row 3: another row has the labels y=0.1 time=2000-01-30`},
		{"packed", "y,time,t\n0.1,2000-01-30,1\n0.2,2000-01-30,40000\n", nil, fault.Type, `row 2, column "t"`},
		{"missing value", "y,time,t\n0.1,2000-01-30,-49.5\n", nil, fault.Type, `row 1, column "t"`},
		{"range", "y,time,n\n0.1,2000-01-30,256\n", nil, fault.Type, "256"},
		{"sign", "y,time,n\n0.1,2000-01-30,-1\n", nil, fault.Type, "-1"},
		{"fraction", "y,time,n\n0.1,2000-01-30,1\n0.2,2000-01-30,1.5\n", nil, fault.Type, `row 2, column "n": wrong type: 1.5 is not an integer`},
		{"null", "y,time,n\n0.1,2000-01-30,1\n0.2,2000-01-30,\n", nil, fault.Type, "row 2"},
		{"null bool", "y,time,b\n0.1,2000-01-30,true\n0.2,2000-01-30,\n", nil, fault.Type, "row 2"},
		{"text", "y,time,t\n0.1,2000-01-30,x\n", nil, fault.Type, "variable t"},
		{"number", "y,time,b\n0.1,2000-01-30,2\n", nil, fault.Type, "variable b"},
		{"no variable", "y,time,z\n0.1,2000-01-30,2\n", nil, fault.NotFound, `"z"`},
		{"dimensions", "y,t\n0.1,2\n", func(o *arrow.ImportOptions) { o.Labels = []string{"y"} }, fault.Selection, "variable t has the dimensions"},
		{"no dimension", "y,x,t\n0.1,2,3\n", func(o *arrow.ImportOptions) { o.Labels = []string{"y", "x"} }, fault.Selection, `no dimension "x"`},
		{"no column", "y,time,t\n0.1,2000-01-30,1\n", func(o *arrow.ImportOptions) { o.Columns = []string{"q"} }, fault.Selection, `0 columns "q"`},
		{"two columns", "y,time,t,t\n0.1,2000-01-30,1,2\n", nil, fault.Selection, `2 columns "t"`},
		{"labels", "y,time,t\n0.1,2000-01-30,1\n0.2,2000-01-30,1\n", func(o *arrow.ImportOptions) { o.MaxLabels = 1 }, fault.Limit, "row 2: column y has more than 1 labels"},
		{"other variables", "y,time,t\n0.1,2000-03-30,1\n", func(o *arrow.ImportOptions) { o.Extend = "time" }, fault.Type, "cannot be missing"},
		{"few rows", "y,time,t,n,b\n0.1,2000-03-30,1,1,true\n", func(o *arrow.ImportOptions) { o.Extend = "time" }, fault.Type, "1 of the 3 new elements"},
		{"rows that repeat labels", "y,time,t,n,b\n0.1,2000-03-30,1,1,true\n0.1,2000-03-30,1,1,true\n0.2,2000-03-30,1,1,true\n", func(o *arrow.ImportOptions) { o.Extend, o.LastWins = "time", true }, fault.Type, "rows repeat labels"},
		{"columns", strings.Repeat("y,", 1<<16) + "time\n", nil, fault.Limit, "65537 columns"},
		{"lines", "y,time,t\n0.1,2000-01-30\n", nil, fault.Corrupt, "wrong number of fields"},
		{"long line", "y,time,t\n0.1,2000-01-30," + strings.Repeat("1", 17<<20) + "\n", nil, fault.Limit, "a line of CSV"},
		{"empty", "", nil, fault.Corrupt, "names of columns"},
	} {
		st := existing(t)
		before := text(t, st)
		o := arrow.ImportOptions{Labels: []string{"y", "time"}}
		if tt.change != nil {
			tt.change(&o)
		}
		from, err := arrow.OpenSource(strings.NewReader(tt.rows), int64(len(tt.rows)), arrow.CSV)
		if err == nil {
			_, err = arrow.Import(t.Context(), st, "", o, from)
		}
		if !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if after := text(t, st); after != before {
			t.Errorf("%s: stored\n%s", tt.name, after)
		}
	}
	o := arrow.ImportOptions{Labels: []string{"y", "time"}, LastWins: true}
	st := existing(t)
	must(t, importText(t.Context(), t, st, o, "y,time,t\n0.1,2000-01-30,1\n0.2,2000-01-30,1\n0.1,2000-01-30,2\n"))
	if got := text(t, st); !strings.Contains(got, "2000-01-30T00:00:00,0.1,false,0,2\n") {
		t.Error(got)
	}
}

// rows returns a table of n × 4 rows as CSV, from a row of the first dimension on, in a random
// order.
func rows(from, n int, seed uint64) string {
	lines := make([]string, 0, 4*n)
	for i := from; i < from+n; i++ {
		for y := range 4 {
			lines = append(lines, fmt.Sprintf("%d,%d,%d,text %d", i*10, y, i*4+y+1, i*y))
		}
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(lines), func(i, k int) { lines[i], lines[k] = lines[k], lines[i] })
	return "x,y,v,s\n" + strings.Join(lines, "\n") + "\n"
}

// TestImportKilled checks that an import that ended after any of its writes can be run again, with
// the same result, for a new dataset and for one that is extended.
func TestImportKilled(t *testing.T) {
	o := arrow.ImportOptions{Labels: []string{"x", "y"}, Chunks: map[string]int{"x": 3, "y": 2}, Extend: "x", TakeOver: -1}
	errKilled := errors.New("killed")
	for _, begin := range []int{0, 0, 4, 4} {
		var want string
		o.Format = 5 - max(o.Format, 2) // 3, 2, 3, 2
		for n, ended := 0, false; !ended; n++ {
			st := mem.New()
			if begin > 0 {
				must(t, importText(t.Context(), t, st, o, rows(0, begin, 1)))
			}
			var left atomic.Int64
			left.Store(int64(n))
			killed := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
				if (c.Op == store.OpPut || c.Op == store.OpDelete) && left.Add(-1) < 0 || left.Load() < 0 {
					return nil, errKilled
				}
				return ctx, nil
			}})
			err := importText(t.Context(), t, killed, o, rows(begin, 5, 2))
			if ended = err == nil; !ended && (!errors.Is(err, errKilled) || errors.Is(err, fault.Corrupt)) {
				t.Fatalf("after %d writes: %v", n, err)
			}
			if !ended {
				if err := importText(t.Context(), t, st, o, rows(begin, 5, 3)); err != nil {
					t.Errorf("after %d writes, from %d: %v", n, begin, err)
					continue
				}
			}
			if want == "" {
				if want = text(t, st); strings.Count(want, "\n") != 1+4*(begin+5) {
					t.Fatalf("got\n%s", want)
				}
			}
			if got := text(t, st); got != want {
				t.Errorf("after %d writes, from %d: got\n%s\nwant\n%s", n, begin, got, want)
			}
			if ended && n < 10 {
				t.Errorf("only %d writes", n)
			}
		}
	}
}

// TestImportsMeet checks that imports that run at the same time lose nothing: those of the same new
// dataset, of the same new labels, and of rows in the same chunks.
func TestImportsMeet(t *testing.T) {
	for round := range uint64(10) {
		st := mem.New()
		o := arrow.ImportOptions{Labels: []string{"x", "y"}, Chunks: map[string]int{"x": 7}, Extend: "x", Memory: 2000, Wait: time.Minute}
		all := func(texts ...string) {
			must(t, concurrency.EachN(t.Context(), len(texts), len(texts), func(ctx context.Context, i int) error {
				return importText(ctx, t, st, o, texts[i])
			}))
		}
		all(rows(0, 5, round), rows(0, 5, round+1))
		all(rows(5, 6, round), rows(5, 6, round+1), rows(0, 5, 3))
		var parts [3][]string
		whole := strings.Split(rows(0, 20, 3), "\n")
		for i, line := range whole[1:81] {
			parts[i%3] = append(parts[i%3], line)
		}
		must(t, importText(t.Context(), t, st, o, rows(11, 9, 1)))
		for i, line := range whole[1:81] { // other values
			whole[i+1] = line + "!"
			parts[i%3][i/3] += "!"
		}
		var texts []string
		for _, p := range parts {
			texts = append(texts, "x,y,v,s\n"+strings.Join(p, "\n")+"\n")
		}
		all(texts...)
		got := text(t, st)
		if n := strings.Count(got, "!"); n != 80 || strings.Count(got, "\n") != 81 {
			t.Fatalf("%d of 80 rows:\n%s", n, got)
		}
	}
}

// TestImportWritesOnce checks that rows in the order of chunks write each chunk once and read none,
// also if there is memory for few rows, and that rows in another order lose nothing.
func TestImportWritesOnce(t *testing.T) {
	var ordered strings.Builder
	ordered.WriteString("x,y,v,s\n")
	for i := range 1600 {
		for y := range 25 {
			if i%100 != 99 || y != 3 { // chunks that lack a row
				fmt.Fprintf(&ordered, "%d,%d,%d,t\n", i, y, i+y)
			}
		}
	}
	for _, memory := range []int64{0, 200_000} {
		st, puts, gets := mem.New(), map[string]int{}, 0
		var mu sync.Mutex
		counted := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			mu.Lock()
			defer mu.Unlock()
			if strings.Contains(c.Key, "v/c/") && c.Op == store.OpPut {
				puts[c.Key]++
			} else if strings.Contains(c.Key, "v/c/") && c.Op == store.OpGet {
				gets++
			}
			return ctx, nil
		}})
		o := arrow.ImportOptions{Labels: []string{"x", "y"}, Chunks: map[string]int{"x": 20, "y": 25}, Memory: memory}
		must(t, importText(t.Context(), t, counted, o, ordered.String()))
		for key, n := range puts {
			if n != 1 {
				t.Errorf("%s: %d puts", key, n)
			}
		}
		if len(puts) != 80 || gets != 16 { // of the chunks that lack a row
			t.Errorf("%d chunks, %d gets", len(puts), gets)
		}
		want := text(t, st)
		lines := strings.Split(strings.TrimSpace(ordered.String()), "\n")[1:]
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(lines), func(i, k int) { lines[i], lines[k] = lines[k], lines[i] })
		st = mem.New()
		must(t, importText(t.Context(), t, st, o, "x,y,v,s\n"+strings.Join(lines, "\n")+"\n"))
		if got := text(t, st); got != want {
			t.Errorf("memory %d: shuffled rows differ", memory)
		}
	}
}
