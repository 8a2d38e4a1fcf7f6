package zarr_test

import (
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestRandomAccess compares the requests of random reads and writes of 300 random arrays with
// testdata/access_random.txt. For each array the file has a hash of the requests of each call, in
// sorted order, and of the stored bytes. -v prints the requests, so that two versions can be
// compared. The test also compares the elements that are read with those that were written.
func TestRandomAccess(t *testing.T) {
	var out strings.Builder
	for i := range 300 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			h := fnv.New64a()
			t.Log(randomAccess(t, uint64(i), h))
			fmt.Fprintf(&out, "%d %016x\n\n", i, h.Sum64())
		})
	}
	if !t.Failed() {
		held(t, "testdata/access_random.txt", strings.TrimSuffix(out.String(), "\n"))
	}
}

// values writes and reads elements of one data type that represent small numbers. 0 is the fill
// value.
type values struct {
	write func(s *scene, a *zarr.Array, v []int, sel ...zarr.Selection) error
	read  func(s *scene, a *zarr.Array, sel ...zarr.Selection) ([]int, error)
}

func valuesOf[T any](to func(int) T, from func(T) int) values {
	return values{
		func(s *scene, a *zarr.Array, v []int, sel ...zarr.Selection) error {
			src := make([]T, len(v))
			for i, n := range v {
				src[i] = to(n)
			}
			return zarr.Write(s.Context(), a, src, sel...)
		},
		func(s *scene, a *zarr.Array, sel ...zarr.Selection) ([]int, error) {
			got, err := zarr.Read[T](s.Context(), a, sel...)
			v := make([]int, len(got))
			for i, x := range got {
				v[i] = from(x)
			}
			return v, err
		},
	}
}

// randomSpec returns the spec of a small array, and the values for its elements.
func randomSpec(t *testing.T, r *rand.Rand) (spec zarr.Spec, elems values) {
	switch r.IntN(6) {
	case 0:
		spec.DType, elems = dtype.Uint8, valuesOf(func(n int) uint8 { return uint8(n) }, func(v uint8) int { return int(v) })
	case 1:
		spec.DType, elems = dtype.Int16, valuesOf(func(n int) int16 { return int16(n - 1) }, func(v int16) int { return int(v) + 1 })
		spec.Fill = -1
	case 2, 3:
		spec.DType, elems = dtype.Float64, valuesOf(func(n int) float64 { return float64(n) }, func(v float64) int { return int(v) })
	case 4:
		spec.DType, elems = dtype.String, valuesOf(func(n int) string { return strings.Repeat("é", n) }, func(v string) int { return len(v) / 2 })
	case 5:
		typ, err := dtype.Of[pairs]()
		if err != nil {
			t.Fatal(err)
		}
		spec.DType, elems = typ, valuesOf(func(n int) (p pairs) { p.A, p.B.C = int16(n), float32(n); return p }, func(p pairs) int { return int(p.A) })
	}
	axes := 1 + r.IntN(3)
	edges := make([][]int, axes)
	inner, outer := make([]int, axes), make([]int, axes)
	for d := range axes {
		n := 1 + r.IntN([]int{40, 14, 7}[axes-1])
		inner[d] = 1 + r.IntN(3)
		outer[d] = inner[d] * (1 + r.IntN(4))
		edges[d] = randomEdges(r, n, inner[d])
		if r.IntN(25) == 0 && axes > 1 {
			n = 0
		}
		spec.Shape = append(spec.Shape, n)
	}
	var after []codec.Spec
	switch r.IntN(5) {
	case 0:
		after = append(after, codec.Zstd(1))
	case 1:
		after = append(after, codec.Blosc(codec.BloscOptions{Cname: "lz4"}))
	case 2:
		after = append(after, codec.CRC32C())
	}
	spec.Codecs = after
	turned := axes > 1 && r.IntN(4) == 0
	if turned {
		order := r.Perm(axes)
		spec.Codecs = slices.Concat([]codec.Spec{codec.Transpose(order...)}, after)
	}
	if spec.Codecs == nil {
		spec.Codecs = []codec.Spec{}
	}
	kind := r.IntN(7)
	if slices.Contains(spec.Shape, 0) && kind > 1 && kind < 5 {
		kind = 0 // arrays without elements have no edges
	}
	switch kind {
	case 0:
		spec.Chunks = outer
	case 1:
		spec.Chunks, spec.Format, spec.Separator = outer, 2, "/"
		spec.Codecs = slices.DeleteFunc(after, func(c codec.Spec) bool { return c.Name == codec.CRC32C().Name })
		if turned {
			spec.Order = "F"
		}
	case 2:
		spec.ChunkEdges = edges
	case 3, 4:
		spec.Chunks, spec.ShardEdges = inner, edges
	case 5:
		spec.Chunks, spec.Shards = inner, outer
	case 6:
		most := slices.Clone(outer)
		for d := range most {
			most[d] *= 1 + r.IntN(2)
		}
		within := codec.Sharding(codec.ShardingOptions{Chunk: inner, AtStart: r.IntN(2) == 0, Codecs: bytesThen(spec.DType, after)})
		spec.Chunks, spec.Codecs = most, []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: outer, AtStart: r.IntN(2) == 0, Codecs: []codec.Spec{within}})}
	}
	return spec, elems
}

