package main

import (
	"strings"
	"testing"
)

// TestArrayPath runs the command as the conformance tests do, with only the flag --array_path, in
// both of its forms.
func TestArrayPath(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	do(t, p, "create v --shape 2,3 --chunks 2,2 --dtype float64 --fill 1.5")
	want := strings.Repeat("1.5\n", 6)
	for _, line := range []string{"--array_path=v", "--array_path v", "validate --array_path v"} {
		if got := do(t, p, line); got != want {
			t.Errorf("%s: %q", line, got)
		}
	}
	fails(t, zargo(t, p, "--array_path=w"), 3, "w")
}
