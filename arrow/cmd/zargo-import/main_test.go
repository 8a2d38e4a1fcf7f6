package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/arrow"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// TestRun checks what the command prints and writes, one after the other to the same group.
func TestRun(t *testing.T) {
	top := t.TempDir()
	group := filepath.Join(top, "g.zarr")
	for name, text := range map[string]string{"a.csv": "y,x,v,w\n1,10,1.5,a\n0,20,2.5,b\n", "b.csv": "x,y,v,w\n10,2,3,c\n20,1,-3,d\n", "a.txt": "y,x,v,w\n"} {
		must(t, os.WriteFile(filepath.Join(top, name), []byte(text), 0o600))
	}
	for _, tt := range []struct{ name, args, out, table, err string }{
		{"no labels", "a.csv URL", "", "", "--labels"},
		{"no file", "URL --labels y", "", "", "files"},
		{"no such file", "q.csv URL --labels y,x", "", "", "q.csv"},
		{"no format", "a.txt URL --labels y,x", "", "", "--format"},
		{"chunks", "a.csv URL --labels y,x --chunks y", "", "", `"y"`},
		{"flag", "a.csv URL --no-such", "", "", "no-such"},
		{"a plan", "a.csv URL --labels y,x --vars v --chunks y=1 --dry-run", "2 rows to a new group with the dimensions [{y 2} {x 2}]\n" +
			"  v                float64, dimensions [y x], chunks [1 2]\nat most 2 requests for chunks, if each is written once\n", "", ""},
		{"a new group", "--labels y,x --chunks=y=1 a.csv URL", "2 rows\n", "y,x,v,w\n0,10,,\n0,20,2.5,b\n1,10,1.5,a\n1,20,,\n", ""},
		{"unknown label", "b.csv URL --labels y,x", "", "y,x,v,w\n0,10,,\n0,20,2.5,b\n1,10,1.5,a\n1,20,,\n", "row 1: dimension y has no label 2"},
		{"a plan of more", "b.csv URL --labels y,x --extend y --dry-run", "2 rows to an existing group with the dimensions [{y 3} {x 2}], of which 1 labels are new\n" +
			"  v                float64, dimensions [y x], chunks [1 2]\n  w                string, dimensions [y x], chunks [1 2]\nat most 4 requests for chunks, if each is written once\n", "", ""},
		{"more", "a.csv b.csv URL --labels y,x --extend y", "4 rows\n", "y,x,v,w\n0,10,,\n0,20,2.5,b\n1,10,1.5,a\n1,20,-3,d\n2,10,3,c\n2,20,,\n", ""},
		{"twice", "a.csv a.csv URL --labels y,x", "", "", "row 3: another row"},
		{"twice, the last one", "a.csv a.csv URL --labels y,x --last-wins --format csv", "4 rows\n", "", ""},
		{"help", "-h", "Usage of zargo-import", "", ""},
	} {
		var out, table bytes.Buffer
		args := strings.Fields(strings.ReplaceAll(tt.args, "URL", group))
		for i, a := range args {
			if strings.HasSuffix(a, ".csv") || strings.HasSuffix(a, ".txt") {
				args[i] = filepath.Join(top, a)
			}
		}
		err := run(t.Context(), args, &out)
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) || !strings.HasPrefix(out.String(), tt.out) || tt.out == "" && out.Len() > 0 {
			t.Errorf("%s: %v, %q", tt.name, err, out.String())
		}
		if tt.table == "" {
			continue
		}
		d, err := dataset.Open(t.Context(), dir.New(group), "", dataset.Options{})
		must(t, err)
		all, err := arrow.New(d)
		must(t, err)
		must(t, all.Write(t.Context(), &table, arrow.CSV))
		if table.String() != tt.table {
			t.Errorf("%s:\n%s", tt.name, &table)
		}
	}
}
