package processes

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// childEnv makes the test binary a process that writes; its value is an order.
const childEnv = "ZARGO_PROCESSES_CHILD"

// order is what a child is to do, and where.
type order struct {
	Provider string // its name, or empty for a folder
	Place    string // the bucket's URL or the folder
	Do       string
	First    int64 // the value of the first lot of rows, or the number of a process that shares chunks
	Count    int64 // of lots, or of writes
}

// What a child does.
const (
	appendLots = "lots"  // of rows of an array
	appendDays = "days"  // of a group, until it is killed
	share      = "share" // chunks with others
)

func TestMain(m *testing.M) {
	raw := os.Getenv(childEnv)
	if raw == "" {
		os.Exit(m.Run())
	}
	var o order
	err := json.Unmarshal([]byte(raw), &o)
	if err == nil {
		err = o.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func (o order) open(ctx context.Context) (store.Store, error) {
	for _, p := range bucket.All() {
		if p.Name == o.Provider {
			return p.Open(ctx, o.Place, 0, retry.Backoff(time.Millisecond, 50*time.Millisecond), retry.Tries(30))
		}
	}
	return dir.New(o.Place), nil
}

// run appends. Each line on standard output is a lot that was acknowledged; the first is "ready 0".
func (o order) run() error {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with the parent
		os.Exit(1)
	}()
	ctx := context.Background()
	st, err := o.open(ctx)
	if err != nil {
		return err
	}
	fmt.Println("ready 0")
	switch o.Do {
	case appendDays:
		return days(ctx, st)
	case share:
		return o.shared(ctx, st)
	}
	a, err := zarr.OpenArray(ctx, st, "a", zarr.Wait(5*time.Minute))
	if err != nil {
		return err
	}
	for id := o.First; id < o.First+o.Count; id++ {
		if a, err = zarr.Append(ctx, a, 0, lotOf(id)); err != nil {
			return err
		}
		fmt.Println("ok", id)
	}
	return nil
}

// days appends day after day to a group, and takes the place of a process that was killed.
func days(ctx context.Context, st store.Store) error {
	for {
		g, err := zarr.OpenGroup(ctx, st, "g", zarr.TakeOver(0))
		if err != nil {
			return err
		}
		n, err := appendDay(ctx, g)
		if err != nil {
			return err
		}
		fmt.Println("ok", n)
	}
}

// child is a process under way.
type child struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	lines  *bufio.Scanner
	stderr bytes.Buffer
}

func start(t *testing.T, o order) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: exec.Command(self)}
	c.cmd.Env = append(os.Environ(), childEnv+"="+string(raw))
	c.cmd.Stderr = &c.stderr
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.stdin = stdin
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.lines = bufio.NewScanner(stdout)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// acknowledged reads what the child says until it ends; ready is called with its first line.
func (c *child) acknowledged(ready func()) (ids []int64, err error) {
	for c.lines.Scan() {
		var word string
		var id int64
		if _, err := fmt.Sscan(c.lines.Text(), &word, &id); err != nil {
			return nil, fmt.Errorf("a child says %q: %w", c.lines.Text(), err)
		}
		if word == "ready" {
			ready()
			continue
		}
		ids = append(ids, id)
	}
	err = c.cmd.Wait()
	_ = c.stdin.Close()
	if c.stderr.Len() > 0 {
		err = errors.New(c.stderr.String())
	}
	return ids, err
}
