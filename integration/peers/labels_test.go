package peers

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

var randomLabels = flag.Int("labels", 60, "TestRandomLabels: datasets of one coordinate and about 11 selections each")

// labelled is a coordinate that xarray wrote, and its selections.
type labelled struct {
	Kind    string
	Attrs   map[string]string
	Labels  []string
	Queries []selecting
}

// selecting is a selection by label, with the positions that xarray selects; nil if xarray refuses
// it.
type selecting struct {
	Kind      string
	Labels    []*string
	Tolerance any
	Positions []int
}

// TestRandomLabels compares selections by label with those of xarray. The coordinates are numbers,
// booleans, texts, time differences, and times in all calendars.
func TestRandomLabels(t *testing.T) {
	t.Parallel()
	needPython(t)
	root := t.TempDir()
	var jobs []job
	for i := range *randomLabels {
		jobs = append(jobs, job{Do: "save-labels", Peer: "xarray/local", Place: root, Path: strconv.Itoa(i), Format: 2 + i%2, Array: map[string]any{"seed": i}})
	}
	same, named := 0, map[string]int{}
	for i, s := range ask(t, jobs) {
		if !s.done() {
			t.Errorf("dataset %d: %s", i, s.Error)
			continue
		}
		var want labelled
		if err := json.Unmarshal([]byte(s.Values[0]), &want); err != nil {
			t.Fatal(err)
		}
		d, err := dataset.Open(t.Context(), dir.New(filepath.Join(root, strconv.Itoa(i), "data")), "", dataset.Options{})
		if err != nil {
			t.Errorf("dataset %d, %s with %v: %v", i, want.Kind, want.Attrs, err)
			continue
		}
		for _, q := range want.Queries {
			got, err := positions(t, d, q.query(want.Kind))
			if err == nil == (q.Positions != nil) && slices.Equal(got, q.Positions) {
				same++
				continue
			}
			if why := q.difference(want, got, err); why != "" {
				named[why]++
				continue
			}
			t.Errorf("dataset %d, v%d, %s with %v and the labels %q: %s selects %v, %v, want %v", i, 2+i%2, want.Kind, want.Attrs, want.Labels, q, got, err, q.Positions)
		}
	}
	t.Logf("%d selections are equal; differences that docs/evidence/interoperability.md names: %v", same, named)
}

func (q selecting) String() string {
	labels := make([]string, len(q.Labels))
	for i, l := range q.Labels {
		if l != nil {
			labels[i] = *l
		}
	}
	return fmt.Sprintf("%s %q (tolerance %v)", q.Kind, labels, q.Tolerance)
}

// query returns the selection in zargo.
func (q selecting) query(kind string) dataset.Query {
	labels := make([]any, len(q.Labels))
	for i, l := range q.Labels {
		if l == nil {
			continue
		}
		labels[i] = *l
		if n, err := strconv.ParseInt(*l, 10, 64); kind == "difference" && err == nil {
			labels[i] = time.Duration(n)
		}
	}
	var out dataset.Query
	switch q.Kind {
	case "label", "period":
		out = dataset.Label("x", labels[0])
	case "list":
		out = dataset.Labels("x", labels...)
	case "slice", "periods":
		out = dataset.Between("x", labels[0], labels[1])
	case "nearest":
		out = dataset.Nearest("x", labels[0])
	case "pad":
		out = dataset.Pad("x", labels[0])
	default:
		out = dataset.Backfill("x", labels[0])
	}
	if q.Tolerance != nil {
		out = out.Within(q.Tolerance)
	}
	return out
}

// positions returns the values of the variable p, which are the positions of the labels.
func positions(t *testing.T, d *dataset.Dataset, q dataset.Query) ([]int, error) {
	t.Helper()
	v, err := d.Var("p", q)
	if err != nil {
		if !errors.Is(err, zarr.ErrSelection) {
			t.Errorf("the error is not of the kind ErrSelection: %v", err)
		}
		return nil, err
	}
	f, err := dataset.Read[float64](t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]int, len(f))
	for i := range f {
		out[i] = int(f[i])
	}
	return out, nil
}

// difference returns the difference from xarray that docs/evidence/interoperability.md names, or
// "".
func (q selecting) difference(in labelled, got []int, err error) string {
	unsigned := strings.HasPrefix(in.Kind, "uint") || in.Kind == "unsigned"
	switch {
	case unsigned && q.nearest(in.Labels, got):
		return "distances of unsigned integers"
	case in.Kind == "bool" && q.Kind == "list":
		return "lists of booleans"
	case (in.Kind == "bool" || in.Kind == "text") && err != nil && q.method():
		return "methods for booleans and texts"
	case slices.Contains(in.Labels, "NaT") && (!slices.ContainsFunc(in.Labels, func(l string) bool { return l != "NaT" }) || q.Kind == "period" && len(q.Positions) == 0):
		return "coordinates of NaT, and periods without times"
	case in.Kind == "time" && slices.ContainsFunc(in.Labels, fraction):
		return "times of floating-point numbers"
	case in.Kind == "time" && q.Kind == "periods" && len(q.Positions) == 0 && slices.IsSortedFunc(in.Labels, func(a, b string) int { return strings.Compare(b, a) }):
		return "ranges of periods in decreasing datetime64"
	case in.Kind == "time" && q.Kind == "periods" && !sorted(in.Labels):
		return "ranges of periods in coordinates that are not sorted"
	case q.Kind == "list" && q.Positions == nil && len(got) == len(q.Labels) && repeated(in.Labels):
		return "lists of labels in coordinates that repeat other labels"
	}
	return ""
}

// method reports whether the selection has a method.
func (q selecting) method() bool {
	return q.Kind == "nearest" || q.Kind == "pad" || q.Kind == "backfill"
}

// nearest reports whether got has the label that the method selects, within the tolerance. pandas
// computes distances of unsigned integers modulo the size of their type.
func (q selecting) nearest(labels []string, got []int) bool {
	if !q.method() || len(got) != 1 {
		return false
	}
	number := func(text string) float64 {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return math.NaN()
		}
		return f
	}
	at, best := number(*q.Labels[0]), number(labels[got[0]])
	if limit, ok := q.Tolerance.(float64); ok && math.Abs(best-at) > limit {
		return false
	}
	for _, l := range labels {
		if q.Kind == "nearest" && math.Abs(number(l)-at) < math.Abs(best-at) {
			return false
		}
	}
	return true
}

// fraction reports whether the text of a time has a fraction of a second.
func fraction(text string) bool {
	_, after, _ := strings.Cut(text, ".")
	return strings.Trim(after, "0") != ""
}

// sorted reports whether the texts of times increase or decrease.
func sorted(labels []string) bool {
	down := slices.Clone(labels)
	slices.Reverse(down)
	return slices.IsSorted(labels) || slices.IsSorted(down)
}

func repeated(labels []string) bool {
	s := slices.Sorted(slices.Values(labels))
	return len(slices.Compact(s)) < len(labels)
}
