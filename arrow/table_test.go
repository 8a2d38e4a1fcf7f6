package arrow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/zargo-io/zargo/arrow"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// gets is a store that notes the keys of gets.
type gets struct {
	store.Store
	mu   sync.Mutex
	keys []string
}

func (g *gets) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	g.mu.Lock()
	g.keys = append(g.keys, key)
	g.mu.Unlock()
	return g.Store.Get(ctx, key, o, buf)
}

// sent returns the keys since the last call, sorted.
func (g *gets) sent() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	slices.Sort(g.keys)
	out := strings.Join(g.keys, " ")
	g.keys = nil
	return out
}

// variable describes a variable of a test.
type variable struct {
	name   string
	dims   string
	t      dtype.Type
	chunks []int
	attrs  map[string]any
	data   *dataset.Data
}

// stored returns the values of a variable in their stored form.
func stored[T any](name string, values []T) *dataset.Data {
	d := dataset.Stored(name, values)
	return &d
}

// create creates a dataset whose dimensions have the given lengths.
func create(t testing.TB, st store.Store, lengths map[string]int, vars ...variable) *dataset.Dataset {
	t.Helper()
	spec, data := dataset.Spec{}, []dataset.Data{}
	for _, v := range vars {
		s := zarr.Spec{DType: v.t, Dims: strings.Fields(v.dims), Chunks: v.chunks, Attrs: v.attrs}
		for _, d := range s.Dims {
			s.Shape = append(s.Shape, lengths[d])
		}
		spec.Vars = append(spec.Vars, dataset.VarSpec{Name: v.name, Spec: s})
		if v.data != nil {
			data = append(data, *v.data)
		}
	}
	d, err := dataset.Create(t.Context(), st, "", spec, dataset.Options{})
	must(t, err)
	d, err = d.Write(t.Context(), data...)
	must(t, err)
	return d
}

// count returns numbers from 0.
func count[T int8 | int32 | int64 | float64](n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = T(i)
	}
	return out
}

// TestFirstBatch checks that counting sends no request, and that a batch of 1 % of a table with 10⁹
// rows is read from the chunks of these rows, each once.
func TestFirstBatch(t *testing.T) {
	st := &gets{Store: mem.New()}
	ds := create(t, st, map[string]int{"time": 1000, "y": 1000, "x": 1000},
		variable{name: "time", dims: "time", t: dtype.Int32, attrs: map[string]any{"units": "days since 2000-01-01"}, data: stored("time", count[int32](1000))},
		variable{name: "y", dims: "y", t: dtype.Int32, chunks: []int{100}, data: stored("y", count[int32](1000))},
		variable{name: "a", dims: "time y x", t: dtype.Int16, chunks: []int{10, 50, 500}},
		variable{name: "b", dims: "time y x", t: dtype.Float32, chunks: []int{5, 100, 1000}},
		variable{name: "c", dims: "x time y", t: dtype.Int8, chunks: []int{1000, 10, 10}},
	)
	written, err := ds.Sel(dataset.Slice("time", 360, 380), dataset.Slice("y", 100, 200)) // absent chunks need another request
	must(t, err)
	_, err = written.Write(t.Context(), dataset.Stored("a", make([]int16, 20*100*1000)), dataset.Stored("b", make([]float32, 20*100*1000)))
	must(t, err)
	st.sent()
	all, err := arrow.New(ds)
	must(t, err)
	part, err := all.Select("a", "b")
	must(t, err)
	part, err = part.Where("time", "2001-01-01", "2001-01-04") // 366 to 369
	must(t, err)
	part, err = part.Where("y", 150, 180)
	must(t, err)
	if n := [2]int64{all.Count(), part.Count()}; n != [2]int64{1e9, 4 * 31 * 1000} || st.sent() != "" {
		t.Errorf("%d rows by requests", n)
	}
	if got := fmt.Sprint(part.Schema().Fields()); !strings.Contains(got, "timestamp[s]") || strings.Contains(got, "{c ") || st.sent() != "" {
		t.Error(got)
	}
	r, err := part.Reader(t.Context())
	must(t, err)
	if got, want := st.sent(), "time/c/0 y/c/1"; got != want {
		t.Errorf("the coordinates are read by %s, want %s", got, want)
	}
	if !r.Next() || r.RecordBatch().NumRows() != 1<<16 {
		t.Fatal(r.Err())
	}
	if got, want := st.sent(), "a/c/36/3/0 a/c/36/3/1 b/c/73/1/0"; got != want {
		t.Errorf("the first batch is read by %s, want %s", got, want)
	}
	rows := r.RecordBatch().NumRows()
	for r.Next() {
		rows += r.RecordBatch().NumRows()
	}
	if got := st.sent(); r.Err() != nil || rows != part.Count() || got != "" {
		t.Errorf("%d rows of %d, then %s, %v", rows, part.Count(), got, r.Err())
	}
	r.Release()
	empty, err := part.Where("y", 150.2, 150.8)
	must(t, err)
	for _, f := range arrow.Formats() {
		var b bytes.Buffer
		if err := empty.Write(t.Context(), &b, f); err != nil || b.Len() == 0 {
			t.Errorf("%s without rows: %d bytes, %v", f, b.Len(), err)
		}
	}
}

