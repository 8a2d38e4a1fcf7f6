package zarr_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func Example() {
	ctx, st := context.Background(), mem.New() // or dir.New("weather.zarr"), s3.Open(ctx, "s3://bucket/weather"), or openurl.Mux for any URL
	a, err := zarr.Create(ctx, st, "t2m", zarr.Spec{Shape: []int{365, 180, 360}, Chunks: []int{10, 180, 360}, DType: dtype.Float32})
	if err != nil {
		log.Fatal(err)
	}
	if err := zarr.Write(ctx, a, slices.Repeat([]float32{21.5}, 15*180*360), zarr.Range(0, 15)); err != nil {
		log.Fatal(err)
	}
	year, err := zarr.Read[float32](ctx, a, zarr.All, zarr.At(90), zarr.At(180)) // 37 chunks, read concurrently
	fmt.Println(len(year), year[13:17], err)
	// Output: 365 [21.5 21.5 0 0] <nil>
}

func ExampleCreate() {
	ctx, st := context.Background(), mem.New()
	a, err := zarr.Create(ctx, st, "sst/daily", zarr.Spec{
		Format: 2,
		Shape:  []int{365, 720}, Chunks: []int{73, 720},
		DType: dtype.Int16, Fill: -999,
		Codecs: []codec.Spec{codec.Bytes(dtype.Big), codec.Zlib(5)},
		Attrs:  map[string]any{"units": "0.01 K"},
	})
	fmt.Println(a, err)

	_, err = zarr.Create(ctx, st, "sst/daily", zarr.Spec{Shape: []int{1}, DType: dtype.Int16})
	fmt.Println(errors.Is(err, zarr.ErrExists))
	for e, err := range st.List(ctx, "", store.ListOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Key)
	}
	// Unordered output:
	// "sst/daily" int16 [365 720] chunks [73 720] v2 <nil>
	// true
	// .zgroup
	// sst/.zgroup
	// sst/daily/.zarray
	// sst/daily/.zattrs
}

func ExampleOpenArray() {
	ctx, st := context.Background(), mem.New()
	spec := zarr.Spec{Shape: []int{24, 721, 1440}, Chunks: []int{6, 721, 1440}, DType: dtype.Float32, Dims: []string{"time", "lat", "lon"}}
	if _, err := zarr.Create(ctx, st, "t2m", spec); err != nil {
		log.Fatal(err)
	}

	a, err := zarr.OpenArray(ctx, st, "t2m")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Format(), a.DType(), a.Shape(), a.Chunks(), a.Dims())

	_, err = zarr.OpenArray(ctx, st, "u10")
	fmt.Println(errors.Is(err, zarr.ErrNotFound), err)
	// Output:
	// 3 float32 [24 721 1440] [6 721 1440] [time lat lon]
	// true zarr: "u10" in mem://: not found: no array here
}

func ExampleOpenOrCreate() {
	ctx, st := context.Background(), mem.New()
	spec := zarr.Spec{Shape: []int{100}, DType: dtype.Int32}
	for range 2 { // the second call opens the array
		a, err := zarr.OpenOrCreate(ctx, st, "x", spec)
		fmt.Println(a, err)
	}
	spec.Shape = []int{200}
	_, err := zarr.OpenOrCreate(ctx, st, "x", spec)
	fmt.Println(errors.Is(err, zarr.ErrConflict))
	// Output:
	// "x" int32 [100] chunks [100] v3 <nil>
	// "x" int32 [100] chunks [100] v3 <nil>
	// true
}

