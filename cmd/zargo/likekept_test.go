package main

import (
	"strings"
	"testing"
)

// TestLikeKeepsEncoding checks that create --like keeps the members of xarray's encoding that
// xarray's to_zarr writes as attributes.
func TestLikeKeepsEncoding(t *testing.T) {
	p := newProgram()
	text := `{"attrs":{},"dims":{"x":2},"coords":{},"data_vars":{"v":{"dims":["x"],"attrs":{},"dtype":"uint8","shape":[2],"encoding":{"dtype":"int8","_Unsigned":"true","missing_value":-1}}}}`
	if r := zargoArgs(t, p, []byte(text), "create", "mem://a", "--like", "-"); r.code != 0 {
		t.Fatal(r.err)
	}
	got := strings.Join(strings.Fields(do(t, p, "attrs mem://a/v")), "")
	if !strings.Contains(got, `"_Unsigned":"true"`) || !strings.Contains(got, `"missing_value":-1`) {
		t.Error(got)
	}
}

// TestFlagsAtTheirDefault checks that a flag that has no effect is refused, also with its default
// value.
func TestFlagsAtTheirDefault(t *testing.T) {
	p := newProgram()
	do(t, p, "create mem://old --shape 2 --dtype int8 --format 2")
	fails(t, zargo(t, p, "create mem://new --like mem://old --format 3"), 2, "--format")
	fails(t, zargo(t, p, "create mem://new --like mem://old --order C"), 2, "order")
	fails(t, zargo(t, p, "create mem://new --group --order C"), 2, "order")
	fails(t, zargoArgs(t, p, nil, "put", "mem://old", "-", "--format", "3"), 2, "--create")
	fails(t, zargoArgs(t, p, nil, "put", "mem://old", "-", "--order", "C"), 2, "--create")
	do(t, p, "create mem://new --like mem://old")
}