// TestOrder checks the rows and their order, for variables with other chunks and in another order
// of dimensions, and that a batch stays valid.
func TestOrder(t *testing.T) {
	const ny, nx = 300, 700
	a, b := make([]int32, ny*nx), make([]int32, ny*nx)
	for y := range ny {
		for x := range nx {
			a[y*nx+x], b[x*ny+y] = int32(y*1000+x), int32(x*1000+y)
		}
	}
	st := &gets{Store: mem.New()}
	ds := create(t, st, map[string]int{"y": ny, "x": nx},
		variable{name: "x", dims: "x", t: dtype.Int64, data: stored("x", count[int64](nx))},
		variable{name: "a", dims: "y x", t: dtype.Int32, chunks: []int{100, 100}, data: stored("a", a)},
		variable{name: "b", dims: "x y", t: dtype.Int32, chunks: []int{70, 200}, data: stored("b", b)},
	)
	st.sent()
	table, err := arrow.New(ds, "x", "y")
	must(t, err)
	r, err := table.Reader(t.Context())
	must(t, err)
	defer r.Release()
	row := 0
	var first string
	for r.Next() {
		batch := r.RecordBatch()
		if row == 0 {
			batch.Retain()
			defer func() {
				if got := fmt.Sprint(batch.Column(2)); got != first {
					t.Error("the first batch has changed")
				}
				batch.Release()
			}()
			first = fmt.Sprint(batch.Column(2))
		}
		ys, xs := batch.Column(0).(*array.Int64), batch.Column(1).(*array.Dictionary)
		as, bs := batch.Column(2).(*array.Int32), batch.Column(3).(*array.Int32)
		for i := range int(batch.NumRows()) {
			y, x := int64(row/nx), int64(row%nx)
			if got, want := []int64{ys.Value(i), xs.Dictionary().(*array.Int64).Value(xs.GetValueIndex(i)), int64(as.Value(i)), int64(bs.Value(i))}, []int64{y, x, y*1000 + x, x*1000 + y}; !slices.Equal(got, want) {
				t.Fatalf("row %d: %v, want %v", row, got, want)
			}
			row++
		}
	}
	if row != ny*nx || r.Err() != nil {
		t.Error(row, r.Err())
	}
	if sent := strings.Fields(st.sent()); len(sent) != 1+21+20 {
		t.Errorf("%d requests: %v", len(sent), sent)
	}
}

