package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/zarr"
)

// asCommand is the environment variable with which the test binary runs the command. The command
// starts it for each process.
const asCommand = "ZARGO_EXAMPLE_IS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// do runs the command on a URL and checks the array separately.
func do(t *testing.T, url string) {
	t.Helper()
	t.Setenv(asCommand, "1")
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-processes", "5", url}, nil, &out); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^5 processes wrote 48 rows; every value arrived, \d+ writes`).MatchString(out.String()) {
		t.Errorf("%q", &out)
	}
	a, err := open(t.Context(), url, false)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Store().Close()
	values, err := zarr.Read[int32](t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		if v != int32(i+1) {
			t.Fatalf("value %d is %d", i, v)
		}
	}
	if err := run(t.Context(), []string{url}, nil, &out); !errors.Is(err, zarr.ErrExists) {
		t.Errorf("onto an array that is there: %v", err)
	}
}

func TestDirectory(t *testing.T) { do(t, filepath.Join(t.TempDir(), "array")) }

// The buckets are on servers that "make test" starts.
func TestBuckets(t *testing.T) {
	for _, p := range bucket.All() {
		t.Run(p.Name, func(t *testing.T) { do(t, p.URL(t)) })
	}
}

// TestFailingProcess checks that a process that fails ends the command and all other processes.
// Without the variable the processes are tests with unknown flags, which fail.
func TestFailingProcess(t *testing.T) {
	t.Setenv(asCommand, "")
	err := run(t.Context(), []string{filepath.Join(t.TempDir(), "array")}, nil, &bytes.Buffer{})
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !strings.Contains(err.Error(), "-processes") {
		t.Errorf("got %v", err)
	}
}

func TestWorker(t *testing.T) {
	url := filepath.Join(t.TempDir(), "array")
	if err := write(t.Context(), url, 0, 1, strings.NewReader("go\n"), &bytes.Buffer{}); !errors.Is(err, zarr.ErrNotFound) {
		t.Errorf("without an array: %v", err)
	}
	a, err := open(t.Context(), url, true)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Store().Close()
	if err := write(t.Context(), url, 0, 1, strings.NewReader(""), &bytes.Buffer{}); !errors.Is(err, io.EOF) {
		t.Errorf("without a start: %v", err)
	}
	var out bytes.Buffer
	if err := write(t.Context(), url, 0, 1, strings.NewReader("go\n"), &out); err != nil || out.String() != "ready\n0\n" {
		t.Errorf("%q, %v", &out, err)
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{nil, {"-processes", "0", "x"}, {"-processes", "49", "x"}, {"a", "b"}} {
		if err := run(t.Context(), args, nil, &bytes.Buffer{}); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
