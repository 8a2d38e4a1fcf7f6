package slurm

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

const (
	indices = 8
	side    = 1024
	// free is the number of an index's 128 requests after which the source holds back the others. A
	// task has 16 requests: the running tasks are in the middle of their work, and at least one is
	// not done.
	free = 100
)

// TestTransfer runs one rechunk as a job array repeatedly, each time with another failure. The
// stored data must always be the same as that of one process.
func TestTransfer(t *testing.T) {
	if os.Getenv("ZARR_SLURM") == "" {
		t.Skip("SKIPPED: no Slurm; see integration/servers/servers.py --help")
	}
	bin, work := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("CGO_ENABLED", "0")
	run(t, "", 0, "go", "build", "-o", filepath.Join(bin, "zargo"), "github.com/zargo-io/zargo/cmd/zargo")
	write(t, work)
	from := serve(t, work)

	c := &cluster{work: work, from: from}
	one := c.plan(t, "one")
	run(t, work, 0, "zargo", "transfer", "run", one)
	c.want = c.result(t, "one")
	if len(c.want) < (side/16)*(side/16) {
		t.Fatalf("%d files", len(c.want))
	}

	t.Run("plain", c.plain)
	t.Run("node lost", c.nodeLost)
	t.Run("daemon lost", c.daemonLost)
	t.Run("index twice", c.twice)
	t.Run("transient", c.transient)
}

// write creates the source: each row is a chunk, and a chunk of the target needs sixteen. Each
// index needs separate rows.
func write(t *testing.T, work string) {
	t.Helper()
	a, err := zarr.Create(t.Context(), dir.New(work), "src", zarr.Spec{Shape: []int{side, side}, Chunks: []int{1, side}, DType: dtype.Int32})
	if err != nil {
		t.Fatal(err)
	}
	values := make([]int32, side*side)
	for i := range values {
		values[i] = int32(i) * 2654435 % 1000003
	}
	if err := zarr.Write(t.Context(), a, values); err != nil {
		t.Fatal(err)
	}
}

type cluster struct {
	work string
	from *source
	want map[string]string // the objects that one process stores
}

// plan plans the rechunk to a directory.
func (c *cluster) plan(t *testing.T, to string) string {
	t.Helper()
	run(t, c.work, 0, "zargo", "transfer", "plan", c.from.URL+"/src", filepath.Join(c.work, to), "--chunks", "16,16", "-o", to+".json")
	return filepath.Join(c.work, to+".json")
}

// result checks that a transfer is complete and returns the stored objects.
func (c *cluster) result(t *testing.T, to string) map[string]string {
	t.Helper()
	plan := filepath.Join(c.work, to+".json")
	if said := run(t, c.work, 0, "zargo", "transfer", "verify", plan); said != "" {
		t.Errorf("verify: %q", said)
	}
	run(t, c.work, 0, "zargo", "transfer", "clean", plan)
	return tree(t, filepath.Join(c.work, to))
}

// same checks the objects that a job array stored.
func (c *cluster) same(t *testing.T, to string) {
	t.Helper()
	if got := c.result(t, to); !maps.Equal(got, c.want) {
		t.Errorf("%d files are not the %d of one process", len(got), len(c.want))
	}
}

// submit submits indices of a plan and returns the job's number.
func (c *cluster) submit(t *testing.T, plan, array string, args ...string) string {
	t.Helper()
	job, err := filepath.Abs("../../examples/jobs/slurm.sh")
	if err != nil {
		t.Fatal(err)
	}
	said := slurm(t, append([]string{"sbatch", "--parsable", "--chdir", c.work, "--array", array, job, plan, "8"}, args...)...)
	return strings.TrimSpace(said)
}

// begun submits all indices while the source holds requests back. It returns when all tasks wait,
// with the number of requests held back.
func (c *cluster) begun(t *testing.T, to string) (job string, waiting int64) {
	t.Helper()
	plan := c.plan(t, to)
	c.from.hold(free)
	job = c.submit(t, plan, "0-7")
	within(t, 20*time.Second, "eight tasks run", func() bool {
		return count(t, job, func(x task) bool { return x.state == "RUNNING" }) == indices
	})
	last, since := int64(0), time.Now()
	within(t, 20*time.Second, "all wait for the source", func() bool {
		if n := c.from.held.Load(); n != last {
			last, since = n, time.Now()
		}
		return last >= indices && time.Since(since) > time.Second
	})
	said := run(t, c.work, 1, "zargo", "transfer", "verify", plan)
	var missing, tasks int
	if _, err := fmt.Sscanf(said, "stage 1: %d of %d tasks not done: ", &missing, &tasks); err != nil || missing < indices {
		t.Errorf("verify prints %q: %d of %d tasks, %v", said, missing, tasks, err)
	}
	t.Logf("%d requests wait, %d of %d tasks are missing, %d files are stored", last, missing, tasks, len(tree(t, filepath.Join(c.work, to))))
	return job, last
}

func (c *cluster) plain(t *testing.T) {
	completes(t, c.submit(t, c.plan(t, "plain"), "0-7"), indices)
	c.same(t, "plain")
}

// nodeLost kills a node and all its processes.
func (c *cluster) nodeLost(t *testing.T) {
	job, before := c.begun(t, "lost")
	defer slurm(t, "start", "n2")
	slurm(t, "kill", "n2")
	within(t, 5*time.Second, "its requests end", func() bool { return c.from.held.Load() < before })
	moved := c.moved(t, job)
	c.from.release()
	completes(t, job, indices)
	t.Logf("%d tasks moved", moved)
	c.same(t, "lost")
}

// moved waits until the tasks of n2 have run on n1.
func (c *cluster) moved(t *testing.T, job string) (n int) {
	t.Helper()
	within(t, 40*time.Second, "what n2 had runs on n1", func() bool {
		all := tasks(t, job)
		n = 0
		for _, x := range all {
			if x.state != "RUNNING" || x.node != "n1" {
				return false
			}
			if x.restarts != "0" {
				n++
			}
		}
		return n > 0
	})
	return n
}

// daemonLost makes Slurm believe that a node is lost, so that two attempts of its tasks run
// concurrently.
func (c *cluster) daemonLost(t *testing.T) {
	job, before := c.begun(t, "cut")
	defer slurm(t, "start", "n2")
	slurm(t, "cut", "n2")
	moved := c.moved(t, job)
	within(t, 10*time.Second, "new attempts wait beside the old ones", func() bool { return c.from.held.Load() >= before+int64(moved) })
	c.from.release()
	completes(t, job, indices)
	within(t, 20*time.Second, "the old attempts end", func() bool { return c.from.held.Load() == 0 })
	c.same(t, "cut")
}

// twice runs one index in two jobs concurrently.
func (c *cluster) twice(t *testing.T) {
	job, before := c.begun(t, "twice")
	again := c.submit(t, filepath.Join(c.work, "twice.json"), "3")
	within(t, 20*time.Second, "the second one waits beside the first one", func() bool { return c.from.held.Load() > before })
	c.from.release()
	completes(t, job, indices)
	completes(t, again, 1)
	c.same(t, "twice")
}

// transient lets all tasks fail while the source is unavailable. They are restarted, because the
// exit code is 75.
func (c *cluster) transient(t *testing.T) {
	plan := c.plan(t, "transient")
	c.from.refuses.Store(true)
	job := c.submit(t, plan, "0-7", "--timeout", "2s")
	within(t, 30*time.Second, "all tasks are to start again", func() bool {
		return count(t, job, func(x task) bool { return x.state == "PENDING" && x.restarts != "0" || x.restarts > "0" }) == indices
	})
	c.from.refuses.Store(false)
	completes(t, job, indices)
	if c.from.refused.Load() < indices {
		t.Errorf("%d requests were refused", c.from.refused.Load())
	}
	c.same(t, "transient")
}
