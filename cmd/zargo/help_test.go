package main

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/npy"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// TestExamplesInHelp checks that the help of every command has examples, and that they succeed in
// order. The examples of create and put come first, because the others use their arrays. Examples
// with a bucket's URL, a pipe or shell syntax are not run.
func TestExamplesInHelp(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	head, err := npy.AppendHeader(nil, npy.Header{Type: dtype.Float32, Order: dtype.Little, Shape: []int{31, 18, 36}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, "january.npy", append(head, bytes.Repeat([]byte{0, 0, 128, 63}, 31*18*36)...))
	do(t, p, "create old.zarr --group --format 2")
	do(t, p, "create old.zarr/a --shape 3 --dtype int8 --format 2")
	var days, lats []string // as many as t2m has after the examples of append
	for i := range 365 + 31 {
		days = append(days, strconv.Itoa(i))
	}
	for i := range 18 {
		lats = append(lats, strconv.Itoa(80-5*i))
	}
	write(t, "days.npy", npyOf(t, days...))
	write(t, "lats.npy", npyOf(t, lats...))
	ran := 0
	for _, command := range []string{"create", "put", "append", "info", "ls", "du", "census", "attrs", "cat", "plot", "picture", "dump", "stats", "hist", "plan", "copy", "transfer", "pyramid", "blank", "resize", "consolidate", "rm", "migrate", "validate", "diff", "hash", "bucket check", "completion"} {
		if command == "info" {
			do(t, p, `put weather.zarr/time days.npy --create --as int64 --dims time --attrs {"units":"days\u0020since\u00202020-01-01"}`)
			do(t, p, "put weather.zarr/lat lats.npy --create --dims lat")
		}
		_, lines, ok := strings.Cut(do(t, p, "help "+command), "Examples:\n\n")
		if !ok {
			t.Errorf("%s has none", command)
			continue
		}
		lines, _, _ = strings.Cut(lines, "\n\n")
		for line := range strings.Lines(lines) {
			line = strings.TrimSpace(line)
			if strings.Contains(line, "://") || strings.ContainsAny(line, "|>#") {
				continue
			}
			ran++
			if r := zargoArgs(t, p, nil, words(line)[1:]...); r.code != 0 {
				t.Errorf("%s: exit %d, %s", line, r.code, r.err)
			}
		}
	}
	if ran < 15 {
		t.Errorf("only %d were run", ran)
	}
	for _, c := range []string{"--version", "version"} {
		if got := do(t, p, c); !strings.HasPrefix(got, "zargo ") || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: %q", c, got)
		}
	}
}
