package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/zip"
)

// TestZipAndHTTP reads a hierarchy from a directory, from a zip archive, and from both over HTTP.
func TestZipAndHTTP(t *testing.T) {
	p := newProgram()
	root := t.TempDir()
	tree := filepath.Join(root, "tree")
	do(t, p, "create "+tree+"/g/x --root "+tree+" --shape 3 --dtype int16 --chunks 2 --fill 7 --attrs {\"units\":\"K\"}")
	want := do(t, p, "cat "+tree+"/g/x")

	f, err := os.Create(filepath.Join(root, "tree.zip"))
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	st := dir.New(tree)
	for e, err := range st.List(t.Context(), "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		v, err := st.Get(t.Context(), e.Key, store.GetOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Add("data.zarr/"+e.Key, v.Bytes); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.FileServer(http.Dir(root)))
	defer srv.Close()

	archive := filepath.Join(root, "tree.zip")
	for _, url := range []string{srv.URL + "/tree/g/x", archive + "|zip:data.zarr/g/x", archive + "|zip:/data.zarr/g/x/", srv.URL + "/tree.zip|zip:data.zarr/g/x"} {
		if got := do(t, p, "cat "+url); got != want {
			t.Errorf("%s gives %q, want %q", url, got, want)
		}
		if got := do(t, p, "attrs "+url); !strings.Contains(got, `"K"`) {
			t.Errorf("%s has attributes %s", url, got)
		}
	}
	if got := do(t, p, "ls -r "+archive+"|zip:data.zarr"); !strings.Contains(got, "x") {
		t.Errorf("the archive lists %q", got)
	}
	fails(t, zargo(t, p, "cat "+archive+"|zip:data.zarr/nope"), 3, "tree.zip|zip:data.zarr/nope")
	for _, c := range []string{"info ", "cat ", "validate "} {
		fails(t, zargo(t, p, c+archive), 3, "to open a zip archive, use", "tree.zip|zip:")
	}
	fails(t, zargo(t, p, "cat "+archive+"|zip:../x"), 4, "tree.zip|zip:../x")
	fails(t, zargo(t, p, "cat "+archive+"x|zip:x"), 3, "tree.zipx")
	fails(t, zargo(t, p, "attrs --set a=1 "+archive+"|zip:data.zarr/g"), 12, "tree.zip")
	fails(t, zargo(t, p, "create "+archive+"|zip:y --group"), 12, "tree.zip")
	fails(t, zargo(t, p, "cat "+srv.URL+"/nope"), 3, srv.URL+"/nope")
	fails(t, zargo(t, p, "create "+srv.URL+"/tree/new --group"), 12, srv.URL)
	fails(t, zargo(t, p, "attrs --set a=1 "+srv.URL+"/tree/g/x"), 12, srv.URL) // this server does not send ETags
	fails(t, zargo(t, p, "ls "+srv.URL+"/tree/g"), 6, srv.URL)
}
