//go:build unix

package beam

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/container/pool"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
)

// serveEnv is the variable that makes the test binary a server: "prism PORT" or "pool PORT
// PROGRAM".
const serveEnv = "ZARGO_BEAM_SERVE"

func serve(what string) error {
	var kind, program string
	var port int
	if n, err := fmt.Sscan(what, &kind, &port, &program); n < 2 {
		return err
	}
	ctx := context.Background()
	if kind == "prism" {
		if _, err := prism.CreateJobServer(ctx, prism.Options{Port: port}); err != nil {
			return err
		}
		select {} // until the process is killed
	}
	p, err := pool.New(ctx, port, program)
	if err != nil {
		return err
	}
	return p.ServeAndWait()
}

// TestCluster runs a server, a pool of workers, a worker and the program that starts the job, each
// in a separate process.
func TestCluster(t *testing.T) {
	work := t.TempDir()
	program, boot := filepath.Join(work, "zargo-beam"), filepath.Join(work, "boot")
	build(t, program, "./cmd/zargo-beam")
	build(t, boot, "github.com/apache/beam/sdks/v2/go/container") // fetches the program from the server and starts it
	staged := filepath.Join(work, "staged")
	script := filepath.Join(work, "boot.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexec "+boot+" --semi_persist_dir="+staged+" \"$@\"\n"), 0o700); err != nil { //nolint:gosec // the script must be executable
		t.Fatal(err)
	}
	jobs, workers := freePort(t), freePort(t)
	server(t, jobs, fmt.Sprintf("prism %d", jobs))
	server(t, workers, fmt.Sprintf("pool %d %s", workers, script))

	from := source(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := wanted(t, from, tt.one)
			to, plan := filepath.Join(t.TempDir(), "series"), filepath.Join(t.TempDir(), "plan.json")
			p := makePlan(t, from, to, tt.one)
			if err := os.WriteFile(plan, p.Encode(), 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, program, "--plan="+plan, "--runner=universal", "--worker_binary="+program, fmt.Sprintf("--endpoint=localhost:%d", jobs),
				"--environment_type=EXTERNAL", fmt.Sprintf("--environment_config=localhost:%d", workers))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, last(out))
			}
			compare(t, p, to, want)
		})
	}
	if _, err := os.Stat(staged); err != nil {
		t.Errorf("no worker was started from what was staged: %v", err)
	}
}

func build(t *testing.T, out, pkg string) {
	t.Helper()
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", out, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// server starts this binary as a server. At the end of the test it kills the server and all
// processes that it started.
func server(t *testing.T, port int, what string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), serveEnv+"="+what)
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Dir = t.TempDir() // the boot program writes files into its working directory
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-ended
		if t.Failed() {
			t.Logf("%s:\n%s", what, last(out.Bytes()))
		}
	})
	for range 600 {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s ended: %v", what, err)
		default:
		}
		if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			_ = c.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%s does not answer", what)
}

// last returns the last lines of the output of a program.
func last(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}
