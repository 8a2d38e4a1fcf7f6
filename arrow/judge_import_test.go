package arrow_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/arrow"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// open opens a file as a table.
func open(t testing.TB, path string) arrow.Source {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	t.Cleanup(func() { _ = f.Close() })
	info, err := f.Stat()
	must(t, err)
	s, err := arrow.OpenSource(f, info.Size(), arrow.Format(strings.TrimPrefix(filepath.Ext(path), ".")))
	must(t, err)
	return s
}

// TestImportJudges compares imports of random tables that DuckDB and pyarrow wrote with pandas'
// to_xarray, as xarray reads them. Half of the imports have memory for a few rows. Each is
// repeated.
func TestImportJudges(t *testing.T) {
	const tables = 30
	folder := t.TempDir()
	judge(t, "tables", folder, strconv.Itoa(tables))
	for i := range tables {
		b, err := os.ReadFile(filepath.Join(folder, fmt.Sprint(i, ".json")))
		must(t, err)
		var how struct {
			File    string
			Options struct {
				Labels []string
				Chunks map[string]int
				Format int
				Memory int64
			}
		}
		must(t, json.Unmarshal(b, &how))
		o := arrow.ImportOptions{Labels: how.Options.Labels, Chunks: how.Options.Chunks, Format: how.Options.Format, Memory: how.Options.Memory}
		st := dir.New(filepath.Join(folder, fmt.Sprint(i, ".zarr")))
		for range 2 {
			if _, err := arrow.Import(t.Context(), st, "", o, open(t, how.File)); err != nil {
				t.Fatalf("table %d: %v", i, err)
			}
		}
	}
	out := judge(t, "imported", folder, strconv.Itoa(tables))
	if strings.Count(out, "\n") != tables {
		t.Errorf("%d tables, the judge compared:\n%s", tables, out)
	}
	t.Log(out)
}

// TestImportJudgesMemory imports a table of DuckDB that takes 120 MB in memory, with 8 MiB for
// rows, and checks the maximum of the live heap: most are pages, and buffers of zstd and of the
// engine.
func TestImportJudgesMemory(t *testing.T) {
	folder := t.TempDir()
	judge(t, "big", folder, "1")
	heap := func() uint64 {
		var now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&now)
		return now.HeapAlloc
	}
	before, most, calls := heap(), uint64(0), 0
	o := arrow.ImportOptions{
		Labels: []string{"x", "y"}, Chunks: map[string]int{"x": 100, "y": 500}, Memory: 8 << 20,
		Progress: func(int64) {
			if calls++; calls%8 == 0 {
				most = max(most, heap())
			}
		},
	}
	_, err := arrow.Import(t.Context(), dir.New(filepath.Join(folder, "big.zarr")), "", o, open(t, filepath.Join(folder, "big.parquet")))
	must(t, err)
	if most -= before; most > 140<<20 {
		t.Errorf("%d bytes", most)
	} else {
		t.Logf("%d bytes", most)
	}
	t.Log(judge(t, "bigs", folder, "1"))
}
