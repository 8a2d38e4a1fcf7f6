package zarr_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// keys returns all keys of a store, sorted.
func keys(t *testing.T, st store.Store) []string {
	t.Helper()
	var ks []string
	for e, err := range st.List(t.Context(), "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		ks = append(ks, e.Key)
	}
	slices.Sort(ks)
	return ks
}

func TestCreateMakesAncestorsAndOnlyThem(t *testing.T) {
	for _, format := range []int{2, 3} {
		t.Run(fmt.Sprint("v", format), func(t *testing.T) {
			st := mem.New()
			mustCreate(t, st, "/a//b/x/", zarr.Spec{Format: format, Shape: []int{4}, DType: dtype.Int16})
			want := []string{"a/b/x/zarr.json", "a/b/zarr.json", "a/zarr.json", "zarr.json"}
			if format == 2 {
				want = []string{".zgroup", "a/.zgroup", "a/b/.zgroup", "a/b/x/.zarray"}
			}
			if got := keys(t, st); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestCreateNeverOverwrites(t *testing.T) {
	st := mem.New()
	spec := zarr.Spec{Shape: []int{4}, DType: dtype.Int16}
	mustCreate(t, st, "x", spec)
	for _, format := range []int{2, 3} {
		spec.Format = format
		if _, err := zarr.Create(t.Context(), st, "x", spec); !errors.Is(err, zarr.ErrExists) {
			t.Errorf("v%d array over v3 array: %v", format, err)
		}
		if _, err := zarr.CreateGroup(t.Context(), st, "x", zarr.Spec{Format: format}); !errors.Is(err, zarr.ErrExists) {
			t.Errorf("v%d group over v3 array: %v", format, err)
		}
		if _, err := zarr.Create(t.Context(), st, "x/y", spec); !errors.Is(err, zarr.ErrExists) {
			t.Errorf("v%d array below an array: %v", format, err)
		}
	}
}

func TestWholeChunksAreWrittenUnread(t *testing.T) {
	tests := []struct {
		name             string
		sel              []zarr.Selection
		gets, puts, dels int64
	}{
		{"everything, with ragged edges", nil, 0, 9, 0},
		{"whole chunks", []zarr.Selection{zarr.Range(0, 4), zarr.Range(4, 10)}, 0, 2, 0},
		{"one ragged chunk", []zarr.Selection{zarr.Range(8, 10), zarr.Range(8, 10)}, 0, 1, 0},
		{"part of a chunk", []zarr.Selection{zarr.At(0), zarr.At(0)}, 1, 1, 0},
		{"a stripe over whole and part", []zarr.Selection{zarr.Range(0, 6), zarr.Range(0, 4)}, 1, 2, 0},
		{"nothing", []zarr.Selection{zarr.Range(3, 3)}, 0, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r zarr.Report
			a := mustCreate(t, mem.New(), "", zarr.Spec{Shape: []int{10, 10}, Chunks: []int{4, 4}, DType: dtype.Float32})
			a, err := a.With(zarr.WithReport(&r))
			if err != nil {
				t.Fatal(err)
			}
			shape, err := a.Selected(tt.sel...)
			if err != nil {
				t.Fatal(err)
			}
			succeed(t, zarr.Write(t.Context(), a, count(shape[0]*shape[1]), tt.sel...))
			if r.Gets.Load() != tt.gets || r.Puts.Load() != tt.puts || r.Deletes.Load() != tt.dels {
				t.Errorf("%v", &r)
			}
		})
	}
}

func TestFillEqualChunksAreNotStored(t *testing.T) {
	nan := math.Float32frombits(0x7fc00001)
	tests := []struct {
		name   string
		format int
		fill   any
		value  float32
		opts   []zarr.Option
		stored bool
	}{
		{"default fill", 3, nil, 0, nil, false},
		{"negative zero is not zero", 3, nil, float32(math.Copysign(0, -1)), nil, true},
		{"fill of another kind of NaN", 3, math.NaN(), nan, nil, true},
		{"NaN with payload", 3, nan, nan, nil, false},
		{"null fill", 2, zarr.NoFill, 0, nil, true},
		{"asked to", 3, nil, 0, []zarr.Option{zarr.StoreFill()}, true},
	}
	for _, tt := range tests {
		for _, first := range []float32{5, tt.value} {
			t.Run(fmt.Sprint(tt.name, " over ", first), func(t *testing.T) {
				st := mem.New()
				a := mustCreate(t, st, "", zarr.Spec{Format: tt.format, Shape: []int{4}, DType: dtype.Float32, Fill: tt.fill}, tt.opts...)
				before := len(keys(t, st))
				for _, v := range []float32{first, tt.value} {
					succeed(t, zarr.Write(t.Context(), a, []float32{v, v, v, v}))
				}
				if got := len(keys(t, st)) > before; got != tt.stored {
					t.Errorf("stored: %v", got)
				}
				// Write the same in parts of the chunk.
				for _, v := range []float32{5, tt.value} {
					for i := range 2 {
						succeed(t, zarr.Write(t.Context(), a, []float32{v, v}, zarr.Range(2*i, 2*i+2)))
					}
				}
				if got := len(keys(t, st)) > before; got != tt.stored {
					t.Errorf("stored in parts: %v", got)
				}
				got, err := zarr.Read[float32](t.Context(), a)
				if err != nil || math.Float32bits(got[3]) != math.Float32bits(tt.value) {
					t.Errorf("read %x, %v", math.Float32bits(got[3]), err)
				}
			})
		}
	}
}

func TestBadInput(t *testing.T) {
	st := mem.New()
	a := mustCreate(t, st, "g/x", zarr.Spec{Shape: []int{4, 6}, Chunks: []int{2, 2}, DType: dtype.Float32})
	ctx := t.Context()
	read := func(dst any, sel ...zarr.Selection) error {
		switch d := dst.(type) {
		case []float32:
			return zarr.ReadInto(ctx, a, d, sel...)
		case []float64:
			return zarr.ReadInto(ctx, a, d, sel...)
		case []byte:
			return a.ReadBytes(ctx, d, sel...)
		}
		panic("no such case")
	}
	open := func(path string) error { _, err := zarr.OpenArray(ctx, st, path); return err }
	tests := []struct {
		name    string
		err     error
		kind    error
		mention string
	}{
		{"missing node", open("g/y"), zarr.ErrNotFound, `"g/y"`},
		{"group opened as array", open("g"), zarr.ErrNotFound, "group"},
		{"dot dot", open("g/../x"), zarr.ErrPath, ".."},
		{"back slash", open(`g\x`), zarr.ErrPath, `\`},
		{"wrong T", read(make([]float64, 24)), zarr.ErrType, "float64"},
		{"out of bounds", read(make([]float32, 30), zarr.Range(0, 5)), zarr.ErrSelection, "axis 0"},
		{"negative", read(make([]float32, 6), zarr.At(-1)), zarr.ErrSelection, "-1"},
		{"backwards", read(nil32(), zarr.Range(3, 2)), zarr.ErrSelection, "3:2"},
		{"step 0", read(nil32(), zarr.Range(0, 2).By(0)), zarr.ErrSelection, "step"},
		{"rank", read(nil32(), zarr.All, zarr.All, zarr.All), zarr.ErrSelection, "the array has rank 2, but 3 selections were passed"},
		{"length of dst", read(make([]float32, 23)), zarr.ErrSelection, "24"},
		{"length of bytes", read(make([]byte, 24)), zarr.ErrSelection, "96"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !errors.Is(tt.err, tt.kind) || !strings.Contains(fmt.Sprint(tt.err), tt.mention) {
				t.Errorf("got %v, want %v that mentions %s", tt.err, tt.kind, tt.mention)
			}
		})
	}
}

func nil32() []float32 { return nil }

// TestBadSpecs checks that nothing is stored for a Spec that is refused: by package spec, by the
// checks of the metadata, and by the encoder of the document.
func TestBadSpecs(t *testing.T) {
	grid := meta.Grid{Edges: []meta.Edges{{Runs: []meta.Run{{Edge: 1, Count: 3}}}}}
	for _, tt := range []struct {
		name string
		spec zarr.Spec
		kind error
		says string
	}{
		{"chunk rank", zarr.Spec{Chunks: []int{2, 2}}, zarr.ErrMetadata, "rank 2"},
		{"v3 without fill", zarr.Spec{Fill: zarr.NoFill}, zarr.ErrMetadata, "fill value"},
		{"edges too short", zarr.Spec{ChunkEdges: [][]int{{1, 2}}}, zarr.ErrMetadata, "3 of 4"},
		{"no edges", zarr.Spec{ChunkEdges: [][]int{{}}}, zarr.ErrMetadata, "0 of 4"},
		{"runs that end", zarr.Spec{Grid: grid}, zarr.ErrMetadata, "3 of 4"},
		{"an unsafe suffix", zarr.Spec{Keys: meta.KeyEncoding{Suffix: "/../x"}}, zarr.ErrPath, "suffix"},
		{"attributes that are not JSON", zarr.Spec{Attrs: map[string]any{"f": func() {}}}, zarr.ErrType, "func()"},
	} {
		st := mem.New()
		tt.spec.Shape, tt.spec.DType = []int{4}, dtype.Int8
		if _, err := zarr.Create(t.Context(), st, "x", tt.spec); !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: got %v, want %v and %q", tt.name, err, tt.kind, tt.says)
		}
		if k := keys(t, st); len(k) != 0 {
			t.Errorf("%s: stored %v", tt.name, k)
		}
	}
	overflows := zarr.Spec{Shape: []int{math.MaxInt, 3}, Chunks: []int{1, 1}, DType: dtype.Int8}
	if _, err := zarr.Create(t.Context(), mem.New(), "x", overflows); !errors.Is(err, zarr.ErrLimit) {
		t.Errorf("the number of elements overflows: %v", err)
	}
}

func TestFills(t *testing.T) {
	tests := []struct {
		dt   dtype.Type
		fill any
		want []byte
	}{
		{dtype.Uint64, uint64(math.MaxUint64), []byte{255, 255, 255, 255, 255, 255, 255, 255}},
		{dtype.Int16, -2, []byte{0xfe, 0xff}},
		{dtype.Bool, true, []byte{1}},
		{dtype.Float32, 1, []byte{0, 0, 0x80, 0x3f}},
		{dtype.Float64, math.Inf(-1), []byte{0, 0, 0, 0, 0, 0, 0xf0, 0xff}},
		{dtype.Float16, dtype.F16(0x3c00), []byte{0, 0x3c}},
		{dtype.Complex64, complex64(complex(1, -1)), []byte{0, 0, 0x80, 0x3f, 0, 0, 0x80, 0xbf}},
		{dtype.Complex128, 1 + 0i, []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0}},
		{dtype.Float32, json.RawMessage(`"0x7fc00001"`), []byte{1, 0, 0xc0, 0x7f}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.dt, tt.fill), func(t *testing.T) {
			st := mem.New()
			mustCreate(t, st, "", zarr.Spec{Shape: []int{}, DType: tt.dt, Fill: tt.fill})
			a, err := zarr.OpenArray(t.Context(), st, "")
			if err != nil || !slices.Equal(a.Fill(), tt.want) {
				t.Fatalf("got %x, %v", a.Fill(), err)
			}
			got := make([]byte, tt.dt.Size())
			if err := a.ReadBytes(t.Context(), got); err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("read %x, %v", got, err)
			}
		})
	}
}

func TestOpenOrCreateAndReplace(t *testing.T) {
	st := mem.New()
	spec := zarr.Spec{Shape: []int{6}, Chunks: []int{2}, DType: dtype.Float32, Attrs: map[string]any{"n": 1}}
	a, err := zarr.OpenOrCreate(t.Context(), st, "g/x", spec)
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, zarr.Write(t.Context(), a, count(6)))
	a, err = zarr.OpenOrCreate(t.Context(), st, "g/x", spec)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := zarr.Read[float32](t.Context(), a); err != nil || got[5] != 6 {
		t.Errorf("opened %v, %v", got, err)
	}
	other := spec
	other.Chunks = []int{3}
	if _, err := zarr.OpenOrCreate(t.Context(), st, "g/x", other); !errors.Is(err, zarr.ErrConflict) || !strings.Contains(err.Error(), "chunk shape") {
		t.Errorf("other chunks: %v", err)
	}
	if _, err := zarr.Replace(t.Context(), st, "g", spec); !errors.Is(err, zarr.ErrExists) {
		t.Errorf("replaced a group: %v", err)
	}
	succeed(t, second(st.Put(t.Context(), "g/x/notes.txt", []byte("mine"), store.PutOptions{})))
	other.Format = 2
	a, err = zarr.Replace(t.Context(), st, "g/x", other)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := zarr.Read[float32](t.Context(), a); err != nil || got[5] != 0 {
		t.Errorf("replaced array reads %v, %v", got, err)
	}
	want := []string{"g/x/.zarray", "g/x/.zattrs", "g/x/notes.txt", "g/zarr.json", "zarr.json"}
	if got := keys(t, st); !slices.Equal(got, want) {
		t.Errorf("keys %v, want %v", got, want)
	}
}

func TestAttrs(t *testing.T) {
	for _, format := range []int{2, 3} {
		t.Run(fmt.Sprint("v", format), func(t *testing.T) {
			ctx := t.Context()
			st := mem.New()
			exact := json.Number("123456789012345678901234567890.10")
			mustCreate(t, st, "x", zarr.Spec{Format: format, Shape: []int{1}, DType: dtype.Int8, Attrs: map[string]any{"big": exact, "units": "K"}})
			a, err := zarr.OpenArray(ctx, st, "x")
			if err != nil {
				t.Fatal(err)
			}
			if a.Attrs()["big"] != exact {
				t.Errorf("number became %v", a.Attrs()["big"])
			}
			attrs := a.Attrs()
			attrs["units"], attrs["new"] = "m", []int{1}
			b, err := a.SetAttrs(ctx, attrs)
			if err != nil {
				t.Fatal(err)
			}
			if u, ok, err := zarr.Attr[string](b, "units"); u != "m" || !ok || err != nil {
				t.Errorf("units %q %v %v", u, ok, err)
			}
			if a.Attrs()["units"] != "K" {
				t.Error("the snapshot changed")
			}
			if _, err := a.SetAttrs(ctx, map[string]any{}); !errors.Is(err, zarr.ErrConflict) {
				t.Errorf("change of a stale snapshot: %v", err)
			}
			c, err := a.Refresh(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if n, _, err := zarr.Attr[[]int](c, "new"); err != nil || !slices.Equal(n, []int{1}) || c.Attrs()["big"] != exact {
				t.Errorf("after refresh %v, %v", c.Attrs(), err)
			}
			if _, _, err := zarr.Attr[int](c, "units"); !errors.Is(err, zarr.ErrType) {
				t.Errorf("units as int: %v", err)
			}
			if _, err := b.SetAttrs(ctx, map[string]any{"z": 1}); err != nil {
				t.Errorf("a chain of changes: %v", err)
			}
			g, err := zarr.OpenGroup(ctx, st, "")
			if err != nil {
				t.Fatal(err)
			}
			if g, err = g.SetAttrs(ctx, map[string]any{"title": "t"}); err != nil || g.Attrs()["title"] != "t" {
				t.Errorf("group: %v, %v", g.Attrs(), err)
			}
		})
	}
}

func TestWalk(t *testing.T) {
	for _, format := range []int{2, 3} {
		t.Run(fmt.Sprint("v", format), func(t *testing.T) {
			ctx := t.Context()
			st := mem.New()
			for _, p := range []string{"b/x", "a", "b/c/y", "b/c/z"} {
				a := mustCreate(t, st, p, zarr.Spec{Format: format, Shape: []int{4}, Chunks: []int{1}, DType: dtype.Int8, Separator: "/"})
				succeed(t, zarr.Write(ctx, a, []int8{1, 2, 3, 4}))
			}
			g, err := zarr.OpenGroup(ctx, st, "")
			if err != nil {
				t.Fatal(err)
			}
			var walked, members []string
			for n, err := range g.Walk(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				walked = append(walked, fmt.Sprintf("%s %s", strings.TrimPrefix(reflect.TypeOf(n).String(), "*zarr."), n.Path()))
			}
			for n, err := range g.Members(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				members = append(members, n.Name())
			}
			if want := []string{"Array a", "Group b", "Group b/c", "Array b/x", "Array b/c/y", "Array b/c/z"}; !slices.Equal(walked, want) {
				t.Errorf("walked %v, want %v", walked, want)
			}
			if want := []string{"a", "b"}; !slices.Equal(members, want) {
				t.Errorf("members %v, want %v", members, want)
			}
			for _, err := range g.Walk(ctx) {
				if err != nil {
					t.Error(err)
				}
				break // a caller may stop early
			}
		})
	}
}

// answers is a store whose Gets fail with a fixed error for some keys.
type answers struct {
	store.Store
	errs func(key string) error
}

func (a answers) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if err := a.errs(key); err != nil {
		return store.Value{}, &zarr.KeyError{Op: "get", Key: key, Kind: err}
	}
	return a.Store.Get(ctx, key, o, buf)
}

// TestOnlyProvenAbsenceIsFill uses the clock of a synctest bubble, because a conflict is retried a
// thousand times.
func TestOnlyProvenAbsenceIsFill(t *testing.T) {
	for _, kind := range []error{zarr.ErrRefused, zarr.ErrThrottled, zarr.ErrUnavailable, zarr.ErrConflict, zarr.ErrCorrupt, context.DeadlineExceeded, errors.New("odd")} {
		st := mem.New()
		mustCreate(t, st, "x", zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Float32, Codecs: []codec.Spec{}})
		broken := answers{st, func(key string) error {
			if key == "x/c/1" {
				return kind
			}
			return nil
		}}
		synctest.Test(t, func(t *testing.T) {
			a, err := zarr.OpenArray(t.Context(), broken, "x", bubble())
			if err != nil {
				t.Fatal(err)
			}
			_, err = zarr.Read[float32](t.Context(), a)
			var ce *zarr.ChunkError
			if !errors.Is(err, kind) || !errors.As(err, &ce) || ce.Key != "x/c/1" || !slices.Equal(ce.Coord, []int{1}) {
				t.Errorf("%v: read gives %v", kind, err)
			}
			if err := zarr.Write(t.Context(), a, []float32{1}, zarr.At(3)); !errors.Is(err, kind) {
				t.Errorf("%v: partial write gives %v", kind, err)
			}
		})
	}
}

func TestOpenUnderRefusals(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		mustCreate(t, st, "x", zarr.Spec{Format: format, Shape: []int{4}, DType: dtype.Float32})
		// A bucket without list permission responds with 403 for absent keys.
		st403 := answers{st, func(key string) error {
			if _, err := st.Get(t.Context(), key, store.GetOptions{}, nil); err != nil {
				return zarr.ErrRefused
			}
			return nil
		}}
		if _, err := zarr.OpenArray(t.Context(), st403, "x"); err != nil {
			t.Errorf("v%d: %v", format, err)
		}
		if _, err := zarr.OpenArray(t.Context(), st403, "y"); !errors.Is(err, zarr.ErrRefused) {
			t.Errorf("v%d: nothing there: %v", format, err)
		}
		down := answers{st, func(string) error { return zarr.ErrUnavailable }}
		if _, err := zarr.OpenArray(t.Context(), down, "x"); !errors.Is(err, zarr.ErrUnavailable) {
			t.Errorf("v%d: store down: %v", format, err)
		}
	}
}

func TestCorruptChunks(t *testing.T) {
	for _, c := range [][]codec.Spec{{}, {codec.Zstd(1)}, {codec.Gzip(1)}, {codec.CRC32C()}, {codec.Blosc(codec.BloscOptions{Cname: "lz4", Level: 5, Shuffle: "shuffle"})}} {
		st := mem.New()
		a := mustCreate(t, st, "x", zarr.Spec{Shape: []int{64}, DType: dtype.Float32, Codecs: c})
		succeed(t, zarr.Write(t.Context(), a, count(64)))
		v, err := st.Get(t.Context(), "x/c/0", store.GetOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 1, len(v.Bytes) / 2, len(v.Bytes) - 1} {
			succeed(t, second(st.Put(t.Context(), "x/c/0", v.Bytes[:n], store.PutOptions{})))
			_, err := zarr.Read[float32](t.Context(), a)
			var ce *zarr.ChunkError
			if !errors.Is(err, zarr.ErrCorrupt) || !errors.As(err, &ce) || ce.Key != "x/c/0" {
				t.Errorf("%v cut to %d: %v", c, n, err)
			}
		}
	}
}

func TestLimits(t *testing.T) {
	st := mem.New()
	a := mustCreate(t, st, "x", zarr.Spec{Shape: []int{10}, Chunks: []int{1}, DType: dtype.Float32})
	var r zarr.Report
	b, err := a.With(zarr.Limit(zarr.Limits{Requests: 9}), zarr.WithReport(&r))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := zarr.Read[float32](t.Context(), b); !errors.Is(err, zarr.ErrLimit) || r.Gets.Load() != 0 {
		t.Errorf("%v after %v", err, &r)
	}
	huge := mustCreate(t, st, "huge", zarr.Spec{Shape: []int{math.MaxInt}, Chunks: []int{math.MaxInt / 2}, DType: dtype.Int8})
	if _, err := zarr.Read[int8](t.Context(), huge); !errors.Is(err, zarr.ErrLimit) {
		t.Errorf("reading all of memory: %v", err)
	}
	if err := zarr.Write(t.Context(), huge, []int8{1}, zarr.At(0)); !errors.Is(err, zarr.ErrLimit) {
		t.Errorf("part of a huge chunk: %v", err)
	}
	if got, err := zarr.Read[int8](t.Context(), huge, zarr.At(7)); err != nil || got[0] != 0 {
		t.Errorf("a missing huge chunk: %v, %v", got, err)
	}
	if _, err := zarr.OpenArray(t.Context(), st, "x", zarr.Limit(zarr.Limits{Metadata: 10})); !errors.Is(err, zarr.ErrLimit) {
		t.Errorf("metadata over its limit: %v", err)
	}
	if _, err := zarr.OpenArray(t.Context(), st, "x", zarr.Limit(zarr.Limits{InFlight: -1})); !errors.Is(err, zarr.ErrSelection) {
		t.Errorf("InFlight: -1: %v", err)
	}
}

// TestManyWritersOfOneObject runs 24 goroutines. Each owns one element of a chunk or of a shard and
// rewrites it.
func TestManyWritersOfOneObject(t *testing.T) {
	for name, spec := range map[string]zarr.Spec{"chunk": {}, "shard": {Chunks: []int{3}, Shards: []int{24}}} {
		t.Run(name, func(t *testing.T) {
			st := mem.New()
			spec.Shape, spec.DType = []int{24}, dtype.Int32
			// Half of them share one opened array and take turns. The other half open the array
			// themselves and conflict.
			shared := mustCreate(t, st, "x", spec)
			err := concurrency.EachN(t.Context(), 24, 24, func(ctx context.Context, i int) error {
				a := shared
				if i%2 == 0 {
					var err error
					if a, err = zarr.OpenArray(ctx, st, "x"); err != nil {
						return err
					}
				}
				for v := range 8 {
					if err := zarr.Write(ctx, a, []int32{int32(v + i)}, zarr.At(i)); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			got := mustRead[int32](t, shared)
			for i, v := range got {
				if v != int32(7+i) {
					t.Errorf("element %d is %d, want %d", i, v, 7+i)
				}
			}
		})
	}
}

func TestEmptyAndScalarArrays(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		empty := mustCreate(t, st, "e", zarr.Spec{Format: format, Shape: []int{3, 0}, DType: dtype.Int8})
		if got, err := zarr.Read[int8](t.Context(), empty); err != nil || len(got) != 0 {
			t.Errorf("v%d empty: %v, %v", format, got, err)
		}
		if err := zarr.Write(t.Context(), empty, []int8{}); err != nil {
			t.Error(err)
		}
		scalar := mustCreate(t, st, "s", zarr.Spec{Format: format, DType: dtype.Int8})
		if err := zarr.Write(t.Context(), scalar, []int8{7}); err != nil {
			t.Error(err)
		}
		if got, err := zarr.Read[int8](t.Context(), scalar); err != nil || !slices.Equal(got, []int8{7}) {
			t.Errorf("v%d scalar: %v, %v", format, got, err)
		}
		key := map[int]string{2: "s/0", 3: "s/c"}[format]
		if got := scalar.ChunkKey(); got != key {
			t.Errorf("v%d scalar's chunk is %q", format, got)
		}
	}
}

// TestCodecsAreForViewsToo checks that a view with another table builds its codecs again.
func TestCodecsAreForViewsToo(t *testing.T) {
	a := mustCreate(t, mem.New(), "", zarr.Spec{Shape: []int{2}, DType: dtype.Int8})
	broken := codec.Builtin().With("zstd", func(json.RawMessage, codec.Repr) (any, error) { return nil, errors.ErrUnsupported })
	if _, err := a.With(zarr.Extensions(broken, nil)); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got %v", err)
	}
}

// TestLimitsFieldByField checks that a later Limit replaces only the fields that it sets.
func TestLimitsFieldByField(t *testing.T) {
	a := mustCreate(t, mem.New(), "a", zarr.Spec{Shape: []int{4}, Chunks: []int{1}, DType: dtype.Int8})
	b, err := a.With(zarr.Limit(zarr.Limits{Requests: 2, Chunk: 100}),
		zarr.Limit(zarr.Limits{Chunk: 50, InFlight: 1}))
	if err != nil {
		t.Fatal(err)
	}
	if n := b.ChunkLimit(); n != 50 {
		t.Errorf("Chunk is %d", n)
	}
	if _, err := zarr.Read[int8](t.Context(), b); !errors.Is(err, zarr.ErrLimit) {
		t.Errorf("four requests, of two: %v", err)
	}
	if _, err := zarr.Read[int8](t.Context(), b, zarr.Range(0, 2)); err != nil {
		t.Error(err)
	}
	if s := fmt.Sprint(b.Options()); s != "[Limit({Requests: 2, Chunk: 100}) Limit({InFlight: 1, Chunk: 50})]" {
		t.Error(s)
	}
	for _, l := range []zarr.Limits{{Requests: -1}, {Bytes: -1}, {Chunk: -1}, {Metadata: -1}, {Shared: &concurrency.Limits{}}} {
		if _, err := a.With(zarr.Limit(l)); !errors.Is(err, zarr.ErrSelection) {
			t.Errorf("%+v: %v", l, err)
		}
	}
}
