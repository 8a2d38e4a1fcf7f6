package main

import (
	"os"
	"strings"
	"testing"
)

// TestUndecodableCoordinate checks that no command selects by position if the coordinate exists and
// cannot be decoded.
func TestUndecodableCoordinate(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	write(t, "f.npy", npyOf(t, "1", "2", "3", "4"))
	write(t, "one.npy", npyOf(t, "99"))
	for _, c := range []struct{ name, attrs, want string }{
		{"months", `{"units":"months since 1955-01-01"}`, `time unit "months"`},
		{"scale", `{"scale_factor":"0.001f"}`, "scale_factor must be a number, is 0.001f"},
		{"broken", "", "invalid metadata"},
		{"bare", "", "has no name of its dimension"},
	} {
		g := c.name
		do(t, p, "create "+g+" --group")
		dims := " --dims time"
		if c.name == "bare" {
			dims = ""
		}
		args := strings.Fields("put " + g + "/time f.npy --create --raw --as int64" + dims)
		if c.attrs != "" {
			args = append(args, "--attrs", c.attrs)
		}
		if r := zargoArgs(t, p, nil, args...); r.code != 0 {
			t.Fatal(r.err)
		}
		do(t, p, "put "+g+"/v f.npy --create --as int64 --dims time")
		if c.name == "broken" {
			write(t, g+"/time/zarr.json", []byte("{"))
		}
		before, err := os.ReadFile(g + "/v/c/0")
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{
			"cat " + g + "/v --sel time=1", "cat " + g + "/v --sel time=1:2", "cat " + g + "/v --sel time=[1]", "cat " + g + "/v --sel time=nearest::1", "cat " + g + "/v --labels --format csv",
			"put " + g + "/v one.npy --sel time=2", "stats " + g + "/v --sel time=2", "hist " + g + "/v --sel time=2", "plan " + g + "/v --sel time=2",
			"copy " + g + "/v " + g + "-copy --sel time=2", "copy " + g + " " + g + "-copy --sel time=1:2", "plot " + g + "/v --sel time=1:2", "picture " + g + "/v --sel time=1:2 -o x.png",
		} {
			r := zargo(t, p, command)
			if r.code == 0 || !strings.Contains(r.err, c.want) {
				t.Errorf("%s: exit %d, %s%s", command, r.code, r.out, r.err)
			}
		}
		if after, err := os.ReadFile(g + "/v/c/0"); err != nil || string(after) != string(before) {
			t.Errorf("%s: the array changed", g)
		}
		if got := do(t, p, "cat "+g+"/v --isel time=1"); got != "2\n" {
			t.Errorf("%s by position: %s", g, got)
		}
	}
}

// TestStaleCoordinate checks that a selection by label reads the stored metadata of a coordinate
// and not the consolidated metadata of its group.
func TestStaleCoordinate(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	write(t, "f.npy", npyOf(t, "10", "20"))
	write(t, "more.npy", npyOf(t, "30", "40"))
	do(t, p, "create g --group")
	do(t, p, "put g/v f.npy --create --as int64 --dims x")
	do(t, p, "consolidate g")
	doc, err := os.ReadFile("g/zarr.json")
	if err != nil {
		t.Fatal(err)
	}
	zargo(t, p, "put g/x f.npy --create --as int64 --dims x") // warns that the consolidated metadata is out of date
	zargo(t, p, "append g/v more.npy --dim 0 --as int64")
	zargo(t, p, "append g/x more.npy --dim 0 --as int64")
	write(t, "g/zarr.json", doc)
	if r := zargo(t, p, "cat g/v --sel x=30"); r.code != 0 || r.out != "30\n" {
		t.Errorf("exit %d, %s%s", r.code, r.out, r.err)
	}
}

// TestRefusedGroupAbove checks that a group above a changed array is named if it cannot be read.
func TestRefusedGroupAbove(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "f.npy", npyOf(t, "7", "8"))
	p := newProgram()
	do(t, p, `create g --group --attrs {"actual_range":[0,1]}`)
	do(t, p, "create g/v --root g --shape 2 --chunks 2 --dtype float64 --dims x")
	succeed(t, os.Chmod("g/zarr.json", 0))
	if _, err := os.ReadFile("g/zarr.json"); err == nil {
		t.Skip("this user may read every file")
	}
	for _, line := range []string{"append g/v f.npy --dim x", "resize g/v --dim x=2"} {
		if r := zargo(t, p, line); r.code != 0 || !strings.Contains(r.err, "warning: g/v: attributes of groups above may describe the elements before the change") || !strings.Contains(r.err, "/g: refused") {
			t.Errorf("%s: exit %d: %s", line, r.code, r.err)
		}
	}
}
