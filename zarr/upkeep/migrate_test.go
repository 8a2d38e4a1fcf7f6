package upkeep_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/zarrtest"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// chunks returns all keys that are not metadata, with their values.
func chunks(t *testing.T, st store.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	for e, err := range st.List(t.Context(), "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		name := e.Key[strings.LastIndexByte(e.Key, '/')+1:]
		if strings.HasPrefix(name, ".z") || name == "zarr.json" || name == "meta" || name == "attrs" {
			continue
		}
		all[e.Key] = string(zarrtest.Bytes(t, st, e.Key))
	}
	return all
}

func TestMigrate(t *testing.T) {
	for _, remove := range []bool{false, true} {
		st := mem.New()
		root, err := zarr.CreateGroup(t.Context(), st, "", zarr.Spec{Format: 2, Attrs: map[string]any{"title": "all"}})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string][]int32{}
		for path, spec := range map[string]zarr.Spec{
			"plain":    {Codecs: []codec.Spec{}},
			"fortran":  {Order: "F", Codecs: []codec.Spec{codec.Gzip(2), codec.CRC32C()}},
			"in/blosc": {Separator: "/", Codecs: []codec.Spec{codec.Bytes(dtype.Big), codec.Blosc(codec.BloscOptions{Cname: "lz4"})}},
			"in/zlib":  {Fill: zarr.NoFill, Codecs: []codec.Spec{codec.Zlib(3)}},
			"in/zstd":  {Attrs: map[string]any{"_ARRAY_DIMENSIONS": []string{"y", "x"}, "units": "K"}},
		} {
			spec.Shape, spec.Chunks, spec.DType = []int{5, 7}, []int{2, 3}, dtype.Int32
			a, err := root.CreateArray(t.Context(), path, spec)
			if err != nil {
				t.Fatal(err)
			}
			src := make([]int32, 35)
			for i := range src {
				src[i] = int32(i*i + len(path))
			}
			check(t, zarr.Write(t.Context(), a, src))
			want[path] = src
		}
		if root, err = root.Consolidate(t.Context()); err != nil {
			t.Fatal(err)
		}
		before := chunks(t, st)
		if _, err := upkeep.Migrate(t.Context(), root, upkeep.MigrateOptions{DryRun: true, Remove: remove}); err != nil {
			t.Fatal(err)
		}
		if n, err := zarr.Open(t.Context(), st, ""); err != nil || n.Format() != 2 {
			t.Fatalf("a dry run changed something: %v, %v", n, err)
		}
		steps, err := upkeep.Migrate(t.Context(), root, upkeep.MigrateOptions{Remove: remove})
		if err != nil || len(steps) != 7 {
			t.Fatalf("%v, %v", steps, err)
		}
		if after := chunks(t, st); len(after) != len(before) {
			t.Errorf("%d chunks, there were %d", len(after), len(before))
		} else {
			for key, value := range before {
				if after[key] != value {
					t.Errorf("chunk %s changed", key)
				}
			}
		}
		g, err := zarr.OpenGroup(t.Context(), st, "", zarr.Format(3))
		if err != nil {
			t.Fatal(err)
		}
		if d, err := upkeep.CheckConsolidated(t.Context(), g); err != nil || len(d) > 0 {
			t.Errorf("consolidated metadata: %v, %v", d, err)
		}
		for path, values := range want {
			a, err := g.OpenArray(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := zarr.Read[int32](t.Context(), a); err != nil || !slices.Equal(got, values) {
				t.Errorf("%s: %v, %v", path, got, err)
			}
			for _, c := range a.Codecs() {
				if strings.HasPrefix(c.Name, "numcodecs.") && c.Name != "numcodecs.zlib" {
					t.Errorf("%s has the codec %s", path, c.Name)
				}
			}
			if dims := a.Dims(); path == "in/zstd" && (!slices.Equal(dims, []string{"y", "x"}) || len(a.Attrs()) != 2 || a.Attrs()["_FillValue"] != json.Number("0")) {
				t.Errorf("dimensions %q, attributes %v", dims, a.Attrs())
			}
		}
		_, err = zarr.OpenArray(t.Context(), st, "in/zstd", zarr.Format(2))
		if remove != errors.Is(err, zarr.ErrNotFound) {
			t.Errorf("remove %v: as v2: %v", remove, err)
		}
		again, err := upkeep.Migrate(t.Context(), g, upkeep.MigrateOptions{Remove: true})
		if err != nil || remove != (len(again) == 0) {
			t.Errorf("a second time: %v, %v", again, err)
		}
		if n, err := zarr.Open(t.Context(), st, "in/zstd", zarr.Format(2)); !errors.Is(err, zarr.ErrNotFound) {
			t.Errorf("after the second time there is still %v, %v", n, err)
		}
	}
}

