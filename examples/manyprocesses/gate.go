package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// gate starts the work of all processes at the same moment, when all processes are ready.
type gate struct {
	open chan struct{} // closed when all processes are ready

	mu      sync.Mutex
	missing int
}

func newGate(n int) *gate { return &gate{open: make(chan struct{}), missing: n} }

func (g *gate) arrive() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.missing--; g.missing == 0 {
		close(g.open)
	}
}

// start runs a process, which prints "ready", waits for a line, works, and prints a number. start
// returns that number.
func (g *gate) start(ctx context.Context, cmd *exec.Cmd) (n int, err error) {
	var said bytes.Buffer
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	n, err = g.talk(ctx, in, bufio.NewReader(out))
	if err != nil {
		_ = in.Close() // ends its wait
	}
	if ended := cmd.Wait(); ended != nil {
		err = errors.Join(ended, err)
	}
	if err != nil {
		return 0, fmt.Errorf("process %d: %w\n%s", cmd.Process.Pid, err, &said)
	}
	return n, nil
}

func (g *gate) talk(ctx context.Context, in io.Writer, out *bufio.Reader) (int, error) {
	if _, err := out.ReadString('\n'); err != nil {
		return 0, fmt.Errorf("not ready: %w", err)
	}
	g.arrive()
	select {
	case <-g.open:
	case <-ctx.Done(): // another process failed
		return 0, context.Cause(ctx)
	}
	if _, err := io.WriteString(in, "go\n"); err != nil {
		return 0, err
	}
	line, err := out.ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("no result: %w", err)
	}
	return strconv.Atoi(strings.TrimSpace(line))
}
