//go:build linux

package transfers

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// TestMemory rechunks an array that is larger than the memory limit of the process, and checks that
// the process stays within the limit.
func TestMemory(t *testing.T) {
	if race.Enabled {
		t.Skip("SKIPPED: with -race memory is several times as large")
	}
	const memory = 160 << 20
	from, to := t.TempDir(), t.TempDir()
	a, err := zarr.Create(t.Context(), dir.New(from), "a", zarr.Spec{Shape: []int{1024, 256, 256}, Chunks: []int{1, 256, 256}, DType: dtype.Float32})
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float32, 32*256*256)
	for i := range values {
		values[i] = float32(i * 7 % 1000)
	}
	for at := 0; at < 1024; at += 32 {
		values[0] = float32(at)
		succeed(t, zarr.Write(t.Context(), a, values, zarr.Range(at, at+32)))
	}
	p, err := transfer.NewPlan(t.Context(), a, dir.New(to), transfer.Options{
		Source: transfer.Place{Store: from}, Target: transfer.Place{Store: to}, Memory: memory,
		Grid: func(*zarr.Array) ([]int, []int, error) { return []int{1024, 16, 16}, nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	peak := resident(t, p)
	t.Logf("%d MiB of %d in %d stages", peak>>20, int64(memory)>>20, len(p.Stages)-1)
	if peak > memory {
		t.Errorf("%d bytes resident, more than %d", peak, memory)
	}
	b, err := zarr.OpenArray(t.Context(), dir.New(to), "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := zarr.Read[float32](t.Context(), b, zarr.All, zarr.At(0), zarr.Range(0, 2))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1024 {
		first := float32(0)
		if first = float32(i % 32 * 65536 * 7 % 1000); i%32 == 0 {
			first = float32(i)
		}
		if got[2*i] != first {
			t.Fatalf("step %d begins with %v, not %v", i, got[2*i], first)
		}
	}
}

// resident runs a plan in its own process and returns the peak number of its resident bytes.
func resident(t *testing.T, p *transfer.Plan) int64 {
	t.Helper()
	file := filepath.Join(t.TempDir(), "plan.json")
	succeed(t, os.WriteFile(file, p.Encode(), 0o600))
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), exe)
	c.Env = append(os.Environ(), boundEnv+"="+file)
	c.Stderr = os.Stderr
	succeed(t, c.Run())
	return int64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) << 10 //nolint:unconvert // 32 bits on some machines
}

// TestShardMemory creates one shard of 512 MiB in a quarter of that memory.
func TestShardMemory(t *testing.T) {
	if race.Enabled {
		t.Skip("SKIPPED: with -race memory is several times as large")
	}
	const memory, maps = 144 << 20, 128
	from, to := t.TempDir(), t.TempDir()
	a, err := zarr.Create(t.Context(), dir.New(from), "a", zarr.Spec{Shape: []int{maps, 1024, 1024}, Chunks: []int{1, 1024, 1024}, DType: dtype.Float32})
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float32, 1024*1024)
	for i := range values {
		values[i] = float32(i * 7 % 1000)
	}
	for at := range maps {
		values[0] = float32(at)
		succeed(t, zarr.Write(t.Context(), a, values, zarr.At(at)))
	}
	p, err := transfer.NewPlan(t.Context(), a, dir.New(to), transfer.Options{
		Source: transfer.Place{Store: from}, Target: transfer.Place{Store: to}, Memory: memory, Codecs: []codec.Spec{},
		Grid: func(*zarr.Array) ([]int, []int, error) { return []int{16, 128, 128}, []int{maps, 1024, 1024}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	last := p.Stages[len(p.Stages)-2].Steps[0]
	peak := resident(t, p)
	t.Logf("%d MiB of %d in %d stages, boxes of %v", peak>>20, int64(memory)>>20, len(p.Stages)-1, last.Inner)
	if peak > memory || last.Inner == nil {
		t.Errorf("%d bytes resident, more than %d, in boxes of %v", peak, memory, last.Inner)
	}
	b, err := zarr.OpenArray(t.Context(), dir.New(to), "")
	if err != nil {
		t.Fatal(err)
	}
	for at := range maps {
		got, err := zarr.Read[float32](t.Context(), b, zarr.At(at))
		if err != nil {
			t.Fatal(err)
		}
		values[0] = float32(at)
		if !slices.Equal(got, values) {
			t.Fatalf("map %d differs", at)
		}
	}
	if shards := stored(t, to); len(shards["c/0/0/0"]) < 512<<20 {
		t.Errorf("a shard of %d bytes", len(shards["c/0/0/0"]))
	}
}
