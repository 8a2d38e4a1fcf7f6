package zarr_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// edges are arrays of uint8 with objects that extend beyond the shape.
var edges = map[string]struct {
	spec   zarr.Spec
	append int // number of rows to append
	orders int // maximum number of orders of requests to try
}{
	"v2":            {zarr.Spec{Format: 2, Shape: []int{6}, DType: dtype.Uint8, Codecs: []codec.Spec{}, Chunks: []int{4}}, 3, 300},
	"v3":            {zarr.Spec{Shape: []int{6}, DType: dtype.Uint8, Codecs: []codec.Spec{}, Chunks: []int{4}}, 3, 300},
	"v3 compressed": {zarr.Spec{Shape: []int{6}, DType: dtype.Uint8, Codecs: []codec.Spec{codec.Gzip(1)}, Chunks: []int{4}}, 1, 300},
	"rectilinear":   {zarr.Spec{Shape: []int{6}, DType: dtype.Uint8, Codecs: []codec.Spec{}, ChunkEdges: [][]int{{4, 3, 5}}}, 3, 300},
	"sharded":       {zarr.Spec{Shape: []int{6}, DType: dtype.Uint8, Codecs: []codec.Spec{}, Chunks: []int{4}, Shards: []int{16}}, 7, 300},
	"in shards":     {zarr.Spec{Shape: []int{6}, DType: dtype.Uint8, Codecs: []codec.Spec{}, Chunks: []int{4}, Shards: []int{8}}, 7, 300},
	"streamed":      {zarr.Spec{Shape: []int{300 << 10}, DType: dtype.Uint8, Codecs: []codec.Spec{}, Chunks: []int{64 << 10}, Shards: []int{512 << 10}}, 190 << 10, 60},
}

// TestStaleWriteKeepsAppendedRows checks that a Write through an array whose shape is older than an
// append changes no appended row, in whatever order the requests of both reach the store, whether
// the object at the edge is absent or stored, and whatever values are written.
func TestStaleWriteKeepsAppendedRows(t *testing.T) {
	for name, tt := range edges {
		for _, was := range []uint8{0, 1} {
			for _, write := range []uint8{0, 2} {
				t.Run(fmt.Sprintf("%s/was=%d/write=%d", name, was, write), func(t *testing.T) {
					everyOrder(t, tt.orders, func(t *testing.T, schedule []int) []int {
						return staleWrite(t, schedule, tt.spec, tt.append, was, write)
					})
				})
			}
		}
	}
}

func staleWrite(t *testing.T, schedule []int, spec zarr.Spec, more int, was, write uint8) []int {
	backing := mem.New()
	n := spec.Shape[0]
	rows := func(v uint8, n int) []byte { return bytes.Repeat([]byte{v}, n) }
	succeed(t, zarr.Write(t.Context(), mustCreate(t, backing, "x", spec, own(1<<20)), rows(was, n)))
	at := newTurns(backing, 2)
	var arrays [2]*zarr.Array
	for i := range arrays {
		var err error
		if arrays[i], err = zarr.OpenArray(t.Context(), at.actors[i], "x", own(1<<20), zarr.Limit(zarr.Limits{InFlight: 1})); err != nil {
			t.Fatal(err)
		}
	}
	var errs [2]error
	choices := at.run(schedule,
		func() { errs[0] = zarr.Write(t.Context(), arrays[0], rows(write, n)) },
		func() { _, errs[1] = zarr.Append(t.Context(), arrays[1], 0, rows(3, more), zarr.AppendOptions{}) },
	)
	succeed(t, errors.Join(errs[:]...))
	a := mustOpen(t, backing, "x", own(8<<20))
	got, err := zarr.Read[uint8](t.Context(), a)
	if want := append(rows(write, n), rows(3, more)...); err != nil || !bytes.Equal(got, want) {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		t.Errorf("%d rows, want %d; row %d is another one: %v", len(got), len(want), at, err)
	}
	return choices
}

// bareOf is a store that refuses conditions. If honest is set, it also reports that it lacks them.
type bareOf struct {
	store.Store
	can    store.Conditions
	honest bool
}

