package processes

import (
	"context"
	"testing"
	"time"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/child"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// order has the task and the store of a child.
type order struct {
	Provider string // provider's name, or empty for a directory
	Place    string // the bucket's URL or the directory
	Do       string
	First    int64 // value of the first lot of rows, or number of a process that shares chunks
	Count    int64 // number of lots or of writes
	Path     string
	Age      time.Duration // age of claims that may be taken over
	Plan     []byte
}

// The possible tasks of a child.
const (
	appendLots = "lots"  // appends lots of rows to an array
	appendDays = "days"  // appends days to a group until it is killed
	share      = "share" // writes chunks that others also write
	meet       = "meet"  // appends lots to an array or a group while others do the same
	copyPlan   = "copy"  // runs a plan
	jobs       = "jobs"  // appends days to a dataset, each if its labels are absent
)

func TestMain(m *testing.M) { child.Main(m, order.run) }

func (o order) open(ctx context.Context) (store.Store, error) {
	for _, p := range bucket.All() {
		if p.Name == o.Provider {
			return p.Open(ctx, o.Place, 0, retry.Backoff(time.Millisecond, 50*time.Millisecond), retry.Tries(30))
		}
	}
	return dir.New(o.Place), nil
}

// run executes the task. It prints "ready", and then each acknowledged lot.
func (o order) run() error {
	ctx := context.Background()
	st, err := o.open(ctx)
	if err != nil {
		return err
	}
	child.Say("ready", 0)
	switch o.Do {
	case appendDays:
		return days(ctx, st)
	case jobs:
		return o.jobs(ctx, st)
	case share:
		return o.shared(ctx, st)
	case meet, meet + " group":
		return o.meet(ctx, st)
	case copyPlan:
		return o.copy(ctx)
	}
	a, err := zarr.OpenArray(ctx, st, "a")
	if err != nil {
		return err
	}
	for id := o.First; id < o.First+o.Count; id++ {
		if a, err = zarr.Append(ctx, a, 0, lotOf(id), zarr.AppendOptions{Wait: 5 * time.Minute}); err != nil {
			return err
		}
		child.Say("ok", id)
	}
	return nil
}

// days appends one day after another to a group, and takes over the claim of a killed process.
func days(ctx context.Context, st store.Store) error {
	for {
		g, err := zarr.OpenGroup(ctx, st, "g")
		if err != nil {
			return err
		}
		n, err := appendDay(ctx, g)
		if err != nil {
			return err
		}
		child.Say("ok", int64(n))
	}
}

// acknowledged reads the output of a child until it ends. It calls ready when the child starts its
// task.
func acknowledged(c *child.Process, ready func()) (ids []int64, err error) {
	err = c.Read(func(word string, id int64) {
		if word == "ready" {
			ready()
			return
		}
		ids = append(ids, id)
	})
	return ids, err
}

func succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
