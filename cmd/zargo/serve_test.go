//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// runServer runs the command serve until the returned function is called, which returns its exit code
// and its messages. get requests a path, and returns the status and the body.
func runServer(t *testing.T, p *program, args ...string) (get func(path string, header ...string) string, end func() result) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	var errOut bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- p.run(ctx, append([]string{"serve"}, args...), nil, out, &errOut)
		_ = out.Close()
	}()
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil {
		t.Fatalf("exit %d: %s", <-code, errOut.String())
	}
	base := strings.TrimPrefix(strings.TrimSpace(line), "serving ")
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if path, ok := strings.CutPrefix(base, "unix:"); ok {
			network, addr = "unix", path
		}
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}}}
	get = func(path string, header ...string) string {
		url := base
		if strings.HasPrefix(base, "unix:") {
			url = "http://localhost"
		}
		req := must(http.NewRequestWithContext(t.Context(), "GET", url+path, nil))
		for _, h := range header {
			name, value, _ := strings.Cut(h, ": ")
			req.Header.Set(name, value)
			req.Host = req.Header.Get("Host")
		}
		resp, err := client.Do(req)
		succeed(t, err)
		defer func() { _ = resp.Body.Close() }()
		return fmt.Sprint(resp.StatusCode, " ", string(must(io.ReadAll(resp.Body))))
	}
	return get, func() result {
		cancel()
		client.CloseIdleConnections()
		return result{code: <-code, err: errOut.String()}
	}
}

func TestServe(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	do(t, p, "create a.zarr --group")
	do(t, p, "create a.zarr/t --shape 4 --dtype int8 --dims x")
	do(t, p, "create mem://m/b.zarr --group")
	outside := filepath.Join(t.TempDir(), "secret")
	write(t, outside, []byte("secret"))
	succeed(t, os.Symlink(outside, "a.zarr/link"))

	write(t, "form.json", []byte(`{"format":2}`))
	get, end := runServer(t, p, "--addr", "127.0.0.1:0", "one=a.zarr", "mem://m/b.zarr", "--refresh", "1h", "--view", `one/x={"chunks":{"x":1}}`, "--view", "one/v2=form.json")
	for _, tt := range []struct{ path, header, want string }{
		{"/datasets", "", `200 ["b.zarr","one"]`},
		{"/datasets/one/keys", "", `200 ["t"]`},
		{"/datasets/one/zarr/t/zarr.json", "", `"shape"`},
		{"/datasets/b.zarr/zarr/t/zarr.json", "", "404"},
		{"/datasets/one/views/x/zarr/t/zarr.json", "", `"chunk_shape": [`},
		{"/datasets/one/views/v2/zarr/t/.zarray", "", `"dimension_separator"`},
		{"/datasets/one/views/none/zarr/zarr.json", "", "404"},
		{"/datasets/one/zarr/link", "", "403"},
		{"/datasets", "Host: other.example", "421"},
		{"/datasets", "Host: localhost:1", "200"},
	} {
		header := tt.header
		if header == "" {
			header = "Accept: */*"
		}
		if got := get(tt.path, header); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %s", tt.path, got, tt.want)
		}
	}
	r := end()
	if r.code != 130 || !strings.Contains(r.err, "path=/datasets/one/keys status=200") || !strings.HasSuffix(r.err, "zargo: interrupted\n") {
		t.Errorf("exit %d: %s", r.code, r.err)
	}

	get, end = runServer(t, p, "--addr", "127.0.0.1:0", "a.zarr", "--follow-links", "--log-json", "--host", "name.example")
	if got := get("/datasets/a.zarr/zarr/link", "Host: name.example"); got != "200 secret" {
		t.Error(got)
	}
	if r := end(); !strings.Contains(r.err, `"path":"/datasets/a.zarr/zarr/link","status":200`) {
		t.Error(r.err)
	}

	get, end = runServer(t, p, "--addr", "127.0.0.1:0", "a.zarr", "--quiet", "--refresh", "request")
	get("/datasets/a.zarr/keys")
	get("/none")
	group := must(os.ReadFile("a.zarr/zarr.json"))
	write(t, "a.zarr/zarr.json", []byte("{"))
	get("/datasets/a.zarr/keys")
	write(t, "a.zarr/zarr.json", group)
	if r := end(); strings.Count(r.err, "msg=request") != 1 || !strings.Contains(r.err, "status=502") {
		t.Error(r.err)
	}
	if r := zargo(t, p, "serve --addr 127.0.0.1:0 a.zarr --idle 1ms"); r.code != 0 || !strings.HasPrefix(r.out, "serving") {
		t.Errorf("exit %d: %s", r.code, r.err)
	}

	for _, bad := range []struct {
		line string
		code int
		says string
	}{
		{"serve", 2, "dataset"},
		{"serve a.zarr --idle -1s", 2, "--idle"},
		{"serve none.zarr", 3, "none.zarr"},
		{"serve a.zarr x=a.zarr a.zarr", 10, "two datasets"},
		{"serve a.zarr --refresh -1s", 2, "--refresh"},
		{"serve a.zarr --max-bytes x", 2, "--max-bytes"},
		{"serve a.zarr --max-requests=-1", 2, "--max-requests"},
		{"serve a.zarr --view b.zarr/v={}", 2, "the ID of a dataset"},
		{"serve a.zarr --view a.zarr={}", 2, "ID/NAME"},
		{"serve a.zarr --view a.zarr/v={", 4, "--view a.zarr/v"},
		{"serve a.zarr --view a.zarr/v=none.json", 1, "none.json"},
		{"serve a.zarr --view a.zarr/v={\"vars\":[\"u\"]}", 3, "--view a.zarr/v"},
		{"serve a.zarr --addr 127.0.0.1:0 --socket a.zarr/zarr.json", 10, "not a socket"},
		{"serve a.zarr --addr 127.0.0.1:99999", 1, "99999"},
	} {
		fails(t, zargo(t, p, bad.line), bad.code, bad.says)
	}
}

