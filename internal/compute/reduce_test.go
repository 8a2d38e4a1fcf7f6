package compute_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/internal/bits/bytesview"
	"github.com/zargo-io/zargo/internal/compute"
	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// random returns a reduction of a random array of the given type, and the stored elements.
func random[S cf.Number](t *testing.T, r *rand.Rand, typ dtype.Type) (compute.Reduction, []S) {
	t.Helper()
	rank := 1 + r.IntN(4)
	spec := zarr.Spec{DType: typ}
	for range rank {
		n := 1 + r.IntN(12)
		spec.Shape, spec.Chunks = append(spec.Shape, n), append(spec.Chunks, 1+r.IntN(n))
	}
	if r.IntN(3) == 0 {
		for k, n := range spec.Chunks {
			spec.Shards = append(spec.Shards, n*(1+r.IntN(3)))
			_ = k
		}
	}
	a, err := zarr.Create(t.Context(), mem.New(), "", spec)
	succeed(t, err)
	half := 0.5
	values := make([]S, a.Len())
	for i := range values {
		values[i] = S(r.IntN(20))
		if S(half) != 0 {
			values[i] = S(r.NormFloat64() * 10)
			if r.IntN(10) == 0 {
				values[i] = S(math.NaN())
			}
		}
	}
	succeed(t, zarr.Write(t.Context(), a, values))
	x := compute.Reduction{Array: a, Op: compute.Op(r.IntN(8)), Memory: 1 << r.IntN(20), KeepMissing: r.IntN(4) == 0, Least: int64(r.IntN(3) * r.IntN(2))}
	x.Select = func(b walk.Box) []zarr.Selection {
		sel := make([]zarr.Selection, rank)
		for k := range sel {
			sel[k] = zarr.Range(b.At[k], b.At[k]+b.Shape[k])
		}
		return sel
	}
	for k, n := range spec.Shape {
		x.Axes = append(x.Axes, walk.Objects(a, k))
		x.Groups = append(x.Groups, randomGroup(r, n))
	}
	if x.Op == compute.First || x.Op == compute.Last { // along one axis
		for k := range rank - 1 {
			x.Groups[k] = nil
		}
	}
	attrs := map[string]any{}
	if r.IntN(2) == 0 {
		attrs["_FillValue"] = 3.0
	}
	if r.IntN(2) == 0 {
		attrs["scale_factor"], attrs["add_offset"] = -0.25, 100.0
	}
	if r.IntN(4) == 0 {
		attrs["missing_value"] = 5.0
	}
	if r.IntN(8) == 0 {
		attrs["_Unsigned"] = "true"
	}
	x.Coding = coding(t, a, attrs, cf.Options{})
	if (x.Op == compute.Mean || x.Op == compute.Sum || x.Op == compute.Std) && r.IntN(3) == 0 {
		n := 1
		x.Strides = make([]int, rank)
		for k := rank - 1; k >= 0; k-- {
			if r.IntN(2) == 0 {
				x.Strides[k] = n
				n *= spec.Shape[k]
			}
		}
		x.Weights = make([]float64, n)
		for i := range x.Weights {
			x.Weights[i] = r.Float64() + 0.1
		}
	}
	return x, values
}

func randomGroup(r *rand.Rand, n int) *compute.Group {
	switch r.IntN(6) {
	case 0:
		return nil
	case 1:
		w := 1 + r.IntN(n)
		return compute.Windows(n/w, w, 0, w) // the rest is left out
	case 2:
		w := 1 + r.IntN(n)
		return compute.Windows(n, 1, w-1, w)
	case 3, 4:
		groups := 1 + r.IntN(5)
		of := make([]int, n)
		for i := range of {
			of[i] = r.IntN(groups+1) - 1
		}
		if r.IntN(2) == 0 {
			slices.Sort(of)
		}
		return compute.Of(groups, func(i int) int { return of[i] })
	}
	return compute.All()
}

