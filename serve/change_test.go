package serve_test

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/serve"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestChanges checks that values change only on a condition that holds.
func TestChanges(t *testing.T) {
	st := filled(t, "a", "old", "other", "x", "g/.zgroup", `{"zarr_format":2}`)
	o := serve.Options{Writable: true, Limits: serve.Limits{Body: 8}}
	url := start(t, o, serve.Dataset{ID: "d", Store: st}, serve.Dataset{ID: "r", Store: store.ReadOnly(st)}, serve.Dataset{ID: "g", Store: st, Path: "g"}) + "/datasets/"
	tag := send(t, "HEAD", url+"d/zarr/a").Header.Get("ETag")
	other := send(t, "HEAD", url+"d/zarr/other").Header.Get("ETag")
	for _, tt := range []struct {
		name   string
		method string
		path   string
		header []string
		status int
		wants  []string
	}{
		{"no condition", "PUT", "d/zarr/a", []string{"new"}, 428, nil},
		{"delete without a condition", "DELETE", "d/zarr/a", nil, 428, nil},
		{"any version", "PUT", "d/zarr/a", []string{"If-Match: *", "new"}, 428, nil},
		{"exists", "PUT", "d/zarr/a", []string{"If-None-Match: *", "new"}, 412, nil},
		{"another version", "PUT", "d/zarr/a", []string{"If-Match: " + other, "new"}, 412, nil},
		{"weak", "PUT", "d/zarr/a", []string{"If-Match: W/" + tag, "new"}, 412, nil},
		{"foreign tag", "DELETE", "d/zarr/a", []string{`If-Match: "x"`}, 412, nil},
		{"delete another version", "DELETE", "d/zarr/a", []string{"If-Match: " + other}, 412, nil},
		{"delete absent", "DELETE", "d/zarr/b", []string{"If-Match: " + tag}, 412, nil},
		{"both", "PUT", "d/zarr/a", []string{"If-Match: " + tag, "If-None-Match: *", "new"}, 400, nil},
		{"several", "PUT", "d/zarr/a", []string{"If-Match: " + tag + ", " + other, "new"}, 400, nil},
		{"not that version", "PUT", "d/zarr/a", []string{"If-None-Match: " + other, "new"}, 400, nil},
		{"delete if absent", "DELETE", "d/zarr/a", []string{"If-None-Match: *"}, 400, nil},
		{"long body", "PUT", "d/zarr/b", []string{"If-None-Match: *", "123456789"}, 413, []string{"8 bytes"}},
		{"encoded", "PUT", "d/zarr/b", []string{"If-None-Match: *", "Content-Encoding: gzip", "x"}, 400, nil},
		{"part", "PUT", "d/zarr/a", []string{"If-Match: " + tag, "Content-Range: bytes 0-0/3", "x"}, 400, nil},
		{"prefix", "PUT", "d/zarr/b/", []string{"If-None-Match: *", "x"}, 400, nil},
		{"root", "PUT", "d/zarr", []string{"If-None-Match: *", "x"}, 400, nil},
		{"read-only", "PUT", "r/zarr/b", []string{"If-None-Match: *", "x"}, 405, []string{"Allow: GET, HEAD, OPTIONS"}},
		{"other path", "PUT", "d/keys", []string{"If-None-Match: *", "x"}, 405, []string{"Allow: GET, HEAD, OPTIONS"}},
		{"unchanged so far", "GET", "d/zarr/a", nil, 200, []string{"=old", "ETag: " + tag}},
		{"created", "PUT", "d/zarr/b", []string{"If-None-Match: *", "12345678"}, 201, nil},
		{"created empty", "PUT", "d/zarr/c", []string{"If-None-Match: *", ""}, 201, nil},
		{"replaced", "PUT", "d/zarr/a", []string{"If-Match: " + tag, "new"}, 204, nil},
		{"replaced again", "PUT", "d/zarr/a", []string{"If-Match: " + tag, "newer"}, 412, nil},
		{"deleted", "DELETE", "d/zarr/other", []string{"If-Match: " + other}, 204, nil},
		{"deleted before", "GET", "d/zarr/other", nil, 404, nil},
		{"new value", "GET", "d/zarr/a", nil, 200, []string{"=new"}},
		{"options", "OPTIONS", "d/zarr/a", nil, 204, []string{"Allow: GET, HEAD, OPTIONS, PUT, DELETE"}},
		{"nothing is generated", "GET", "g/zarr/.zmetadata", nil, 404, nil},
	} {
		t.Run(tt.name, func(t *testing.T) { send(t, tt.method, url+tt.path, tt.header...).expect(t, tt.status, tt.wants...) })
	}
	put := send(t, "PUT", url+"d/zarr/z", "If-None-Match: *", "1")
	put.expect(t, 201, "ETag: "+send(t, "HEAD", url+"d/zarr/z").Header.Get("ETag"))

	req := must(http.NewRequest("PUT", url+"d/zarr/y", strings.NewReader("x")))
	req.ContentLength = -1 // chunked
	req.Header.Set("If-None-Match", "*")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusLengthRequired {
		t.Errorf("unknown length: %s", resp.Status)
	}
	if _, err := serve.New(o, serve.Dataset{ID: "d", Store: store.Around(st, store.Hooks{Provide: func(target any) bool {
		c, ok := target.(*store.Conditions)
		if ok {
			*c = store.Conditions{}
		}
		return ok
	}})}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a store without conditions: %v", err)
	}
}

// TestTwoWriters checks that of writers that meet at one key, one succeeds.
func TestTwoWriters(t *testing.T) {
	st := filled(t)
	url := start(t, serve.Options{Writable: true}, serve.Dataset{ID: "d", Store: st}) + "/datasets/d/zarr/c/0"
	tag := ""
	for round, want := range []int{201, 204, 204} {
		condition := "If-Match: " + tag
		if round == 0 {
			condition = "If-None-Match: *"
		}
		var group sync.WaitGroup
		status := make(chan reply, 8)
		for i := range cap(status) {
			group.Go(func() { status <- send(t, "PUT", url, condition, strings.Repeat("x", i+1)) })
		}
		group.Wait()
		close(status)
		n := map[int]int{}
		for r := range status {
			if n[r.StatusCode]++; r.StatusCode == want {
				tag = r.Header.Get("ETag")
			}
		}
		if n[want] != 1 || n[412] != 7 {
			t.Errorf("round %d: %v", round, n)
		}
	}
	if _, err := st.Get(t.Context(), "c/1", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
}
