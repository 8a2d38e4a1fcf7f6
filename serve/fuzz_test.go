package serve_test

import (
	"bufio"
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/serve"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// secret is the contents of files beside the served directories.
const secret = "nobody may read this"

// FuzzServer sends requests of any text to a server. None panics, none is a failure of the server,
// and none reads or changes a file beside the served directories. Values and listings that are sent
// have the announced length.
func FuzzServer(f *testing.F) {
	root := f.TempDir()
	below := filepath.Join(root, "data")
	put := func(name, text string) {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			f.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			f.Fatal(err)
		}
	}
	put("secret", secret)
	put("data/secret", secret)
	put("data/d/.zgroup", `{"zarr_format":2}`)
	put("data/d/t/.zarray", `{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"|i1","compressor":null,"fill_value":0,"order":"C","filters":null}`)
	put("data/d/t/.zattrs", `{"_ARRAY_DIMENSIONS":["x"]}`)
	put("data/d/t/0", "ab")
	for name, text := range map[string]string{"u": `["lat","lon"]`, "lat": `["lat"]`, "lon": `["lon"]`} {
		shape := map[string]string{"u": "3,4", "lat": "3", "lon": "4"}[name]
		put("data/d/"+name+"/.zarray", `{"zarr_format":2,"shape":[`+shape+`],"chunks":[`+shape+`],"dtype":"|i1","compressor":null,"fill_value":-1,"order":"C","filters":null}`)
		put("data/d/"+name+"/.zattrs", `{"_ARRAY_DIMENSIONS":`+text+`}`)
		put("data/d/"+name+"/"+map[string]string{"u": "0.0", "lat": "0", "lon": "0"}[name], map[string]string{"u": "abcdefghijkl", "lat": "\x00\x01\x02", "lon": "\xfe\xff\x00\x01"}[name])
	}
	put("data/w/k", "value")
	if err := os.Symlink(filepath.Join(root, "secret"), filepath.Join(below, "d", "link")); err != nil {
		f.Fatal(err)
	}
	confined := dir.New(filepath.Join(below, "d"), dir.Confined(true))
	limits := serve.Limits{Body: 1 << 10}
	reads := must(serve.New(serve.Options{Limits: limits, Hosts: []string{"h"}, Origins: []string{"https://o"}}, serve.Dataset{ID: "d", Store: confined}, serve.Dataset{ID: "t", Store: confined, Path: "t"}))
	writes := must(serve.New(serve.Options{Limits: limits, Writable: true, Refresh: serve.EachRequest}, serve.Dataset{ID: "d", Store: store.ReadOnly(confined)}, serve.Dataset{ID: "w", Store: dir.New(filepath.Join(below, "w"), dir.Confined(true), dir.Sync(false))}))

	for _, text := range []string{
		"GET /datasets HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /datasets/d/zarr/t/0 HTTP/1.1\r\nHost: h\r\nRange: bytes=1-5\r\nIf-Match: \"x\"\r\n\r\n",
		"HEAD /datasets/t/zarr/.zarray HTTP/1.1\r\nHost: h\r\nIf-None-Match: *, W/\"v:%00\"\r\n\r\n",
		"GET /datasets/d/zarr/?list=level&prefix=t&after=t/a HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /datasets/d/zarr/t HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /datasets/d/zarr/.zmetadata HTTP/1.1\r\nHost: h\r\nRange: bytes=-3,4-\r\nIf-Range: \"g:0\"\r\n\r\n",
		"GET /datasets/d/zarr/link HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /datasets/d/zarr/%2e%2e/secret HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /datasets/d/zarr/..%5c..%2fsecret?x=%zz HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET //datasets/./d/zarr/../../../secret HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET http://h/datasets/d/info HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /datasets/d/views/v/zarr/x HTTP/1.0\r\n\r\n",
		"OPTIONS * HTTP/1.1\r\nHost: h\r\nOrigin: https://o\r\n\r\n",
		"CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n",
		"PUT /datasets/w/zarr/a/b HTTP/1.1\r\nHost: h\r\nIf-None-Match: *\r\nContent-Length: 3\r\n\r\nabc",
		"PUT /datasets/w/zarr/../secret HTTP/1.1\r\nHost: h\r\nIf-None-Match: *\r\nContent-Length: 1\r\n\r\nx",
		"DELETE /datasets/w/zarr/k HTTP/1.1\r\nHost: h\r\nIf-Match: \"v:1\"\r\n\r\n",
		"GET /datasets/d/dict HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /datasets/d/point?var=t&x=1:2&f=csv HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /datasets/d/slice?var=t,t&sel=x=nearest::3,0 HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /datasets/d/slice?var=u&f=png&size=9&range=1%25:2%25&method=nearest HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /datasets/d/point?var=u&isel=lat=2&isel=lon=-1&f=csv HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /page/../page.go HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /datasets/d/stats?var=u&lat=0,2&bins=3&range=-1:1e300 HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /datasets/d/position?coords=POINT(-1+1.5)&parameter-name=u HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /datasets/d/position?coords=MULTIPOINT((0+0),(359+1e0))&datetime=../2020&z=R3/1/2 HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /datasets/d/area?coords=POLYGON((-3+0,5+0,5+9,-3+0),(0+0,1+0,0+1,0+0))&f=covjson HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /datasets/d/tiles/1/0/1.png?var=u&range=0:200&tms=grid HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /datasets/d/tiles/0/0/0?var=u&range=0:200 HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /datasets/d/slice?var=u&f=npy&lon=-5:10 HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /datasets/d HTTP/1.1\r\nHost: h\r\n\r\n",
	} {
		f.Add([]byte(text), strings.HasPrefix(text, "PUT") || strings.HasPrefix(text, "DELETE"))
	}
	f.Fuzz(func(t *testing.T, text []byte, write bool) {
		req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(text)))
		if err != nil {
			return // package http refuses it
		}
		s := reads
		if write {
			s = writes
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, req)
		body := w.Body.String()
		if w.Code >= 500 {
			t.Errorf("status %d: %s", w.Code, body)
		}
		if strings.Contains(body, secret) || strings.Contains(body, root) {
			t.Errorf("outside: %s", body)
		}
		if n := w.Header().Get("Content-Length"); w.Code < 300 && n != "" && req.Method != http.MethodHead && n != strconv.Itoa(len(body)) {
			t.Errorf("Content-Length %s, %d bytes", n, len(body))
		}
		if w.Code == http.StatusPartialContent && w.Header().Get("Content-Range") == "" && !strings.HasPrefix(w.Header().Get("Content-Type"), "multipart/") {
			t.Error("no Content-Range")
		}
		for _, name := range []string{"secret", "data/secret"} {
			if b, err := os.ReadFile(filepath.Join(root, name)); string(b) != secret {
				t.Fatalf("%s: %q, %v", name, b, err)
			}
		}
	})
}
