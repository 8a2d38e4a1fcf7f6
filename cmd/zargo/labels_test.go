package main

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestRequestsForLabels checks which nodes a selection reads. Without named items it reads only the
// array. With named items it also reads the groups and the coordinates of the named dimensions.
func TestRequestsForLabels(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	write(t, "f.npy", npyOf(t, "1", "2", "3"))
	do(t, p, "create w.zarr --group")
	for _, dim := range []string{"y", "x"} {
		do(t, p, "put w.zarr/"+dim+" f.npy --create --dims "+dim)
	}
	do(t, p, "create w.zarr/v --shape 3,3 --dtype int8 --dims y,x")
	var mu sync.Mutex
	var seen []string
	files := http.FileServer(http.Dir("."))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = append(seen, r.URL.Path)
		mu.Unlock()
		files.ServeHTTP(w, r)
	}))
	defer srv.Close()
	var before []string
	for _, tt := range []struct {
		sel  string
		want []string // the directories below w.zarr that were read
	}{
		{"", []string{"v"}},
		{"--sel 0,1", []string{"v"}},
		{"--sel ...,0:1", []string{"v"}},
		{"--isel x=0,y=1", []string{"v"}},
		{"--sel x=1", []string{"", "v", "x"}},
		{"--sel 0,x=1", []string{"", "v", "x"}},
		{"--sel x=1 --isel y=0", []string{"", "v", "x"}},
		{"--sel x=1,y=2:1", []string{"", "v", "x", "y"}},
	} {
		seen = nil
		do(t, p, strings.TrimSpace("cat "+srv.URL+"/w.zarr/v "+tt.sel))
		var got []string
		for _, path := range seen {
			dir, _, _ := strings.Cut(strings.TrimPrefix(path, "/w.zarr/"), "/")
			if strings.HasPrefix(dir, "zarr.json") || strings.HasPrefix(dir, ".z") {
				dir = ""
			}
			if !slices.Contains(got, dir) {
				got = append(got, dir)
			}
		}
		if slices.Sort(got); !slices.Equal(got, tt.want) {
			t.Errorf("%q reads %q, want %q", tt.sel, got, tt.want)
		}
		if slices.Sort(seen); before == nil {
			before = seen
		} else if len(tt.want) == 1 && !slices.Equal(seen, before) {
			t.Errorf("%q sends %q, want %q as without a selection", tt.sel, seen, before)
		}
	}
}
