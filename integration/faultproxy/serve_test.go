package faultproxy

import (
	"net"
	"net/http"
	"net/url"
	"testing"
)

func TestCloseWakesHanging(t *testing.T) {
	p := Start(t, behind(t, bytesOf), always(Fault{Kind: Hang}))
	done := make(chan error)
	for range 3 {
		go func() {
			_, err := do(t.Context(), client(t, true), "GET", p.URL()+"/k", "")
			done <- err
		}()
	}
	for p.Stats().InFlight < 3 {
		if t.Context().Err() != nil {
			t.Fatal("the requests did not come")
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	for range 3 {
		if err := <-done; err == nil {
			t.Error("an answer")
		}
	}
	if s := p.Stats(); s.InFlight != 0 {
		t.Errorf("%+v", s)
	}
	if err := p.Close(); err != nil {
		t.Errorf("the second Close: %v", err)
	}
}

func TestCloseLetsAnswersArrive(t *testing.T) {
	asked, finish := make(chan struct{}), make(chan struct{})
	p := Start(t, behind(t, func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-finish
		w.Header().Set("Content-Length", "2")
		_, _ = w.Write([]byte("ok"))
	}), Config{})
	got := make(chan reply)
	go func() {
		r, _ := do(t.Context(), client(t, true), "GET", p.URL()+"/k", "")
		got <- r
	}()
	<-asked
	closed := make(chan error)
	go func() { closed <- p.Close() }()
	<-p.stop
	close(finish)
	if r := <-got; r.body != "ok" {
		t.Errorf("%+v", r)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

func TestServeOnce(t *testing.T) {
	p := Start(t, behind(t, bytesOf), Config{})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Serve(ln); err == nil {
		t.Error("served twice")
	}
}

func TestBadTarget(t *testing.T) {
	for _, raw := range []string{"", "127.0.0.1:9000", "ftp://x", "http://", "http://x/bucket", "s3://b"} {
		u, err := url.Parse(raw)
		if err != nil {
			u = &url.URL{Path: raw}
		}
		if _, err := New(u, Config{}); err == nil {
			t.Errorf("%q was taken", raw)
		}
	}
}