// bytesThen returns the codecs that encode elements to bytes, followed by after.
func bytesThen(typ dtype.Type, after []codec.Spec) []codec.Spec {
	if typ.Size() == 0 {
		return slices.Concat([]codec.Spec{{Name: "vlen-utf8"}}, after)
	}
	return slices.Concat([]codec.Spec{codec.Bytes(dtype.Little)}, after)
}

// randomAccess writes and reads one random array, and returns its requests. It also writes them to
// w.
func randomAccess(t *testing.T, seed uint64, w io.Writer, opts ...zarr.Option) string {
	r := rand.New(rand.NewPCG(seed, 31))
	spec, elems := randomSpec(t, r)
	backing := mem.New()
	s := &scene{T: t, backing: backing, st: &recorder{Store: backing, tuning: store.Local(), sums: true}, opts: opts}
	numbers := [][2]int64{{-1, 0}, {0, 100}, {20, 1 << 20}, {4 << 10, 8 << 20}, {1 << 20, 16 << 20}}[r.IntN(5)]
	s.st.tuning.RangeGap, s.st.tuning.RangeMax = numbers[0], numbers[1]
	if r.IntN(6) == 0 {
		s.opts = append(s.opts, zarr.StoreFill())
	}
	switch r.IntN(8) {
	case 0:
		s.st.noVersions = true
		// Send one request at a time, so that later requests never use features that earlier ones
		// found missing.
		s.opts = append(s.opts, zarr.SingleWriter(), zarr.Limit(zarr.Limits{InFlight: 1}))
	case 1:
		s.st.noTails = true
		s.opts = append(s.opts, zarr.Limit(zarr.Limits{InFlight: 1}))
	case 2:
		s.opts = append(s.opts, zarr.SingleWriter())
	}
	total := 1
	for _, n := range spec.Shape {
		total *= n
	}
	oracle := make([]int, total)
	a := s.create(spec)
	var out strings.Builder
	fmt.Fprintf(&out, "%v of %d bytes, gap %d, max %d, %v\n", a, spec.DType.Size(), numbers[0], numbers[1], a.Codecs())

	chunk := a.Chunks()
	if chunk == nil || a.Sharded() {
		chunk = slices.Repeat([]int{3}, len(spec.Shape)) // the lengths only shape random selections
	}
	pick := func() (sel []zarr.Selection, at []int) {
		if r.IntN(4) == 0 {
			one, at := randomPoints(r, spec.Shape, total)
			return []zarr.Selection{one}, at
		}
		lists := make([][]int, len(spec.Shape))
		for d, n := range spec.Shape {
			for {
				one, list := randomSelection(r, n, chunk[d])
				if strings.HasPrefix(fmt.Sprint(one), "Chunks") && (a.Chunks() == nil || a.Sharded()) {
					continue
				}
				sel, lists[d] = append(sel, one), list
				break
			}
		}
		each(spec.Shape, lists, func(i int) { at = append(at, i) })
		return sel, at
	}
	did := func(what string, sel []zarr.Selection) {
		fmt.Fprintf(&out, "%s %v\n", what, sel)
		requests := strings.Join(s.st.take(false), "\n") + "\n"
		out.WriteString(requests)
		io.WriteString(w, what+"\n"+requests)
	}
	for step := range 6 {
		if step == 3 {
			a = s.open()
		}
		sel, at := pick()
		if step == 0 {
			sel, at = nil, nil
			for i := range oracle {
				at = append(at, i)
			}
		}
		v, blank := make([]int, len(at)), r.IntN(5) == 0
		for i, k := range at {
			if v[i] = r.IntN(4); blank {
				v[i] = 0
			}
			oracle[k] = v[i]
		}
		if err := elems.write(s, a, v, sel...); err != nil {
			t.Fatalf("%v: write %v: %v", a, sel, err)
		}
		did("write", sel)
		for _, b := range []*zarr.Array{a, s.open()} {
			for range 2 {
				sel, at := pick()
				got, err := elems.read(s, b, sel...)
				if err != nil || len(got) != len(at) {
					t.Fatalf("%v: read %v: %d values, want %d, %v", b, sel, len(got), len(at), err)
				}
				for i, k := range at {
					if got[i] != oracle[k] {
						t.Fatalf("%v: read %v: %v", b, sel, got)
					}
				}
				did("read", sel)
			}
		}
	}
	return out.String()
}
