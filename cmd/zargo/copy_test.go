package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
)

// TestCopyInterrupted checks that the message of an interrupted copy says how to resume it, and
// that the copy can be resumed.
func TestCopyInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	do(t, p, "create src --shape 400 --chunks 1 --dtype uint8 --fill 7")
	var file bytes.Buffer
	file.WriteString("\x93NUMPY\x01\x00v\x00{'descr': '|u1', 'fortran_order': False, 'shape': (400,), }")
	file.WriteString(strings.Repeat(" ", 128-1-file.Len()) + "\n")
	for i := range 400 {
		file.WriteByte(byte(i % 5))
	}
	write(t, "src.npy", file.Bytes())
	do(t, p, "put src src.npy")

	var served, most atomic.Int64
	most.Store(150)
	files := http.FileServer(http.Dir("."))
	ctx, cancel := context.WithCancel(t.Context())
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if served.Add(1) > most.Load() {
			cancel()
			<-r.Context().Done()
			return
		}
		files.ServeHTTP(w, r)
	}))
	defer srv.Close()
	var out, errOut bytes.Buffer
	code := p.run(ctx, []string{"copy", srv.URL + "/src", "dst"}, nil, &out, &errOut)
	fails(t, result{code, out.String(), errOut.String()}, 130, "interrupted", "--resume")
	if r := zargo(t, p, "info dst"); r.code != 3 {
		t.Fatalf("a half-copied array is seen: %+v", r)
	}
	most.Store(served.Load() + 1<<20)
	fails(t, zargo(t, p, "copy "+srv.URL+"/src dst --codec none"), 10, "another transfer")
	before := served.Load()
	do(t, p, "copy --resume "+srv.URL+"/src dst")
	if n := served.Load() - before; n > 400+20 {
		t.Errorf("%d requests to resume", n)
	}
	if a, b := do(t, p, "cat src"), do(t, p, "cat dst"); a != b {
		t.Error("the copy differs")
	}
	if _, err := os.Stat("dst/__zargo_transfer"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of the transfer something is left: %v", err)
	}
}

// TestCopyResumedWithFlags checks that a copy can be resumed by the command that started it, with
// all its flags.
func TestCopyResumedWithFlags(t *testing.T) {
	for _, flags := range []string{"--chunks 7", "--chunks 7 --shards 21", "--shards x=20 --chunks x=5 --sel x=1:399", "--codec gzip:1 --shards 16"} {
		t.Chdir(t.TempDir())
		p := newProgram()
		do(t, p, "create src --shape 400 --chunks 1 --dtype uint8 --fill 7 --dims x")
		var served, most atomic.Int64
		most.Store(100)
		files := http.FileServer(http.Dir("."))
		ctx, cancel := context.WithCancel(t.Context())
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if served.Add(1) > most.Load() {
				cancel()
				<-r.Context().Done()
				return
			}
			files.ServeHTTP(w, r)
		}))
		command := "copy " + srv.URL + "/src dst " + flags
		var out, errOut bytes.Buffer
		code := p.run(ctx, strings.Fields(command), nil, &out, &errOut)
		fails(t, result{code, out.String(), errOut.String()}, 130, "--resume")
		most.Store(1 << 30)
		do(t, p, command+" --resume")
		do(t, p, "transfer plan "+srv.URL+"/src other "+flags+" -o plan.json")
		do(t, p, "transfer run plan.json")
		if a, b := do(t, p, "info other"), do(t, p, "info dst"); strings.ReplaceAll(a, "other", "dst") != b {
			t.Errorf("%s: %s, and not %s", flags, b, a)
		}
		srv.Close()
	}
}

// TestTransientIs75 checks the exit code of a plan whose source fails temporarily.
func TestTransientIs75(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	do(t, p, "create src --shape 4 --chunks 1 --dtype uint8")
	var down atomic.Bool
	files := http.FileServer(http.Dir("."))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		files.ServeHTTP(w, r)
	}))
	defer srv.Close()
	do(t, p, "transfer plan "+srv.URL+"/src dst -o plan.json")
	down.Store(true)
	fails(t, zargo(t, p, "transfer run plan.json --timeout 2s"), 75, "the timeout of 2s has expired")
	down.Store(false)
	do(t, p, "transfer run plan.json")
	do(t, p, "info dst")
}

// TestPlansHoldNoSecrets checks that a plan does not contain the signature of a web server's URL,
// which must be passed again.
func TestPlansHoldNoSecrets(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	do(t, p, "create src --shape 4 --chunks 1 --dtype uint8")
	files := http.FileServer(http.Dir("."))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("token") != "secret" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		files.ServeHTTP(w, r)
	}))
	defer srv.Close()
	if plan := do(t, p, "transfer plan "+srv.URL+"/src?token=secret dst"); strings.Contains(plan, "secret") {
		t.Errorf("it does: %s", plan)
	}
	do(t, p, "transfer plan "+srv.URL+"/src?token=secret dst -o plan.json")
	fails(t, zargo(t, p, "transfer run plan.json"), 8)
	do(t, p, "transfer run plan.json --source "+srv.URL+"/src?token=secret")
	do(t, p, "copy "+srv.URL+"/src?token=secret other")
}

// TestVerifyAccounts checks that verify names the nodes that the copy lacks, and everything that
// belongs to no node, and that it says so if the source cannot list.
func TestVerifyAccounts(t *testing.T) {
	for _, format := range []int{2, 3} {
		t.Chdir(t.TempDir())
		p := newProgram()
		oddTree(t, "a", format, []string{"x"})
		do(t, p, "transfer plan a b -o plan.json")
		do(t, p, "transfer resume plan.json")
		if r := zargo(t, p, "transfer verify plan.json"); r.code != 0 || r.err != "" {
			t.Errorf("%+v", r)
		}
		write(t, "a/ notes.txt", []byte("x"))
		write(t, "b/folder/x", []byte("x"))
		if r := zargo(t, p, "transfer verify plan.json"); r.code != 0 || !strings.Contains(r.err, "source:  notes.txt: the object") || !strings.Contains(r.err, "target: folder: the directory") {
			t.Errorf("%+v", r)
		}
		oddTree(t, "a/implied/sub", format, nil)
		fails(t, zargo(t, p, "transfer verify plan.json"), 11, "implied/sub")
		do(t, p, "transfer clean plan.json")
		fails(t, zargo(t, p, "transfer verify plan.json"), 11, "implied/sub")
		r := zargo(t, p, "copy a c")
		if r.code != 0 || !strings.Contains(r.err, "implied/sub: the copy lacks this node") {
			t.Errorf("%+v", r)
		}
		srv := httptest.NewServer(http.FileServer(http.Dir(".")))
		do(t, p, "consolidate b")
		for _, line := range []string{"copy " + srv.URL + "/b d", "transfer plan " + srv.URL + "/b e -o web.json", "transfer resume web.json"} {
			if r := zargo(t, p, line); r.code != 0 {
				t.Errorf("%s: %+v", line, r)
			}
		}
		r = zargo(t, p, "transfer verify web.json")
		if r.code != 0 || !strings.Contains(r.err, "the keys of the source are not accounted for") {
			t.Errorf("%+v", r)
		}
		srv.Close()
	}
}
