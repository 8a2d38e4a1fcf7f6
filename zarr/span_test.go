package zarr_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/zarrtest"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/cache"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// Arrays of these tests have spanRows × spanCols float32 in two chunks of 64 KiB, uncompressed by
// default.
const spanRows, spanCols = 128, 256

func spans(t *testing.T, st store.Store, codecs ...codec.Spec) ([]float32, zarr.Spec) {
	t.Helper()
	if codecs == nil {
		codecs = []codec.Spec{}
	}
	spec := zarr.Spec{Shape: []int{spanRows, spanCols}, Chunks: []int{64, 256}, DType: dtype.Float32, Codecs: codecs}
	a := mustCreate(t, st, "x", spec)
	values := count(spanRows * spanCols)
	for i := range values {
		values[i]++
	}
	succeed(t, zarr.Write(t.Context(), a, values))
	return values, spec
}

// TestSpans checks that only the range with the selected elements of an uncompressed chunk is
// requested, with one request, and that the plan lists it.
func TestSpans(t *testing.T) {
	rows := func(lo, hi int) []zarr.Selection { return []zarr.Selection{zarr.Range(lo, hi)} }
	for _, tt := range []struct {
		name   string
		codecs []codec.Spec
		sel    []zarr.Selection
		opts   []zarr.Option
		want   string
	}{
		{"a row", nil, rows(3, 4), nil, "get x/c/0/0 3072+1024"},
		{"rows of two chunks", nil, rows(60, 70), nil, "get x/c/0/0 61440+4096\nget x/c/1/0 0+6144"},
		{"a block within rows", nil, []zarr.Selection{zarr.Range(2, 4), zarr.Range(16, 32)}, nil, "get x/c/0/0 2112+1088"},
		{"one element", nil, []zarr.Selection{zarr.At(100), zarr.At(255)}, nil, "get x/c/1/0 37884+4"},
		{"every other row, backwards", nil, []zarr.Selection{zarr.Range(0, 10).By(-2)}, nil, "get x/c/0/0 1024+9216"},
		{"all but 4 KiB", nil, rows(4, 64), nil, "get x/c/0/0"},
		{"all but a little more", nil, rows(5, 64), nil, "get x/c/0/0 5120+60416"},
		{"all of one", nil, rows(0, 64), nil, "get x/c/0/0"},
		{"big-endian", []codec.Spec{codec.Bytes(dtype.Big)}, rows(3, 4), nil, "get x/c/0/0 3072+1024"},
		{"columns of a chunk in order F", []codec.Spec{codec.Transpose(1, 0)}, []zarr.Selection{zarr.Range(0, 64), zarr.Range(8, 10)}, nil, "get x/c/0/0 2048+512"},
		{"a row of a chunk in order F", []codec.Spec{codec.Transpose(1, 0)}, rows(3, 4), nil, "get x/c/0/0"},
		{"compressed", []codec.Spec{codec.Zstd(1)}, rows(3, 4), nil, "get x/c/0/0"},
		{"with a checksum", []codec.Spec{codec.CRC32C()}, rows(3, 4), nil, "get x/c/0/0"},
		{"a list", nil, []zarr.Selection{zarr.Index(3, 5)}, nil, "get x/c/0/0"},
		{"points", nil, []zarr.Selection{zarr.Points([]int{100, 3, 4, 3}, []int{7, 255, 1, 255})}, nil, "get x/c/0/0 4092+12\nget x/c/1/0 36892+4"},
		{"points, big-endian", []codec.Spec{codec.Bytes(dtype.Big)}, []zarr.Selection{zarr.Points([]int{4, 3}, []int{1, 255})}, nil, "get x/c/0/0 4092+12"},
		{"points far apart", nil, []zarr.Selection{zarr.Points([]int{0, 63}, []int{0, 255})}, nil, "get x/c/0/0"},
		{"points of a chunk in order F", []codec.Spec{codec.Transpose(1, 0)}, []zarr.Selection{zarr.Points([]int{3}, []int{8})}, nil, "get x/c/0/0"},
		{"for a cache", nil, rows(3, 4), []zarr.Option{zarr.Cache(cache.New(1<<20, cache.Immutable()))}, "get x/c/0/0"},
		{"beside a cache that is too small", nil, rows(3, 4), []zarr.Option{zarr.Cache(cache.New(64<<10, cache.Immutable()))}, "get x/c/0/0 3072+1024"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var tr transcript
			st := mem.New()
			values, _ := spans(t, st, tt.codecs...)
			a := zarrtest.Open(t, store.Observe(st, tr.Record), "x", tt.opts...)
			tr.Lines = nil
			p, err := a.Plan(tt.sel...)
			if err != nil {
				t.Fatal(err)
			}
			var planned, resolved []string
			for r := range p.Requests() {
				planned = append(planned, strings.Split(r.String(), ":")[0])
			}
			for r, err := range p.Resolve(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				resolved = append(resolved, strings.Split(r.String(), ":")[0])
			}
			got := mustRead[float32](t, a, tt.sel...)
			slices.Sort(tr.Lines)
			if lines := strings.Join(tr.Lines, "\n"); lines != tt.want || strings.Join(planned, "\n") != tt.want || strings.Join(resolved, "\n") != tt.want {
				t.Errorf("requests\n%s\nplanned\n%s\nwant\n%s", lines, strings.Join(planned, "\n"), tt.want)
			}
			whole := zarrtest.Open(t, st, "x")
			all, err := zarr.Read[float32](t.Context(), whole)
			if err != nil || !slices.Equal(all, values) {
				t.Fatal("other values", err)
			}
			mem := mem.New()
			b, err := zarr.Create(t.Context(), mem, "x", zarr.Spec{Shape: []int{spanRows, spanCols}, Chunks: []int{64, 256}, DType: dtype.Float32, Codecs: []codec.Spec{codec.Zstd(1)}})
			if err == nil {
				err = zarr.Write(t.Context(), b, values)
			}
			if err != nil {
				t.Fatal(err)
			}
			if want, err := zarr.Read[float32](t.Context(), b, tt.sel...); err != nil || !slices.Equal(got, want) {
				t.Error("other values", err)
			}
		})
	}
}

