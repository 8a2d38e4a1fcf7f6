package main

import (
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/npy"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// TestDryRuns checks that --dry-run changes no file, and that the requests of the command are
// within the printed bounds. integration/counts counts the requests of a server.
func TestDryRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	for name, shape := range map[string][]int{"day.npy": {1, 3}, "hour.npy": {1}} {
		b, err := npy.AppendHeader(nil, npy.Header{Type: dtype.Int8, Shape: shape})
		if err == nil {
			err = os.WriteFile(name, append(b, 7, 7, 7)[:len(b)+shape[len(shape)-1]], 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	do(t, p, "create g --group")
	do(t, p, "create g/time --shape 0 --chunks 4 --dtype int8 --dims time")
	do(t, p, "create g/v --shape 0,3 --chunks 2,3 --dtype int8 --dims time,x")
	do(t, p, "create g/reserved --shape 0,3 --chunks 2,3 --dtype int8 --dims time,x")
	do(t, p, "consolidate g")
	do(t, p, "create h --group --format 2")
	do(t, p, "create h/a/b --shape 3 --dtype int8 --format 2")
	succeed(t, os.Mkdir("plain", 0o777))
	succeed(t, os.WriteFile("plain/file", nil, 0o666))
	for _, line := range []string{
		"append g time=hour.npy v=day.npy --dim time --reserve",
		"append g time=hour.npy v=day.npy --dim time --reserve --if-absent",
		"append g time=hour.npy v=day.npy --dim time --reserve --any-order",
		"copy g copied",
		"copy g/v one --chunks 1,3 --codec gzip:1",
		"copy g third --format 2 --consolidate",
		"pyramid g/v --dims x --levels 1",
		"append g/v day.npy --dim time --consolidate",
		"append g/v --rows 3 --dim time",
		"migrate h",
		"migrate h --remove",
		"rm g/reserved --consolidate",
		"rm h",
		"rm plain --force",
	} {
		before := allFiles(t)
		plan := zargo(t, p, line+" --dry-run --get-price 1")
		if after := allFiles(t); plan.code != 0 || plan.err != "" || after != before {
			t.Fatalf("%s: exit %d, %s\nfiles before:\n%s\nafter:\n%s", line, plan.code, plan.err, before, after)
		}
		report := zargo(t, p, line+" -v").err
		counted := regexp.MustCompile(` (\d+) gets of \d+ bytes, (\d+) puts of \d+ bytes, (\d+) deletes`).FindStringSubmatch(report)
		if counted == nil {
			t.Fatalf("%s: no report: %s", line, report)
		}
		for name, n := range map[string]int{"gets": numberIn(t, counted[1]), "puts": numberIn(t, counted[2]) + numberIn(t, counted[3])} {
			row := regexp.MustCompile(`(?m)^` + name + ` .* (\d+) +(\d+)$`).FindStringSubmatch(plan.out)
			if row == nil || !strings.Contains(plan.out, "\ncost ") {
				t.Fatalf("%s: %s", line, plan.out)
			}
			if least, most := numberIn(t, row[1]), numberIn(t, row[2]); n < least || n > most || least == 0 && name == "gets" {
				t.Errorf("%s: %d %s, planned %d to %d", line, n, name, least, most)
			}
		}
	}
	fails(t, zargo(t, p, "append g/v day.npy --dim time --get-price 1"), 2, "--dry-run")
	fails(t, zargo(t, p, "append g/v day.npy --dim time --dry-run --get-price -1"), 2, "--get-price")
	fails(t, zargo(t, p, "append g/v day.npy --dim time --dry-run --at 1"), 10, "rows")
}

func numberIn(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// allFiles returns the names and the contents of all files.
func allFiles(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		b.WriteString(path + ": " + string(text) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPlanOfManyChunks checks that the sums of 4,000,000,000 chunks are computed without a loop
// over the chunks, and that their requests are not listed by default.
func TestPlanOfManyChunks(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	do(t, p, "create fine --shape 4000000000 --chunks 1 --dtype uint8 --codec none")
	do(t, p, "create shards --shape 8000000000 --shards 20 --chunks 2 --dtype uint8")
	for line, want := range map[string]string{
		"plan fine --total":                       "4000000000",
		"plan fine --resolve --total":             "4000000000",
		"plan fine --write --total":               "4000000000",
		"plan fine --total --json":                `"most":{"requests":4000000000,`,
		"plan fine --total --sel ::-3":            "1333333334",
		"plan shards --total --write":             "400000000",
		"plan shards --total --sel 1:7999999999":  "400000000",
		"plan shards --resolve --total --sel :40": "2",
	} {
		if got := do(t, p, line); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	for _, line := range []string{"plan fine", "plan fine --write", "plan fine --json", "plan fine --resolve", "plan shards --resolve --total", "plan shards --resolve"} {
		fails(t, zargo(t, p, line), 7, "--all")
	}
	if got := do(t, p, "plan fine --all --sel :1000001"); strings.Count(got, "\n") < 1_000_001 {
		t.Errorf("%d lines", strings.Count(got, "\n"))
	}
}
