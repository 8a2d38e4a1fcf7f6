package transfer_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestSmallestMemory checks the memory in the error of NewPlan for many shapes, chunks, shards and
// data types. NewPlan succeeds with that memory, fails with one byte less, and a run of the plan
// copies the source.
func TestSmallestMemory(t *testing.T) {
	named := regexp.MustCompile(`takes (\d+) bytes of memory`)
	rnd := rand.New(rand.NewPCG(7, 14))
	for i := range 60 {
		rank := 1 + rnd.IntN(3)
		spec := zarr.Spec{DType: []dtype.Type{dtype.Uint8, dtype.Int16, dtype.Float64, dtype.String}[rnd.IntN(4)]}
		var chunks, shards []int
		for range rank {
			n := 1 + rnd.IntN(40)
			spec.Shape, spec.Chunks = append(spec.Shape, n), append(spec.Chunks, 1+rnd.IntN(n))
			each := 1 + rnd.IntN(n)
			chunks, shards = append(chunks, each), append(shards, each*(1+rnd.IntN(4)))
		}
		if rnd.IntN(2) == 0 {
			shards = nil
		}
		name := fmt.Sprintf("%d: %v of %v in %v to %v in %v", i, spec.Shape, spec.DType, spec.Chunks, chunks, shards)
		src := mem.New()
		a := must(zarr.Create(t.Context(), src, "in", spec))
		items := 1
		for _, n := range spec.Shape {
			items *= n
		}
		if spec.DType == dtype.String {
			values := make([]string, items)
			for k := range values {
				values[k] = strconv.Itoa(rnd.IntN(1000))
			}
			check(t, zarr.Write(t.Context(), a, values))
		} else {
			values := make([]byte, items*spec.DType.Size())
			for k := range values {
				values[k] = byte(rnd.IntN(50))
			}
			check(t, a.WriteBytes(t.Context(), values))
		}
		o := transfer.Options{
			Source: transfer.Place{Store: "src"}, Target: transfer.Place{Store: "dst", Path: "out"}, Codecs: []codec.Spec{codec.Zstd(1)}, Memory: 1,
			Grid: func(*zarr.Array) (c, s []int, err error) { return chunks, shards, nil },
		}
		_, err := transfer.NewPlan(t.Context(), a, mem.New(), o)
		var least []string
		if err != nil {
			least = named.FindStringSubmatch(err.Error())
		}
		if !errors.Is(err, fault.Limit) || least == nil {
			t.Fatalf("%s: %v", name, err)
		}
		o.Memory = must(strconv.ParseInt(least[1], 10, 64)) - 1
		if _, err := transfer.NewPlan(t.Context(), a, mem.New(), o); !errors.Is(err, fault.Limit) {
			t.Fatalf("%s: with %d bytes: %v", name, o.Memory, err)
		}
		o.Memory++
		dst := mem.New()
		p, err := transfer.NewPlan(t.Context(), a, dst, o)
		if err != nil {
			t.Errorf("%s: with %d bytes, which are named: %v", name, o.Memory, err)
			continue
		}
		if err := transfer.Run(t.Context(), p, stores(map[string]store.Store{"src": src, "dst": dst}), transfer.RunOptions{}); err != nil {
			t.Errorf("%s: with %d bytes: %v", name, o.Memory, err)
			continue
		}
		equal(t, a, must(zarr.OpenArray(t.Context(), dst, "out")))
	}
}

// TestSmallestMemoryOfLarge is TestSmallestMemory for arrays of up to terabytes, without copies.
func TestSmallestMemoryOfLarge(t *testing.T) {
	named := regexp.MustCompile(`takes (\d+) bytes of memory`)
	rnd := rand.New(rand.NewPCG(3, 5))
	divided := 0
	for i := range 100 {
		spec := zarr.Spec{DType: []dtype.Type{dtype.Uint8, dtype.Float32, dtype.Complex128, dtype.String}[rnd.IntN(4)]}
		var chunks, shards []int
		for range 1 + rnd.IntN(3) {
			n := 1 + rnd.IntN(1<<(4+rnd.IntN(9)))
			spec.Shape, spec.Chunks = append(spec.Shape, n), append(spec.Chunks, 1+rnd.IntN(min(n, 200)))
			each := 1 + rnd.IntN(min(n, 200))
			chunks, shards = append(chunks, each), append(shards, each*(1+rnd.IntN(20)))
		}
		if rnd.IntN(3) == 0 {
			shards = nil
		}
		name := fmt.Sprintf("%d: %v of %v in %v to %v in %v", i, spec.Shape, spec.DType, spec.Chunks, chunks, shards)
		a := must(zarr.Create(t.Context(), mem.New(), "in", spec))
		o := transfer.Options{Codecs: []codec.Spec{codec.Zstd(1)}, Memory: 1, Grid: func(*zarr.Array) (c, s []int, err error) { return chunks, shards, nil }}
		_, err := transfer.NewPlan(t.Context(), a, nil, o)
		var least []string
		if err != nil {
			least = named.FindStringSubmatch(err.Error())
		}
		if !errors.Is(err, fault.Limit) || least == nil {
			t.Fatalf("%s: %v", name, err)
		}
		n := must(strconv.ParseInt(least[1], 10, 64))
		for _, more := range []int64{0, 1, n / 100, n / 3, n, 10 * n} {
			o.Memory = n + more
			p, err := transfer.NewPlan(t.Context(), a, nil, o)
			if err != nil {
				t.Fatalf("%s: with %d bytes, when %d are named: %v", name, o.Memory, n, err)
			}
			if p.Stages[0].Steps[0].Inner != nil {
				divided++
			}
		}
		for _, less := range []int64{1, n / 100, n / 3} {
			if o.Memory = n - less; o.Memory < n {
				if _, err := transfer.NewPlan(t.Context(), a, nil, o); !errors.Is(err, fault.Limit) {
					t.Fatalf("%s: with %d bytes, when %d are named: %v", name, o.Memory, n, err)
				}
			}
		}
	}
	if divided == 0 {
		t.Error("no shard was filled in boxes")
	}
}
