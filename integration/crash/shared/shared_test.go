package shared

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// childEnv is the environment variable that makes the test binary a member. Its value is an order.
const childEnv = "ZARGO_SHARED_CHILD"

type order struct {
	Root string
	member
}

func TestMain(m *testing.M) {
	raw := os.Getenv(childEnv)
	if raw == "" {
		os.Exit(m.Run())
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends when the parent ends
		os.Exit(1)
	}()
	var o order
	err := json.Unmarshal([]byte(raw), &o)
	if err == nil {
		err = o.run(context.Background(), o.Root)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// Each chunk of the array is a row, which one process replaces as a whole. Each of the first
// columns is also written by one process, in all rows. The other elements, called free, are written
// only with their row.
const (
	path    = "array"
	rows    = 8 // also the number of processes that write whole chunks
	columns = 8 // also the number of processes that write parts
	free    = 56
	kills   = 324

	pause = 2 * time.Millisecond // maximum pause between rounds, so that two cores can also start processes
)

// member is a process that writes the shared array until it is killed. A whole write sets all
// elements of a row to one positive number, and a partial write sets one element to a negative
// number. The numbers of each member increase.
type member struct {
	Whole bool
	At    int // its row or its column
	First int64
}

// String returns the key for the member's acknowledged writes.
func (m member) String() string {
	if m.Whole {
		return fmt.Sprintf("whole %d", m.At)
	}
	return fmt.Sprintf("part %d", m.At)
}

// run prints each acknowledged write as a line "row number". It returns an error if the array then
// contains neither that write nor a later write of another member.
func (m member) run(ctx context.Context, root string) error {
	a, err := zarr.OpenArray(ctx, dir.New(root), path)
	if err != nil {
		return err
	}
	for g := m.First; ; g++ {
		if m.Whole {
			err = m.whole(ctx, a, g)
		} else {
			for r := 0; r < rows && err == nil; r++ {
				err = m.part(ctx, a, r, g)
			}
		}
		time.Sleep(rand.N(pause))
		if err != nil {
			return err
		}
	}
}

// whole replaces the member's row. No other member changes a free element, so free elements must
// not change in between.
func (m member) whole(ctx context.Context, a *zarr.Array, g int64) error {
	src := make([]int64, columns+free)
	for i := range src {
		src[i] = g
	}
	if err := zarr.Write(ctx, a, src, zarr.At(m.At)); err != nil {
		return err
	}
	fmt.Println(m.At, g)
	row, err := zarr.Read[int64](ctx, a, zarr.At(m.At))
	if err != nil {
		return err
	}
	if err := torn(row); err != nil {
		return err
	}
	if row[columns] != g {
		return fmt.Errorf("row %d: %d was acknowledged and is %d now", m.At, g, row[columns])
	}
	return nil
}

// part replaces the member's element of a row. The element must then have that number, or the
// number of a later whole write, which is later than the one read before.
func (m member) part(ctx context.Context, a *zarr.Array, r int, g int64) error {
	before, err := zarr.Read[int64](ctx, a, zarr.At(r))
	if err != nil {
		return err
	}
	if err := zarr.Write(ctx, a, []int64{-g}, zarr.At(r), zarr.Range(m.At, m.At+1)); err != nil {
		return err
	}
	fmt.Println(r, g)
	row, err := zarr.Read[int64](ctx, a, zarr.At(r))
	if err != nil {
		return err
	}
	if err := torn(row); err != nil {
		return err
	}
	if v := row[m.At]; v != -g && v <= before[columns] {
		return fmt.Errorf("row %d, column %d: %d was acknowledged and is %d now, the whole row was %d before", r, m.At, -g, v, before[columns])
	}
	return nil
}

// torn returns an error if a row is not the result of one whole write and later partial writes.
func torn(row []int64) error {
	for i, v := range row {
		if want := row[columns]; v != want && (i >= columns || v >= 0) {
			return fmt.Errorf("element %d is %d in a row of %d: %v", i, v, want, row)
		}
	}
	return nil
}

// TestKill checks that killed writers of whole and partial chunks, each a process in the same
// directory, lose no acknowledged write.
func TestKill(t *testing.T) {
	root := t.TempDir()
	_, err := zarr.Create(t.Context(), dir.New(root), path, zarr.Spec{
		Shape: []int{rows, columns + free}, Chunks: []int{1, columns + free}, DType: dtype.Int64, Codecs: []codec.Spec{codec.CRC32C()},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := &crew{t: t, root: root, acked: map[string][]int64{}}
	defer c.stop(func(member) bool { return true })
	for i := range rows {
		c.start(member{Whole: true, At: i, First: 1})
	}
	for i := range columns {
		c.start(member{At: i, First: 1})
	}
	r := rand.New(rand.NewPCG(11, 11))
	for range kills {
		time.Sleep(time.Duration(r.Int64N(int64(10 * time.Millisecond))))
		c.replace(r.IntN(len(c.procs)))
		if t.Failed() {
			return
		}
	}
	// The partial writers are stopped last, so that their elements can be compared too.
	c.stop(func(m member) bool { return m.Whole })
	c.again()
	c.stop(func(member) bool { return true })
	if t.Failed() {
		return
	}
	c.check()
	t.Logf("%d writes of whole chunks and %d of parts acknowledged, %d kills", c.wholes, c.parts, c.killed)
	if c.wholes < kills || c.parts < kills {
		t.Error("too few writes: the test shows nothing")
	}
}

// crew has the running processes.
type crew struct {
	t     *testing.T
	root  string
	procs []*proc

	killed, wholes, parts int

	mu    sync.Mutex
	acked map[string][]int64 // last acknowledged number, by member and row
}

type proc struct {
	member
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr bytes.Buffer
	done   chan struct{} // closed after its output has been read to the end
}

func (c *crew) launch(m member) *proc {
	c.t.Helper()
	o, err := json.Marshal(order{c.root, m})
	if err != nil {
		c.t.Fatal(err)
	}
	p := &proc{member: m, cmd: exec.Command(os.Args[0]), done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), childEnv+"="+string(o), "GOMAXPROCS=1")
	p.cmd.Stderr = &p.stderr
	stdin, err1 := p.cmd.StdinPipe()
	stdout, err2 := p.cmd.StdoutPipe()
	if err := errors.Join(err1, err2, p.cmd.Start()); err != nil {
		c.t.Fatal(err)
	}
	p.stdin = stdin
	go func() {
		defer close(p.done)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			var row int
			var g int64
			if _, err := fmt.Sscan(lines.Text(), &row, &g); err != nil {
				c.t.Errorf("%v says %q: %v", m, lines.Text(), err)
				continue
			}
			c.mu.Lock()
			last := c.last(m)
			last[row] = g
			if m.Whole {
				c.wholes++
			} else {
				c.parts++
			}
			c.mu.Unlock()
		}
	}()
	return p
}

// last returns the last acknowledged numbers of a member, by row.
func (c *crew) last(m member) []int64 {
	last := c.acked[m.String()]
	if last == nil {
		last = make([]int64, rows)
		c.acked[m.String()] = last
	}
	return last
}

func (c *crew) start(m member) { c.procs = append(c.procs, c.launch(m)) }

// end kills a process and reads the rest of its output.
func (c *crew) end(p *proc) {
	_ = p.cmd.Process.Kill()
	<-p.done
	_ = p.cmd.Wait() // killed
	_ = p.stdin.Close()
	c.killed++
	if p.stderr.Len() > 0 {
		c.t.Errorf("%v ended by itself: %s", p.member, p.stderr.Bytes())
	}
}

// replace kills a process and starts another, whose numbers are larger than those that the killed
// process may have written.
func (c *crew) replace(i int) {
	p := c.procs[i]
	c.end(p)
	next := p.member
	next.First++
	c.mu.Lock()
	for _, g := range c.last(next) {
		next.First = max(next.First, g+2)
	}
	c.mu.Unlock()
	c.procs[i] = c.launch(next)
}

// stop stops the processes for which the function returns true.
func (c *crew) stop(which func(member) bool) {
	var stay []*proc
	for _, p := range c.procs {
		if which(p.member) {
			c.end(p)
		} else {
			stay = append(stay, p)
		}
	}
	c.procs = stay
}

// again waits until each partial writer has written each row after this call.
func (c *crew) again() {
	c.mu.Lock()
	was := map[string]int64{}
	for _, p := range c.procs {
		was[p.String()] = c.last(p.member)[rows-1]
	}
	c.mu.Unlock()
	for _, p := range c.procs {
		for at := int64(0); at < was[p.String()]+2; { // the next number may be from a round that began before
			select {
			case <-p.done:
				return // stop reports the reason
			case <-time.After(5 * time.Millisecond):
			}
			c.mu.Lock()
			at = c.last(p.member)[rows-1]
			c.mu.Unlock()
		}
	}
}

// check compares the stored elements with the acknowledged numbers. A killed process may have
// written one more number.
func (c *crew) check() {
	a, err := zarr.OpenArray(c.t.Context(), dir.New(c.root), path)
	if err != nil {
		c.t.Fatal(err)
	}
	for r := range rows {
		row, err := zarr.Read[int64](c.t.Context(), a, zarr.At(r))
		if err != nil {
			c.t.Fatal(err)
		}
		if err := torn(row); err != nil {
			c.t.Errorf("row %d: %v", r, err)
		}
		if g := c.last(member{Whole: true, At: r})[r]; row[columns] < g {
			c.t.Errorf("row %d: %d was acknowledged and is %d now", r, g, row[columns])
		}
		for i, v := range row[:columns] {
			if g := c.last(member{At: i})[r]; -v != g && -v != g+1 {
				c.t.Errorf("row %d, column %d: %d was acknowledged and is %d now", r, i, -g, v)
			}
		}
	}
}
