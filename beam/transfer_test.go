//go:build unix

package beam

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

func TestMain(m *testing.M) {
	if what := os.Getenv(serveEnv); what != "" {
		err := serve(what)
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	flag.Parse()
	Register()
	sdk.Init()
	os.Exit(m.Run())
}

// makePlan plans to rechunk an array from one directory to another, in one stage or through
// temporary arrays.
func makePlan(t *testing.T, from, to string, one bool) *transfer.Plan {
	t.Helper()
	st := dir.New(to)
	a, err := zarr.OpenArray(t.Context(), dir.New(from), "")
	if err != nil {
		t.Fatal(err)
	}
	p, err := transfer.NewPlan(t.Context(), a, st, transfer.Options{
		Source: transfer.Place{Store: from}, Target: transfer.Place{Store: to},
		Grid:   func(*zarr.Array) (chunks, shards []int, err error) { return []int{400, 5, 5}, nil, nil },
		Codecs: []codec.Spec{codec.Zstd(1), codec.CRC32C()}, Memory: 70 << 20, OneStage: one,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// source returns a directory with an array to copy.
func source(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "maps")
	a, err := zarr.Create(t.Context(), dir.New(folder), "", zarr.Spec{Shape: []int{400, 90, 100}, Chunks: []int{1, 90, 100}, DType: dtype.Float32})
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float32, a.Len())
	for i := range values {
		values[i] = float32(i % 7919)
	}
	if err := zarr.Write(t.Context(), a, values); err != nil {
		t.Fatal(err)
	}
	return folder
}

// files returns all files below a directory, except those that a transfer uses itself.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "__zargo_transfer") {
			return err
		}
		b, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, folder)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// wanted returns the files that one process stores for the plan.
func wanted(t *testing.T, from string, one bool) map[string]string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "wanted")
	p := makePlan(t, from, to, one)
	open := func(_ context.Context, name string) (store.Store, error) { return dir.New(name), nil }
	if err := transfer.Run(t.Context(), p, open, transfer.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	return files(t, to)
}

// tests are plans of one stage and of two stages, not counting the stage that publishes the target.
var tests = []struct {
	name   string
	one    bool
	stages int
}{
	{"one stage", true, 2},
	{"two stages", false, 3},
}

// TestInProcess checks that Prism within the process stores the same bytes as a run without Beam.
func TestInProcess(t *testing.T) {
	from := source(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := wanted(t, from, tt.one)
			to := filepath.Join(t.TempDir(), "series")
			p := makePlan(t, from, to, tt.one)
			if len(p.Stages) != tt.stages || p.Tasks() < 4 {
				t.Errorf("%d stages, want %d; %d tasks", len(p.Stages), tt.stages, p.Tasks())
			}
			pipeline, scope := sdk.NewPipelineWithRoot()
			Transfer(scope, p, 2)
			if _, err := prism.Execute(t.Context(), pipeline); err != nil {
				t.Fatal(err)
			}
			compare(t, p, to, want)
		})
	}
}

// compare compares the stored files with those of a single process.
func compare(t *testing.T, p *transfer.Plan, to string, want map[string]string) {
	t.Helper()
	if got := files(t, to); !maps.Equal(got, want) {
		t.Errorf("%d files, want %d; or some differ", len(got), len(want))
	}
	missing, err := transfer.Verify(t.Context(), p, Open)
	if err != nil || len(missing) > 0 {
		t.Errorf("tasks %v are not done, %v", missing, err)
	}
}
