package transfers

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// childEnv is the environment variable that makes the test binary a process that runs tasks.
// boundEnv makes it a process that stays within the plan's memory. The value is the file of a plan.
const (
	childEnv = "ZARGO_TRANSFERS_CHILD"
	boundEnv = "ZARGO_TRANSFERS_BOUND"
)

func TestMain(m *testing.M) {
	for env, do := range map[string]func(context.Context, string) error{childEnv: child, boundEnv: bound} {
		if name := os.Getenv(env); name != "" {
			if err := do(context.Background(), name); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// folders opens the directories that plans name.
func folders(_ context.Context, name string) (store.Store, error) { return dir.New(name), nil }

// bound runs a plan like cmd/zargo: with a heap limit that excludes the memory of the program
// itself.
func bound(ctx context.Context, name string) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	p, err := transfer.Decode(b)
	if err != nil {
		return err
	}
	debug.SetMemoryLimit(p.Memory/16*15 - 40<<20)
	return transfer.Run(ctx, p, folders, transfer.RunOptions{})
}

// child runs all tasks of a plan in order, even if they were done before, and prints each that is
// done.
func child(ctx context.Context, name string) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	p, err := transfer.Decode(b)
	if err != nil {
		return err
	}
	last := p.Tasks() - 1
	for i := range last {
		if err := transfer.RunTask(ctx, p, i, folders); err != nil {
			return err
		}
		fmt.Println(i)
	}
	return transfer.RunTask(ctx, p, last, folders)
}

// TestProcesses lets three processes run the same tasks concurrently, and kills one of them. The
// stored data must equal that of one process.
func TestProcesses(t *testing.T) {
	from, to, alone := t.TempDir(), t.TempDir(), t.TempDir()
	a, err := zarr.Create(t.Context(), dir.New(from), "a", zarr.Spec{Shape: []int{200, 60, 40}, Chunks: []int{5, 60, 40}, DType: dtype.Float32})
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float32, a.Len())
	for i := range values {
		values[i] = float32(i % 1000)
	}
	succeed(t, zarr.Write(t.Context(), a, values))
	plan := func(to string) *transfer.Plan {
		p, err := transfer.NewPlan(t.Context(), a, dir.New(to), transfer.Options{
			Source: transfer.Place{Store: from}, Target: transfer.Place{Store: to},
			Grid: func(*zarr.Array) ([]int, []int, error) { return []int{50, 3, 4}, []int{100, 6, 8}, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		p.Stages[0].Steps[0].Block = []int{1, 1, 1}
		return p
	}
	p := plan(to)
	file := filepath.Join(t.TempDir(), "plan.json")
	succeed(t, os.WriteFile(file, p.Encode(), 0o600))
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var children [3]*exec.Cmd
	var lines *bufio.Scanner
	for i := range children {
		c := exec.CommandContext(t.Context(), exe)
		c.Env = append(os.Environ(), childEnv+"="+file)
		c.Stderr = os.Stderr
		if i == 0 {
			out, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			lines = bufio.NewScanner(out)
		}
		succeed(t, c.Start())
		children[i] = c
	}
	for range 20 {
		lines.Scan()
	}
	succeed(t, children[0].Process.Kill())
	for i, c := range children {
		if err := c.Wait(); (err != nil) != (i == 0) {
			t.Errorf("process %d: %v", i, err)
		}
	}
	if missing, err := transfer.Verify(t.Context(), p, folders); err != nil || len(missing) > 0 {
		t.Fatalf("%v are missing, %v", missing, err)
	}
	one := plan(alone)
	succeed(t, transfer.Run(t.Context(), one, folders, transfer.RunOptions{}))
	for _, p := range []*transfer.Plan{p, one} {
		succeed(t, transfer.Clean(t.Context(), p, folders))
	}
	x, y := stored(t, to), stored(t, alone)
	if !maps.Equal(x, y) || len(x) != 2*10*5+1 {
		t.Errorf("%d and %d objects, which differ", len(x), len(y))
	}
}

// stored returns all objects in a directory.
func stored(t *testing.T, folder string) map[string]string {
	t.Helper()
	st, all := dir.New(folder), map[string]string{}
	for e, err := range st.List(t.Context(), "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		v, err := st.Get(t.Context(), e.Key, store.GetOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		all[e.Key] = string(v.Bytes)
	}
	return all
}
