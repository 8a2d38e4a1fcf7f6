package npy_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"

	"github.com/zargo-io/zargo/npy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// ExampleNewReader stores a file as an array, one row of chunks at a time.
func ExampleNewReader() {
	ctx, st := context.Background(), mem.New()
	f, err := os.Open("testdata/numpy/int16.npy")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	r, err := npy.NewReader(f)
	if err != nil {
		log.Fatal(err)
	}
	shape := r.Header.Shape
	a, err := zarr.Create(ctx, st, "levels", zarr.Spec{Shape: shape, Chunks: []int{1, 3}, DType: r.Header.Type})
	if err != nil {
		log.Fatal(err)
	}
	row := make([]int16, shape[1])
	for i := range shape[0] {
		if _, err := npy.Read(r, row); err != nil {
			log.Fatal(err)
		}
		if err := zarr.Write(ctx, a, row, zarr.At(i)); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(zarr.Read[int16](ctx, a))
	// Output: [-32768 32767 0 1 2 3] <nil>
}

// ExampleNewWriter writes a selection of an array to a file, one row at a time.
func ExampleNewWriter() {
	ctx, st := context.Background(), mem.New()
	a, err := zarr.Create(ctx, st, "t2m", zarr.Spec{Shape: []int{3, 4}, Chunks: []int{1, 4}, DType: dtype.Float32})
	if err != nil {
		log.Fatal(err)
	}
	if err := zarr.Write(ctx, a, []float32{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}); err != nil {
		log.Fatal(err)
	}

	var file bytes.Buffer // in your program: os.Create("t2m.npy")
	w, err := npy.NewWriter(&file, npy.Header{Type: a.DType(), Shape: []int{2, 3}})
	if err != nil {
		log.Fatal(err)
	}
	row := make([]float32, 3)
	for i := range 2 {
		if err := zarr.ReadInto(ctx, a, row, zarr.At(1+i), zarr.Range(0, 3)); err != nil {
			log.Fatal(err)
		}
		if err := npy.Write(w, row); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(file.Len(), "bytes")
	// Output: 152 bytes
}

// ExampleFromFortran reads a file in Fortran order. It must be in memory before it can be
// reordered.
func ExampleFromFortran() {
	f, err := os.Open("testdata/numpy/int16-fortran.npy")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	r, err := npy.NewReader(f)
	if err != nil {
		log.Fatal(err)
	}
	n, err := r.Header.Elems()
	if err != nil || n > 1<<20 {
		log.Fatal("too many elements: ", n, err)
	}
	src, values := make([]int16, n), make([]int16, n)
	if _, err := npy.Read(r, src); err != nil {
		log.Fatal(err)
	}
	npy.FromFortran(values, src, r.Header.Shape, 1)
	fmt.Println(src, values)
	// Output: [-32768 1 32767 2 0 3] [-32768 32767 0 1 2 3]
}