// TestSpansOfDamage reads parts of uncompressed chunks. If the chunk has the wrong length, every
// part is an error. If it is absent, every part is the fill value. Nothing is requested twice.
func TestSpansOfDamage(t *testing.T) {
	for name, st := range zarrtest.Stores(t) {
		t.Run(name, func(t *testing.T) {
			_, _ = spans(t, st)
			whole := zarrtest.Bytes(t, st, "x/c/0/0")
			for _, stored := range [][]byte{whole[:len(whole)-1], whole[:4096], {}, append(slices.Clone(whole), 0)} {
				zarrtest.Put(t, st, "x/c/0/0", string(stored))
				for _, row := range []int{0, 1, 63} {
					var report zarr.Report
					_, err := zarr.Read[float32](t.Context(), zarrtest.Open(t, st, "x", zarr.WithReport(&report)), zarr.At(row))
					var at *zarr.ChunkError
					if !errors.Is(err, zarr.ErrCorrupt) || !errors.As(err, &at) || at.Key != "c/0/0" && at.Key != "x/c/0/0" {
						t.Errorf("row %d of %d bytes: %v", row, len(stored), err)
					}
				}
			}
			succeed(t, st.Delete(t.Context(), "x/c/0/0", store.DeleteOptions{}))
			var report zarr.Report
			got, err := zarr.Read[float32](t.Context(), zarrtest.Open(t, st, "x", zarr.WithReport(&report)), zarr.Range(63, 65))
			if err != nil || got[0] != 0 || got[spanCols] == 0 || report.Missing.Load() != 1 || report.Chunks.Load() != 2 {
				t.Errorf("%v, %v", err, &report)
			}
		})
	}
}

// TestSpansOfALyingStore checks that a response with the wrong number of bytes is an error.
func TestSpansOfALyingStore(t *testing.T) {
	for _, n := range []int{0, 1, 1023, 1025, 65536} {
		st := mem.New()
		_, _ = spans(t, st)
		a := zarrtest.Open(t, lying{st, n}, "x")
		for _, sel := range [][]zarr.Selection{{zarr.At(3)}, {zarr.Range(3, 5), zarr.Range(0, 64)}} {
			if _, err := zarr.Read[float32](t.Context(), a, sel...); !errors.Is(err, zarr.ErrCorrupt) {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
	}
}

// lying returns n bytes for every range.
type lying struct {
	store.Store
	n int
}

func (l lying) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	v, err := l.Store.Get(ctx, key, o, buf)
	if err == nil && !o.Range.IsWhole() {
		v.Bytes = append(buf, make([]byte, l.n)...)
	}
	return v, err
}

// TestSpansOfHugeChunks reads ranges of a chunk that is too large for memory, if the range is small
// enough or has only selected elements.
func TestSpansOfHugeChunks(t *testing.T) {
	st := mem.New()
	values, _ := spans(t, st)
	a := zarrtest.Open(t, st, "x", zarr.Limit(zarr.Limits{Chunk: 16 << 10}))
	for _, sel := range []zarr.Selection{zarr.Range(3, 4), zarr.Range(3, 60), zarr.Range(0, 14).By(2)} {
		if _, err := zarr.Read[float32](t.Context(), a, sel); err != nil {
			t.Errorf("%v: %v", sel, err)
		}
	}
	if _, err := zarr.Read[float32](t.Context(), a, zarr.Range(0, 40).By(2)); !errors.Is(err, zarr.ErrLimit) {
		t.Error(err)
	}
	if got, err := zarr.Read[float32](t.Context(), a, zarr.Range(3, 60)); err != nil || !slices.Equal(got, values[3*spanCols:60*spanCols]) {
		t.Error("other values", err)
	}
}

// TestSpansAreNotChecked checks that Check decodes whole chunks, and that chunks whose elements
// need individual checks are read whole.
func TestSpansAreNotChecked(t *testing.T) {
	var tr transcript
	st := mem.New()
	_, _ = spans(t, st)
	a := zarrtest.Open(t, store.Observe(st, tr.Record), "x")
	tr.Lines = nil
	if err := a.Check(t.Context(), zarr.At(3)); err != nil || !slices.Equal(tr.Lines, []string{"get x/c/0/0"}) {
		t.Errorf("%v, %v", tr.Lines, err)
	}
	b, err := zarr.Create(t.Context(), st, "b", zarr.Spec{Shape: []int{1 << 16}, Chunks: []int{1 << 15}, DType: dtype.Bool, Codecs: []codec.Spec{}})
	if err == nil {
		err = zarr.Write(t.Context(), b, slices.Repeat([]bool{true}, 1<<16))
	}
	if err != nil {
		t.Fatal(err)
	}
	stored := []byte(zarrtest.Get(t, st, "b/c/0"))
	stored[1<<14] = 7
	zarrtest.Put(t, st, "b/c/0", string(stored))
	if got, err := zarr.Read[bool](t.Context(), zarrtest.Open(t, st, "b"), zarr.Range(1<<14, 1<<14+2)); err != nil || !got[0] || !got[1] {
		t.Error(got, err)
	}
	strict := zarrtest.Open(t, st, "b", zarr.Strict())
	if _, err := zarr.Read[bool](t.Context(), strict, zarr.Range(0, 2)); rule.Of(err) != rule.ElementForm {
		t.Error(err)
	}
}
