package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
)

// actAsZargo is the environment variable that makes this test binary act as the command, for tests
// that need a process.
const actAsZargo = "ZARGO_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(actAsZargo) != "" {
		signal.Reset(os.Interrupt)
		main()
	}
	os.Exit(m.Run())
}

// result is the exit code and the output of a run.
type result struct {
	code     int
	out, err string
}

// zargo runs the command in this process, with line split at spaces as its arguments.
func zargo(t testing.TB, p *program, line string) result {
	t.Helper()
	return zargoArgs(t, p, nil, strings.Fields(line)...)
}

func zargoArgs(t testing.TB, p *program, in []byte, args ...string) result {
	t.Helper()
	var out, errOut bytes.Buffer
	code := p.run(context.Background(), args, bytes.NewReader(in), &out, &errOut)
	return result{code, out.String(), errOut.String()}
}

// do runs the command, which must succeed without output on standard error, and returns its output.
func do(t testing.TB, p *program, line string) string {
	t.Helper()
	r := zargo(t, p, line)
	if r.code != 0 || r.err != "" {
		t.Fatalf("zargo %s: exit %d, %s", line, r.code, r.err)
	}
	return r.out
}

// doJSON is do for JSON output, which it stores in to.
func doJSON(t testing.TB, p *program, line string, to any) {
	t.Helper()
	succeed(t, json.Unmarshal([]byte(do(t, p, line)), to))
}

// fails checks that a run failed with the exit code, and printed one line on standard error that
// contains each of the words.
func fails(t testing.TB, r result, code int, words ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit %d, want %d", r.code, code)
	}
	line, ok := strings.CutPrefix(r.err, "zargo: ")
	if !ok || strings.Count(r.err, "\n") != 1 || !strings.HasSuffix(r.err, "\n") {
		t.Errorf("standard error is not one line of zargo: %q", r.err)
	}
	for _, w := range words {
		if !strings.Contains(line, w) {
			t.Errorf("%q does not say %q", line, w)
		}
	}
	if strings.Contains(r.err, "goroutine") {
		t.Errorf("a stack: %s", r.err)
	}
}

func write(t testing.TB, name string, b []byte) {
	t.Helper()
	succeed(t, os.MkdirAll(filepath.Dir(name), 0o777))
	succeed(t, os.WriteFile(name, b, 0o666))
}
