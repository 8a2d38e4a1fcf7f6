//go:build unix

package mutants

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/fixtures"
)

// The limits for hostile stores.
const (
	maxMemory = 512 << 20
	maxTime   = 5 * time.Second
)

var (
	count  = flag.Int("mutants", 20, "how many mutants are made")
	seed   = flag.Uint64("seed", 24, "what they are made by")
	only   = flag.Int("only", -1, "the number of the one to run")
	keep   = flag.String("keep", "", "a folder for that one")
	atOnce = flag.Int("at-once", 2, "how many are run at once")
)

// figures are the measurements of all commands.
type figures struct {
	mu     sync.Mutex
	runs   int
	codes  map[int]int
	memory int64
	time   time.Duration
	most   string // the command that took the longest time
}

// TestMutants runs the command on mutants of the golden stores.
func TestMutants(t *testing.T) {
	root := t.TempDir()
	if err := fixtures.Unpack(root); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(root, "zargo")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/zargo-io/zargo/cmd/zargo").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cases, err := fixtures.Cases(root)
	if err != nil {
		t.Fatal(err)
	}
	first, n := 0, *count
	if *only >= 0 {
		first, n = *only, 1
	}
	f := &figures{codes: map[int]int{}}
	err = concurrency.EachN(t.Context(), *atOnce, n, func(ctx context.Context, i int) error {
		i += first
		r := rand.New(rand.NewPCG(*seed, uint64(i)))
		c := cases[r.IntN(len(cases))]
		from := filepath.Join(root, "data", filepath.FromSlash(c.Path))
		to := filepath.Join(root, "mutants", fmt.Sprint(i), filepath.Base(from))
		url, same := to, from
		if *keep != "" {
			to = filepath.Join(*keep, filepath.Base(from))
			url = to
		}
		if c.Store == "zip" { // a zip archive is a file and is changed like the files of a directory
			folder := filepath.Join(filepath.Dir(to), "from")
			if err := errors.Join(os.MkdirAll(folder, 0o777), os.Link(from, filepath.Join(folder, filepath.Base(from)))); err != nil {
				return err
			}
			from, to = folder, filepath.Join(filepath.Dir(to), "to")
			url = filepath.Join(to, filepath.Base(same)) + "|zip:" + c.Inner
			same += "|zip:" + c.Inner
		}
		what, err := Make(r, from, to)
		if err != nil {
			return err
		}
		for _, args := range commands(r, url, same) {
			if err := f.run(ctx, program, args...); err != nil {
				t.Errorf("mutant %d of seed %d, %s (%s): zargo %s: %v", i, *seed, c.Name, what, strings.Join(args, " "), err)
			}
		}
		if *keep != "" {
			return nil
		}
		return os.RemoveAll(filepath.Dir(to))
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d mutants, %d commands; %d MiB at most, %v at most: %s; exit codes %v", n, f.runs, f.memory>>20, f.time, f.most, f.codes)
}

// commands returns commands that read a store, with random flags.
func commands(r *rand.Rand, url, same string) [][]string {
	one := func(all ...string) []string { return strings.Fields(all[r.IntN(len(all))]) }
	with := func(name string, flags []string, urls ...string) []string {
		return append(append([]string{name}, flags...), urls...)
	}
	return [][]string{
		with("cat", one("", "--format raw", "--format csv", "--format json", "--format npy"), url),
		with("validate", one("", "--data"), url),
		with("plan", one("", "--total", "--write", "--write --total", "--resolve", "--resolve --total"), url),
		with("diff", nil, url, same),
		with("diff", one("", "--values"), url, url),
		with("census", one("", "--data"), url),
		with("du", nil, url),
	}
}

// run runs a command in its own process. The process is killed shortly after the limit of CPU time;
// on a loaded machine the elapsed time may be much longer.
func (f *figures) run(ctx context.Context, program string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", append([]string{"-c", `ulimit -t 7; exec "$0" "$@"`, program}, args...)...)
	var text strings.Builder
	c.Stderr = &text
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	use := c.ProcessState.SysUsage().(*syscall.Rusage)
	memory := int64(use.Maxrss) //nolint:unconvert // 32 bits on 386
	if runtime.GOOS != "darwin" {
		memory <<= 10 // in KiB
	}
	took, code := c.ProcessState.UserTime()+c.ProcessState.SystemTime(), c.ProcessState.ExitCode()
	f.mu.Lock()
	f.runs++
	f.codes[code]++
	f.memory = max(f.memory, memory)
	if took > f.time {
		f.time, f.most = took, strings.Join(args, " ")
	}
	f.mu.Unlock()
	switch {
	case strings.Contains(text.String(), "goroutine ") || code < 0 && took < maxTime:
		return fmt.Errorf("exit %d: %.2000s", code, text.String())
	case memory > maxMemory || took > maxTime:
		return fmt.Errorf("exit %d, %d MiB, %v of the processor: %.300s", code, memory>>20, took, text.String())
	}
	return nil
}
