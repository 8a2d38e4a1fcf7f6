package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// TestRun checks what the command prints and writes. The judges of package arrow read the formats.
func TestRun(t *testing.T) {
	top := t.TempDir()
	group, file := filepath.Join(top, "g.zarr"), filepath.Join(top, "out")
	array := func(name string, shape []int, dims ...string) dataset.VarSpec {
		return dataset.VarSpec{Name: name, Spec: zarr.Spec{Shape: shape, Dims: dims, DType: dtype.Int32}}
	}
	ds, err := dataset.Create(t.Context(), dir.New(group), "", dataset.Spec{Vars: []dataset.VarSpec{
		array("x", []int{2}, "x"), array("a", []int{2, 2}, "y", "x"), array("b", []int{2, 2}, "y", "x"), array("c", []int{2}, "x"),
	}}, dataset.Options{})
	if err == nil {
		_, err = ds.Write(t.Context(), dataset.Stored("x", []int32{10, 20}), dataset.Stored("a", []int32{1, 2, 3, 4}))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+".csv", []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, args, out, file, err string }{
		{"a table", "URL --dims x,y --vars a --format csv", "y,x,a\n0,10,1\n0,20,2\n1,10,3\n1,20,4\n", "", ""},
		{"labels, after the flags", "--dims=x,y --vars=b,a --sel=x=20 --format=csv URL", "y,b,a\n0,0,2\n1,0,4\n", "", ""},
		{"all tables", "URL --count --sel x=20:", "2 rows of [{y 2} {x 1}]\n  y                int64\n  x                dictionary<values=int32, indices=int32, ordered=false>\n" +
			"  a                int32\n  b                int32\n1 rows of [{x 1}]\n  x                int32\n  c                int32\n", "", ""},
		{"one table", "URL --count --dims x", "2 rows of [{x 2}]\n  x                int32\n  c                int32\n", "", ""},
		{"a failure leaves the old file", "URL --dims x --sel x=11 -o FILE.csv", "", "old", "11"},
		{"a file", "URL --dims x -o FILE.csv", "", "x,c\n10,0\n20,0\n", ""},
		{"several tables", "URL", "", "", "[y x] [x]"},
		{"no URL", "--dims x", "", "", "URL"},
		{"two URLs", "URL other", "", "", "other"},
		{"format of a file", "URL -o FILE.xlsx", "", "", "out.xlsx"},
		{"format", "URL --format xlsx", "", "", "xlsx"},
		{"column", "URL --dims x --vars q", "", "", `"q"`},
		{"flag", "URL --no-such", "", "", "no-such"},
		{"group", "URL/none --count", "", "", "none"},
	} {
		var out bytes.Buffer
		args := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(tt.args, "URL", group), "FILE", file))
		err := run(t.Context(), args, &out)
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) || out.String() != tt.out {
			t.Errorf("%s: %v, %q", tt.name, err, out.String())
		}
		if tt.file != "" {
			if b, err := os.ReadFile(file + ".csv"); err != nil || string(b) != tt.file {
				t.Errorf("%s: %q, %v", tt.name, b, err)
			}
		}
	}
	if parts, err := filepath.Glob(filepath.Join(top, "*.part*")); err != nil || len(parts) > 0 {
		t.Error(parts, err)
	}
	var help bytes.Buffer
	if err := run(t.Context(), []string{"-h"}, &help); err != nil || !strings.Contains(help.String(), "-sel") {
		t.Errorf("%q, %v", help.String(), err)
	}
	full := errors.New("full")
	if err := run(t.Context(), []string{group, "--dims", "x", "--count"}, writer(func([]byte) (int, error) { return 0, full })); !errors.Is(err, full) {
		t.Error(err)
	}
}

// writer is a writer that is a function.
type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }
