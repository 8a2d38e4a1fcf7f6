package zarr_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestNodesAmongOtherThings checks that a node is recognized by its own document under a valid
// name, and that other objects are ignored. A name that v3 reserves is a name of an existing node.
func TestNodesAmongOtherThings(t *testing.T) {
	for format, want := range map[int][]string{2: {"A", "__a", "a", "late", "late/x"}, 3: {"A", "__a", "a", "late", "late/x"}} {
		t.Run(fmt.Sprint("v", format), func(t *testing.T) {
			st := mem.New()
			doc, group := "zarr.json", `{"zarr_format":3,"node_type":"group"}`
			if format == 2 {
				doc, group = ".zgroup", `{"zarr_format":2}`
			}
			for _, dir := range []string{"", "A/", "a/", "__a/", "late/", "late/x/"} {
				put(t, st, dir+doc, group)
			}
			for _, dir := range []string{"", "a/", "folder/", ".ipynb_checkpoints/", "__a/"} {
				for _, name := range []string{".nczarr", ".nczgroup", ".nczarray", ".nczattr", ".DS_Store", "." + doc + ".swp", doc + "~", "README.md"} {
					put(t, st, dir+name, `{"not": ours`)
				}
			}
			put(t, st, "implied/x/"+doc, group)
			g, err := zarr.OpenGroup(t.Context(), st, "")
			if err != nil {
				t.Fatal(err)
			}
			if got := paths(t, g); !slices.Equal(got, want) {
				t.Errorf("walked %v, want %v", got, want)
			}
			// A prefix without a document is not a group. Nodes below it are opened by their paths.
			if _, err := zarr.OpenGroup(t.Context(), st, "implied"); !errors.Is(err, zarr.ErrNotFound) {
				t.Errorf("a group without a document: %v", err)
			}
			if _, err := zarr.OpenGroup(t.Context(), st, "implied/x"); err != nil {
				t.Error(err)
			}
			if _, err := zarr.OpenGroup(t.Context(), st, "LATE"); !errors.Is(err, zarr.ErrNotFound) {
				t.Errorf("names in another case: %v", err)
			}
		})
	}
}

// TestNamesOfNewNodes checks that paths are normalized, and that names which a format forbids are
// refused before anything is stored.
func TestNamesOfNewNodes(t *testing.T) {
	for _, tt := range []struct {
		path   string
		v2, v3 bool
	}{
		{"//a///b/", true, true}, {"..a/b..", true, true}, {"__a", true, false}, {"a/__b/c", true, false}, {"a/...", true, false}, {"zarr.json", true, false}, {"a/.zarray", false, true},
		{"a/../b", false, false}, {"./a", false, false}, {"..", false, false}, {`a\b`, false, false},
	} {
		for format, ok := range map[int]bool{2: tt.v2, 3: tt.v3} {
			st := mem.New()
			a, err := zarr.Create(t.Context(), st, tt.path, zarr.Spec{Format: format, Shape: []int{2}, DType: dtype.Int8})
			_, err2 := zarr.CreateGroup(t.Context(), mem.New(), tt.path, zarr.Spec{Format: format})
			if !ok {
				if !errors.Is(err, zarr.ErrPath) || !errors.Is(err2, zarr.ErrPath) || len(keys(t, st)) > 0 {
					t.Errorf("%q in v%d: %v, %v, stored %v", tt.path, format, err, err2, keys(t, st))
				}
				continue
			}
			if err != nil || err2 != nil || a.Path() != strings.Trim(strings.ReplaceAll(tt.path, "///", "/"), "/") {
				t.Errorf("%q in v%d: %v, %v, %v", tt.path, format, a, err, err2)
			}
		}
	}
}

// TestCodecsAreNeverPassedOver checks that an unknown codec is refused whatever must_understand is,
// because chunks cannot be decoded without it.
func TestCodecsAreNeverPassedOver(t *testing.T) {
	st := mem.New()
	put(t, st, "zarr.json", `{"zarr_format":3,"node_type":"array","shape":[2],"data_type":"int8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},
		"chunk_key_encoding":"default","fill_value":0,"codecs":["bytes",{"name":"nosuchcodec","must_understand":false}]}`)
	if _, err := zarr.OpenArray(t.Context(), st, ""); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "nosuchcodec") {
		t.Errorf("%v", err)
	}
}

// TestEdgeChunksAreWhole checks that a chunk at the edge of the array is stored whole, with the
// fill value beyond the edge.
func TestEdgeChunksAreWhole(t *testing.T) {
	for _, tt := range []struct {
		name string
		spec zarr.Spec
		key  string
		want []byte
	}{
		{"v3", zarr.Spec{Shape: []int{3, 2}, Chunks: []int{2, 3}}, "c/1/0", []byte{5, 6, 9, 9, 9, 9}},
		{"v2", zarr.Spec{Format: 2, Shape: []int{3, 2}, Chunks: []int{2, 3}}, "1.0", []byte{5, 6, 9, 9, 9, 9}},
		{"v2 in F order", zarr.Spec{Format: 2, Order: "F", Shape: []int{3, 2}, Chunks: []int{2, 3}}, "1.0", []byte{5, 9, 6, 9, 9, 9}},
		{"longer than the array", zarr.Spec{Shape: []int{3, 2}, Chunks: []int{4, 2}}, "c/0/0", []byte{1, 2, 3, 4, 5, 6, 9, 9}},
	} {
		for _, parts := range []bool{false, true} {
			st := mem.New()
			tt.spec.DType, tt.spec.Fill, tt.spec.Codecs = dtype.Uint8, 9, []codec.Spec{}
			a := mustCreate(t, st, "", tt.spec)
			sels, all := [][]zarr.Selection{nil}, []uint8{1, 2, 3, 4, 5, 6}
			if parts {
				sels = [][]zarr.Selection{{zarr.All, zarr.At(0)}, {zarr.All, zarr.At(1)}}
			}
			for i, sel := range sels {
				values := all
				if parts {
					values = []uint8{all[i], all[i+2], all[i+4]}
				}
				succeed(t, zarr.Write(t.Context(), a, values, sel...))
			}
			if got := mustGet(t, st, tt.key); !bytes.Equal(got, tt.want) {
				t.Errorf("%s, in parts: %v: %v, want %v", tt.name, parts, got, tt.want)
			}
			if got, err := zarr.Read[uint8](t.Context(), a); err != nil || !slices.Equal(got, all) {
				t.Errorf("%s: read %v, %v", tt.name, got, err)
			}
			// Other writers may store any elements beyond the edge.
			put(t, st, tt.key, string(bytes.ReplaceAll(tt.want, []byte{9}, []byte{77})))
			if got, err := zarr.Read[uint8](t.Context(), a); err != nil || !slices.Equal(got, all) {
				t.Errorf("%s: read %v, %v", tt.name, got, err)
			}
			// A chunk that is shortened to the part inside the array is invalid.
			put(t, st, tt.key, string(tt.want[:2]))
			if got, err := zarr.Read[uint8](t.Context(), a); !errors.Is(err, zarr.ErrCorrupt) {
				t.Errorf("%s: cut: %v, %v", tt.name, got, err)
			}
		}
	}
}

// TestKeysInTheStore checks that chunk keys of an array at the root do not start with a slash, and
// that an array without elements has no keys.
func TestKeysInTheStore(t *testing.T) {
	for _, tt := range []struct {
		path string
		spec zarr.Spec
		want []string
	}{
		{"", zarr.Spec{Shape: []int{1, 2}}, []string{"c/0/0", "c/0/1", "zarr.json"}},
		{"", zarr.Spec{Shape: []int{1, 2}, Separator: "."}, []string{"c.0.0", "c.0.1", "zarr.json"}},
		{"", zarr.Spec{Shape: []int{}}, []string{"c", "zarr.json"}},
		{"", zarr.Spec{Format: 2, Shape: []int{1, 2}}, []string{".zarray", "0.0", "0.1"}},
		{"", zarr.Spec{Format: 2, Shape: []int{1, 2}, Separator: "/"}, []string{".zarray", "0/0", "0/1"}},
		{"", zarr.Spec{Format: 2, Shape: []int{}}, []string{".zarray", "0"}},
		{"", zarr.Spec{Shape: []int{2, 0}}, []string{"zarr.json"}},
		{"", zarr.Spec{Format: 2, Shape: []int{0}}, []string{".zarray"}},
		{"a", zarr.Spec{Shape: []int{1, 1}}, []string{"a/c/0/0", "a/zarr.json", "zarr.json"}},
		{"a", zarr.Spec{Format: 2, Shape: []int{}}, []string{".zgroup", "a/.zarray", "a/0"}},
	} {
		st := mem.New()
		tt.spec.DType, tt.spec.Chunks = dtype.Int8, slices.Repeat([]int{1}, len(tt.spec.Shape))
		a := mustCreate(t, st, tt.path, tt.spec)
		n := 1
		for _, d := range tt.spec.Shape {
			n *= d
		}
		succeed(t, zarr.Write(t.Context(), a, slices.Repeat([]int8{1}, n)))
		if got := keys(t, st); !slices.Equal(got, tt.want) {
			t.Errorf("%q v%d %v: %v, want %v", tt.path, tt.spec.Format, tt.spec.Shape, got, tt.want)
		}
	}
}

// TestFillIsRecorded checks that a default fill value is stored in the metadata, also in v2, and
// that null, which is valid only in v2, reads as zero.
func TestFillIsRecorded(t *testing.T) {
	for format, key := range map[int]string{2: ".zarray", 3: "zarr.json"} {
		st := mem.New()
		mustCreate(t, st, "", zarr.Spec{Format: format, Shape: []int{2}, DType: dtype.Float32})
		if doc := mustGet(t, st, key); !strings.Contains(string(doc), `"fill_value": 0.0`) {
			t.Errorf("v%d: %s", format, doc)
		}
	}
	st := mem.New()
	a := mustCreate(t, st, "", zarr.Spec{Format: 2, Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int16, Fill: zarr.NoFill})
	if doc := mustGet(t, st, ".zarray"); !strings.Contains(string(doc), `"fill_value": null`) {
		t.Errorf("%s", doc)
	}
	if got, err := zarr.Read[int16](t.Context(), a); err != nil || !slices.Equal(got, []int16{0, 0, 0, 0}) {
		t.Errorf("null: %v, %v", got, err)
	}
	if err := zarr.Write(t.Context(), a, []int16{0, 0}, zarr.Range(0, 2)); err != nil || !slices.Equal(keys(t, st), []string{".zarray", "0"}) {
		t.Errorf("zeros of an array without a fill value: %v, %v", keys(t, st), err)
	}
}

// TestShardIndexIsFull checks that the index of a shard has an entry for every inner chunk,
// including those beyond the edge of the array.
func TestShardIndexIsFull(t *testing.T) {
	st := mem.New()
	a := mustCreate(t, st, "", zarr.Spec{Shape: []int{5}, Chunks: []int{2}, Shards: []int{8}, DType: dtype.Uint8, Codecs: []codec.Spec{}})
	succeed(t, zarr.Write(t.Context(), a, []uint8{1, 2, 3, 4, 5}))
	shard := mustGet(t, st, "c/0")
	if len(shard) != 3*2+4*16+4 || !bytes.Equal(shard[6+3*16:6+4*16], bytes.Repeat([]byte{255}, 16)) || !bytes.Equal(shard[:6], []byte{1, 2, 3, 4, 5, 0}) {
		t.Errorf("%x", shard)
	}
}