func (b bareOf) Unwrap() store.Store { return b.Store }

func (b bareOf) Provide(target any) bool {
	c, ok := target.(*store.Conditions)
	if ok && b.honest {
		*c = b.can
	}
	return ok && b.honest
}

func (b bareOf) Put(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
	if o.IfAbsent && !b.can.IfAbsent || o.IfVersion != "" && !b.can.IfVersion {
		return "", &zarr.KeyError{Op: "put", Key: key, Kind: errors.ErrUnsupported}
	}
	return b.Store.Put(ctx, key, v, o)
}

func (b bareOf) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	if o.IfVersion != "" && !b.can.IfVersion {
		return &zarr.KeyError{Op: "delete", Key: key, Kind: errors.ErrUnsupported}
	}
	return b.Store.Delete(ctx, key, o)
}

// TestStaleWriteWithoutConditions checks that a Write after an append keeps its rows, even if the
// store lacks conditions or the caller declared itself the only writer.
func TestStaleWriteWithoutConditions(t *testing.T) {
	all := store.Conditions{IfAbsent: true, IfVersion: true}
	for _, st := range []struct {
		name string
		can  store.Conditions
		says bool
		opts []zarr.Option
	}{
		{"single writer", all, true, []zarr.Option{zarr.SingleWriter()}},
		{"none", store.Conditions{}, true, nil},
		{"none, and the store does not say so", store.Conditions{}, false, nil},
		{"IfAbsent alone", store.Conditions{IfAbsent: true}, true, nil},
		{"IfAbsent alone, and the store does not say so", store.Conditions{IfAbsent: true}, false, nil},
	} {
		for name, tt := range edges {
			t.Run(st.name+"/"+name, func(t *testing.T) {
				for _, write := range []uint8{0, 2} {
					spec, backing := tt.spec, mem.New()
					n := spec.Shape[0]
					long := mustCreate(t, backing, "x", spec, own(1<<20))
					succeed(t, zarr.Write(t.Context(), long, bytes.Repeat([]byte{1}, n)))
					opts := slices.Concat([]zarr.Option{own(1 << 20)}, st.opts)
					a, err := zarr.OpenArray(t.Context(), bareOf{backing, st.can, st.says}, "x", opts...)
					if err != nil {
						t.Fatal(err)
					}
					if long, err = zarr.Append(t.Context(), long, 0, bytes.Repeat([]byte{3}, tt.append), zarr.AppendOptions{}); err != nil {
						t.Fatal(err)
					}
					for range 2 {
						succeed(t, zarr.Write(t.Context(), a, bytes.Repeat([]byte{write}, n)))
					}
					want := append(bytes.Repeat([]byte{write}, n), bytes.Repeat([]byte{3}, tt.append)...)
					if got, err := zarr.Read[uint8](t.Context(), long); err != nil || !bytes.Equal(got, want) {
						t.Errorf("writing %d loses rows: %v", write, err)
					}
				}
			})
		}
	}
}

// failingGets fails reads of chunks.
type failingGets struct {
	store.Store
	err error
}

func (f failingGets) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if strings.HasSuffix(key, ".json") || strings.HasSuffix(key, ".zarray") || strings.HasSuffix(key, ".zattrs") {
		return f.Store.Get(ctx, key, o, buf)
	}
	return store.Value{}, f.err
}

