package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unsaid is a v2 document without the separator of chunk keys.
const unsaid = `{"zarr_format":2,"shape":[2,2],"chunks":[2,2],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","filters":null}`

// TestLayoutOverHTTP checks that nested chunks are detected without a listing.
func TestLayoutOverHTTP(t *testing.T) {
	root := t.TempDir()
	succeed(t, os.MkdirAll(filepath.Join(root, "old", "0"), 0o777))
	write(t, filepath.Join(root, "old", ".zarray"), []byte(unsaid))
	write(t, filepath.Join(root, "old", "0", "0"), []byte("abcd"))
	srv := httptest.NewServer(http.FileServer(http.Dir(root)))
	defer srv.Close()
	p, url := newProgram(), srv.URL+"/old"
	if got := do(t, p, "info "+url); !strings.Contains(got, "warning  chunks are nested (0/0)") || !strings.Contains(got, "--separator /") {
		t.Errorf("info prints %s", got)
	}
	if r := zargo(t, p, "cat --raw --format csv "+url); r.code != 0 || r.out != "0,0\n0,0\n" || !strings.Contains(r.err, "warning: "+url) || !strings.Contains(r.err, "--separator /") {
		t.Errorf("cat: %+v", r)
	}
	if got := do(t, p, "cat --format csv --separator / "+url); got != "97,98\n99,100\n" {
		t.Errorf("cat prints %s", got)
	}
}

// TestLayoutRefused checks the commands for a caller who may read and write but not list. The
// metadata is printed, and a write uses the keys that the metadata declares.
func TestLayoutRefused(t *testing.T) {
	b := newBucket(t)
	b.objects["old/.zarray"] = []byte(unsaid)
	b.objects["old/0/0"] = []byte("abcd")
	p, url := newProgram(), b.at("b", "old")
	lists := 0
	count := func(r *http.Request) {
		if r.URL.Query().Has("list-type") {
			lists++
		}
	}
	b.refuse = func(r *http.Request) (int, string) { count(r); return 0, "" }
	if got := do(t, p, "info "+url); !strings.Contains(got, "warning  chunks are nested (0/0)") || lists != 2 {
		t.Errorf("%d listings; info prints %s", lists, got)
	}
	lists = 0
	if got := do(t, p, "cat --format csv --separator / "+url); got != "97,98\n99,100\n" || lists != 0 {
		t.Errorf("%d listings; cat prints %s", lists, got)
	}
	t.Chdir(t.TempDir())
	do(t, p, "create new --shape 2,2 --dtype uint8 --fill 7")
	do(t, p, "cat new --format npy -o new.npy")
	fails(t, zargo(t, p, "put "+url+" new.npy"), 2, "--separator /", "nested")
	if _, wrote := b.objects["old/0.0"]; wrote {
		t.Error("it was written all the same")
	}

	b.refuse = func(r *http.Request) (int, string) {
		if count(r); r.URL.Query().Has("list-type") {
			return 403, "AccessDenied"
		}
		return 0, ""
	}
	lists = 0
	if got := do(t, p, "info "+url); !strings.Contains(got, "looking was refused") || !strings.Contains(got, "shape    2, 2") || lists == 0 {
		t.Errorf("%d listings; info prints %s", lists, got)
	}
	if r := zargo(t, p, "cat --raw --format csv "+url); r.code != 0 || r.out != "0,0\n0,0\n" || r.err != "" {
		t.Errorf("cat: %+v", r)
	}
	do(t, p, "put "+url+" new.npy")
	if got := string(b.objects["old/0.0"]); got != "\a\a\a\a" || string(b.objects["old/0/0"]) != "abcd" {
		t.Errorf("put wrote %q", got)
	}
}
