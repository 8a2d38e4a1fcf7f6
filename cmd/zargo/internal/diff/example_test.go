package diff_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/cmd/zargo/internal/diff"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// This example compares two arrays that have different chunks and differ in one value.
func ExampleRun() {
	ctx := context.Background()
	st := mem.New()
	var arrays []*zarr.Array
	for i, chunk := range []int{2, 5} {
		a, err := zarr.Create(ctx, st, fmt.Sprint("copy", i), zarr.Spec{Shape: []int{10}, Chunks: []int{chunk}, DType: dtype.Float32})
		if err != nil {
			log.Fatal(err)
		}
		arrays = append(arrays, a)
	}
	if err := zarr.Write(ctx, arrays[1], []float32{1.5}, zarr.Range(7, 8)); err != nil {
		log.Fatal(err)
	}
	r, err := diff.Run(ctx, arrays[0], arrays[1], diff.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, n := range r.Nodes {
		for _, m := range n.Members {
			fmt.Printf("%s: %s, %s\n", m.Name, m.A, m.B)
		}
		for _, e := range n.Values.First {
			fmt.Printf("%v: %s, %s\n", e.At, e.A, e.B)
		}
	}
	// Output:
	// chunks: [2], [5]
	// [7]: 0.0, 1.5
}
