package main

import (
	"os"
	"strings"
	"testing"
)

// TestBoundsBelowUnreadableGroup checks that an array that may be bounds is not printed as if it had
// no coordinate if the group above it cannot be read.
func TestBoundsBelowUnreadableGroup(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	do(t, p, "create g --group")
	do(t, p, "create g/time --shape 1 --dtype float64 --dims time --attrs {\"units\":\"days_since_2000-01-01\",\"bounds\":\"time_bnds\"}")
	do(t, p, "create g/time_bnds --shape 1,2 --dtype float64 --dims time,nv")
	succeed(t, os.WriteFile("g/zarr.json", []byte("{"), 0o600))
	if r := zargo(t, p, "cat g/time_bnds"); r.code == 0 || !strings.Contains(r.err, "zarr.json") {
		t.Errorf("exit %d, %s%s", r.code, r.out, r.err)
	}
	do(t, p, "cat g/time_bnds --raw")
}
