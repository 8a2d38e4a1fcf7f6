package child

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
)

// Process is a running child process.
type Process struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	lines  *bufio.Scanner
	stderr bytes.Buffer
	killed atomic.Bool
}

// variable is the name of the environment variable that makes a test binary a child process. The
// value of the variable is the order as JSON.
const variable = "ZARGO_TEST_CHILD"

// Start starts a child process that executes order. The caller must call Read, which waits for the
// end of the child.
func Start(t testing.TB, order any) *Process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(order)
	if err != nil {
		t.Fatal(err)
	}
	p := &Process{cmd: exec.Command(self)}
	p.cmd.Env = append(os.Environ(), variable+"="+string(raw))
	p.cmd.Stderr = &p.stderr
	stdin, err1 := p.cmd.StdinPipe()
	stdout, err2 := p.cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	p.stdin, p.lines = stdin, bufio.NewScanner(stdout)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// Kill ends the child immediately with SIGKILL.
func (p *Process) Kill() {
	p.killed.Store(true)
	_ = p.cmd.Process.Kill()
}

// Read calls each for every report of the child until the child ends. It returns an error if the
// child wrote to standard error, wrote anything that is not a report, or failed without Kill.
func (p *Process) Read(each func(word string, n int64)) error {
	var bad error
	for p.lines.Scan() {
		var word string
		var n int64
		if _, err := fmt.Sscan(p.lines.Text(), &word, &n); err != nil {
			bad = errors.Join(bad, fmt.Errorf("a child printed %q: %w", p.lines.Text(), err))
			continue
		}
		each(word, n)
	}
	err := p.cmd.Wait()
	_ = p.stdin.Close()
	if !p.killed.Load() {
		bad = errors.Join(bad, err)
	}
	if p.stderr.Len() > 0 {
		bad = errors.Join(bad, errors.New(p.stderr.String()))
	}
	return errors.Join(bad, p.lines.Err())
}

// Main must be called by TestMain, and does not return. It runs the tests. In a child process it
// calls run with the order instead. If run returns an error, the child prints the error to standard
// error and exits with code 1.
func Main[O any](m *testing.M, run func(O) error) {
	raw, ok := os.LookupEnv(variable)
	if !ok {
		os.Exit(m.Run())
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // returns when the parent ends
		os.Exit(1)
	}()
	var o O
	err := json.Unmarshal([]byte(raw), &o)
	if err == nil {
		err = run(o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Say reports a word without spaces and a number to the parent. The report is one write that is
// shorter than the buffer of a pipe, so it is not divided.
func Say(word string, n int64) { fmt.Printf("%s %d\n", word, n) }
