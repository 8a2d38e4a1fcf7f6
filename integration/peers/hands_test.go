package peers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// pythons are the Python processes of all tests. TestMain stops them.
var pythons crew

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	defer pythons.stop()
	return m.Run()
}

// library returns the library of a peer: the name before the slash. The part after the slash is the
// storage library.
func library(peer string) string {
	name, _, _ := strings.Cut(peer, "/")
	return name
}

// pythonOf returns the environment variable that names the Python of a library.
func pythonOf(library string) string {
	switch library {
	case "zarr-python-2":
		return zarr2Env
	case "zarr-python-3.4", "xarray-3.4":
		return python313Env
	}
	return pythonEnv
}

// crew has one Python process for each library. A process starts slowly, so it is started with the
// first job and used for all tests.
type crew struct {
	mu    sync.Mutex
	hands map[string]*hand
}

// hand returns the process of a library.
func (c *crew) hand(library string) (*hand, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h := c.hands[library]; h != nil {
		return h, nil
	}
	h, err := startHand(os.Getenv(pythonOf(library)), library)
	if err != nil {
		return nil, err
	}
	if c.hands == nil {
		c.hands = map[string]*hand{}
	}
	c.hands[library] = h
	return h, nil
}

// stop ends all processes.
func (c *crew) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, h := range c.hands {
		_ = h.in.Close() // ends the process
		<-h.ended
	}
}

// hand is a Python process that executes jobs until its input is closed.
type hand struct {
	library string
	in      io.WriteCloser
	ended   chan struct{}
	why     error // set before ended is closed

	mu      sync.Mutex // guards the fields below, and in
	last    int
	waiting map[int]chan<- said
}

func startHand(python, library string) (*hand, error) {
	cmd := exec.Command(python, "-W", "ignore", filepath.Join("python", "serve.py"), library)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "AWS_EC2_METADATA_DISABLED=true", "RUST_BACKTRACE=0")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	h := &hand{library: library, in: in, ended: make(chan struct{}), waiting: map[int]chan<- said{}}
	go func() { // stop waits for this goroutine
		defer close(h.ended)
		heard := h.listen(out)
		if heard != nil {
			_ = cmd.Process.Kill() // its output is no longer read
		}
		_ = in.Close()
		h.why = fmt.Errorf("serve.py %s: ended: %v, %v\n%s", library, heard, cmd.Wait(), stderr.Bytes())
	}()
	return h, nil
}

// listen delivers each result to the channel of its job.
func (h *hand) listen(out io.Reader) error {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var s said
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.UseNumber() // the number type of zargo's attributes
		if err := d.Decode(&s); err != nil {
			return fmt.Errorf("it says %q: %w", lines.Bytes(), err)
		}
		h.mu.Lock()
		who := h.waiting[s.ID]
		delete(h.waiting, s.ID)
		h.mu.Unlock()
		if who == nil {
			return fmt.Errorf("it says %q, which nobody asked", lines.Bytes())
		}
		who <- s // the channel has capacity for all results
	}
	return lines.Err()
}

// ask sends the jobs with the indexes in some, and stores the result of each in all at the job's
// index.
func (h *hand) ask(ctx context.Context, jobs []job, some []int, all []said) error {
	answers := make(chan said, len(some))
	place := map[int]int{}
	for _, i := range some {
		id, err := h.send(jobs[i], answers)
		if err != nil {
			<-h.ended
			return h.why
		}
		place[id] = i
	}
	for range some {
		select {
		case s := <-answers:
			all[place[s.ID]] = s
		case <-h.ended:
			return h.why
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// send assigns a number to the job and sends it.
func (h *hand) send(j job, to chan<- said) (id int, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	j.ID = h.last
	b, err := json.Marshal(j)
	if err != nil {
		panic(err) // the types can be encoded
	}
	h.waiting[j.ID] = to
	_, err = h.in.Write(append(b, '\n'))
	return j.ID, err
}

// TestPythonThatEnds sends jobs to a program that exits immediately. The call must return the
// reason instead of waiting.
func TestPythonThatEnds(t *testing.T) {
	h, err := startHand(os.Args[0], "nothing")
	if err != nil {
		t.Fatal(err)
	}
	err = h.ask(t.Context(), []job{{Do: "read"}}, []int{0}, make([]said, 1))
	if err == nil || !strings.Contains(err.Error(), "-W") { // the program rejects this flag
		t.Errorf("got %v", err)
	}
}
