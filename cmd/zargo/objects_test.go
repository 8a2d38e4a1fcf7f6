package main

import (
	"os"
	"testing"
)

// TestObjects checks the output of v2 arrays of objects as JSON and in other formats.
func TestObjects(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	array := func(name, filter, chunk string) {
		t.Helper()
		if err := os.MkdirAll(name, 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, name+"/.zarray", []byte(`{"zarr_format":2,"shape":[3],"chunks":[3],"dtype":"|O","order":"C","fill_value":null,"compressor":null,"filters":[`+filter+`]}`))
		write(t, name+"/0", []byte(chunk))
	}
	array("json", `{"id":"json2"}`, `["a\"b",{"k":[1,null]},NaN,"|O",[3]]`)
	array("packed", `{"id":"msgpack2"}`, "\x95\x01\xc4\x01\xff\xc0\xa2|O\x91\x03")
	array("ragged", `{"id":"vlen-array","dtype":"<i2"}`, "\x03\x00\x00\x00\x04\x00\x00\x00\x01\x00\xff\xff\x00\x00\x00\x00\x02\x00\x00\x00\x07\x00")
	array("labels", `{"id":"categorize","labels":["red","é"],"dtype":"|O","astype":"|u1"}`, "\x02\x00\x01")
	for _, r := range []struct{ line, want string }{
		{"cat json --format json", `["a\"b", {"k":[1,null]}, {"float":"NaN"}]` + "\n"},
		{"cat json --format csv", `"""a\""b"""` + "\n" + `"{""k"":[1,null]}"` + "\n" + `"{""float"":""NaN""}"` + "\n"},
		{"cat packed --format json", `[1, {"b64":"/w=="}, null]` + "\n"},
		{"cat packed --sel 0:1", "[1]\n"},
		{"cat ragged --format json", `[{"array": [1, -1], "dtype": "<i2"}, {"array": [], "dtype": "<i2"}, {"array": [7], "dtype": "<i2"}]` + "\n"},
		{"cat ragged --format csv", "\"[1, -1]\"\n[]\n[7]\n"},
		{"cat ragged", "[[1, -1]      []     [7]]\n"},
		{"cat labels --format json", `["é", "", "red"]` + "\n"},
	} {
		if got := zargo(t, p, r.line); got.code != 0 || got.out != r.want {
			t.Errorf("%s: %q, want %q; %s", r.line, got.out, r.want, got.err)
		}
	}
	for _, line := range []string{"info json", "info ragged"} {
		if r := zargo(t, p, line); r.code != 0 {
			t.Errorf("%s: %s", line, r.err)
		}
	}
	fails(t, zargo(t, p, "cat ragged --format raw"), 6, "ragged")
	array("pickle", `{"id":"pickle","protocol":5}`, "")
	fails(t, zargo(t, p, "cat pickle"), 6, "pickle", "program")
}