// TestColumns checks which arrays become columns of which table, and their types.
func TestColumns(t *testing.T) {
	lengths := map[string]int{"time": 2, "y": 3, "x": 4, "bnds": 2, "s": 2}
	since := func(units, calendar string) map[string]any {
		return map[string]any{"units": units, "calendar": calendar}
	}
	ds := create(t, mem.New(), lengths,
		variable{name: "time", dims: "time", t: dtype.Int64, attrs: map[string]any{"units": "hours since 2000-01-01", "bounds": "when"}},
		variable{name: "when", dims: "time bnds", t: dtype.Int64},
		variable{name: "x_bnds", dims: "x bnds", t: dtype.Float32},
		variable{name: "xc", dims: "y x", t: dtype.Float64},
		variable{name: "yc", dims: "x", t: dtype.Float64},
		variable{name: "crs", t: dtype.Int8},
		variable{name: "a", dims: "time y x", t: dtype.Float16, attrs: map[string]any{"coordinates": "xc yc", "units": "K"}},
		variable{name: "z", dims: "x y time", t: dtype.Complex64},
		variable{name: "y", dims: "y x", t: dtype.Int8, attrs: map[string]any{"_Unsigned": "true"}},
		variable{name: "t1", dims: "s", t: dtype.Int32, attrs: since("milliseconds since 2000-01-01", "")},
		variable{name: "t2", dims: "s", t: dtype.Int32, attrs: since("days since 2000-01-01 00:00:00.5", "standard")},
		variable{name: "t3", dims: "s", t: dtype.Float64, attrs: since("days since 2000-01-01", "gregorian")},
		variable{name: "t4", dims: "s", t: dtype.Int32, attrs: since("days since 2000-01-01", "julian")},
		variable{name: "t5", dims: "s", t: dtype.DateTime{Unit: dtype.Microsecond}},
		variable{name: "t6", dims: "s", t: dtype.DateTime{Unit: dtype.Day}},
		variable{name: "t7", dims: "s", t: dtype.DateTime{Unit: dtype.Millisecond}},
		variable{name: "d", dims: "s", t: dtype.TimeDelta{Unit: dtype.Hour}},
		variable{name: "v", dims: "s", t: dtype.Bytes},
		variable{name: "u", dims: "s", t: dtype.U(3)},
	)
	tables, err := arrow.Tables(ds)
	must(t, err)
	var got []string
	for _, table := range tables {
		line := fmt.Sprint(table.Dims(), " ", table.Count())
		for _, f := range table.Schema().Fields() {
			line += fmt.Sprintf(" %s:%v", f.Name, f.Type)
		}
		got = append(got, line)
	}
	dictionary := func(of string) string { return "dictionary<values=" + of + ", indices=int32, ordered=false>" }
	want := []string{
		"[{time 2} {y 3} {x 4}] 24 time:" + dictionary("timestamp[s]") + " y:int64 x:int64 xc:float64 yc:" + dictionary("float64") + " a:float32",
		"[{s 2}] 2 s:int64 d:duration[ns] t1:timestamp[ms] t2:timestamp[ms] t3:timestamp[us] t4:utf8 t5:timestamp[us] t6:timestamp[s] t7:timestamp[ms] u:utf8 v:binary",
		"[{y 3} {x 4}] 12 y_position:int64 x:int64 xc:float64 yc:" + dictionary("float64") + " y:uint8",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if f := tables[0].Findings(); len(f) != 1 || f[0].Path != "z" || !strings.Contains(f[0].Text, "complex64") {
		t.Error(f)
	}
	a, _ := tables[0].Schema().FieldsByName("a")
	if units, ok := a[0].Metadata.GetValue("units"); !ok || units != "K" {
		t.Error(a)
	}
	only, err := tables[0].Select("xc") // no column has all dimensions
	must(t, err)
	var b bytes.Buffer
	must(t, only.Write(t.Context(), &b, arrow.CSV))
	if lines := strings.Split(b.String(), "\n"); len(lines) != 26 || lines[0] != "time,y,x,xc" || lines[24] != "2000-01-01T00:00:00,2,3,0" {
		t.Errorf("%q", lines)
	}
}

// TestPoints checks the labels of points, also of a table with fewer columns.
func TestPoints(t *testing.T) {
	ds := create(t, mem.New(), map[string]int{"z": 2, "y": 3, "x": 3},
		variable{name: "y", dims: "y", t: dtype.Int32, data: stored("y", []int32{50, 60, 70})},
		variable{name: "x", dims: "x", t: dtype.Int32, data: stored("x", []int32{1, 2, 3})},
		variable{name: "a", dims: "z y x", t: dtype.Int32, chunks: []int{1, 2, 2}, data: stored("a", count[int32](18))},
		variable{name: "b", dims: "x y z", t: dtype.Int32},
	)
	table, err := arrow.New(ds)
	must(t, err)
	table, err = table.Select("a")
	must(t, err)
	table, err = table.Sel(dataset.Pointwise("p", dataset.Label("y", []int{70, 50}), dataset.Label("x", []int{1, 3})), dataset.At("z", 1))
	must(t, err)
	var b bytes.Buffer
	must(t, table.Write(t.Context(), &b, arrow.CSV))
	if got, want := b.String(), "p,y,x,a\n0,70,1,15\n1,50,3,11\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestRefused checks the errors of tables.
func TestRefused(t *testing.T) {
	huge := math.MaxInt/2 + 1
	ds := create(t, mem.New(), map[string]int{"x": 2, "y": 3, "p": huge, "q": 1},
		variable{name: "a", dims: "x y", t: dtype.Int8},
		variable{name: "z", dims: "x y", t: dtype.Complex64},
		variable{name: "old", dims: "x", t: dtype.Int32, attrs: map[string]any{"units": "days since 1500-01-01"}},
		variable{name: "far", dims: "y", t: dtype.Float64, attrs: map[string]any{"units": "days since 2000-01-01"}, data: stored("far", []float64{0, 1, 1e11})},
		variable{name: "bad", dims: "y", t: dtype.S(2), data: stored("bad", [][2]byte{{97}, {0xff}, {98}})},
		variable{name: "h", dims: "p q", t: dtype.Int8, chunks: []int{huge, 1}},
	)
	table := func(dims ...string) *arrow.Table {
		out, err := arrow.New(ds, dims...)
		must(t, err)
		return out
	}
	write := func(table *arrow.Table, err error) error {
		must(t, err)
		return table.Write(t.Context(), io.Discard, arrow.Stream)
	}
	last := func(_ any, err error) error { return err }
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("ended"))
	for _, tt := range []struct {
		name string
		err  error
		kind error
		text string
	}{
		{"several sets", last(arrow.New(ds)), fault.Selection, "[[x y] "},
		{"no such set", last(arrow.New(ds, "x", "q")), fault.NotFound, `["x" "q"]`},
		{"too many rows", last(table("p", "q").Sel(dataset.At("q", []int{0, 0, 0}))), fault.Limit, "2⁶³"},
		{"no such column", last(table("x", "y").Select("b")), fault.NotFound, `["x" "y" "a"]`},
		{"a column twice", last(table("x", "y").Select("a", "a")), fault.Selection, `"a"`},
		{"complex", last(table("x", "y").Select("z")), fault.Type, "complex64"},
		{"no such label", last(table("x", "y").Sel(dataset.Label("x", 7))), fault.Selection, "7"},
		{"a date that timestamps lack", write(table("x").Select("old")), fault.Type, "1500-01-01"},
		{"a time out of range", write(table("y").Select("far")), fault.Limit, "value 2"},
		{"no text", write(table("y").Select("bad")), fault.Type, "value 1"},
		{"format", table("x", "y").Write(t.Context(), io.Discard, "xlsx"), fault.Selection, "xlsx"},
		{"no writer", table("x", "y").Write(t.Context(), nil, arrow.CSV), fault.Selection, "nil"},
		{"a full disk", table("x", "y").Write(t.Context(), full{}, arrow.Parquet), errFull, ""},
		{"a full disk for texts", table("x", "y").Write(t.Context(), full{}, arrow.CSV), errFull, ""},
		{"the end of the context", table("x", "y").Write(ended, io.Discard, arrow.File), nil, "ended"},
	} {
		if tt.err == nil || tt.kind != nil && !errors.Is(tt.err, tt.kind) || !strings.Contains(tt.err.Error(), tt.text) {
			t.Errorf("%s: %v, want %v with %s", tt.name, tt.err, tt.kind, tt.text)
		}
	}
}

var errFull = errors.New("full")

// full is a writer that fails.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestLabels checks rows of coordinates alone, without a variable, and that they end with the
// context.
func TestLabels(t *testing.T) {
	st := &gets{Store: mem.New()}
	ds := create(t, st, map[string]int{"p": 1 << 26, "q": 1 << 12},
		variable{name: "q", dims: "q", t: dtype.Float64, data: stored("q", count[float64](1<<12))},
		variable{name: "v", dims: "p q", t: dtype.Int8, chunks: []int{1 << 16, 1 << 10}},
	)
	st.sent()
	table, err := arrow.New(ds)
	must(t, err)
	table, err = table.Select()
	must(t, err)
	table, err = table.Sel(dataset.Slice("p", 5, 1<<26), dataset.At("q", []int{9, 9, 7}))
	must(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	r, err := table.Reader(ctx)
	must(t, err)
	if !r.Next() {
		t.Fatal(r.Err())
	}
	b := r.RecordBatch()
	p, q := b.Column(0).(*array.Int64), b.Column(1).(*array.Dictionary)
	if got := []int64{table.Count(), p.Value(0), p.Value(4), int64(q.Dictionary().Len())}; !slices.Equal(got, []int64{3 * (1<<26 - 5), 5, 6, 2}) || q.GetValueIndex(1) != 0 || q.GetValueIndex(2) != 1 {
		t.Error(got)
	}
	if got := st.sent(); strings.Contains(got, "v/c") {
		t.Error(got)
	}
	end := errors.New("end")
	cancel(end)
	for rows := int64(0); r.Next(); { // of the block, and of the one that is ahead
		if rows += r.RecordBatch().NumRows(); rows > 1<<26 {
			t.Fatal("the reader does not end")
		}
	}
	if !errors.Is(r.Err(), end) {
		t.Error(r.Err())
	}
	r.Release()
}

// TestBlocks checks that a small memory budget bounds the blocks, and that the row groups of
// Parquet end where blocks end.
func TestBlocks(t *testing.T) {
	st := mem.New()
	create(t, st, map[string]int{"y": 200, "x": 5000}, variable{name: "a", dims: "y x", t: dtype.Int32, chunks: []int{10, 5000}})
	limits := concurrency.Default().Share(1)
	limits.Bytes = concurrency.NewBudget(1 << 20)
	ds, err := dataset.Open(t.Context(), st, "", dataset.Options{}, zarr.Limit(zarr.Limits{Shared: limits}))
	must(t, err)
	table, err := arrow.New(ds)
	must(t, err)
	r, err := table.Reader(t.Context())
	must(t, err)
	var rows []int64
	for r.Next() {
		rows = append(rows, r.RecordBatch().NumRows())
	}
	r.Release()
	if want := slices.Repeat([]int64{50_000}, 20); r.Err() != nil || !slices.Equal(rows, want) {
		t.Errorf("batches of %d rows, %v", rows, r.Err())
	}
	var b bytes.Buffer
	must(t, table.Write(t.Context(), &b, arrow.Parquet))
	f, err := file.NewParquetReader(bytes.NewReader(b.Bytes()))
	must(t, err)
	defer f.Close()
	var groups []int64
	for i := range f.NumRowGroups() {
		groups = append(groups, f.MetaData().RowGroup(i).NumRows())
	}
	if want := append(slices.Repeat([]int64{150_000}, 6), 100_000); !slices.Equal(groups, want) {
		t.Errorf("row groups of %d rows", groups)
	}
}