func TestMigrateV1(t *testing.T) {
	st := mem.New()
	for key, value := range map[string]string{
		"meta":  `{"zarr_format":1,"shape":[3],"chunks":[2],"dtype":"|u1","fill_value":9,"compression":"none","compression_opts":null}`,
		"attrs": `{"foo":42}`,
		"0":     "\x01\x02",
	} {
		if _, err := st.Put(t.Context(), key, []byte(value), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	a, err := zarr.OpenArray(t.Context(), st, "")
	if err != nil {
		t.Fatal(err)
	}
	steps, err := upkeep.Migrate(t.Context(), a, upkeep.MigrateOptions{Remove: true})
	if err != nil || len(steps) != 1 || steps[0].String() != "v1 → zarr.json, removes meta, removes attrs" {
		t.Fatalf("%v, %v", steps, err)
	}
	if a, err = zarr.OpenArray(t.Context(), st, ""); err != nil || a.Format() != 3 {
		t.Fatalf("%v, %v", a, err)
	}
	if err := zarr.Write(t.Context(), a, []uint8{7}, zarr.At(2)); err != nil {
		t.Error(err)
	}
	if got, err := zarr.Read[uint8](t.Context(), a); err != nil || !bytes.Equal(got, []uint8{1, 2, 7}) {
		t.Errorf("%v, %v", got, err)
	}
	if foo, _, _ := zarr.Attr[int](a, "foo"); foo != 42 {
		t.Errorf("foo is %d", foo)
	}
}

// TestMigrateKeepsWhatChanged checks that a document that changed since it was read is not removed.
func TestMigrateKeepsWhatChanged(t *testing.T) {
	st := mem.New()
	if _, err := zarr.Create(t.Context(), st, "a", zarr.Spec{Format: 2, Shape: []int{3}, DType: dtype.Int8, Attrs: map[string]any{"x": 1}}); err != nil {
		t.Fatal(err)
	}
	// Replace the attributes as soon as the new document exists.
	watch := store.Observe(st, func(_ context.Context, e store.Event) {
		if e.Op == "put" && e.Key == "a/zarr.json" {
			if _, err := st.Put(t.Context(), "a/.zattrs", []byte(`{"x":2}`), store.PutOptions{}); err != nil {
				t.Error(err)
			}
		}
	})
	a, err := zarr.OpenArray(t.Context(), watch, "a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := upkeep.Migrate(t.Context(), a, upkeep.MigrateOptions{Remove: true}); !errors.Is(err, zarr.ErrConflict) {
		t.Errorf("got %v", err)
	}
	if v, err := st.Get(t.Context(), "a/.zattrs", store.GetOptions{}, nil); err != nil || string(v.Bytes) != `{"x":2}` {
		t.Errorf("%s, %v", v.Bytes, err)
	}
}

// TestMigrateConsolidated checks that consolidated metadata of v2 becomes that of v3 and is then
// removed, however the group was opened.
func TestMigrateConsolidated(t *testing.T) {
	for _, opts := range [][]zarr.Option{nil, {zarr.Format(2)}} {
		st := mem.New()
		if _, err := forest(t, st, 2).Consolidate(t.Context()); err != nil {
			t.Fatal(err)
		}
		has := func(key string) bool {
			_, err := st.Get(t.Context(), key, store.GetOptions{}, nil)
			if err != nil && !errors.Is(err, zarr.ErrNotFound) {
				t.Fatal(err)
			}
			return err == nil
		}
		g, err := zarr.OpenGroup(t.Context(), st, "top", opts...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := upkeep.Migrate(t.Context(), g, upkeep.MigrateOptions{}); err != nil {
			t.Fatal(err)
		}
		if g, err = zarr.OpenGroup(t.Context(), st, "top"); err != nil {
			t.Fatal(err)
		}
		if d, err := upkeep.CheckConsolidated(t.Context(), g); err != nil || d != nil || g.Format() != 3 || !has("top/.zmetadata") {
			t.Errorf("%v: v%d, %v, %v", opts, g.Format(), d, err)
		}
		// The second migration finds g as v3, writes nothing and deletes the remaining v2
		// documents.
		if _, err := upkeep.Migrate(t.Context(), g, upkeep.MigrateOptions{Remove: true}); err != nil {
			t.Fatal(err)
		}
		if d, err := upkeep.CheckConsolidated(t.Context(), g); err != nil || d != nil || has("top/.zmetadata") || has("top/.zgroup") || has("top/x/y/b/.zarray") {
			t.Errorf("%v: %v, %v, or something of v2 is left", opts, d, err)
		}
	}
}

// TestMigrateKeepsNewConsolidated checks that consolidated metadata which was rewritten in between
// is not removed.
func TestMigrateKeepsNewConsolidated(t *testing.T) {
	st := mem.New()
	if _, err := forest(t, st, 2).Consolidate(t.Context()); err != nil {
		t.Fatal(err)
	}
	watch := store.Observe(st, func(_ context.Context, e store.Event) {
		if e.Op == "put" && e.Key == "top/zarr.json" {
			if _, err := st.Put(t.Context(), "top/.zmetadata", []byte("{}"), store.PutOptions{}); err != nil {
				t.Error(err)
			}
		}
	})
	g, err := zarr.OpenGroup(t.Context(), watch, "top")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := upkeep.Migrate(t.Context(), g, upkeep.MigrateOptions{Remove: true}); !errors.Is(err, zarr.ErrConflict) {
		t.Errorf("got %v", err)
	}
	if v, err := st.Get(t.Context(), "top/.zmetadata", store.GetOptions{}, nil); err != nil || string(v.Bytes) != "{}" {
		t.Errorf("%s, %v", v.Bytes, err)
	}
}

// TestMigrateMissingValues checks that the fill value, which xarray treats as missing data in v2,
// becomes the attribute that marks missing data in v3.
func TestMigrateMissingValues(t *testing.T) {
	for _, tt := range []struct {
		name string
		dims any
		fill any
		o    upkeep.MigrateOptions
		want any
	}{
		{"names", []string{"x"}, -7, upkeep.MigrateOptions{}, "-7"},
		{"undefined", []string{"x"}, zarr.NoFill, upkeep.MigrateOptions{}, "<nil>"},
		{"no names", nil, -7, upkeep.MigrateOptions{}, "<nil>"},
		{"switched off", []string{"x"}, -7, upkeep.MigrateOptions{NoFillAttribute: true}, "<nil>"},
	} {
		st := mem.New()
		spec := zarr.Spec{Format: 2, Shape: []int{2}, DType: dtype.Int16, Fill: tt.fill}
		if tt.dims != nil {
			spec.Attrs = map[string]any{"_ARRAY_DIMENSIONS": tt.dims}
		}
		a, err := zarr.Create(t.Context(), st, "x", spec)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := upkeep.Migrate(t.Context(), a, tt.o)
		if err != nil || strings.Contains(steps[0].String(), "_FillValue is -7") != (tt.want == "-7") {
			t.Errorf("%s: %v, %v", tt.name, steps, err)
		}
		b, err := zarr.OpenArray(t.Context(), st, "x", zarr.Format(3))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(b.Attrs()["_FillValue"]); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