func ExampleReplace() {
	ctx, st := context.Background(), mem.New()
	numbers(ctx, st)
	a, err := zarr.Replace(ctx, st, "numbers", zarr.Spec{Shape: []int{2}, DType: dtype.Float64, Fill: 0.5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[float64](ctx, a))
	// Output: [0.5 0.5] <nil>
}

// numbers creates a 4 × 6 array of 0, 1, 2, … in chunks of 2 × 3.
func numbers(ctx context.Context, st store.Store) *zarr.Array {
	a, err := zarr.Create(ctx, st, "numbers", zarr.Spec{Shape: []int{4, 6}, Chunks: []int{2, 3}, DType: dtype.Int64})
	if err != nil {
		log.Fatal(err)
	}
	src := make([]int64, 24)
	for i := range src {
		src[i] = int64(i)
	}
	if err := zarr.Write(ctx, a, src); err != nil {
		log.Fatal(err)
	}
	return a
}

func ExampleRead() {
	ctx := context.Background()
	a := numbers(ctx, mem.New())
	fmt.Println(zarr.Read[int64](ctx, a, zarr.At(1)))                         // the remaining axes are selected completely
	fmt.Println(zarr.Read[int64](ctx, a, zarr.Range(1, 3), zarr.Range(2, 4))) // a box, in C order
	fmt.Println(zarr.Read[int64](ctx, a, zarr.All, zarr.Range(0, zarr.End).By(5)))

	_, err := zarr.Read[int32](ctx, a) // values are not converted
	fmt.Println(errors.Is(err, zarr.ErrType))
	_, err = zarr.Read[int64](ctx, a, zarr.Range(2, 9)) // ranges are not clipped
	fmt.Println(errors.Is(err, zarr.ErrSelection))
	// Output:
	// [6 7 8 9 10 11] <nil>
	// [8 9 14 15] <nil>
	// [0 5 6 11 12 17 18 23] <nil>
	// true
	// true
}

func ExampleReadInto() {
	ctx := context.Background()
	a := numbers(ctx, mem.New())
	dst := make([]int64, 6)
	for row := range 4 { // reuse one buffer
		if err := zarr.ReadInto(ctx, a, dst, zarr.At(row)); err != nil {
			log.Fatal(err)
		}
		fmt.Println(dst)
	}
	// Output:
	// [0 1 2 3 4 5]
	// [6 7 8 9 10 11]
	// [12 13 14 15 16 17]
	// [18 19 20 21 22 23]
}

func ExampleArray_ReadBytes() {
	ctx := context.Background()
	a := numbers(ctx, mem.New())
	dst := make([]byte, 2*a.DType().Size())
	err := a.ReadBytes(ctx, dst, zarr.At(3), zarr.Range(4, 6))
	fmt.Println(binary.LittleEndian.Uint64(dst), binary.LittleEndian.Uint64(dst[8:]), err)
	// Output: 22 23 <nil>
}

func ExampleWrite() {
	ctx := context.Background()
	a := numbers(ctx, mem.New())
	var report zarr.Report
	a, _ = a.With(zarr.WithReport(&report))

	// Two whole chunks: written, not read.
	err := zarr.Write(ctx, a, slices.Repeat([]int64{-1}, 12), zarr.Range(0, 2))
	fmt.Println(report.Gets.Load(), report.Puts.Load(), err)
	// Part of one chunk: read, changed, and written if no other writer changed it in between.
	err = zarr.Write(ctx, a, []int64{100}, zarr.At(3), zarr.At(5))
	fmt.Println(report.Gets.Load(), report.Puts.Load(), err)

	fmt.Println(zarr.Read[int64](ctx, a, zarr.Range(1, 4), zarr.Range(4, 6)))
	// Output:
	// 0 2 <nil>
	// 1 3 <nil>
	// [-1 -1 16 17 22 100] <nil>
}

// Any number of goroutines may write regions, on chunk boundaries or not.
func ExampleWrite_parallel() {
	ctx, st := context.Background(), mem.New()
	a, err := zarr.Create(ctx, st, "x", zarr.Spec{Shape: []int{8, 4}, Chunks: []int{3, 4}, DType: dtype.Uint8})
	if err != nil {
		log.Fatal(err)
	}
	err = concurrency.EachN(ctx, 8, 8, func(ctx context.Context, row int) error {
		return zarr.Write(ctx, a, slices.Repeat([]uint8{uint8(row)}, 4), zarr.At(row))
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[uint8](ctx, a, zarr.All, zarr.At(3)))
	// Output: [0 1 2 3 4 5 6 7] <nil>
}

func ExampleArray_WriteBytes() {
	ctx, st := context.Background(), mem.New()
	a, err := zarr.Create(ctx, st, "x", zarr.Spec{Shape: []int{2}, DType: dtype.Uint16})
	if err != nil {
		log.Fatal(err)
	}
	err = a.WriteBytes(ctx, []byte{1, 0, 0, 1}) // little-endian, packed
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[uint16](ctx, a))
	// Output: [1 256] <nil>
}

func ExampleArray_SetAttrs() {
	ctx, st := context.Background(), mem.New()
	a, err := zarr.Create(ctx, st, "t2m", zarr.Spec{Shape: []int{1}, DType: dtype.Float32, Attrs: map[string]any{"units": "K"}})
	if err != nil {
		log.Fatal(err)
	}
	attrs := a.Attrs()
	attrs["long_name"] = "2 metre temperature"
	b, err := a.SetAttrs(ctx, attrs)
	fmt.Println(b.Attrs(), err)

	_, err = a.SetAttrs(ctx, map[string]any{}) // a was opened before the change
	fmt.Println(errors.Is(err, zarr.ErrConflict))
	// Output:
	// map[long_name:2 metre temperature units:K] <nil>
	// true
}

func ExampleAttr() {
	ctx, st := context.Background(), mem.New()
	g, err := zarr.CreateGroup(ctx, st, "", zarr.Spec{Attrs: map[string]any{"units": "K", "range": []any{180, 330}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Attr[string](g, "units"))
	fmt.Println(zarr.Attr[[]float64](g, "range"))
	fmt.Println(zarr.Attr[string](g, "offset"))
	// Output:
	// K true <nil>
	// [180 330] true <nil>
	//  false <nil>
}

func ExampleOpenGroup() {
	ctx, st := context.Background(), mem.New()
	numbers(ctx, st) // also creates the root group

	root, err := zarr.OpenGroup(ctx, st, "")
	if err != nil {
		log.Fatal(err)
	}
	a, err := root.OpenArray(ctx, "numbers")
	fmt.Println(root, a, err)
	// Output: "" group v3 "numbers" int64 [4 6] chunks [2 3] v3 <nil>
}

func ExampleOpen() {
	ctx, st := context.Background(), mem.New()
	numbers(ctx, st)
	for _, path := range []string{"", "numbers"} {
		n, err := zarr.Open(ctx, st, path)
		if err != nil {
			log.Fatal(err)
		}
		switch n := n.(type) {
		case *zarr.Array:
			fmt.Println("array of", n.Len(), n.DType())
		case *zarr.Group:
			fmt.Println("group")
		}
	}
	// Output:
	// group
	// array of 24 int64
}

// weather creates a hierarchy of two groups and three arrays.
func weather(ctx context.Context) *zarr.Group {
	root, err := zarr.CreateGroup(ctx, mem.New(), "", zarr.Spec{})
	if err != nil {
		log.Fatal(err)
	}
	for _, path := range []string{"era5/t2m", "era5/u10", "mask"} {
		if _, err := root.CreateArray(ctx, path, zarr.Spec{Shape: []int{3}, DType: dtype.Int8}); err != nil {
			log.Fatal(err)
		}
	}
	return root
}

func ExampleCreateGroup() {
	ctx, st := context.Background(), mem.New()
	g, err := zarr.CreateGroup(ctx, st, "forecasts", zarr.Spec{Attrs: map[string]any{"title": "Forecasts"}})
	if err != nil {
		log.Fatal(err)
	}
	sub, err := g.CreateGroup(ctx, "2026/t2m", nil) // also creates "2026"
	fmt.Println(g, sub, err)
	// Output: "forecasts" group v3 "forecasts/2026/t2m" group v3 <nil>
}

func ExampleGroup_Members() {
	ctx := context.Background()
	for n, err := range weather(ctx).Members(ctx) {
		fmt.Println(n, err)
	}
	// Output:
	// "era5" group v3 <nil>
	// "mask" int8 [3] chunks [3] v3 <nil>
}

func ExampleGroup_Walk() {
	ctx := context.Background()
	for n, err := range weather(ctx).Walk(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(n.Path())
	}
	// Output:
	// era5
	// mask
	// era5/t2m
	// era5/u10
}

// With returns a view of the array with other options.
func ExampleArray_With() {
	ctx := context.Background()
	a := numbers(ctx, mem.New())
	careful, err := a.With(zarr.Limit(zarr.Limits{Requests: 2, InFlight: 1}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[int64](ctx, careful, zarr.At(0), zarr.Range(1, 5)))
	_, err = zarr.Read[int64](ctx, careful)
	fmt.Println(errors.Is(err, zarr.ErrLimit))
	// Output:
	// [1 2 3 4] <nil>
	// true
}

// A chunk that exists but cannot be decoded is an error that names it, never fill values.
func ExampleChunkError() {
	ctx, st := context.Background(), mem.New()
	a := numbers(ctx, st)
	if _, err := st.Put(ctx, a.ChunkKey(1, 0), []byte("not zstd"), store.PutOptions{}); err != nil {
		log.Fatal(err)
	}
	_, err := zarr.Read[int64](ctx, a)
	var chunk *zarr.ChunkError
	fmt.Println(errors.Is(err, zarr.ErrCorrupt), errors.As(err, &chunk), chunk.Key, chunk.Coord)
	// Output: true true numbers/c/1/0 [1 0]
}

func ExampleReadAs() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "x", zarr.Spec{Shape: []int{3}, DType: dtype.Float64})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(zarr.Write(ctx, a, []float64{1, 2, 300}))
	fmt.Println(zarr.ReadAs[int](ctx, a))
	_, err = zarr.ReadAs[int8](ctx, a)
	fmt.Println(err)
	// Output:
	// <nil>
	// [1 2 300] <nil>
	// zarr: "x" in mem://: wrong type: element 2 of float64 cannot be converted to int8: 300 is not representable
}

func ExampleWrite_strings() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "names", zarr.Spec{Shape: []int{3}, DType: dtype.String, Fill: "?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(zarr.Write(ctx, a, []string{"Ada", "Grace"}, zarr.Range(0, 2)))
	fmt.Println(zarr.Read[string](ctx, a))
	// Output:
	// <nil>
	// [Ada Grace ?] <nil>
}

func ExampleWrite_structs() {
	type station struct {
		ID  uint32     `zarr:"id"`
		Pos [2]float64 `zarr:"pos"`
	}
	ctx := context.Background()
	t, err := dtype.Of[station]()
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := zarr.Create(ctx, mem.New(), "stations", zarr.Spec{Format: 2, Shape: []int{2}, DType: t})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(zarr.Write(ctx, a, []station{{7, [2]float64{52.5, 13.4}}}, zarr.At(1)))
	fmt.Println(zarr.Read[station](ctx, a))
	// Output:
	// <nil>
	// [{0 [0 0]} {7 [52.5 13.4]}] <nil>
}