// TestServeSocket checks that a socket is private, that it is replaced only when nobody listens at
// it, and that of processes that start at the same time one serves.
func TestServeSocket(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	do(t, p, "create a.zarr --group")
	get, end := runServer(t, p, "--socket", "s", "a.zarr", "--writable")
	if got := get("/datasets"); !strings.HasPrefix(got, `200 ["a.zarr"]`) {
		t.Error(got)
	}
	if mode := must(os.Stat("s")).Mode(); mode != os.ModeSocket|0o600 {
		t.Errorf("mode %v", mode)
	}
	fails(t, zargo(t, p, "serve --socket s a.zarr"), 10, "a server listens")
	if got := get("/datasets"); !strings.HasPrefix(got, "200") {
		t.Errorf("after a second start: %s", got)
	}
	end()
	if _, err := os.Lstat("s"); err == nil {
		t.Error("the socket remains")
	}

	exe := must(os.Executable())
	starts := func() (*exec.Cmd, *bufio.Reader) {
		c := exec.Command(exe, "serve", "--socket", "s", "a.zarr")
		c.Env = append(os.Environ(), actAsZargo+"=1")
		out := must(c.StdoutPipe())
		succeed(t, c.Start())
		return c, bufio.NewReader(out)
	}
	killed, out := starts()
	must(out.ReadString('\n'))
	succeed(t, killed.Process.Kill())
	_ = killed.Wait() // it was killed
	if must(os.Lstat("s")).Mode().Type() != os.ModeSocket {
		t.Fatal("no stale socket")
	}
	type ended struct {
		c    *exec.Cmd
		code int
	}
	ends, running := make(chan ended), map[*exec.Cmd]bool{}
	for range 4 {
		c, out := starts()
		running[c] = true
		go func() {
			_, _ = io.Copy(io.Discard, out)
			_ = c.Wait() // the code is compared
			ends <- ended{c, c.ProcessState.ExitCode()}
		}()
	}
	codes := map[int]int{}
	for range 3 {
		e := <-ends
		delete(running, e.c)
		codes[e.code]++
	}
	succeed(t, must(net.Dial("unix", "s")).Close())
	for c := range running {
		succeed(t, c.Process.Signal(syscall.SIGTERM))
	}
	codes[(<-ends).code]++
	if codes[10] != 3 || codes[143] != 1 {
		t.Errorf("exit codes %v", codes)
	}
}
