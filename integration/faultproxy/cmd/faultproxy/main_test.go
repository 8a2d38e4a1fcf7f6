package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "ok") }))
	defer behind.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	done := make(chan error)
	go func() {
		done <- run(ctx, []string{"-target", behind.URL, "-config", `{"overrides":[{"path":"/x","fault":{"kind":"answer","status":418}}]}`}, w)
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/": 200, "/x": 418} {
		resp, err := http.Get(strings.TrimSpace(line) + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %s", path, resp.Status)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestBadArguments(t *testing.T) {
	for _, args := range [][]string{
		{}, {"-target", "x"}, {"-target", "http://x", "-config", "{"}, {"-target", "http://x", "-listen", "nowhere:x"}, {"-odd"},
	} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("%v was taken", args)
		}
	}
}
