package zarr_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// sample is the Go struct of stationType.
type sample struct {
	ID int16       `zarr:"id"`
	M  [2][3]int32 `zarr:"m"`
	At [2]spot     `zarr:"at"`
}

type spot struct {
	X uint8    `zarr:"x"`
	Y [2]int16 `zarr:"y"`
}

func stationType(t *testing.T) *dtype.Struct {
	t.Helper()
	at, err := dtype.NewStruct(dtype.Field{Name: "x", Type: dtype.Uint8}, dtype.Field{Name: "y", Type: dtype.Int16, Shape: []int{2}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := dtype.NewStruct(dtype.Field{Name: "id", Type: dtype.Int16}, dtype.Field{Name: "m", Type: dtype.Int32, Shape: []int{2, 3}}, dtype.Field{Name: "at", Type: at, Shape: []int{2}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fieldSpecs returns specs of v2 arrays of stations. In their fill values, the elements of m differ
// and those of at are equal.
func fieldSpecs(t *testing.T) map[string]zarr.Spec {
	base := zarr.Spec{Format: 2, Shape: []int{5, 7}, Chunks: []int{2, 3}, DType: stationType(t), Fill: sample{ID: 3, M: [2][3]int32{{1, 2, 3}, {4, 5, 6}}, At: [2]spot{{7, [2]int16{8, 8}}, {7, [2]int16{8, 8}}}}}
	big, fortran, none := base, base, base
	big.Codecs = []codec.Spec{codec.Bytes(dtype.Big), codec.Zstd(1)}
	fortran.Order = "F"
	none.Fill = zarr.NoFill
	return map[string]zarr.Spec{"little": base, "big": big, "fortran": fortran, "no fill": none}
}

// TestFieldsAgainstOracle writes and reads structures and their fields, by regions and by points.
func TestFieldsAgainstOracle(t *testing.T) {
	for name, spec := range fieldSpecs(t) {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 9))
			a := mustCreate(t, mem.New(), "x", spec)
			oracle := make([]sample, 35)
			if f, ok := spec.Fill.(sample); ok {
				oracle = slices.Repeat([]sample{f}, 35)
			}
			m, y := field(t, a, "m"), field(t, a, "at", "y")
			if !slices.Equal(m.Shape(), []int{5, 7, 2, 3}) || !slices.Equal(m.Chunks(), []int{2, 3, 2, 3}) || !slices.Equal(y.Shape(), []int{5, 7, 2, 2}) || y.DType() != dtype.Type(dtype.Int16) {
				t.Fatalf("%v, %v", m, y)
			}
			for step := range 40 {
				sel, index := randomRegion(r, 5, 7)
				switch step % 4 {
				case 0:
					id := make([]int16, len(index))
					for i, at := range index {
						id[i] = int16(r.IntN(100))
						oracle[at].ID = id[i]
					}
					succeed(t, zarr.Write(t.Context(), field(t, a, "id"), id, sel...))
				case 1:
					var v []int32
					for _, at := range index {
						for i := range 2 {
							v = append(v, int32(r.IntN(100)))
							oracle[at].M[i][1] = v[len(v)-1]
						}
					}
					succeed(t, zarr.Write(t.Context(), m, v, append(sel, zarr.All, zarr.At(1))...))
				case 2:
					var v []int16
					for _, at := range index {
						for i := range 2 {
							for k := range 2 {
								v = append(v, int16(r.IntN(100)))
								oracle[at].At[i].Y[k] = v[len(v)-1]
							}
						}
					}
					succeed(t, zarr.Write(t.Context(), y, v, sel...))
				case 3:
					c := [4]int{r.IntN(5), r.IntN(7), r.IntN(2), r.IntN(3)}
					oracle[c[0]*7+c[1]].M[c[2]][c[3]] = int32(step)
					succeed(t, zarr.Write(t.Context(), m, []int32{int32(step)}, zarr.Points(c[:1], c[1:2], c[2:3], c[3:])))
				}
				got, err := zarr.Read[sample](t.Context(), a)
				if err != nil || !slices.Equal(got, oracle) {
					t.Fatalf("step %d: %v, %v, want %v", step, got, err, oracle)
				}
				sel, index = randomRegion(r, 5, 7)
				col := r.Perm(3)[:2]
				part := mustRead[int32](t, m, append(sel, zarr.Range(0, 2).By(-1), zarr.Index(col...))...)
				for i, at := range index {
					w := oracle[at].M
					if want := []int32{w[1][col[0]], w[1][col[1]], w[0][col[0]], w[0][col[1]]}; !slices.Equal(part[4*i:4*i+4], want) {
						t.Fatalf("step %d: %v of %v: %v, want %v", step, sel, index, part, want)
					}
				}
				ys, xs := []int{4, 0, r.IntN(5)}, []int{6, 6, r.IntN(7)}
				some, err := zarr.Read[int16](t.Context(), y, zarr.Points(ys, xs, []int{1, 0, 1}, []int{0, 1, 1}))
				if want := []int16{oracle[34].At[1].Y[0], oracle[6].At[0].Y[1], oracle[ys[2]*7+xs[2]].At[1].Y[1]}; err != nil || !slices.Equal(some, want) {
					t.Fatalf("step %d: %v, %v, want %v", step, some, err, want)
				}
				three, err := zarr.Read[int32](t.Context(), m, zarr.Points(ys, xs, []int{1, 0, 1}, []int{0, 2, 1}))
				if want := []int32{oracle[34].M[1][0], oracle[6].M[0][2], oracle[ys[2]*7+xs[2]].M[1][1]}; err != nil || !slices.Equal(three, want) {
					t.Fatalf("step %d: %v, %v, want %v", step, three, err, want)
				}
			}
		})
	}
}

func field(t *testing.T, a *zarr.Array, path ...string) *zarr.Array {
	t.Helper()
	f, err := a.Field(path...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// pairs is a structure that v3 supports.
type pairs struct {
	A int16 `zarr:"a"`
	B struct {
		C float32 `zarr:"c"`
		D uint8   `zarr:"d"`
	} `zarr:"b"`
}

// TestFieldsOfShards writes and reads structures and their fields in shards, which are read in
// parts.
func TestFieldsOfShards(t *testing.T) {
	typ, err := dtype.Of[pairs]()
	if err != nil {
		t.Fatal(err)
	}
	little := codec.Bytes(dtype.Little)
	in := func(chunk []int, codecs ...codec.Spec) codec.Spec {
		return codec.Sharding(codec.ShardingOptions{Chunk: chunk, Codecs: codecs})
	}
	for name, codecs := range map[string][]codec.Spec{
		"plain":      {in([]int{2, 3}, little)},
		"transposed": {codec.Transpose(1, 0), in([]int{3, 2}, codec.Transpose(1, 0), little, codec.Zstd(1))},
		"nested":     {in([]int{4, 6}, in([]int{2, 2}, little))},
		"chunks":     {little, codec.Zstd(1)},
		"compressed": {in([]int{2, 3}, little), codec.Zstd(1)},
	} {
		for _, numbers := range [][2]int64{{-1, 0}, {1 << 20, 1 << 20}} {
			t.Run(fmt.Sprint(name, numbers), func(t *testing.T) {
				r := rand.New(rand.NewPCG(2, 9))
				st := tuned{mem.New(), numbers[0], numbers[1]}
				a := mustCreate(t, st, "x", zarr.Spec{Shape: []int{7, 9}, Chunks: []int{4, 6}, DType: typ, Codecs: codecs})
				oracle := make([]pairs, 63)
				c := field(t, field(t, a, "b"), "c")
				if (c.Shards() == nil) != (a.Shards() == nil) || !slices.Equal(c.Chunks(), a.Chunks()) {
					t.Fatalf("%v of %v", c, a)
				}
				for step := range 20 {
					sel, index := randomRegion(r, 7, 9)
					if step%2 == 0 {
						v := make([]float32, len(index))
						for i, at := range index {
							v[i] = float32(r.IntN(3))
							oracle[at].B.C = v[i]
						}
						err = zarr.Write(t.Context(), c, v, sel...)
					} else {
						v := make([]int16, len(index))
						for i, at := range index {
							v[i] = int16(r.IntN(3))
							oracle[at].A = v[i]
						}
						err = zarr.Write(t.Context(), field(t, a, "a"), v, sel...)
					}
					if err != nil {
						t.Fatal(err)
					}
					if got, err := zarr.Read[pairs](t.Context(), a); err != nil || !slices.Equal(got, oracle) {
						t.Fatalf("step %d: %v, %v, want %v", step, got, err, oracle)
					}
					sel, index = randomRegion(r, 7, 9)
					got := mustRead[float32](t, c, sel...)
					for i, at := range index {
						if got[i] != oracle[at].B.C {
							t.Fatalf("step %d: %v of %v, want %v", step, got, sel, oracle)
						}
					}
				}
			})
		}
	}
}

// TestWritersOfFields checks that concurrent writers of different fields of the same elements lose
// no values.
func TestWritersOfFields(t *testing.T) {
	st := mem.New()
	type three struct {
		A int32 `zarr:"a"`
		B int32 `zarr:"b"`
		C int32 `zarr:"c"`
	}
	typ, err := dtype.Of[three]()
	if err != nil {
		t.Fatal(err)
	}
	mustCreate(t, st, "x", zarr.Spec{Shape: []int{4}, DType: typ})
	err = concurrency.EachN(t.Context(), 6, 6, func(ctx context.Context, i int) error {
		a, err := zarr.OpenArray(ctx, st, "x")
		if err != nil {
			return err
		}
		f, err := a.Field([]string{"a", "b", "c"}[i%3])
		if err != nil {
			return err
		}
		for v := range 10 {
			if err := zarr.Write(ctx, f, []int32{int32(v + i), int32(v + i)}, zarr.Range(i/3*2, i/3*2+2)); err != nil {
				return err
			}
		}
		return nil
	})
	a, openErr := zarr.OpenArray(t.Context(), st, "x")
	if err != nil || openErr != nil {
		t.Fatal(err, openErr)
	}
	want := []three{{9, 10, 11}, {9, 10, 11}, {12, 13, 14}, {12, 13, 14}}
	if got, err := zarr.Read[three](t.Context(), a); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestFieldViews(t *testing.T) {
	st := mem.New()
	spec := fieldSpecs(t)["little"]
	spec.Attrs = map[string]any{"_ARRAY_DIMENSIONS": []string{"y", "x"}}
	a := mustCreate(t, st, "x", spec)
	m := field(t, a, "m")
	if !slices.Equal(m.Dims(), []string{"y", "x", "", ""}) || m.Fill() != nil || !bytes.Equal(field(t, a, "id").Fill(), []byte{3, 0}) {
		t.Errorf("%q, fill %v", m.Dims(), m.Fill())
	}
	if got, err := m.Selected(zarr.Dim("x", zarr.At(2))); err != nil || !slices.Equal(got, []int{5, 1, 2, 3}) {
		t.Errorf("%v, %v", got, err)
	}
	if m.ChunkKey(1, 2, 0, 0) != a.ChunkKey(1, 2) || fmt.Sprint(m.Codecs()) != fmt.Sprint(a.Codecs()) {
		t.Errorf("%s, %v", m.ChunkKey(1, 2, 0, 0), m.Codecs())
	}
	var r zarr.Report
	with, err := m.With(zarr.WithReport(&r), zarr.Limit(zarr.Limits{Requests: 1}))
	if err != nil {
		t.Fatal(err)
	}
	if err := zarr.Write(t.Context(), with, []int32{1, 2, 3, 4, 5, 6}, zarr.At(0), zarr.At(0)); !errors.Is(err, zarr.ErrLimit) || r.Gets.Load() != 0 {
		t.Errorf("%v, %v", err, &r)
	}
	if got, err := zarr.Read[int32](t.Context(), with, zarr.At(0), zarr.At(0)); err != nil || !slices.Equal(got, []int32{1, 2, 3, 4, 5, 6}) || r.Gets.Load() != 1 {
		t.Errorf("%v, %v, %v", got, err, &r)
	}
	// Elements whose fields all have the fill value are not stored, and a chunk of them is deleted.
	id := field(t, a, "id")
	for _, v := range []int16{5, 3} {
		succeed(t, zarr.Write(t.Context(), id, []int16{v}, zarr.At(0), zarr.At(0)))
		if (v == 5) != slices.Contains(keys(t, st), "x/0.0") {
			t.Errorf("%d: keys %v", v, keys(t, st))
		}
	}
	again, err := m.Refresh(t.Context())
	if err != nil || again.String() != m.String() {
		t.Errorf("%v, %v", again, err)
	}
	for name, f := range map[string]func() (*zarr.Array, error){
		"no such field":    func() (*zarr.Array, error) { return a.Field("nothing") },
		"no field at all":  func() (*zarr.Array, error) { return a.Field() },
		"a field of none":  func() (*zarr.Array, error) { return a.Field("id", "x") },
		"a field of a num": func() (*zarr.Array, error) { return field(t, a, "id").Field("x") },
		"no structure": func() (*zarr.Array, error) {
			return mustCreate(t, st, "n", zarr.Spec{Shape: []int{1}, DType: dtype.Int8}).Field("x")
		},
	} {
		if v, err := f(); !errors.Is(err, zarr.ErrType) {
			t.Errorf("%s: %v, %v", name, v, err)
		}
	}
	// The error for a torn chunk names the chunk by its coordinates in the stored array.
	succeed(t, zarr.Write(t.Context(), id, []int16{5}, zarr.At(0), zarr.At(0)))
	succeed(t, second(st.Put(t.Context(), "x/0.0", []byte("torn"), store.PutOptions{})))
	var ce *zarr.ChunkError
	if _, err := zarr.Read[int16](t.Context(), id); !errors.Is(err, zarr.ErrCorrupt) || !errors.As(err, &ce) || !slices.Equal(ce.Coord, []int{0, 0}) {
		t.Errorf("%v", err)
	}
	if err := zarr.Write(t.Context(), id, []int16{5}, zarr.At(0), zarr.At(1)); !errors.Is(err, zarr.ErrCorrupt) {
		t.Errorf("%v", err)
	}
}