// reference computes a reduction by its definition.
func reference(x compute.Reduction, decoded []float64) []float64 {
	rank := len(x.Axes)
	shape, out := make([]int, rank), make([]int, rank)
	results := 1
	for k, g := range x.Groups {
		if shape[k], out[k] = x.Axes[k].Count, x.Axes[k].Count; g != nil {
			out[k] = g.N
		}
		results *= out[k]
	}
	values, weights := make([][]float64, results), make([][]float64, results)
	i := 0
	for at := range (walk.Box{At: make([]int, rank), Shape: shape}).Positions() {
		w, cells := 0, []int{0}
		for k, p := range at {
			var next []int
			lo, hi := p, p
			if g := x.Groups[k]; g != nil {
				lo, hi = g.Of(p)
			}
			for _, c := range cells {
				for g := lo; g <= hi; g++ {
					next = append(next, c*out[k]+g)
				}
			}
			cells = next
			if x.Weights != nil {
				w += p * x.Strides[k]
			}
		}
		for _, c := range cells {
			values[c] = append(values[c], decoded[i])
			if x.Weights != nil {
				weights[c] = append(weights[c], x.Weights[w])
			} else {
				weights[c] = append(weights[c], 1)
			}
		}
		i++
	}
	all := make([]float64, results)
	for c := range all {
		all[c] = one(x, values[c], weights[c])
	}
	return all
}

func one(x compute.Reduction, values, weights []float64) float64 {
	n, sum, total, low, high := 0.0, 0.0, 0.0, math.Inf(1), math.Inf(-1)
	first, last := math.NaN(), math.NaN()
	if raw := x.KeepMissing && len(values) >= max(int(x.Least), 1); raw && x.Op == compute.First {
		return values[0]
	} else if raw && x.Op == compute.Last {
		return values[len(values)-1]
	}
	for i, v := range values {
		if v != v {
			continue
		}
		if n++; n == 1 {
			first = v
		}
		last, low, high = v, min(low, v), max(high, v)
		sum, total = sum+v*weights[i], total+weights[i]
	}
	squares := 0.0
	for i, v := range values {
		if v == v {
			squares += weights[i] * (v - sum/total) * (v - sum/total)
		}
	}
	switch {
	case x.Op == compute.Count:
		return n
	case x.KeepMissing && n < float64(len(values)), n < float64(x.Least):
		return math.NaN()
	case x.Op == compute.Sum:
		return sum
	case n == 0:
		return math.NaN()
	}
	return map[compute.Op]float64{compute.Mean: sum / total, compute.Min: low, compute.Max: high, compute.Std: math.Sqrt(squares / total), compute.First: first, compute.Last: last}[x.Op]
}

// TestReduce compares random reductions with their definitions.
func TestReduce(t *testing.T) {
	for seed := uint64(0); seed < 1200; seed += uint64(race.Stride(7)) {
		r := rand.New(rand.NewPCG(seed, 3))
		switch seed % 6 {
		case 0:
			reduced[int16](t, r, seed, dtype.Int16)
		case 1:
			reduced[float32](t, r, seed, dtype.Float32)
		case 2:
			reduced[float64](t, r, seed, dtype.Float64)
		case 3:
			reduced[int64](t, r, seed, dtype.Int64)
		case 4:
			reduced[uint8](t, r, seed, dtype.Uint8)
		case 5:
			reduced[uint32](t, r, seed, dtype.Uint32)
		}
		if t.Failed() {
			return
		}
	}
}

