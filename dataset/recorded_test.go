package dataset_test

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// maxLabels is the maximum number of labels of a coordinate of a fuzz test.
const maxLabels = 64

// recordedCoordinate creates the dataset v(x) of a line of testdata/labels.txt. It also returns the
// values of the coordinate in the form of labels for queries. ok is false for malformed lines.
func recordedCoordinate(t *testing.T, line string) (d *dataset.Dataset, keys []any, ok bool) {
	t.Helper()
	f := strings.Fields(line)
	if len(f) < 2 || f[0] != "x" || len(f) > 2+maxLabels || !utf8.ValidString(line) { // stored texts are UTF-8
		return nil, nil, false
	}
	kind, texts := f[1], f[2:]
	for _, text := range texts {
		k, ok := recordedKey(kind, text)
		if !ok {
			return nil, nil, false
		}
		keys = append(keys, k)
	}
	spec := zarr.Spec{Shape: []int{len(keys)}, Dims: []string{"x"}}
	g, err := zarr.CreateGroup(t.Context(), mem.New(), "", zarr.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]dtype.Type{
		"int8": dtype.Int8, "int16": dtype.Int16, "int32": dtype.Int32, "int64": dtype.Int64, "uint8": dtype.Uint8, "uint16": dtype.Uint16, "uint32": dtype.Uint32, "uint64": dtype.Uint64,
		"float32": dtype.Float32, "float64": dtype.Float64, "bool": dtype.Bool, "string": dtype.String,
		"time": dtype.DateTime{Unit: dtype.Nanosecond}, "delta": dtype.TimeDelta{Unit: dtype.Nanosecond},
	}
	if spec.DType, ok = types[kind]; !ok {
		return nil, nil, false
	}
	switch kind {
	case "bool":
		put(t, g, "x", spec, convert(keys, func(k any) bool { return k.(bool) }))
	case "string":
		put(t, g, "x", spec, convert(keys, func(k any) string { return k.(string) }))
	case "time":
		put(t, g, "x", spec, convert(keys, func(k any) dtype.Instant { return dtype.Instant(k.(time.Time).UnixNano()) }))
	case "delta":
		put(t, g, "x", spec, convert(keys, func(k any) dtype.Span { return dtype.Span(k.(time.Duration)) }))
	case "float32":
		put(t, g, "x", spec, convert(keys, func(k any) float32 { return float32(number(k)) }))
	case "float64":
		put(t, g, "x", spec, convert(keys, number))
	case "int8":
		put(t, g, "x", spec, convert(keys, integer[int8]))
	case "int16":
		put(t, g, "x", spec, convert(keys, integer[int16]))
	case "int32":
		put(t, g, "x", spec, convert(keys, integer[int32]))
	case "int64":
		put(t, g, "x", spec, convert(keys, integer[int64]))
	case "uint8":
		put(t, g, "x", spec, convert(keys, integer[uint8]))
	case "uint16":
		put(t, g, "x", spec, convert(keys, integer[uint16]))
	case "uint32":
		put(t, g, "x", spec, convert(keys, integer[uint32]))
	default:
		put(t, g, "x", spec, convert(keys, integer[uint64]))
	}
	i := int32(0)
	put(t, g, "v", zarr.Spec{Shape: []int{len(keys)}, DType: dtype.Int32, Dims: []string{"x"}}, convert(make([]any, len(keys)), func(any) int32 { i++; return i - 1 }))
	return open(t, g), keys, true
}

// recordedKey returns a value of a coordinate of testdata/labels.txt as a label.
func recordedKey(kind, text string) (any, bool) {
	if sign, bits, ok := strings.Cut(kind, "int"); ok {
		size, err := strconv.Atoi(bits)
		if err != nil {
			return nil, false
		}
		if sign == "u" {
			n, err := strconv.ParseUint(text, 10, size)
			if n <= math.MaxInt64 {
				return int64(n), err == nil
			}
			return n, err == nil
		}
		n, err := strconv.ParseInt(text, 10, size)
		return n, err == nil
	}
	switch kind {
	case "time":
		n, err := strconv.ParseInt(text, 10, 64)
		return time.Unix(0, n).UTC(), err == nil && n != math.MinInt64
	case "float32", "float64":
		f, err := strconv.ParseFloat(text, 64)
		if kind == "float32" {
			f = float64(float32(f))
		}
		return f, err == nil
	}
	return recordedLabel(kind, text)
}

