package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestVerifyAccounts checks that verify names the nodes that the copy lacks, and everything that
// belongs to no node, and that it says so if the source cannot list.
func TestVerifyAccounts(t *testing.T) {
	for _, format := range []int{2, 3} {
		t.Chdir(t.TempDir())
		p := newProgram()
		oddTree(t, "a", format, []string{"x"})
		do(t, p, "transfer plan a b -o plan.json")
		do(t, p, "transfer resume plan.json")
		if r := zargo(t, p, "transfer verify plan.json"); r.code != 0 || r.err != "" {
			t.Errorf("%+v", r)
		}
		write(t, "a/ notes.txt", []byte("x"))
		write(t, "b/folder/x", []byte("x"))
		if r := zargo(t, p, "transfer verify plan.json"); r.code != 0 || !strings.Contains(r.err, "source:  notes.txt: the object") || !strings.Contains(r.err, "target: folder: the directory") {
			t.Errorf("%+v", r)
		}
		oddTree(t, "a/implied/sub", format, nil)
		fails(t, zargo(t, p, "transfer verify plan.json"), 11, "implied/sub")
		do(t, p, "transfer clean plan.json")
		fails(t, zargo(t, p, "transfer verify plan.json"), 11, "implied/sub")
		r := zargo(t, p, "copy a c")
		if r.code != 0 || !strings.Contains(r.err, "implied/sub: the copy lacks this node") {
			t.Errorf("%+v", r)
		}
		srv := httptest.NewServer(http.FileServer(http.Dir(".")))
		do(t, p, "consolidate b")
		for _, line := range []string{"copy " + srv.URL + "/b d", "transfer plan " + srv.URL + "/b e -o web.json", "transfer resume web.json"} {
			if r := zargo(t, p, line); r.code != 0 {
				t.Errorf("%s: %+v", line, r)
			}
		}
		r = zargo(t, p, "transfer verify web.json")
		if r.code != 0 || !strings.Contains(r.err, "the keys of the source are not accounted for") {
			t.Errorf("%+v", r)
		}
		srv.Close()
	}
}