func reduced[S cf.Number](t *testing.T, r *rand.Rand, seed uint64, typ dtype.Type) {
	x, stored := random[S](t, r, typ)
	var report zarr.Report
	var err error
	x.Array, err = x.Array.With(zarr.WithReport(&report))
	succeed(t, err)
	decoded := make([]float64, len(stored))
	succeed(t, cf.Decode(x.Coding, decoded, stored))
	want := reference(x, decoded)
	p, err := x.Plan()
	succeed(t, err)
	got, times := make([]float64, len(want)), make([]int, len(want))
	for task := range p.Tasks() {
		succeed(t, p.Run(t.Context(), task, func(at, shape []int, elems []byte) error {
			values := floats[S](t, p, elems, x.Coding)
			i := 0
			for pos := range (walk.Box{At: at, Shape: shape}).Positions() {
				c := 0
				for k, n := range p.Shape {
					if chunk := p.Chunks[k]; shape[k] != min(chunk, n-at[k]) || at[k]%chunk != 0 {
						t.Errorf("seed %d: the box %v %v is not a chunk of %v in %v", seed, at, shape, p.Chunks, p.Shape)
					}
					c = c*n + pos[k]
				}
				got[c] = values[i]
				times[c]++
				i++
			}
			return nil
		}))
	}
	objects := walk.Overlapping(x.Array, walk.Box{At: make([]int, len(x.Axes)), Shape: x.Array.Shape()}).Len()
	if n := report.Gets.Load(); x.Memory >= 1<<18 && n != int64(objects) {
		t.Errorf("seed %d: %d gets of %d objects, %+v", seed, n, objects, p)
	}
	for c, w := range want {
		if times[c] != 1 || math.Abs(got[c]-w) > 1e-12*(math.Abs(w)+1) || (got[c] != got[c]) != (w != w) {
			t.Fatalf("seed %d, %v, %v, groups %v, %+v: result %d is %v (%d times), want %v\n%v\n%v", seed, x.Op, x.Array, groups(x), p, c, got[c], times[c], w, got, want)
		}
	}
}

func groups(x compute.Reduction) (text []string) {
	for _, g := range x.Groups {
		text = append(text, fmt.Sprintf("%+v", g))
	}
	return text
}

// floats decodes results. Stored integers have the coding of the elements.
func floats[S cf.Number](t *testing.T, p *compute.Plan, elems []byte, c *cf.Coding) []float64 {
	n := len(elems) / p.Type.Size()
	all := make([]float64, n)
	switch p.Type {
	case dtype.Int64:
		v := make([]int64, n)
		bytesview.Take(v, elems)
		for i := range v {
			all[i] = float64(v[i])
		}
		if p.Missing != nil {
			succeed(t, cf.Decode(c, all, any(v).([]S)))
		}
	case dtype.Uint64:
		v := make([]uint64, n)
		bytesview.Take(v, elems)
		for i := range v {
			all[i] = float64(v[i])
		}
	case dtype.Float64:
		bytesview.Take(all, elems)
	default:
		v := make([]S, n)
		bytesview.Take(v, elems)
		succeed(t, cf.Decode(c, all, v))
	}
	return all
}

// TestRanges checks that a long chunk is read in ranges if it is not compressed, and otherwise once.
func TestRanges(t *testing.T) {
	for gets, codecs := range map[int64][]codec.Spec{3: {codec.Bytes(dtype.Little)}, 1: {codec.Bytes(dtype.Little), codec.Zstd(1)}} {
		var report zarr.Report
		a, err := zarr.Create(t.Context(), mem.New(), "", zarr.Spec{Shape: []int{3, 1 << 23}, Chunks: []int{3, 1 << 23}, DType: dtype.Uint8, Codecs: codecs}, zarr.WithReport(&report))
		succeed(t, err)
		succeed(t, zarr.Write(t.Context(), a, bytes.Repeat([]byte{2}, a.Len())))
		before := report.Gets.Load()
		p, err := compute.Reduction{
			Array: a, Op: compute.Sum, Axes: []walk.Axis{walk.Chunks(a, 0), walk.Chunks(a, 1)}, Groups: []*compute.Group{compute.All(), compute.All()}, Memory: 1 << 20,
			Select: func(b walk.Box) []zarr.Selection { return zarr.Region{Start: b.At, Shape: b.Shape}.Select() },
		}.Plan()
		succeed(t, err)
		for task := range p.Tasks() {
			succeed(t, p.Run(t.Context(), task, func(_, _ []int, sum []byte) error {
				if n := binary.NativeEndian.Uint64(sum); n != uint64(2*a.Len()) {
					t.Errorf("the sum is %d", n)
				}
				return nil
			}))
		}
		if n := report.Gets.Load() - before; n != gets {
			t.Errorf("%d gets with the codecs %v, want %d", n, codecs, gets)
		}
	}
}
