//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// start runs the command in its own process, reading from a bucket that never responds. It returns
// when the first request has arrived.
func start(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	arrived := make(chan struct{}, 100)
	end := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		select {
		case <-end:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(srv.Close)
	t.Cleanup(func() { close(end) })
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	at := "s3://b/x?anonymous=true&region=us-east-1&use_path_style=true&endpoint=" + url.QueryEscape(srv.URL)
	var errOut bytes.Buffer
	c := exec.Command(exe, append([]string{args[0], at}, args[1:]...)...)
	c.Env = append(os.Environ(), actAsZargo+"=1")
	c.Stderr = &errOut
	succeed(t, c.Start())
	select {
	case <-arrived:
	case <-time.After(30 * time.Second):
		c.Process.Kill() //nolint:errcheck // the test has failed
		c.Wait()         //nolint:errcheck // the test has failed
		t.Fatalf("no request: %s", errOut.String())
	}
	return c, &errOut
}

func TestInterrupt(t *testing.T) {
	folder := t.TempDir()
	c, errOut := start(t, "cat", "-o", filepath.Join(folder, "out"))
	succeed(t, c.Process.Signal(os.Interrupt))
	var exit *exec.ExitError
	if err := c.Wait(); !errors.As(err, &exit) {
		t.Fatal(err)
	}
	fails(t, result{code: c.ProcessState.ExitCode(), err: errOut.String()}, 130, "interrupted")
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// TestSecondInterrupt checks that a second interrupt kills the process if the first one has no
// effect, here because standard input does not end.
func TestSecondInterrupt(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	c := exec.Command(exe, "put", filepath.Join(folder, "x"), "-", "--create")
	c.Env = append(os.Environ(), actAsZargo+"=1")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, c.Start())
	// The array exists when the header was read. The elements never arrive.
	if _, err := in.Write([]byte(head("(100,)"))); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(folder, "x", "zarr.json")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the array does not appear")
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := c.Wait(); err == nil {
			t.Error("it succeeded")
		}
	}()
	for { // the handler is restored shortly after the first interrupt
		if err := c.Process.Signal(os.Interrupt); err != nil {
			break // the process has exited
		}
		select {
		case <-done:
			ws := c.ProcessState.Sys().(syscall.WaitStatus)
			if !ws.Signaled() || ws.Signal() != syscall.SIGINT {
				t.Errorf("it ended with %v", c.ProcessState)
			}
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
	<-done
}

// TestInterruptedBucketCheck checks that an interrupted check of a directory leaves nothing, not
// even a directory.
func TestInterruptedBucketCheck(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "new")
	c := exec.Command(exe, "bucket", "check", folder)
	c.Env = append(os.Environ(), actAsZargo+"=1")
	var errOut bytes.Buffer
	c.Stderr = &errOut
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, c.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "list a part") {
	}
	succeed(t, c.Process.Signal(os.Interrupt))
	rest, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := c.Wait(); !errors.As(err, &exit) {
		t.Fatalf("%v\n%s", err, rest)
	}
	fails(t, result{code: c.ProcessState.ExitCode(), err: errOut.String()}, 130, "interrupted")
	if _, err := os.Lstat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is left: %v", err)
	}
}

// TestTerminated checks that SIGTERM, which job engines send, has its own exit code and leaves no
// partial output.
func TestTerminated(t *testing.T) {
	folder := t.TempDir()
	c, errOut := start(t, "cat", "-o", filepath.Join(folder, "out"))
	succeed(t, c.Process.Signal(syscall.SIGTERM))
	var exit *exec.ExitError
	if err := c.Wait(); !errors.As(err, &exit) {
		t.Fatal(err)
	}
	fails(t, result{code: c.ProcessState.ExitCode(), err: errOut.String()}, 143, "SIGTERM")
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
