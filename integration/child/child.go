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

// variable is the one of the environment that makes a test's binary a child; its value is the order
// as JSON.
const variable = "ZARGO_TEST_CHILD"

// Main is a TestMain: it runs the tests, or in a child what was ordered. It does not return. The
// exit code of a child is 1 after an error, which goes to standard error.
func Main[O any](m *testing.M, run func(O) error) {
	raw, ok := os.LookupEnv(variable)
	if !ok {
		os.Exit(m.Run())
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with the parent
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

// Say reports a word without spaces and a number to the parent, by one write that is shorter than a
// pipe's buffer: it is never torn.
func Say(word string, n int64) { fmt.Printf("%s %d\n", word, n) }

// Process is a child under way.
type Process struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	lines  *bufio.Scanner
	stderr bytes.Buffer
	killed atomic.Bool
}

// Start begins a child. Read is to be called, and waits for its end.
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

// Kill ends the child at once, as SIGKILL does.
func (p *Process) Kill() {
	p.killed.Store(true)
	_ = p.cmd.Process.Kill()
}

// Read calls each for all that the child says, until it ends. It is an error where the child wrote
// to standard error, says what Say does not, or ended other than with success and not by Kill.
func (p *Process) Read(each func(word string, n int64)) error {
	var bad error
	for p.lines.Scan() {
		var word string
		var n int64
		if _, err := fmt.Sscan(p.lines.Text(), &word, &n); err != nil {
			bad = errors.Join(bad, fmt.Errorf("a child says %q: %w", p.lines.Text(), err))
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
