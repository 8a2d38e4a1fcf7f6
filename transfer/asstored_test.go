package transfer_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// unknown returns documents of arrays that this version cannot open, for each format.
func unknown() map[int]map[string]string {
	v3 := func(dtype, grid, codecs string) string {
		return `{"zarr_format":3,"node_type":"array","shape":[4],"data_type":` + dtype + `,"chunk_grid":` + grid +
			`,"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},"fill_value":0,"codecs":` + codecs + `,"attributes":{}}`
	}
	v2 := func(dtype, compressor, filters string) string {
		return `{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":` + dtype + `,"compressor":` + compressor + `,"fill_value":0,"order":"C","filters":` + filters + `}`
	}
	regular := `{"name":"regular","configuration":{"chunk_shape":[2]}}`
	return map[int]map[string]string{
		3: {
			"codec":  v3(`"int8"`, regular, `[{"name":"bytes"},{"name":"acme.secret","configuration":{"key":1}}]`),
			"serial": v3(`"int8"`, regular, `[{"name":"acme.serial"}]`),
			"inner":  v3(`"int8"`, regular, `[{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":[{"name":"acme.serial"}],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]`),
			"type":   v3(`"acme.type"`, regular, `[{"name":"bytes"}]`),
			"grid":   v3(`"int8"`, `{"name":"acme.grid"}`, `[{"name":"bytes"}]`),
		},
		2: {
			"codec":  v2(`"|i1"`, `{"id":"acme"}`, `null`),
			"filter": v2(`"|i1"`, `null`, `[{"id":"acme"}]`),
			"pickle": v2(`"|O"`, `null`, `[{"id":"pickle"}]`),
		},
	}
}

// TestUnknownCodecs copies a hierarchy with arrays that cannot be opened. All objects of the copy
// equal those of the source, also the consolidated metadata.
func TestUnknownCodecs(t *testing.T) {
	ctx := t.Context()
	for format, docs := range unknown() {
		for _, consolidated := range []bool{false, true} {
			t.Run(fmt.Sprintf("v%d/%v", format, consolidated), func(t *testing.T) {
				w := newWorld(t, mem.New(), mem.New())
				g := must(zarr.CreateGroup(ctx, w.src, "g", zarr.Spec{Format: format}))
				a := must(g.CreateArray(ctx, "known", zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int8}))
				check(t, zarr.Write(ctx, a, []int8{1, 2, 3, 4}))
				for name, doc := range docs {
					put := func(key, text string) { must(w.src.Put(ctx, "g/"+name+"/"+key, []byte(text), store.PutOptions{})) }
					if format == 2 {
						put(".zarray", doc)
						put(".zattrs", `{"name":"`+name+`"}`)
						put("0", "first "+name)
						put("1", "second "+name)
						continue
					}
					put("zarr.json", doc)
					put("c/0", "first "+name)
					put("c/1", strings.Repeat("long", 1<<19))
				}
				o := transfer.Options{Target: transfer.Place{Path: "out"}, Consolidate: consolidated}
				p := w.plan(g, o)
				w.run(p)
				src, dst := trimmed(all(t, w.src, "g"), "g/"), trimmed(copied(t, w.dst), "out/")
				delete(src, "zarr.json")
				for key, text := range dst {
					if key != "zarr.json" && key != ".zmetadata" && src[key] != text {
						t.Errorf("%q differs", key)
					}
					delete(src, key)
				}
				if len(src) > 0 {
					t.Errorf("not copied: %q", slices.Sorted(maps.Keys(src)))
				}
				text := dst[map[int]string{2: ".zmetadata", 3: "zarr.json"}[format]]
				if got := strings.Count(text, "acme"); consolidated != (got > 0) {
					t.Errorf("the consolidated metadata has %d unknown names: %s", got, text)
				}
				check(t, transfer.Clean(ctx, p, w.open))
				if missing, err := transfer.Verify(ctx, p, w.open); err != nil || len(missing) > 0 {
					t.Errorf("verify: %v, %v", missing, err)
				}
				key := map[int]string{2: "codec/0", 3: "codec/c/0"}[format]
				must(w.dst.Put(ctx, "out/"+key, []byte("other"), store.PutOptions{}))
				if _, err := transfer.Verify(ctx, p, w.open); !errors.Is(err, fault.Exists) {
					t.Errorf("verify of another value: %v", err)
				}

				o.Target.Path = "other"
				for name, other := range map[string]transfer.Options{"format": {Format: 5 - format}, "codecs": {Codecs: []codec.Spec{codec.Zstd(1)}}} {
					other.Target = o.Target
					if _, err := transfer.NewPlan(ctx, g, w.dst, other); !errors.Is(err, errors.ErrUnsupported) {
						t.Errorf("with another %s: %v", name, err)
					}
				}
				late := w.plan(g, o)
				doc := map[int]string{2: "g/codec/.zattrs", 3: "g/codec/zarr.json"}[format]
				must(w.src.Put(ctx, doc, []byte(strings.Replace(get(t, w.src, doc), "}", `,"more":1}`, 1)), store.PutOptions{}))
				if err := transfer.Run(ctx, late, w.open, transfer.RunOptions{}); !errors.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "g/codec") {
					t.Errorf("a changed document: %v", err)
				}
			})
		}
	}
}

// trimmed removes a prefix from all keys, and drops other keys.
func trimmed(values map[string]string, prefix string) map[string]string {
	out := map[string]string{}
	for key, text := range values {
		if key, ok := strings.CutPrefix(key, prefix); ok {
			out[key] = text
		}
	}
	return out
}

func get(t *testing.T, st store.Store, key string) string {
	t.Helper()
	return string(must(st.Get(t.Context(), key, store.GetOptions{}, nil)).Bytes)
}
