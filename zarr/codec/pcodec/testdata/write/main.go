// Command write stores arrays of the codec pcodec, for the command "check" of testdata/zarrs:
//
//	go run ./testdata/write DIRECTORY ARRAYS [SEED]
//
// Each array is stored with its elements, in the file "values", in little-endian order. Formats,
// data types, shapes, settings and kinds of elements vary.
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/pcodec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

var types = []dtype.Type{
	dtype.Uint16, dtype.Int16, dtype.Uint32, dtype.Int32, dtype.Uint64, dtype.Int64,
	dtype.Float16, dtype.Float32, dtype.Float64, dtype.ComplexFloat16, dtype.Complex64, dtype.Complex128,
	dtype.DateTime{Unit: "s", Scale: 1}, dtype.TimeDelta{Unit: "ms", Scale: 10},
}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 {
		log.Fatal("usage: write DIRECTORY ARRAYS [SEED]")
	}
	arrays, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	var seed uint64
	if len(os.Args) > 3 {
		if seed, err = strconv.ParseUint(os.Args[3], 10, 64); err != nil {
			log.Fatal(err)
		}
	}
	for i := range arrays {
		if err := write(os.Args[1], i, rand.New(rand.NewPCG(seed, uint64(i)))); err != nil {
			log.Fatal(err)
		}
	}
}

// write stores array i.
func write(root string, i int, r *rand.Rand) error {
	typ := types[i%len(types)]
	kind := kinds[i/len(types)%len(kinds)]
	spec := zarr.Spec{Format: 3, DType: typ, Codecs: []codec.Spec{config(r)}}
	spec.Shape, spec.Chunks = shapes(r)
	switch r.IntN(4) {
	case 0:
		spec.Codecs = append(spec.Codecs, codec.CRC32C())
	case 1:
		spec.Shards = make([]int, len(spec.Shape))
		for axis, n := range spec.Chunks {
			spec.Shards[axis] = 2 * n
		}
	case 2:
		if i%len(types) < 9 { // zarrs has the other types in v3 only
			spec.Format = 2
		}
	}
	name := fmt.Sprintf("%04d_%s_%s", i, typ, kind.name)
	ctx := context.Background()
	a, err := zarr.Create(ctx, dir.New(root), name, spec, zarr.Extensions(pcodec.Add(codec.Builtin()), nil))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	n := 1
	for _, d := range spec.Shape {
		n *= d
	}
	b := elements(r, kind, typ, n)
	if err := a.WriteBytes(ctx, b); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.WriteFile(filepath.Join(root, name, "values"), b, 0o644)
}

// config returns the codec with random settings.
func config(r *rand.Rand) codec.Spec {
	level := r.IntN(13)
	s := pcodec.Level(level)
	switch r.IntN(5) {
	case 0:
		s.Config = fmt.Appendf(nil, `{"level":%d,"delta_spec":"none"}`, level)
	case 1:
		s.Config = fmt.Appendf(nil, `{"level":%d,"delta_spec":"try_consecutive","delta_encoding_order":%d}`, level, r.IntN(8))
	case 2:
		s.Config = fmt.Appendf(nil, `{"level":%d,"mode_spec":"auto","delta_spec":"auto","paging_spec":"equal_pages_up_to","delta_encoding_order":null,"equal_pages_up_to":%d}`, level, 1+r.IntN(300))
	}
	return s
}

// shapes returns the shape of an array of one to four axes, and the shape of its chunks.
func shapes(r *rand.Rand) (shape, chunk []int) {
	switch r.IntN(6) {
	case 0:
		return []int{1}, []int{1}
	case 1:
		return []int{1 + r.IntN(5000)}, []int{1 + r.IntN(2000)}
	case 2:
		return []int{1 + r.IntN(40), 1 + r.IntN(60)}, []int{1 + r.IntN(30), 1 + r.IntN(60)}
	case 3:
		return []int{9, 10, 9}, []int{1 + r.IntN(9), 1 + r.IntN(9), 9}
	case 4:
		return []int{5, 6, 7, 5}, []int{5, 1 + r.IntN(5), 1 + r.IntN(7), 3}
	}
	return []int{255 + r.IntN(3)}, []int{255 + r.IntN(3)}
}
