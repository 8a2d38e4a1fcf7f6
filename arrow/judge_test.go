package arrow_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/arrow"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/serve"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

const pythonEnv = "ZARGO_TABLES_PYTHON"

// judge runs testdata/judge.py, and returns what it prints.
func judge(t *testing.T, args ...string) string {
	t.Helper()
	python := os.Getenv(pythonEnv)
	if python == "" && os.Getenv("CI") == "true" {
		t.Fatalf("no judge, and CI=true: %s does not name a Python with testdata/requirements.txt", pythonEnv)
	} else if python == "" {
		t.Skipf("SKIPPED: no judge: %s does not name a Python with testdata/requirements.txt; see integration/servers/servers.py", pythonEnv)
	}
	out, err := exec.Command(python, append([]string{"testdata/judge.py"}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// TestJudges compares the tables of random datasets of xarray, or of a selection by labels, with
// xarray's data frames, as pyarrow reads them from files, streams and Parquet, and DuckDB's counts
// and sums of Parquet, Arrow and CSV. It does the same for the streams of a server.
func TestJudges(t *testing.T) {
	const datasets = 20
	folder, tables := t.TempDir(), 0
	var served []serve.Dataset
	judge(t, "make", folder, strconv.Itoa(datasets))
	for i := range datasets {
		st := dir.New(filepath.Join(folder, fmt.Sprint(i, ".zarr")))
		served = append(served, serve.Dataset{ID: fmt.Sprint(i), Store: st})
		ds, err := dataset.Open(t.Context(), st, "", dataset.Options{})
		must(t, err)
		text, err := os.ReadFile(filepath.Join(folder, fmt.Sprint(i, ".json")))
		must(t, err)
		var ranges map[string][2]float64
		must(t, json.Unmarshal(text, &ranges))
		all, err := arrow.Tables(ds)
		must(t, err)
		for k, table := range all {
			for dim, r := range ranges {
				for _, d := range table.Dims() {
					if d.Name == dim {
						table, err = table.Where(dim, r[0], r[1])
						must(t, err)
					}
				}
			}
			for _, f := range arrow.Formats() {
				w, err := os.Create(filepath.Join(folder, fmt.Sprintf("%d-%d.%s", i, k, f)))
				must(t, err, table.Write(t.Context(), w, f), w.Close())
			}
			if len(table.Findings()) > 0 {
				t.Error(i, table.Findings())
			}
			tables++
		}
	}
	handler, err := serve.New(serve.Options{Formats: map[string]serve.Format{"arrow": arrow.Stream}}, served...)
	must(t, err)
	defer func() { must(t, handler.Close()) }()
	web := httptest.NewServer(handler)
	defer web.Close()
	if out := judge(t, "served", folder, strconv.Itoa(datasets), web.URL); strings.Count(out, "\n") < datasets {
		t.Errorf("%d datasets, the judges compared:\n%s", datasets, out)
	}
	if out := judge(t, "check", folder, strconv.Itoa(datasets)); strings.Count(out, "\n") != tables {
		t.Errorf("%d tables, the judges compared:\n%s", tables, out)
	} else {
		t.Log(out)
	}
}
