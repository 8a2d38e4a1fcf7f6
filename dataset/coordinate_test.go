package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// withX creates a group with a coordinate x of 4 elements and a variable v(x).
func withX(t *testing.T, format int, s zarr.Spec, store store.Store) *zarr.Group {
	t.Helper()
	g, err := zarr.CreateGroup(t.Context(), store, "", zarr.Spec{Format: format})
	if err != nil {
		t.Fatal(err)
	}
	names := func(s zarr.Spec, dims ...string) zarr.Spec {
		s.Shape = []int{4}
		if format == 2 {
			attrs := map[string]any{"_ARRAY_DIMENSIONS": dims}
			for k, v := range s.Attrs {
				attrs[k] = v
			}
			s.Attrs = attrs
		} else {
			s.Dims = dims
		}
		return s
	}
	if _, err := g.CreateArray(t.Context(), "x", names(s, "x")); err != nil {
		t.Fatal(err)
	}
	put(t, g, "v", names(zarr.Spec{DType: dtype.Int32}, "x"), []int32{10, 20, 30, 40})
	return g
}

// TestUndecodable checks coordinates that exist and cannot be decoded: selections by label return
// the cause and never select by position, and the rest of the dataset is open.
func TestUndecodable(t *testing.T) {
	for _, c := range []struct {
		name string
		spec zarr.Spec
		want string
		kind error
	}{
		{"months", zarr.Spec{DType: dtype.Int64, Attrs: map[string]any{"units": "months since 1955-01-01"}}, "months", errors.ErrUnsupported},
		{"scale", zarr.Spec{DType: dtype.Int16, Attrs: map[string]any{"scale_factor": "0.001f"}}, "scale_factor must be a number, is 0.001f", fault.Metadata},
		{"calendar", zarr.Spec{DType: dtype.Int64, Attrs: map[string]any{"units": "days since 2000-01-01", "calendar": "mayan"}}, "mayan", fault.Metadata},
		{"complex", zarr.Spec{DType: dtype.Complex128}, "complex128 are not labels", fault.Type},
		{"raw bytes", zarr.Spec{DType: dtype.R(3)}, "are not labels", fault.Type},
		{"years of numpy", zarr.Spec{DType: dtype.TimeDelta{Unit: dtype.Year}, Fill: dtype.Span(1)}, "no fixed length", fault.Type},
	} {
		for _, format := range []int{2, 3} {
			if format == 2 && c.name == "raw bytes" {
				continue
			}
			t.Run(fmt.Sprint(c.name, format), func(t *testing.T) {
				g := withX(t, format, c.spec, mem.New())
				d := open(t, g)
				if len(d.Findings()) == 0 {
					t.Error("no finding")
				}
				if got := values(t, variable(t, d, "v")); fmt.Sprint(got) != "[10 20 30 40]" {
					t.Error(got)
				}
				for _, q := range []dataset.Query{
					dataset.Label("x", 1), dataset.Text("x", "1"), dataset.Text("x", "1:2"), dataset.Text("x", "1,2"), dataset.Label("x", 1).Nearest(),
					dataset.Label("x", []int{1, 2}), dataset.Between("x", 1, 2), dataset.Between("x", nil, 2), dataset.Label("x", time.Time{}),
				} {
					if _, err := d.Sel(q); !errors.Is(err, c.kind) || !strings.Contains(fmt.Sprint(err), c.want) {
						t.Errorf("%v: %v, want %q", q, err, c.want)
					}
				}
				if v, err := d.Var("v", dataset.At("x", 1)); err != nil || values(t, v)[0] != 20 {
					t.Error(err)
				}
				if x, err := dataset.FindIndex(t.Context(), g, "x", 4, dataset.Options{}); x != nil || !errors.Is(err, c.kind) {
					t.Errorf("FindIndex: %v, %v", x, err)
				}
				_, err := d.Append(t.Context(), "x", dataset.AppendOptions{}, dataset.Stored("v", []int32{5}))
				if err == nil {
					t.Error("an append without the coordinate succeeded")
				}
			})
		}
	}
}

