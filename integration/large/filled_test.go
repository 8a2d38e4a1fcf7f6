package large

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// fillBudget is the memory budget of a child that fills a shard. It is a fraction of the shard's
// size.
const fillBudget = 128 << 20

// filled is the report of a child that has filled a shard.
type filled struct {
	Peak     int64 // maximum number of bytes of the budget in use
	Resident string
	Took     time.Duration
}

// TestFilledShard fills one shard from a generator, some rows at a time, in its own process, and
// reads it back. With ZARGO_LARGE_GIB=4 the shard has 4 GiB, and the process may have 256 MiB of
// resident memory.
func TestFilledShard(t *testing.T) {
	rows := 20
	if n := wanted(); n > 0 {
		rows = n
	}
	t.Run("dir", func(t *testing.T) { fillShard(t, order{Place: t.TempDir(), Rows: rows}) })
	for _, p := range bucket.All() {
		t.Run(p.Name, func(t *testing.T) { fillShard(t, order{Provider: p.Name, Place: p.URL(t), Rows: rows}) })
	}
}

func filledSpec(rows int) zarr.Spec {
	return zarr.Spec{Shape: []int{rows, row}, Shards: []int{rows, row}, Chunks: []int{1, row}, DType: dtype.Uint8, Codecs: []codec.Spec{codec.CRC32C()}}
}

func fillShard(t *testing.T, o order) {
	st, err := o.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	a, err := zarr.Create(t.Context(), st, "a", filledSpec(o.Rows))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+string(raw))
	child.Stderr = os.Stderr
	out, err := child.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got filled
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	t.Logf("%d MiB in %v, %d MiB of the budget at most, resident at most %s", o.Rows*row>>20, got.Took.Round(time.Millisecond), got.Peak>>20, got.Resident)
	if got.Peak > fillBudget {
		t.Errorf("%d bytes were reserved, of %d", got.Peak, fillBudget)
	}
	var kb int64
	if _, err := fmt.Sscan(got.Resident, &kb); err == nil && kb > 256<<10 && !race.Enabled { // the race detector needs several times as much
		t.Errorf("%d MiB were resident", kb>>10)
	}
	const slab = 8
	values := make([]byte, slab*row)
	for from := 0; from < o.Rows; from += slab {
		n := min(slab, o.Rows-from)
		if err := zarr.ReadInto(t.Context(), a, values[:n*row], zarr.Range(from, from+n)); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if !bytes.Equal(values[i*row:(i+1)*row], rowOf(from+i)) {
				t.Fatalf("row %d came back otherwise", from+i)
			}
		}
	}
}

// fill executes the task of the child.
func (o order) fill(ctx context.Context) error {
	st, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	limits := &concurrency.Limits{CPU: concurrency.NewCPU(0), Bytes: concurrency.NewBudget(fillBudget)}
	a, err := zarr.OpenArray(ctx, st, "a", zarr.Limit(zarr.Limits{Shared: limits, Chunk: 1 << 40}))
	if err != nil {
		return err
	}
	begin := time.Now()
	w, err := a.OpenShard(ctx, 0, 0)
	if err != nil {
		return err
	}
	const some = 4
	rows := make([]byte, 0, some*row)
	for from := 0; from < o.Rows; from += some {
		n := min(some, o.Rows-from)
		rows = rows[:0]
		for i := range n {
			rows = append(rows, rowOf(from+i)...)
		}
		if err := w.WriteBytes(ctx, rows, zarr.Range(from, from+n)); err != nil {
			return err
		}
	}
	if err := w.Commit(ctx); err != nil {
		return err
	}
	_, peak := limits.Bytes.Used()
	return json.NewEncoder(os.Stdout).Encode(filled{peak, resident(), time.Since(begin)})
}

// resident returns the peak resident memory of this process in kB, or "" if the system does not
// report it.
func resident() string {
	status, _ := os.ReadFile("/proc/self/status")
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	line, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(line)
}
