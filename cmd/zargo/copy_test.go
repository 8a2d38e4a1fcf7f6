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

func TestShareOfEngines(t *testing.T) {
	two := 2
	for _, c := range []struct {
		name          string
		index         *int
		count         int
		env           map[string]string
		wantI, wantOf int
		fails         bool
	}{
		{name: "alone"},
		{name: "flags", index: &two, count: 5, env: map[string]string{"JOB_COMPLETION_INDEX": "4"}, wantI: 2, wantOf: 5},
		{name: "Kubernetes", count: 5, env: map[string]string{"JOB_COMPLETION_INDEX": "4"}, wantI: 4, wantOf: 5},
		{name: "AWS Batch", count: 5, env: map[string]string{"AWS_BATCH_JOB_ARRAY_INDEX": "0"}, wantI: 0, wantOf: 5},
		{name: "Cloud Run", env: map[string]string{"CLOUD_RUN_TASK_INDEX": "3", "CLOUD_RUN_TASK_COUNT": "4"}, wantI: 3, wantOf: 4},
		{name: "Google Batch", env: map[string]string{"BATCH_TASK_INDEX": "3", "BATCH_TASK_COUNT": "4"}, wantI: 3, wantOf: 4},
		{name: "Slurm array", count: 8, env: map[string]string{"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "1", "SLURM_PROCID": "0"}, wantI: 3, wantOf: 8},
		{name: "Slurm step", count: 8, env: map[string]string{"SLURM_PROCID": "5"}, wantI: 5, wantOf: 8},
		{name: "no count", env: map[string]string{"SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_COUNT": "1"}, fails: true},
		{name: "no index", count: 3, fails: true},
		{name: "beyond", index: &two, count: 2, fails: true},
		{name: "no number", count: 3, env: map[string]string{"JOB_COMPLETION_INDEX": "x"}, fails: true},
		{name: "negative", count: 3, env: map[string]string{"JOB_COMPLETION_INDEX": "-1"}, fails: true},
	} {
		i, of, err := share(c.index, c.count, func(name string) string { return c.env[name] })
		if (err != nil) != c.fails || err == nil && (i != c.wantI || of != c.wantOf) {
			t.Errorf("%s: %d of %d, %v", c.name, i, of, err)
		}
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