// TestLeftOut checks that a variable that cannot be decoded does not prevent the others, that its
// error is the cause, and that it can be read without decoding.
func TestLeftOut(t *testing.T) {
	g := root(t)
	put(t, g, "x", zarr.Spec{Shape: []int{2}, DType: dtype.Int64, Dims: []string{"x"}, Attrs: map[string]any{"units": "days since 2000-01-01"}}, []int64{0, 1})
	put(t, g, "bad", zarr.Spec{Shape: []int{2}, DType: dtype.Int16, Dims: []string{"x"}, Attrs: map[string]any{"scale_factor": "0.001f", "_FillValue": 7}}, []int16{5, 7})
	put(t, g, "good", zarr.Spec{Shape: []int{2}, DType: dtype.Int16, Dims: []string{"x"}, Attrs: map[string]any{"scale_factor": 0.5}}, []int16{5, 7})
	d := open(t, g)
	if len(d.Vars()) != 1 || len(d.Findings()) != 1 || !strings.Contains(d.Findings()[0].String(), "0.001f") {
		t.Errorf("%v, %v", d.Vars(), d.Findings())
	}
	if _, err := d.Var("bad"); !errors.Is(err, fault.Metadata) || errors.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "0.001f") {
		t.Error(err)
	}
	if _, err := d.Var("none"); !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
	if _, err := d.Append(t.Context(), "x", dataset.AppendOptions{}, dataset.Stored("x", []int64{2}), dataset.Stored("good", []int16{1})); err == nil || !strings.Contains(err.Error(), "bad") {
		t.Errorf("append beside a variable that is left out: %v", err)
	}
	for _, c := range []struct {
		o    dataset.Options
		want string
	}{{dataset.Options{Raw: true}, "[0 1] [5 7] [5 7]"}, {dataset.Options{RawTimes: true}, "[0 1] [2.5 3.5]"}} {
		d, err := dataset.OpenGroup(t.Context(), g, c.o)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(values(t, variable(t, d, "x")))
		for _, v := range d.Vars() {
			got += " " + fmt.Sprint(values(t, v))
		}
		if got != c.want {
			t.Errorf("%+v: %s, want %s", c.o, got, c.want)
		}
		if v, err := d.Var("good", dataset.Label("x", 1)); err != nil || v.Len() != 1 {
			t.Errorf("a label without decoding: %v", err)
		}
	}
}