// integer converts a label to an integer type.
func integer[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](k any) T {
	if u, ok := k.(uint64); ok {
		return T(u)
	}
	return T(k.(int64))
}

func convert[T any](in []any, f func(any) T) []T {
	out := make([]T, len(in))
	for i, x := range in {
		out[i] = f(x)
	}
	return out
}

// number returns a numeric label as a float64.
func number(k any) float64 {
	switch n := k.(type) {
	case int64:
		return float64(n)
	case uint64:
		return float64(n)
	case float64:
		return n
	}
	return math.NaN()
}

// recordedLabel returns a label of testdata/labels.txt as a Go value. A text of a period of time is
// a string.
func recordedLabel(kind, text string) (any, bool) {
	switch kind {
	case "bool":
		return text == "true", text == "true" || text == "false"
	case "string":
		return strings.TrimPrefix(text, "''"), true
	case "time":
		at, err := time.Parse("2006-01-02T15:04:05.000000000", text)
		if err != nil {
			return text, true
		}
		return at, true
	case "delta":
		f, err := strconv.ParseFloat(strings.TrimSuffix(text, "h"), 64)
		return time.Duration(math.Round(f * float64(time.Hour))), err == nil && math.Abs(f) < 1e6
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil
}

// query is a line of testdata/labels.txt with a query.
type query struct {
	what, method, tolerance string
	labels                  []any
	q                       dataset.Query
}

// recordedQuery parses a query without its result.
func recordedQuery(kind, line string) (r query, ok bool) {
	f := strings.Fields(line)
	if len(f) < 2 || len(f) > maxLabels {
		return r, false
	}
	r.what, f = f[0], f[1:]
	if r.what == "near" {
		if len(f) != 3 {
			return r, false
		}
		r.method, r.tolerance, f = f[0], f[1], f[2:]
	}
	floats := false
	for _, text := range f {
		if text == "-" && r.what == "range" {
			r.labels = append(r.labels, nil)
			continue
		}
		l, ok := recordedLabel(kind, text)
		if !ok {
			return r, false
		}
		_, float := l.(float64)
		floats = floats || float
		r.labels = append(r.labels, l)
	}
	switch {
	case r.what == "label" && len(f) == 1:
		r.q = dataset.Label("x", r.labels[0])
	case r.what == "list":
		if floats { // NumPy converts a list to one type
			for i, l := range r.labels {
				r.labels[i] = number(l)
			}
		}
		r.q = dataset.Label("x", r.labels)
	case r.what == "range" && len(f) == 2:
		r.q = dataset.Between("x", r.labels[0], r.labels[1])
	case r.what == "near":
		method, known := map[string]func(dataset.Query) dataset.Query{"nearest": dataset.Query.Nearest, "pad": dataset.Query.Pad, "backfill": dataset.Query.Backfill}[r.method]
		if !known {
			return r, false
		}
		if r.q = method(dataset.Label("x", r.labels[0])); r.tolerance != "-" {
			var limit any = r.tolerance
			if d, err := time.ParseDuration(r.tolerance); err == nil && (kind == "time" || kind == "delta") {
				limit = d
			}
			r.q = r.q.Within(limit)
		}
	default:
		return r, false
	}
	return r, true
}

// answer runs a query in the dataset and in an index of its coordinate, and returns the result in
// the form of testdata/labels.txt.
func answer(t *testing.T, d *dataset.Dataset, q dataset.Query) (string, error) {
	t.Helper()
	next, err := d.Sel(q)
	if err != nil {
		return "error", err
	}
	v, err := next.Var("v")
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := dataset.ReadMasked[int32](t.Context(), v)
	if err != nil {
		return "error", err
	}
	if len(v.Dims()) == 0 {
		return fmt.Sprintf("at %d", got[0]), nil
	}
	return strings.Trim(fmt.Sprint(got), "[]"), nil
}

// order returns 1 for values that increase, -1 for values that decrease, and 0 otherwise, and
// whether all are distinct. Values that are all equal increase.
func order(keys []any) (order int, distinct bool) {
	up, down, distinct := true, true, true
	for i := range keys {
		for j := range i {
			c := compareLabels(keys[j], keys[i])
			up, down, distinct = up && c <= 0, down && c >= 0, distinct && c != 0
		}
		if f, ok := keys[i].(float64); ok && f != f {
			up, down = false, false
		}
	}
	switch {
	case up:
		return 1, distinct
	case down:
		return -1, distinct
	}
	return 0, distinct
}

// compareLabels compares two values of one coordinate, or a value and a label.
func compareLabels(a, b any) int {
	switch x := a.(type) {
	case bool:
		return strings.Compare(strconv.FormatBool(x), strconv.FormatBool(b.(bool)))
	case string:
		return strings.Compare(x, b.(string))
	case time.Time:
		return x.Compare(b.(time.Time))
	case time.Duration:
		return cmp.Compare(x, b.(time.Duration))
	case int64:
		if y, ok := b.(int64); ok {
			return cmp.Compare(x, y)
		}
	case uint64:
		if y, ok := b.(uint64); ok {
			return cmp.Compare(x, y)
		}
	}
	switch x, y := number(a), number(b); {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// differs reports whether docs/evidence/interoperability.md names a difference of the results.
func differs(kind string, keys []any, r query, got, want string) bool {
	direction, distinct := order(keys)
	missing := func(l any) bool { f, ok := l.(float64); return ok && f != f }
	unsigned := strings.HasPrefix(kind, "uint")
	if kind == "float32" { // labels are rounded
		r.labels = slices.Clone(r.labels)
		for i, l := range r.labels {
			if f := number(l); math.Abs(f) < math.MaxFloat32 {
				r.labels[i] = float64(float32(f))
			}
		}
	}
	switch r.what {
	case "label":
		_, period := r.labels[0].(string)
		return kind == "time" && period && want == "" && got == "error"
	case "range":
		switch {
		case r.labels[0] == nil && r.labels[1] == nil:
			return kind == "time" && direction != 1 && want == "error"
		case slices.ContainsFunc(r.labels, missing):
			return direction != 0 && got == "error"
		case direction != 0 && r.labels[0] != nil && r.labels[1] != nil && want == "" && compareLabels(r.labels[0], r.labels[1])*direction > 0:
			var inside []string
			for i, k := range keys {
				if compareLabels(r.labels[0], k)*direction >= 0 && compareLabels(k, r.labels[1])*direction >= 0 {
					inside = append(inside, strconv.Itoa(i))
				}
			}
			return got == strings.Join(inside, " ")
		}
	case "list":
		return want == "error" && !distinct || unsigned && got == "error"
	case "near":
		far := slices.ContainsFunc(append(slices.Clone(keys), r.labels[0]), func(l any) bool { return math.Abs(number(l)) > 1e15 })
		switch {
		case kind == "bool":
			return len(keys) == 1 && got == "error"
		case unsigned:
			return true
		case r.tolerance != "-" && math.IsInf(number(r.labels[0]), 0):
			return want == "error"
		case len(keys) == 1 && missing(keys[0]):
			return got == "error"
		}
		return far && direction < 0 && want == "error"
	}
	return false
}

// TestRecorded compares selections with the results of xarray in testdata/labels.txt.
func TestRecorded(t *testing.T) {
	text, err := os.ReadFile("testdata/labels.txt")
	if err != nil {
		t.Fatal(err)
	}
	if other := os.Getenv("ZARGO_LABELS"); other != "" {
		if text, err = os.ReadFile(other); err != nil {
			t.Fatal(err)
		}
	}
	var d *dataset.Dataset
	var keys []any
	kind, coordinate, n, named, wrong := "", "", 0, 0, 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, "x ") {
			var ok bool
			if d, keys, ok = recordedCoordinate(t, line); !ok {
				t.Fatal(line)
			}
			kind, coordinate = strings.Fields(line)[1], line
			continue
		}
		head, want, _ := strings.Cut(line, " =>")
		want = strings.TrimSpace(want)
		r, ok := recordedQuery(kind, head)
		if !ok {
			t.Fatal(line)
		}
		n++
		got, err := answer(t, d, r.q)
		switch {
		case got == want:
		case differs(kind, keys, r, got, want):
			named++
		default:
			if wrong++; wrong < 40 {
				t.Errorf("%s\n%s\n\tselects %q, %v", coordinate, line, got, err)
			}
		}
	}
	if n < 2000 && os.Getenv("ZARGO_LABELS") == "" || named > n/4 {
		t.Errorf("%d selections, of which %d differ as documented", n, named)
	}
	t.Logf("%d selections, %d differ as documented, %d are wrong", n, named, wrong)
}

// FuzzLabels selects by labels in coordinates of every type. For a recorded coordinate and query
// the result is xarray's. For others it checks that sorted coordinates have exactly the elements
// that a range denotes, and that no text, label, period or combination of queries panics.
func FuzzLabels(f *testing.F) {
	text, err := os.ReadFile("testdata/labels.txt")
	if err != nil {
		f.Fatal(err)
	}
	recorded := map[string]string{}
	coordinate, n := "", 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		head, want, isQuery := strings.Cut(line, " =>")
		if !isQuery {
			coordinate = line
			continue
		}
		recorded[coordinate+"\n"+head] = strings.TrimSpace(want)
		if n++; n%20 == 0 {
			_, labels, _ := strings.Cut(head, " ")
			f.Add(coordinate, head, "x="+strings.ReplaceAll(labels, " ", ":"), 360.0)
		}
	}
	f.Add("x int64 0 90 180 270", "range -180 180", "x=nearest::inf,y=1", 360.0)
	f.Add("x float64 nan inf -inf 1", "near nearest - nan", "x=nan:inf", -1.0)
	f.Add("x string \xff", "label a", "x=\xff", 1.0)
	f.Fuzz(func(t *testing.T, coordinate, line, text string, period float64) {
		d, keys, ok := recordedCoordinate(t, coordinate)
		if !ok {
			return
		}
		kind := strings.Fields(coordinate)[1]
		if qs, err := dataset.Parse(text); err == nil {
			_, _ = d.Sel(qs...)
			for _, q := range qs {
				_, _ = d.Sel(q.Wrap(period))
				_, _ = d.Sel(q.Within(period))
			}
		}
		for _, q := range []dataset.Query{dataset.Text("x", text), dataset.Label("x", text), dataset.Between("x", text, nil), dataset.Label("x", []string{text, text}).Nearest()} {
			_, _ = d.Sel(q)
			_, _ = d.Sel(q.Wrap(period))
		}
		r, ok := recordedQuery(kind, line)
		if !ok {
			return
		}
		got, err := answer(t, d, r.q)
		if want, ok := recorded[coordinate+"\n"+line]; ok && got != want && !differs(kind, keys, r, got, want) {
			t.Errorf("%s, %s: %q, %v, want %q", coordinate, line, got, err, want)
		}
		_, _ = answer(t, d, r.q.Wrap(period))
		_, _ = answer(t, d, dataset.Pointwise("p", r.q))
		_, _ = answer(t, d, dataset.Pointwise("p", dataset.At("x", []int{0}), r.q))
		for i := range keys { // each label selects its own position
			x, err := dataset.OpenIndex(t.Context(), must(d.Var("x")).Array(), dataset.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if at, _, err := x.Positions(dataset.Text("x", x.Label(i))); err != nil || !slices.Contains(at, i) {
				t.Errorf("%s: the label %q selects %v, %v", coordinate, x.Label(i), at, err)
			}
		}
		direction, _ := order(keys)
		if r.what != "range" || err != nil || direction == 0 || r.labels[0] == nil || r.labels[1] == nil {
			return
		}
		lo, hi := r.labels[0], r.labels[1]
		for _, l := range r.labels {
			if _, period := l.(string); period && kind == "time" {
				return
			}
		}
		if compareLabels(lo, hi) > 0 {
			lo, hi = hi, lo
		}
		var inside []string
		for i, k := range keys {
			if compareLabels(lo, k) <= 0 && compareLabels(k, hi) <= 0 {
				inside = append(inside, strconv.Itoa(i))
			}
		}
		if want := strings.Join(inside, " "); got != want && kind != "float32" {
			t.Errorf("%s, %s: %q, want %q", coordinate, line, got, want)
		}
	})
}

func must(v *dataset.Variable, err error) *dataset.Variable {
	if err != nil {
		panic(err)
	}
	return v
}
