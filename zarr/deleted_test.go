package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/cache"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

var documentOf = map[int]string{2: ".zarray", 3: "zarr.json"}

// copiedArray creates the group "top" with an array "a" and consolidated metadata. It returns the
// store of the group, and the group as opened from a store that records its requests.
func copiedArray(t *testing.T, spec zarr.Spec, opts ...zarr.Option) (*mem.Store, *zarr.Group, *transcript) {
	t.Helper()
	st := mem.New()
	g, err := zarr.CreateGroup(t.Context(), st, "top", zarr.Spec{Format: spec.Format})
	if err == nil {
		_, err = g.CreateArray(t.Context(), "a", spec)
	}
	if err == nil {
		_, err = g.Consolidate(t.Context())
	}
	tr := &transcript{}
	if err == nil {
		g, err = zarr.OpenGroup(t.Context(), store.Observe(st, tr.Record), "top", opts...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return st, g, tr
}

func mustOpenIn(t *testing.T, g *zarr.Group, path string) *zarr.Array {
	t.Helper()
	a, err := g.OpenArray(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func mustDelete(t *testing.T, st store.Store, keys ...string) {
	t.Helper()
	for _, key := range keys {
		succeed(t, st.Delete(t.Context(), key, store.DeleteOptions{}))
	}
}

// TestFillOfCopied checks the requests of reads of absent chunks through handles from consolidated
// metadata. The first read costs one more request than those of its chunks, for the array's
// document. Other reads, also concurrent ones and those of views, cost no more.
func TestFillOfCopied(t *testing.T) {
	for _, format := range []int{2, 3} {
		t.Run(fmt.Sprint("v", format), func(t *testing.T) {
			ctx := t.Context()
			st, g, tr := copiedArray(t, zarr.Spec{Format: format, Shape: []int{6}, Chunks: []int{2}, DType: dtype.Int8, Separator: "/"})
			doc := "get top/a/" + documentOf[format]
			a := mustOpenIn(t, g, "a")
			chunk := strings.TrimPrefix(a.ChunkKey(1), "top/a/")
			tr.Requests()
			view, err := a.With(zarr.Limit(zarr.Limits{InFlight: 1}))
			if err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup
			for i := range 8 {
				all.Go(func() {
					if got, err := zarr.Read[int8](ctx, []*zarr.Array{a, view}[i%2]); err != nil || !slices.Equal(got, make([]int8, 6)) {
						t.Errorf("%v, %v", got, err)
					}
				})
			}
			all.Wait()
			if got := tr.Requests(); strings.Count(got, "zarr.json")+strings.Count(got, ".z") != 1 || strings.Count(got, doc) != 1 {
				t.Errorf("absent chunks cost %q", got)
			}

			a = mustOpenIn(t, g, "a")
			own := mustOpen(t, st, "top/a")
			succeed(t, zarr.Write(ctx, own, []int8{1, 2, 3, 4}, zarr.Range(0, 4)))
			tr.Requests()
			if _, err := zarr.Read[int8](ctx, a, zarr.Range(2, 4)); err != nil {
				t.Error(err)
			}
			if got := tr.Requests(); got != "get top/a/"+chunk {
				t.Errorf("a stored chunk costs %q", got)
			}
			if _, err := zarr.Read[int8](ctx, a, zarr.Range(4, 6)); err != nil {
				t.Error(err)
			}
			if got := tr.Requests(); !strings.Contains(got, doc) {
				t.Errorf("an absent chunk costs %q", got)
			}

			// A handle from the array's own document needs no check, nor does one that has written.
			direct, err := zarr.OpenArray(ctx, g.Store(), "top/a")
			if err != nil {
				t.Fatal(err)
			}
			writer := mustOpenIn(t, g, "a")
			succeed(t, zarr.Write(ctx, writer, []int8{1, 2}, zarr.Range(0, 2)))
			// The documents of the caller replace the stored ones, also consolidated metadata.
			docs, err := g.Documents()
			if err != nil {
				t.Fatal(err)
			}
			if format == 2 {
				docs["top/.zmetadata"] = mustGet(t, st, "top/.zmetadata")
			}
			given, err := zarr.OpenGroup(ctx, g.Store(), "top", zarr.Documents(docs))
			if err != nil {
				t.Fatal(err)
			}
			fromGiven := mustOpenIn(t, given, "a")
			tr.Requests()
			for name, a := range map[string]*zarr.Array{"own document": direct, "after a write": writer, "given documents": fromGiven} {
				if _, err := zarr.Read[int8](ctx, a); err != nil {
					t.Error(name, err)
				}
				if got := tr.Requests(); strings.Contains(got, "zarr.json") || strings.Contains(got, ".z") {
					t.Errorf("%s: a read costs %q", name, got)
				}
			}
		})
	}
}

// TestDeletedArray reads arrays of several kinds that were deleted since their group was
// consolidated, in all ways. An array without a stored document has no elements.
func TestDeletedArray(t *testing.T) {
	sub, err := dtype.NewStruct(dtype.Field{Name: "n", Type: dtype.Int8})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]zarr.Spec{
		"chunks":     {Format: 3, Shape: []int{6}, Chunks: []int{2}, DType: dtype.Int8},
		"shards":     {Format: 3, Shape: []int{8}, Chunks: []int{2}, Shards: []int{4}, DType: dtype.Int8},
		"scalar":     {Format: 3, Shape: []int{}, DType: dtype.Int8},
		"structs":    {Format: 3, Shape: []int{4}, DType: sub},
		"v2":         {Format: 2, Shape: []int{6}, Chunks: []int{2}, DType: dtype.Int8},
		"v2 scalar":  {Format: 2, Shape: []int{}, DType: dtype.Int8},
		"v2 no fill": {Format: 2, Shape: []int{6}, DType: dtype.Int8, Fill: zarr.NoFill},
	}
	reads := map[string]func(context.Context, *zarr.Array) error{
		"bytes": func(ctx context.Context, a *zarr.Array) error {
			return a.ReadBytes(ctx, make([]byte, a.Len()*a.DType().Size()))
		},
		"check": func(ctx context.Context, a *zarr.Array) error { return a.Check(ctx) },
		"blocks": func(ctx context.Context, a *zarr.Array) error {
			if _, isStruct := a.DType().(*dtype.Struct); isStruct {
				f, err := a.Field("n")
				if err != nil {
					return err
				}
				a = f
			}
			for _, err := range zarr.Blocks[int8](ctx, a, zarr.BlockOptions{}) {
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	for kind, spec := range kinds {
		for _, caches := range []bool{false, true} {
			for how, read := range reads {
				t.Run(fmt.Sprint(kind, "/", how, "/", caches), func(t *testing.T) {
					var opts []zarr.Option
					if caches {
						opts = append(opts, zarr.Cache(cache.New(1<<20, cache.Revalidate(0))))
					}
					st, g, _ := copiedArray(t, spec, opts...)
					succeed(t, read(t.Context(), mustOpenIn(t, g, "a")))
					a := mustOpenIn(t, g, "a")
					mustDelete(t, st, "top/a/"+documentOf[spec.Format])
					for range 2 {
						if err := read(t.Context(), a); !errors.Is(err, zarr.ErrNotFound) || !strings.Contains(err.Error(), "top/a/"+documentOf[spec.Format]) {
							t.Error(err)
						}
					}
					if _, err := a.Refresh(t.Context()); !errors.Is(err, zarr.ErrNotFound) {
						t.Errorf("refreshed: %v", err)
					}
				})
			}
		}
	}
}

// TestDeletedText reads elements that vary in length, and points.
func TestDeletedText(t *testing.T) {
	ctx := t.Context()
	for _, format := range []int{2, 3} {
		st, g, _ := copiedArray(t, zarr.Spec{Format: format, Shape: []int{4}, DType: dtype.String})
		mustDelete(t, st, "top/a/"+documentOf[format])
		a := mustOpenIn(t, g, "a")
		_, items := a.ReadItems(ctx)
		_, packed := a.ReadPacked(ctx)
		_, points := zarr.Read[string](ctx, a, zarr.Index(0, 3))
		for name, err := range map[string]error{"items": items, "packed": packed, "list": points, "check": a.Check(ctx)} {
			if !errors.Is(err, zarr.ErrNotFound) {
				t.Errorf("v%d %s: %v", format, name, err)
			}
		}
	}
}

// TestFillOfStale replaces the stored document of an array after its group was consolidated. A read
// of absent chunks fails if the stored array gives them other keys or values.
func TestFillOfStale(t *testing.T) {
	base := zarr.Spec{Shape: []int{4, 4}, Chunks: []int{2, 2}, DType: dtype.Int16, Fill: 7, Codecs: []codec.Spec{codec.Gzip(5)}}
	v2, v3 := base, base
	v2.Format, v3.Format = 2, 3
	sharded := v3
	sharded.Shards, sharded.Codecs = []int{4, 4}, nil
	uneven := v3
	uneven.Chunks, uneven.ChunkEdges, uneven.Codecs = nil, [][]int{{1, 3}, {2}}, nil
	noFill := v2
	noFill.Fill = zarr.NoFill
	for _, tt := range []struct {
		name string
		was  zarr.Spec
		is   func(*zarr.Spec)
		want error
		text string
	}{
		{"equal v2", v2, func(*zarr.Spec) {}, nil, ""},
		{"equal v3", v3, func(*zarr.Spec) {}, nil, ""},
		{"longer v2", v2, func(s *zarr.Spec) { s.Shape = []int{9, 4} }, nil, ""},
		{"longer v3", v3, func(s *zarr.Spec) { s.Shape = []int{9, 4} }, nil, ""},
		{"longer, uneven", uneven, func(s *zarr.Spec) { s.Shape, s.ChunkEdges = []int{9, 4}, [][]int{{1, 3, 5}, {2}} }, nil, ""},
		{"other attributes", v3, func(s *zarr.Spec) { s.Attrs = map[string]any{"a": 1} }, nil, ""},
		{"other dimension names", v3, func(s *zarr.Spec) { s.Dims = []string{"y", "x"} }, nil, ""},
		{"same codecs, spelled out", v3, func(s *zarr.Spec) {
			s.Codecs = []codec.Spec{{Name: "bytes", Config: []byte(`{ "endian" : "little" }`)}, codec.Gzip(5)}
		}, nil, ""},
		{"migrated", v2, func(s *zarr.Spec) { s.Format, s.Separator = 3, "." }, zarr.ErrConflict, "chunk key encoding"},
		{"zero instead of no fill value", noFill, func(s *zarr.Spec) { s.Fill = 0 }, nil, ""},
		{"one instead of no fill value", noFill, func(s *zarr.Spec) { s.Fill = 1 }, zarr.ErrConflict, "fill value"},
		{"shorter v2", v2, func(s *zarr.Spec) { s.Shape = []int{3, 4} }, zarr.ErrConflict, "shape"},
		{"shorter v3", v3, func(s *zarr.Spec) { s.Shape = []int{8, 3} }, zarr.ErrConflict, "shape"},
		{"other rank", v3, func(s *zarr.Spec) { s.Shape, s.Chunks = []int{4}, []int{2} }, zarr.ErrConflict, "shape"},
		{"other chunks v2", v2, func(s *zarr.Spec) { s.Chunks = []int{4, 2} }, zarr.ErrConflict, "chunk shape"},
		{"other chunks v3", v3, func(s *zarr.Spec) { s.Chunks = []int{4, 2} }, zarr.ErrConflict, "chunk shape"},
		{"other uneven chunks", uneven, func(s *zarr.Spec) { s.ChunkEdges = [][]int{{2, 2}, {2}} }, zarr.ErrConflict, "chunk shape"},
		{"other inner chunks", sharded, func(s *zarr.Spec) { s.Chunks = []int{1, 1} }, zarr.ErrConflict, "codecs"},
		{"other type", v3, func(s *zarr.Spec) { s.DType = dtype.Int32 }, zarr.ErrConflict, "data type"},
		{"other fill value v2", v2, func(s *zarr.Spec) { s.Fill = 8 }, zarr.ErrConflict, "fill value"},
		{"other fill value v3", v3, func(s *zarr.Spec) { s.Fill = 8 }, zarr.ErrConflict, "fill value"},
		{"other fill value, sharded", sharded, func(s *zarr.Spec) { s.Fill = 8 }, zarr.ErrConflict, "fill value"},
		{"other separator v2", v2, func(s *zarr.Spec) { s.Separator = "/" }, zarr.ErrConflict, "chunk key encoding"},
		{"other separator v3", v3, func(s *zarr.Spec) { s.Separator = "." }, zarr.ErrConflict, "chunk key encoding"},
		{"other codecs v2", v2, func(s *zarr.Spec) { s.Codecs = []codec.Spec{codec.Zstd(1)} }, zarr.ErrConflict, "codecs"},
		{"other codecs v3", v3, func(s *zarr.Spec) { s.Codecs = []codec.Spec{codec.Zstd(1)} }, zarr.ErrConflict, "codecs"},
		{"v2 to v3, other fill", v2, func(s *zarr.Spec) { s.Format, s.Fill = 3, 8 }, zarr.ErrConflict, "fill value"},
		{"v3 to v2, shorter", v3, func(s *zarr.Spec) { s.Format, s.Shape = 2, []int{1, 1} }, zarr.ErrConflict, "shape"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx := t.Context()
			st, g, _ := copiedArray(t, tt.was)
			old := mustOpenIn(t, g, "a")
			mustDelete(t, st, "top/a/zarr.json", "top/a/.zarray", "top/a/.zattrs")
			is := tt.was
			tt.is(&is)
			succeed(t, second(zarr.Create(ctx, st, "top/a", is)))
			got := make([]int16, 16)
			err := zarr.ReadInto(ctx, old, got)
			if !errors.Is(err, tt.want) || tt.want != nil && !strings.Contains(err.Error(), tt.text) {
				t.Fatalf("%v, want %v of the %s", err, tt.want, tt.text)
			}
			if tt.want == nil {
				return
			}
			if !strings.Contains(err.Error(), "Refresh") {
				t.Errorf("no remedy in %v", err)
			}
			now, err := old.Refresh(ctx)
			if err != nil || !slices.Equal(now.Shape(), is.Shape) {
				t.Fatalf("refreshed: %v, %v", now, err)
			}
			if err := now.Check(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestStaleInnerChunk replaces an array although one of its shards remains. The absent inner chunk
// of a stored shard is an absent chunk too.
func TestStaleInnerChunk(t *testing.T) {
	for _, stored := range []bool{true, false} {
		for _, caches := range []bool{true, false} {
			ctx := t.Context()
			var opts []zarr.Option
			if caches {
				opts = append(opts, zarr.Cache(cache.New(1<<20, cache.Revalidate(0))))
			}
			spec := zarr.Spec{Format: 3, Shape: []int{4}, Chunks: []int{2}, Shards: []int{4}, DType: dtype.Int8}
			st, g, _ := copiedArray(t, spec, opts...)
			succeed(t, zarr.Write(ctx, mustOpen(t, st, "top/a"), []int8{1, 2}, zarr.Range(0, 2)))
			a := mustOpenIn(t, g, "a")
			want := zarr.ErrNotFound
			mustDelete(t, st, "top/a/zarr.json")
			if stored {
				want, spec.Fill = zarr.ErrConflict, 9
				shard := mustGet(t, st, "top/a/c/0")
				mustDelete(t, st, "top/a/c/0")
				succeed(t, second(zarr.Create(ctx, st, "top/a", spec)))
				put(t, st, "top/a/c/0", string(shard))
			}
			if got, err := zarr.Read[int8](ctx, a, zarr.Range(0, 2)); err != nil || !slices.Equal(got, []int8{1, 2}) {
				t.Errorf("stored inner chunk: %v, %v", got, err)
			}
			for name, sel := range map[string]zarr.Selection{"absent": zarr.Range(2, 4), "both": zarr.All} {
				if got, err := zarr.Read[int8](ctx, a, sel); !errors.Is(err, want) {
					t.Errorf("%s: %v, %v, want %v", name, got, err, want)
				}
			}
		}
	}
}

// TestUndecodableStale reads a stored chunk of an array that was replaced by an array with another
// codec. The error says so. A corrupt chunk of an unchanged array remains an error of its own.
func TestUndecodableStale(t *testing.T) {
	ctx := t.Context()
	for _, format := range []int{2, 3} {
		spec := zarr.Spec{Format: format, Shape: []int{4}, DType: dtype.Int8, Codecs: []codec.Spec{codec.Zstd(1)}}
		st, g, _ := copiedArray(t, spec)
		old := mustOpenIn(t, g, "a")
		succeed(t, zarr.Write(ctx, mustOpen(t, st, "top/a"), []int8{1, 2, 3, 4}))
		if got, err := zarr.Read[int8](ctx, old); err != nil || !slices.Equal(got, []int8{1, 2, 3, 4}) {
			t.Errorf("v%d: %v, %v", format, got, err)
		}
		put(t, st, old.ChunkKey(0), "no frame")
		if _, err := zarr.Read[int8](ctx, mustOpenIn(t, g, "a")); !errors.Is(err, zarr.ErrCorrupt) || errors.Is(err, zarr.ErrConflict) {
			t.Errorf("v%d, corrupt: %v", format, err)
		}
		spec.Codecs = []codec.Spec{codec.Gzip(1)}
		other, err := zarr.Replace(ctx, st, "top/a", spec)
		if err == nil {
			err = zarr.Write(ctx, other, []int8{5, 6, 7, 8})
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := zarr.Read[int8](ctx, old); !errors.Is(err, zarr.ErrConflict) || !errors.Is(err, zarr.ErrCorrupt) {
			t.Errorf("v%d, replaced: %v", format, err)
		}
	}
}

// TestFillUnproven checks that a document that cannot be read proves neither that the array exists
// nor that it is absent, and that the next read checks again.
func TestFillUnproven(t *testing.T) {
	for _, format := range []int{2, 3} {
		for _, kind := range []error{zarr.ErrRefused, zarr.ErrThrottled, zarr.ErrUnavailable, zarr.ErrConflict, zarr.ErrCorrupt, io.ErrUnexpectedEOF} {
			ctx := t.Context()
			st, _, _ := copiedArray(t, zarr.Spec{Format: format, Shape: []int{4}, DType: dtype.Int8})
			var fails error
			g, err := zarr.OpenGroup(ctx, answers{st, func(key string) error {
				if strings.HasPrefix(key, "top/a/") && strings.HasSuffix(key, documentOf[format]) {
					return fails
				}
				return nil
			}}, "top")
			if err != nil {
				t.Fatal(err)
			}
			a := mustOpenIn(t, g, "a")
			fails = kind
			for range 2 {
				if got, err := zarr.Read[int8](ctx, a); !errors.Is(err, kind) || errors.Is(err, zarr.ErrNotFound) || !strings.Contains(err.Error(), documentOf[format]) {
					t.Errorf("v%d: %v, %v, want %v", format, got, err, kind)
				}
			}
			fails = nil
			if _, err := zarr.Read[int8](ctx, a); err != nil {
				t.Errorf("v%d: readable again after %v: %v", format, kind, err)
			}
		}
		st, g, _ := copiedArray(t, zarr.Spec{Format: format, Shape: []int{4}, DType: dtype.Int8})
		a := mustOpenIn(t, g, "a")
		put(t, st, "top/a/"+documentOf[format], `{"zarr_format":`)
		if _, err := zarr.Read[int8](t.Context(), a); !errors.Is(err, zarr.ErrMetadata) {
			t.Errorf("v%d, malformed: %v", format, err)
		}
		mustDelete(t, st, "top/a/"+documentOf[format])
		put(t, st, "top/a/zarr.json", `{"zarr_format":3,"node_type":"group"}`)
		if _, err := zarr.Read[int8](t.Context(), a); !errors.Is(err, zarr.ErrNotFound) || !strings.Contains(err.Error(), "group") {
			t.Errorf("v%d, replaced by a group: %v", format, err)
		}
	}
}

// TestFillCancelled checks that a reader whose context ends during the shared check leaves it, and
// that the other readers get its result.
func TestFillCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, _, _ := copiedArray(t, zarr.Spec{Format: 3, Shape: []int{4}, DType: dtype.Int8})
		checks := 0
		g, err := zarr.OpenGroup(t.Context(), answers{st, func(key string) error {
			if key == "top/a/zarr.json" {
				checks++
				time.Sleep(time.Second)
			}
			return nil
		}}, "top", bubble())
		if err != nil {
			t.Fatal(err)
		}
		a := mustOpenIn(t, g, "a")
		first, cancel := context.WithCancel(t.Context())
		var left error
		var all sync.WaitGroup
		all.Go(func() { _, left = zarr.Read[int8](first, a) })
		synctest.Wait()
		for range 4 {
			all.Go(func() {
				if got, err := zarr.Read[int8](t.Context(), a); err != nil || !slices.Equal(got, make([]int8, 4)) {
					t.Errorf("%v, %v", got, err)
				}
			})
		}
		synctest.Wait()
		cancel()
		all.Wait()
		if !errors.Is(left, context.Canceled) || checks != 1 {
			t.Errorf("the first reader: %v; %d checks", left, checks)
		}
	})
}
