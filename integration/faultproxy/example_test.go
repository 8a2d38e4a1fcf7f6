package faultproxy_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"

	"github.com/zargo-io/zargo/integration/faultproxy"
)

func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "hello")
	}))
	defer server.Close()
	target, _ := url.Parse(server.URL)

	p, err := faultproxy.New(target, faultproxy.Config{
		Overrides: []faultproxy.Override{{Path: "/busy", Fault: faultproxy.Fault{Kind: faultproxy.SlowDown}}},
		Log:       10,
	})
	if err != nil {
		panic(err)
	}
	defer p.Close()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() { _ = p.Serve(ln) }() // until Close

	for _, path := range []string{"/free", "/busy"} {
		resp, err := http.Get("http://" + ln.Addr().String() + path)
		if err != nil {
			panic(err)
		}
		resp.Body.Close()
	}
	for _, e := range p.Log() {
		fmt.Println(e)
	}
	fmt.Println(p.Stats().PeakInFlight, "at once")
	// Output:
	// GET /free 200
	// GET /busy 503 (slow_down)
	// 1 at once
}
