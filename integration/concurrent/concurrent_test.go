package concurrent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/child"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// order is the task of one process of zargo.
type order struct {
	Folder  string
	Append  bool
	Wait    time.Duration // of an append
	Process int
}

func TestMain(m *testing.M) { child.Main(m, order.run) }

// startFile is the file in the directory whose appearance lets all processes write.
const startFile = "start"

// run prints "ready", waits for the start, and writes. It prints "ok" unless the write returned a
// conflict.
func (o order) run() error {
	ctx := context.Background()
	a, err := zarr.OpenArray(ctx, dir.New(o.Folder), arrayPath)
	if err != nil {
		return err
	}
	child.Say("ready", 0)
	for {
		if _, err := os.Stat(filepath.Join(o.Folder, startFile)); err == nil {
			break
		}
		time.Sleep(time.Millisecond) // far shorter than a write of 16 processes
	}
	n := rows * columns
	if o.Append {
		n = columns
	}
	values := slices.Repeat([]int32{int32(o.Process + 1)}, n)
	if o.Append {
		_, err = zarr.Append(ctx, a, 0, values, zarr.AppendOptions{Wait: o.Wait})
	} else {
		err = zarr.Write(ctx, a, values, zarr.Range(o.Process*rows, (o.Process+1)*rows))
	}
	if errors.Is(err, zarr.ErrConflict) {
		return nil
	}
	if err != nil {
		return err
	}
	child.Say("ok", 0)
	return nil
}

// TestEveryWriteIsStored requires that the parts of 16 processes in one chunk and in one shard, and
// the rows of 8 appends, are all stored.
func TestEveryWriteIsStored(t *testing.T) {
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			for range 3 {
				present, acknowledged, err := zargo(t, s, time.Minute)
				if err != nil {
					t.Fatal(err)
				}
				if present != s.processes || acknowledged != s.processes {
					t.Errorf("%d of %d stored, %d acknowledged", present, s.processes, acknowledged)
				}
			}
		})
	}
}

// TestAppendsThatDoNotWait requires that an append without Wait is stored or returns a conflict.
func TestAppendsThatDoNotWait(t *testing.T) {
	for _, s := range scenarios() {
		if !s.appends {
			continue
		}
		present, acknowledged, err := zargo(t, s, 0)
		if err != nil {
			t.Fatal(err)
		}
		if present != acknowledged || present == 0 {
			t.Errorf("%d rows stored, %d acknowledged", present, acknowledged)
		}
		t.Logf("%d of %d stored", present, s.processes)
	}
}

// zargo runs the scenario with processes of zargo. Appends wait for each other for at most wait. It
// returns the number of processes whose elements are stored, and the number of processes whose
// write returned without an error.
func zargo(t *testing.T, s scenario, wait time.Duration) (present, acknowledged int, err error) {
	t.Helper()
	folder := t.TempDir()
	if err := s.create(t.Context(), folder); err != nil {
		return 0, 0, err
	}
	ready, ok := make(chan struct{}, s.processes), make([]int, s.processes)
	processes := make([]*child.Process, s.processes)
	for i := range processes {
		processes[i] = child.Start(t, order{Folder: folder, Append: s.appends, Wait: wait, Process: i})
	}
	// One more task releases the processes when all of them are ready.
	err = concurrency.EachN(t.Context(), s.processes+1, s.processes+1, func(ctx context.Context, i int) error {
		if i == s.processes {
			for range s.processes {
				select {
				case <-ready:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return os.WriteFile(filepath.Join(folder, startFile), nil, 0o600)
		}
		err := processes[i].Read(func(word string, _ int64) {
			if word == "ready" {
				ready <- struct{}{}
			} else {
				ok[i]++
			}
		})
		if err != nil {
			return fmt.Errorf("process %d: %w", i, err)
		}
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	for _, n := range ok {
		acknowledged += n
	}
	present, err = s.present(t.Context(), folder)
	return present, acknowledged, err
}
