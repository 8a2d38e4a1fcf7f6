package main

import (
	"os"
	"strings"
	"testing"
)

// TestRefusedGroupAbove checks that a group above a changed array is named if it cannot be read.
func TestRefusedGroupAbove(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "f.npy", npyOf(t, "7", "8"))
	p := newProgram()
	do(t, p, `create g --group --attrs {"actual_range":[0,1]}`)
	do(t, p, "create g/v --root g --shape 2 --chunks 2 --dtype float64 --dims x")
	if err := os.Chmod("g/zarr.json", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile("g/zarr.json"); err == nil {
		t.Skip("this user may read every file")
	}
	for _, line := range []string{"append g/v f.npy --dim x", "resize g/v --dim x=2"} {
		if r := zargo(t, p, line); r.code != 0 || !strings.Contains(r.err, "warning: g/v: attributes of groups above may describe the elements before the change") || !strings.Contains(r.err, "/g: refused") {
			t.Errorf("%s: exit %d: %s", line, r.code, r.err)
		}
	}
}
