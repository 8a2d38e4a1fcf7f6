package peers

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

var (
	randomLabels = flag.Int("labels", 60, "TestRandomLabels: datasets of one coordinate and about 11 selections each")
	labelCommand = flag.Int("label-commands", 20, "TestRandomLabels: selections that zargo cat --sel repeats")
	labelsSeed   = flag.Int("labels-seed", 0, "TestRandomLabels: the seed of the first dataset")
)

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
	Instead   map[string][]int // the positions that zargo selects by the differences of interoperability.md; nil for an error
}

// TestRandomLabels compares selections by label with those of xarray. The coordinates are numbers,
// booleans, texts, time differences, and times in all calendars.
func TestRandomLabels(t *testing.T) {
	t.Parallel()
	needPython(t)
	root := t.TempDir()
	var jobs []job
	for i := range *randomLabels {
		jobs = append(jobs, job{Do: "save-labels", Peer: "xarray/local", Place: root, Path: strconv.Itoa(i), Format: 2 + i%2, Array: map[string]any{"seed": *labelsSeed + i}})
	}
	program := filepath.Join(t.TempDir(), "zargo")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/zargo-io/zargo/cmd/zargo").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	same, commands, named := 0, 0, map[string]int{}
	for i, s := range ask(t, jobs) {
		if !s.done() {
			t.Errorf("dataset %d: %s", i, s.Error)
			continue
		}
		var want labelled
		succeed(t, json.Unmarshal([]byte(s.Values[0]), &want))
		d, err := dataset.Open(t.Context(), dir.New(filepath.Join(root, strconv.Itoa(i), "data")), "", dataset.Options{})
		if err != nil {
			t.Errorf("dataset %d, %s with %v: %v", i, want.Kind, want.Attrs, err)
			continue
		}
		for n, q := range want.Queries {
			got, err := positions(t, d, q.query(want.Kind))
			if commands < *labelCommand && n == i%len(want.Queries) {
				commands++
				out, cmdErr := exec.CommandContext(t.Context(), program, append(q.flags(want.Kind), filepath.Join(root, strconv.Itoa(i), "data", "p"))...).Output()
				var printed []int
				for _, digits := range regexp.MustCompile(`\d+`).FindAllString(string(out), -1) {
					p, _ := strconv.Atoi(digits)
					printed = append(printed, p)
				}
				if err == nil != (cmdErr == nil) || !slices.Equal(printed, got) {
					t.Errorf("dataset %d, %s with %v and the labels %q: zargo %q prints %s, %v, but the library selects %v, %v", i, want.Kind, want.Attrs, want.Labels, q.flags(want.Kind), out, cmdErr, got, err)
				}
			}
			if err == nil == (q.Positions != nil) && slices.Equal(got, q.Positions) {
				same++
				continue
			}
			if why := q.difference(got, err); why != "" {
				named[why]++
				continue
			}
			t.Errorf("dataset %d, v%d, %s with %v and the labels %q: %s selects %v, %v, want %v", i, 2+i%2, want.Kind, want.Attrs, want.Labels, q, got, err, q.Positions)
		}
	}
	t.Logf("%d selections are equal, %d of them also by the command; differences that docs/evidence/interoperability.md names: %v", same, commands, named)
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
		if n, err := strconv.ParseInt(*l, 10, 64); strings.HasSuffix(kind, "difference") && err == nil {
			labels[i] = time.Duration(n)
		}
	}
	var out dataset.Query
	switch q.Kind {
	case "label", "period":
		out = dataset.Label("x", labels[0])
	case "list":
		out = dataset.Label("x", labels)
	case "slice", "periods":
		out = dataset.Between("x", labels[0], labels[1])
	case "nearest":
		out = dataset.Label("x", labels[0]).Nearest()
	case "pad":
		out = dataset.Label("x", labels[0]).Pad()
	default:
		out = dataset.Label("x", labels[0]).Backfill()
	}
	if q.Tolerance != nil {
		out = out.Within(q.Tolerance)
	}
	return out
}

// flags returns the arguments of zargo cat.
func (q selecting) flags(kind string) []string {
	labels := make([]string, len(q.Labels))
	for i, l := range q.Labels {
		if l == nil {
			continue
		}
		labels[i] = *l
		if n, err := strconv.ParseInt(*l, 10, 64); strings.HasSuffix(kind, "difference") && err == nil {
			labels[i] = time.Duration(n).String()
		}
	}
	sel := labels[0]
	switch q.Kind {
	case "list":
		sel = "[" + strings.Join(labels, ",") + "]"
	case "slice", "periods":
		sel = labels[0] + ":" + labels[1]
	case "nearest", "pad", "backfill":
		sel = q.Kind + "::" + sel
	}
	args := []string{"cat", "--sel", "x=" + sel}
	if q.Tolerance != nil {
		args = append(args, "--tolerance", fmt.Sprintf("x=%v", q.Tolerance))
	}
	return args
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

// difference returns the difference from xarray that docs/evidence/interoperability.md names and
// that predicts the positions or the error; or "".
func (q selecting) difference(got []int, err error) string {
	for _, why := range slices.Sorted(maps.Keys(q.Instead)) {
		if want := q.Instead[why]; err == nil == (want != nil) && slices.Equal(got, want) {
			return why
		}
	}
	return ""
}