// TestEdgeThatCannotBeRead checks that elements beyond the shape remain if the store fails to read
// them, and that the Write returns the error.
func TestEdgeThatCannotBeRead(t *testing.T) {
	for _, kind := range []error{zarr.ErrRefused, zarr.ErrCorrupt, errors.ErrUnsupported, zarr.ErrThrottled} {
		for name, tt := range edges {
			t.Run(fmt.Sprint(kind, "/", name), func(t *testing.T) {
				spec, backing := tt.spec, mem.New()
				n := spec.Shape[0]
				succeed(t, zarr.Write(t.Context(), mustCreate(t, backing, "x", spec, own(1<<20)), bytes.Repeat([]byte{1}, n)))
				st := failingGets{backing, &zarr.KeyError{Op: "get", Key: "k", Kind: kind}}
				a := mustOpen(t, st, "x", own(1<<20))
				last, _, _ := a.ChunkAt(0, n-1)
				before := mustGet(t, backing, a.ChunkKey(last))
				for _, v := range []uint8{0, 2} {
					err := zarr.Write(t.Context(), a, bytes.Repeat([]byte{v}, n))
					if !errors.Is(err, kind) {
						t.Errorf("writing %d: %v", v, err)
					}
				}
				if !bytes.Equal(mustGet(t, backing, a.ChunkKey(last)), before) {
					t.Error("the object was replaced")
				}
			})
		}
	}
}

// TestEdgeThatDoesNotDecode checks that an undecodable object is replaced, but not an object that
// another writer puts meanwhile.
func TestEdgeThatDoesNotDecode(t *testing.T) {
	for name, tt := range edges {
		for what, damaged := range map[string][]byte{"short": []byte("x"), "empty": {}, "long": bytes.Repeat([]byte("damaged"), 1<<20)} {
			t.Run(name+"/"+what, func(t *testing.T) {
				everyOrder(t, tt.orders, func(t *testing.T, schedule []int) []int { return damagedEdge(t, schedule, tt.spec, damaged) })
			})
		}
	}
}

// damagedEdge runs two writers on a damaged object at the edge: one with the shape of spec writes
// the whole array, one with a longer shape writes the whole object.
func damagedEdge(t *testing.T, schedule []int, spec zarr.Spec, damaged []byte) []int {
	backing := mem.New()
	first := mustCreate(t, backing, "x", spec)
	at := newTurns(backing, 2)
	open := func(i int) *zarr.Array {
		a := mustOpen(t, at.actors[i], "x", own(1<<20), zarr.Limit(zarr.Limits{InFlight: 1}))
		return a
	}
	stale, n := open(0), spec.Shape[0]
	index, start, length := first.ChunkAt(0, n-1)
	succeed(t, second(first.Resize(t.Context(), []int{start + length}, zarr.ResizeOptions{MetadataOnly: true})))
	long := open(1)
	put(t, backing, long.ChunkKey(index), string(damaged))
	var errs [2]error
	choices := at.run(schedule,
		func() { errs[0] = zarr.Write(t.Context(), stale, bytes.Repeat([]byte{2}, n)) },
		func() {
			errs[1] = zarr.Write(t.Context(), long, bytes.Repeat([]byte{3}, length), zarr.Range(start, start+length))
		},
	)
	got, err := zarr.Read[uint8](t.Context(), long)
	succeed(t, errors.Join(append(errs[:], err)...))
	if !bytes.Equal(got[n:], bytes.Repeat([]byte{3}, start+length-n)) {
		t.Errorf("elements beyond the shape are %v", got[n])
	}
	if v := got[start]; v != 2 && v != 3 || !bytes.Equal(got[start:n], bytes.Repeat([]byte{v}, n-start)) {
		t.Errorf("elements inside are %v", v)
	}
	return choices
}

// TestNewArraysTakeOneRequestEach checks that an object that extends beyond the shape takes no
// additional request if it is absent.
func TestNewArraysTakeOneRequestEach(t *testing.T) {
	for name, tt := range edges {
		t.Run(name, func(t *testing.T) {
			var r zarr.Report
			a := mustCreate(t, mem.New(), "x", tt.spec, own(8<<20), zarr.WithReport(&r))
			before := r.Puts.Load() + r.Gets.Load()
			for _, v := range []uint8{0, 1} {
				succeed(t, zarr.Write(t.Context(), a, bytes.Repeat([]byte{v}, tt.spec.Shape[0])))
			}
			objects := int64(1)
			for _, n := range a.GridShape() {
				objects *= int64(n)
			}
			if n := r.Puts.Load() + r.Gets.Load() + r.Deletes.Load() - before; n != 2*objects {
				t.Errorf("%d requests for two writes of %d objects", n, objects)
			}
		})
	}
}
