package tasks_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func Example_writeParallel() {
	ctx, st := context.Background(), mem.New()
	var report zarr.Report
	a, err := zarr.Create(ctx, st, "t2m", zarr.Spec{
		Shape: []int{100, 64}, Chunks: []int{10, 64}, DType: dtype.Float32,
	}, zarr.WithReport(&report))
	if err != nil {
		log.Fatal(err)
	}
	const rows = 10 // rows of one task: whole chunks
	err = concurrency.EachN(ctx, 4, 10, func(ctx context.Context, task int) error {
		values := make([]float32, rows*64)
		for i := range values {
			values[i] = float32(task + 1)
		}
		return zarr.Write(ctx, a, values, zarr.Range(task*rows, (task+1)*rows))
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("chunks written:", report.Chunks.Load(), "read and rewritten:", report.Rewritten.Load())
	fmt.Println(zarr.Read[float32](ctx, a, zarr.Range(0, zarr.End).By(25), zarr.At(0)))
	// Output:
	// chunks written: 10 read and rewritten: 0
	// [1 3 6 8] <nil>
}

func Example_share() {
	ctx, st := context.Background(), mem.New()
	if _, err := zarr.Create(ctx, st, "x", zarr.Spec{Shape: []int{8}, Chunks: []int{8}, DType: dtype.Int32}); err != nil {
		log.Fatal(err)
	}
	// Each task represents a process and opens the array itself. All write to one chunk.
	err := concurrency.EachN(ctx, 8, 8, func(ctx context.Context, i int) error {
		a, err := zarr.OpenArray(ctx, st, "x")
		if err != nil {
			return err
		}
		return zarr.Write(ctx, a, []int32{int32(i)}, zarr.At(i))
	})
	if err != nil {
		log.Fatal(err)
	}
	a, err := zarr.OpenArray(ctx, st, "x")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[int32](ctx, a))
	// Output: [0 1 2 3 4 5 6 7] <nil>
}

func Example_setAttr() {
	ctx, st := context.Background(), mem.New()
	a, err := zarr.Create(ctx, st, "x", zarr.Spec{Shape: []int{8}, DType: dtype.Int32})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := a.SetAttrs(ctx, map[string]any{"source": "another process"}); err != nil {
		log.Fatal(err)
	}
	a, err = setAttr(ctx, a, "units", "K") // a lacks this change
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Attrs())
	// Output: map[source:another process units:K]
}

// setAttr sets one attribute and keeps those that other processes set.
func setAttr(ctx context.Context, a *zarr.Array, name string, value any) (*zarr.Array, error) {
	for {
		attrs := a.Attrs()
		attrs[name] = value
		b, err := a.SetAttrs(ctx, attrs)
		if !errors.Is(err, zarr.ErrConflict) {
			return b, err
		}
		if a, err = a.Refresh(ctx); err != nil {
			return nil, err
		}
	}
}

func Example_jobRows() {
	// 24 chunks along the first dimension, divided among 5 processes.
	for index := range 5 {
		lo, hi := rowsOf(index, 5, 8760, 365)
		fmt.Printf("process %d: rows %d to %d\n", index, lo, hi)
	}
	// Output:
	// process 0: rows 0 to 1460
	// process 1: rows 1460 to 3285
	// process 2: rows 3285 to 5110
	// process 3: rows 5110 to 6935
	// process 4: rows 6935 to 8760
}

// rowsOf returns the rows of one process of a job: whole chunks, so that no two processes write to
// one object. For a sharded array, chunk is the length of a shard.
func rowsOf(index, count, rows, chunk int) (lo, hi int) {
	chunks := (rows + chunk - 1) / chunk
	return min(index*chunks/count*chunk, rows), min((index+1)*chunks/count*chunk, rows)
}
