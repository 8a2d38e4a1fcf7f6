package main

import (
	"strings"
	"testing"
)

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
