package zarr_test

import (
	"errors"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestPointersToCodecs checks that an error about a codec points to the member of the document, by
// the names of the document's format.
func TestPointersToCodecs(t *testing.T) {
	v3 := func(codecs string) string {
		return `{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"int32","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},` +
			`"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[` + codecs + `]}`
	}
	v2 := func(filters, compressor string) string {
		return `{"zarr_format":2,"shape":[4,4],"chunks":[4,4],"dtype":"<i4","fill_value":0,"order":"F","filters":` + filters + `,"compressor":` + compressor + `}`
	}
	v1 := `{"zarr_format":1,"shape":[4],"chunks":[4],"dtype":"<i4","fill_value":0,"order":"C","compression":"foo","compression_opts":null}`
	object := `{"zarr_format":2,"shape":[4],"chunks":[4],"dtype":"|O","fill_value":"","order":"C","filters":[{"id":"vlen-utf8"},{"id":"foo"}],"compressor":null}`
	little, inner := `{"name":"bytes","configuration":{"endian":"little"}}`, `{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":["bytes","foo"]}}`
	for _, tt := range []struct{ name, put, doc, key, pointer string }{
		{"v3", "zarr.json", v3(little + `,"crc32c",{"name":"gzip","configuration":{"level":42}}`), "zarr.json", "/codecs/2"},
		{"v3, in a shard", "zarr.json", v3(`{"name":"transpose","configuration":{"order":[0]}},` + inner), "zarr.json", "/codecs/1"},
		{"v3, none that makes bytes", "zarr.json", v3(`{"name":"transpose","configuration":{"order":[0]}}`), "zarr.json", "/codecs"},
		{"compressor", ".zarray", v2(`null`, `{"id":"foo"}`), ".zarray", "/compressor"},
		{"compressor after filters", ".zarray", v2(`[{"id":"shuffle"}]`, `{"id":"foo"}`), ".zarray", "/compressor"},
		{"filter", ".zarray", v2(`[{"id":"shuffle"},{"id":"delta"}]`, `{"id":"zlib"}`), ".zarray", "/filters/1"},
		{"last filter", ".zarray", v2(`[{"id":"shuffle"},{"id":"delta"}]`, `null`), ".zarray", "/filters/1"},
		{"objects", ".zarray", object, ".zarray", "/filters/1"},
		{"v1", "meta", v1, "meta", "/compression"},
		{"consolidated v2", ".zmetadata", `{"zarr_consolidated_format":1,"metadata":{".zgroup":{"zarr_format":2},"x/y/.zarray":` + v2(`null`, `{"id":"foo"}`) + `}}`, "g/x/y/.zarray", "/compressor"},
		{"consolidated v3", "zarr.json", `{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{"x/~y":` + v3(`"foo"`) + `}}}`, "g/zarr.json", "/consolidated_metadata/metadata/x~1~0y/codecs/0"},
	} {
		st, err := mem.New(), error(nil)
		if tt.key[:2] == "g/" {
			put(t, st, "g/"+tt.put, tt.doc)
			if tt.put == ".zmetadata" {
				put(t, st, "g/.zgroup", `{"zarr_format":2}`)
			}
			g, e := zarr.OpenGroup(t.Context(), st, "g")
			if e != nil {
				t.Fatal(e)
			}
			for _, err = range g.Walk(t.Context()) {
				continue
			}
		} else {
			put(t, st, tt.put, tt.doc)
			if tt.put == "meta" {
				put(t, st, "attrs", `{}`)
			}
			_, err = zarr.OpenArray(t.Context(), st, "")
		}
		var m *zarr.MetaError
		if !errors.As(err, &m) || m.Key != tt.key || m.Pointer != tt.pointer {
			t.Errorf("%s: %v, want %s at %s", tt.name, err, tt.key, tt.pointer)
		}
	}
}
