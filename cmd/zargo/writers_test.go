package main

import (
	"strings"
	"testing"
)

// TestQuotedFill checks the commands for an array whose fill value is a string, as n5-zarr, Fiji
// and early versions of bioformats2raw write it.
func TestQuotedFill(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	do(t, p, "create g/a --shape 4,3 --chunks 2,3 --dtype uint16 --codec none --format 2")
	do(t, p, "create g/b --shape 4 --chunks 2 --dtype uint16 --codec none --format 2")
	write(t, "g/.zgroup", []byte(`{"zarr_format":2}`))
	write(t, "g/a/.zarray", []byte(`{"zarr_format":2,"shape":[4,3],"chunks":[2,3],"dtype":">u2","compressor":null,"fill_value":"0","order":"C","filters":null}`))
	for _, line := range []string{"ls g", "ls -r g", "ls -r --json g", "info g", "info g/a"} {
		if out := zargo(t, p, line); out.code != 0 || strings.HasPrefix(line, "ls") && (!strings.Contains(out.out, "a") || !strings.Contains(out.out, "b")) {
			t.Errorf("%s: %d %s %s", line, out.code, out.out, out.err)
		}
	}
	if out := zargo(t, p, "cat g/a --sel 0 --raw --format csv"); out.code != 0 || strings.TrimSpace(out.out) != "0,0,0" && strings.Count(out.out, "0") != 3 {
		t.Errorf("cat: %d %q %s", out.code, out.out, out.err)
	}
	if out := zargo(t, p, "validate g"); out.code != 0 || !strings.Contains(out.out+out.err, "fill-spelling") {
		t.Errorf("validate: %d %s %s", out.code, out.out, out.err)
	}
}