// TestFindIndex checks what proves that a dimension has no coordinate.
func TestFindIndex(t *testing.T) {
	g := root(t)
	put(t, g, "x", zarr.Spec{Shape: []int{3}, DType: dtype.Int8, Dims: []string{"x"}}, []int8{1, 2, 3})
	for name, s := range map[string]zarr.Spec{
		"two":   {Shape: []int{2, 2}, DType: dtype.Int8, Dims: []string{"y", "two"}},
		"other": {Shape: []int{2}, DType: dtype.Int8, Dims: []string{"y"}},
		"bare":  {Shape: []int{2}, DType: dtype.Int8},
	} {
		if _, err := g.CreateArray(t.Context(), name, s); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.CreateGroup(t.Context(), "group", nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dim    string
		length int
		want   string
	}{
		{"x", 3, "3"}, {"x", -1, "3"}, {"x", 4, "invalid metadata: the coordinate has length 3, but the dimension has length 4"},
		{"none", 2, "absent"}, {"group", 2, "absent"}, {"two", 2, "absent"}, {"other", 2, "absent"}, {"", 2, "absent"}, {"a/b", 2, "absent"}, {"..", 2, "absent"},
		{"bare", 2, "array bare has no name of its dimension"},
	} {
		x, err := dataset.FindIndex(t.Context(), g, c.dim, c.length, dataset.Options{})
		got := "absent"
		switch {
		case err != nil:
			got = err.Error()
		case x != nil:
			got = fmt.Sprint(x.Len())
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%q: %s, want %s", c.dim, got, c.want)
		}
	}
}

// TestFailedLookup checks that a refused or failed read is not taken for an absent coordinate.
func TestFailedLookup(t *testing.T) {
	for _, kind := range []error{fault.Refused, fault.Unavailable, fault.Throttled} {
		st := &failing{Store: mem.New()}
		g := withX(t, 3, zarr.Spec{DType: dtype.Int8}, st)
		st.kind = kind
		if x, err := dataset.FindIndex(t.Context(), g, "x", 4, dataset.Options{}); x != nil || !errors.Is(err, kind) {
			t.Errorf("%v, %v", x, err)
		}
	}
}

// failing is a store whose array x cannot be read.
type failing struct {
	store.Store
	kind error
}

func (s *failing) Get(ctx context.Context, key string, o store.GetOptions, dst []byte) (store.Value, error) {
	if s.kind != nil && strings.HasPrefix(key, "x/") {
		return store.Value{}, &fault.KeyError{Op: "get", Key: key, Kind: s.kind}
	}
	return s.Store.Get(ctx, key, o, dst)
}

// TestIndexMemory checks that a coordinate whose index exceeds the memory budget is refused before
// it is read, and that reading an index reserves memory.
func TestIndexMemory(t *testing.T) {
	limits := *concurrency.Default()
	limits.Bytes = concurrency.NewBudget(8 << 20)
	with := zarr.Limit(zarr.Limits{Shared: &limits})
	g := root(t)
	const n = 60_000_000
	for _, name := range []string{"time", "v"} {
		s := zarr.Spec{Shape: []int{n}, Chunks: []int{1 << 20}, DType: dtype.Int64, Dims: []string{"time"}}
		if name == "time" {
			s.Attrs = map[string]any{"units": "days since 2000-01-01"}
		}
		if _, err := g.CreateArray(t.Context(), name, s); err != nil {
			t.Fatal(err)
		}
	}
	small, err := g.With(with)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dataset.FindIndex(t.Context(), small, "time", n, dataset.Options{}); !errors.Is(err, fault.Limit) {
		t.Error(err)
	}
	d := open(t, small)
	if _, err := d.Sel(dataset.Label("time", "2000-01-01")); !errors.Is(err, fault.Limit) {
		t.Error(err)
	}
	if _, err := d.Sel(dataset.At("time", -1)); err != nil {
		t.Error(err)
	}
	if now, peak := limits.Bytes.Used(); now != 0 || peak > 8<<20 {
		t.Errorf("%d bytes are reserved, and at most %d were", now, peak)
	}

	// Two coordinates fit one by one, and not together.
	g = root(t)
	for _, dim := range []string{"a", "b"} {
		if _, err := g.CreateArray(t.Context(), dim, zarr.Spec{Shape: []int{700_000}, DType: dtype.Int64, Dims: []string{dim}}); err != nil {
			t.Fatal(err)
		}
	}
	if small, err = g.With(with); err != nil {
		t.Fatal(err)
	}
	d = open(t, small)
	_, first := d.Sel(dataset.Label("a", 0))
	_, second := d.Sel(dataset.Label("b", 0))
	if first != nil || !errors.Is(second, fault.Limit) {
		t.Errorf("%v, %v", first, second)
	}
	if _, peak := limits.Bytes.Used(); peak < 5_600_000 {
		t.Errorf("at most %d bytes were reserved", peak)
	}
}

// TestKindsOfLabels checks coordinates of each type that xarray indexes. The results are those of
// xarray 2026.9.
func TestKindsOfLabels(t *testing.T) {
	hours := map[string]any{"units": "hours", "dtype": "timedelta64[ns]"}
	g := root(t)
	coordinates := map[string]*zarr.Array{
		"bool":  put(t, g, "bool", zarr.Spec{Shape: []int{4}, DType: dtype.Bool, Dims: []string{"bool"}}, []bool{false, true, true, false}),
		"as":    put(t, g, "as", zarr.Spec{Shape: []int{2}, DType: dtype.Int8, Dims: []string{"as"}, Attrs: map[string]any{"dtype": "bool"}}, []int8{0, 1}),
		"delta": put(t, g, "delta", zarr.Spec{Shape: []int{4}, DType: dtype.TimeDelta{Unit: dtype.Hour}, Dims: []string{"delta"}}, []dtype.Span{0, 6, 12, 18}),
		"step":  put(t, g, "step", zarr.Spec{Shape: []int{4}, DType: dtype.Int64, Dims: []string{"step"}, Attrs: hours}, []int64{0, 6, 12, 18}),
		"float": put(t, g, "float", zarr.Spec{Shape: []int{4}, DType: dtype.Float32, Dims: []string{"float"}, Attrs: hours}, []float32{0, 6.5, 12, 18}),
		"lead":  put(t, g, "lead", zarr.Spec{Shape: []int{4}, DType: dtype.Int64, Dims: []string{"lead"}, Attrs: map[string]any{"units": "hours"}}, []int64{0, 6, 12, 18}),
		"nat":   put(t, g, "nat", zarr.Spec{Shape: []int{4}, DType: dtype.TimeDelta{Unit: dtype.Hour}, Dims: []string{"nat"}}, []dtype.Span{0, 6, dtype.NaT, 18}),
		"ms":    put(t, g, "ms", zarr.Spec{Shape: []int{3}, DType: dtype.DateTime{Unit: dtype.Millisecond}, Dims: []string{"ms"}}, []dtype.Instant{1, 2, 86400_000}),
	}
	for _, c := range []struct {
		dim, text, want string
	}{
		{"bool", "true", "[1 2]"}, {"bool", "True", "[1 2]"}, {"bool", "false", "[0 3]"}, {"bool", "1", "true and false"}, {"bool", "false:true", "2 times"},
		{"as", "true", "[1]"}, {"as", "false:true", "[0 1]"}, {"as", "nearest::true", "numbers or times"},
		{"delta", "6h", "[1]"}, {"delta", "0 days 06:00:00", "[1]"}, {"delta", "06:00:00", "[1]"}, {"delta", "PT6H", "[1]"}, {"delta", "6 hours", "[1]"},
		{"delta", "360min", "[1]"}, {"delta", "360m", "[1]"}, {"delta", "0.25 days", "[1]"}, {"delta", "0.25D", "[1]"}, {"delta", "6h0m0s", "[1]"}, {"delta", "6h 0m", "[1]"},
		{"delta", "6", "not a time difference"}, {"delta", "6:00", "not a time difference"}, {"delta", "-6h", "no label"}, {"delta", "1 days", "no label"}, {"delta", "NaT", "no label"},
		{"delta", "6h:12h", "[1 2]"}, {"delta", "5h:", "[1 2 3]"}, {"delta", "6h:7h", "[1]"}, {"delta", "0h:0 days", "[0 1 2 3]"}, {"delta", "0 days 06:00:00:0 days 12:00:00", "[1 2]"},
		{"delta", "0s:360min", "[0 1]"}, {"delta", "6h,12h", "[1 2]"}, {"delta", "nearest::9h", "[2]"}, {"delta", "nearest::7h", "[1]"}, {"delta", "pad::7h", "[1]"},
		{"step", "6h", "[1]"}, {"step", "6", "not a time difference"}, {"step", "2h:6h", "[1]"},
		{"float", "6.5h", "[1]"}, {"float", "06:30:00", "[1]"}, {"float", "390min", "[1]"},
		{"lead", "6", "[1]"}, {"lead", "6:12", "[1 2]"}, {"lead", "6h", "not a number"},
		{"nat", "NaT", "[2]"}, {"nat", "6h", "[1]"}, {"nat", "nearest::5h", "sorted"},
		{"ms", "1970-01-01T00:00:00.001", "[0]"}, {"ms", "1970-01-01T00:00:00", "[0 1]"}, {"ms", "1970-01", "[0 1 2]"},
	} {
		x, err := dataset.OpenIndex(t.Context(), coordinates[c.dim], dataset.Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.dim, err)
		}
		at, _, err := x.Positions(dataset.Text(c.dim, c.text))
		if got := fmt.Sprint(at); err != nil && !strings.Contains(err.Error(), c.want) || err == nil && got != c.want {
			t.Errorf("%s=%s selects %s, %v, want %s", c.dim, c.text, got, err, c.want)
		}
	}
	x, _ := dataset.OpenIndex(t.Context(), coordinates["delta"], dataset.Options{})
	for _, q := range []dataset.Query{dataset.Label("delta", 6*time.Hour), dataset.Label("delta", 7*time.Hour).Nearest().Within(time.Hour), dataset.Label("delta", 7*time.Hour).Nearest().Within("1h")} {
		if at, one, err := x.Positions(q); err != nil || !one || at[0] != 1 {
			t.Errorf("%v: %v, %v", q, at, err)
		}
	}
	if _, _, err := x.Positions(dataset.Label("delta", 6)); !errors.Is(err, fault.Selection) {
		t.Error(err)
	}
	for dim, a := range coordinates {
		x, err := dataset.OpenIndex(t.Context(), a, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Len() {
			if at, _, err := x.Positions(dataset.Text(dim, x.Label(i))); err != nil || !slices.Contains(at, i) || dim != "bool" && len(at) != 1 {
				t.Errorf("%s: the label %q selects %v, %v", dim, x.Label(i), at, err)
			}
		}
	}
}

// TestIfAbsentRefused checks that IfAbsent is refused if no index coordinate shows which rows are
// appended already.
func TestIfAbsentRefused(t *testing.T) {
	g := root(t)
	put(t, g, "v", zarr.Spec{Shape: []int{0}, DType: dtype.Int8, Dims: []string{"t"}}, []int8{})
	d := open(t, g)
	once := dataset.AppendOptions{IfAbsent: true}
	for _, o := range []dataset.AppendOptions{once, {IfAbsent: true, AnyOrder: true}} {
		if _, err := d.Append(t.Context(), "t", o, dataset.Stored("v", []int8{1})); !errors.Is(err, fault.Selection) || !strings.Contains(err.Error(), "IfAbsent") {
			t.Error(err)
		}
	}
	if d, err := d.Append(t.Context(), "t", dataset.AppendOptions{}, dataset.Stored("v", []int8{1})); err != nil || d.Dims()[0].Len != 1 {
		t.Error(err)
	}

	// Coordinates of types other than numbers.
	day := dtype.DateTime{Unit: dtype.Day}
	for _, c := range []struct {
		name        string
		dtype       dtype.Type
		first, next dataset.Data
	}{
		{"datetime64", day, dataset.Stored("x", []dtype.Instant{1}), dataset.Stored("x", []dtype.Instant{2})},
		{"timedelta64", dtype.TimeDelta{Unit: dtype.Hour}, dataset.Stored("x", []dtype.Span{1}), dataset.Stored("x", []dtype.Span{2})},
		{"bool", dtype.Bool, dataset.Stored("x", []bool{false}), dataset.Stored("x", []bool{true})},
		{"string", dtype.String, dataset.Stored("x", []string{"a"}), dataset.Stored("x", []string{"b"})},
		{"bytes", dtype.S(2), dataset.Stored("x", [][2]byte{{'a'}}), dataset.Stored("x", [][2]byte{{'b'}})},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := root(t)
			if _, err := g.CreateArray(t.Context(), "x", zarr.Spec{Shape: []int{0}, DType: c.dtype, Dims: []string{"x"}}); err != nil {
				t.Fatal(err)
			}
			d := open(t, g)
			for _, data := range []dataset.Data{c.first, c.first, c.next, c.next} {
				var err error
				if d, err = d.Append(t.Context(), "x", once, data); err != nil {
					t.Fatal(err)
				}
			}
			if d.Dims()[0].Len != 2 {
				t.Errorf("%v rows, want 2", d.Dims())
			}
			if _, err := d.Append(t.Context(), "x", dataset.AppendOptions{}, c.first); !errors.Is(err, fault.Exists) {
				t.Errorf("the first label again: %v", err)
			}
		})
	}
}

