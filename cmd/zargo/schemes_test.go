package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
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
		succeed(t, w.Add("data.zarr/"+e.Key, v.Bytes))
	}
	succeed(t, w.Close())
	succeed(t, f.Close())
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

// TestStatusTellsSchemes compares the table of stores with the schemes that the program opens.
func TestStatusTellsSchemes(t *testing.T) {
	b, err := os.ReadFile("../../docs/reference/status.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(b), "<!-- generated: stores -->")
	table, _, ok := strings.Cut(table, "<!-- end: stores -->")
	if !ok {
		t.Fatal("no table of stores")
	}
	schemes := session.New(session.Globals{}, newProgram().own, true, nil, session.NewLate(nil)).Stores.Schemes()
	for _, s := range schemes {
		if !strings.Contains(table, s+"://") {
			t.Errorf("%s:// is not in the table", s)
		}
	}
	if n := strings.Count(table, "://"); n != len(schemes) {
		t.Errorf("%d URLs in the table, the program opens %d schemes", n, len(schemes))
	}
}

// TestRatesAreChecked checks that an invalid rate is an error of the command line.
func TestRatesAreChecked(t *testing.T) {
	p := newProgram()
	do(t, p, "create mem://rates/a --shape 1 --chunks 1 --dtype uint8")
	for _, flag := range []string{"--fleet=-1", "--request-rate=-1", "--request-rate=NaN", "--byte-rate=0", "--byte-rate=fast"} {
		fails(t, zargo(t, p, "cat mem://rates/a "+flag), 2, strings.Split(flag, "=")[0])
	}
	do(t, p, "cat mem://rates/a --fleet 8 --request-rate 3000 --byte-rate 100MiB")
}

// TestRequestRate checks that the interval between requests is at least that of the rate for one
// process of a fleet.
func TestRequestRate(t *testing.T) {
	p := newProgram()
	t.Chdir(t.TempDir())
	do(t, p, "create src --shape 40 --chunks 1 --dtype uint8")
	var mu sync.Mutex
	requests, last := 0, time.Time{}
	files := http.FileServer(http.Dir("."))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		requests, last = requests+1, time.Now()
		mu.Unlock()
		files.ServeHTTP(w, r)
	}))
	defer srv.Close()
	begun := time.Now()
	do(t, p, fmt.Sprintf("cat %s/src --fleet 4 --request-rate 400", srv.URL))
	mu.Lock()
	defer mu.Unlock()
	// This process's share is a hundred requests per second. A timer may fire late, and the process
	// may catch up within 50 ms.
	if least := time.Duration(requests-1)*10*time.Millisecond - 50*time.Millisecond; requests < 40 || last.Sub(begun) < least {
		t.Errorf("%d requests in %v, want %v at least", requests, last.Sub(begun), least)
	}
}
