package concurrent

import (
	"context"
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// The shape of the part of each process: rows × columns for a part of a chunk or shard, and 1 ×
// columns for an appended row.
const rows, columns = 64, 64

// arrayPath is the path of the array in the directory.
const arrayPath = "a"

// scenario is one kind of concurrent write. Process i writes elements with the value i+1.
type scenario struct {
	name      string // second argument of python/writers.py
	processes int
	appends   bool
	spec      zarr.Spec
}

func scenarios() []scenario {
	const n = 16
	return []scenario{
		{"chunk", n, false, zarr.Spec{Shape: []int{n * rows, columns}, Chunks: []int{n * rows, columns}, DType: dtype.Int32}},
		{"shard", n, false, zarr.Spec{Shape: []int{n * rows, columns}, Chunks: []int{rows, columns}, Shards: []int{n * rows, columns}, DType: dtype.Int32}},
		{"append", 8, true, zarr.Spec{Shape: []int{0, columns}, Chunks: []int{1, columns}, DType: dtype.Int32}},
	}
}

// create creates the array of the scenario in a directory.
func (s scenario) create(ctx context.Context, folder string) error {
	_, err := zarr.Create(ctx, dir.New(folder), arrayPath, s.spec)
	return err
}

// present returns the number of processes whose elements are stored completely.
func (s scenario) present(ctx context.Context, folder string) (int, error) {
	a, err := zarr.OpenArray(ctx, dir.New(folder), arrayPath)
	if err != nil {
		return 0, err
	}
	got, err := zarr.Read[int32](ctx, a)
	if err != nil {
		return 0, err
	}
	if s.appends {
		return rowsOf(got, s.processes)
	}
	n := 0
	for i := range s.processes {
		part := got[i*rows*columns : (i+1)*rows*columns]
		want := slices.Repeat([]int32{int32(i + 1)}, len(part))
		if slices.Equal(part, want) {
			n++
		}
	}
	return n, nil
}

// rowsOf returns the number of different rows among got. It returns an error if the row of a
// process is stored twice.
func rowsOf(got []int32, processes int) (int, error) {
	seen := map[int32]bool{}
	for row := range slices.Chunk(got, columns) {
		id := row[0]
		if id < 1 || int(id) > processes || !slices.Equal(row, slices.Repeat([]int32{id}, columns)) {
			continue
		}
		if seen[id] {
			return 0, fmt.Errorf("row %d is stored twice", id)
		}
		seen[id] = true
	}
	return len(seen), nil
}