// TestRefresh checks that a dataset that was opened again has the new rows.
func TestRefresh(t *testing.T) {
	g := root(t)
	put(t, g, "x", zarr.Spec{Shape: []int{1}, DType: dtype.Int8, Dims: []string{"x"}}, []int8{1})
	if _, err := g.CreateGroup(t.Context(), "child", nil); err != nil {
		t.Fatal(err)
	}
	d := open(t, g)
	if _, err := open(t, g).Append(t.Context(), "x", dataset.AppendOptions{}, dataset.Stored("x", []int8{2})); err != nil {
		t.Fatal(err)
	}
	next, err := d.Refresh(t.Context())
	if err != nil || next.Dims()[0].Len != 2 || d.Dims()[0].Len != 1 {
		t.Fatalf("%v, %v", next.Dims(), err)
	}
	sel(t, next, dataset.Label("x", 2))
	child, err := d.Child(t.Context(), "child")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := child.Refresh(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestFloat16 checks Floats for a variable and a coordinate of float16.
func TestFloat16(t *testing.T) {
	g := root(t)
	for name, n := range map[string]int{"x": 0, "v": 0} {
		if _, err := g.CreateArray(t.Context(), name, zarr.Spec{Shape: []int{n}, DType: dtype.Float16, Dims: []string{"x"}}); err != nil {
			t.Fatal(err)
		}
	}
	d := open(t, g)
	for range 2 {
		var err error
		if d, err = d.Append(t.Context(), "x", dataset.AppendOptions{IfAbsent: true}, dataset.Floats("x", []float64{0.1, 0.2}), dataset.Floats("v", []float32{1.5, -2})); err != nil {
			t.Fatal(err)
		}
	}
	d, err := sel(t, d, dataset.Label("x", 0.2)).Write(t.Context(), dataset.Floats("v", []float64{65504}))
	if err != nil {
		t.Fatal(err)
	}
	if got := values(t, variable(t, open(t, d.Group()), "v")); fmt.Sprint(got) != "[1.5 65504]" {
		t.Error(got)
	}
	if _, err := d.Write(t.Context(), dataset.Floats("v", []float64{1e6})); !errors.Is(err, fault.Type) {
		t.Error(err)
	}
}
