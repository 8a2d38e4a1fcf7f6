package meta

import (
	"errors"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// unsupported is a short name for the tables.
var unsupported = errors.ErrUnsupported

const valid3 = `{"zarr_format":3,"node_type":"array","shape":[4,6],"data_type":"float32",
"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,3]}},"chunk_key_encoding":{"name":"default"},"fill_value":0,
"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"attributes":{"a":1},"dimension_names":["y",null],"storage_transformers":[]}`

const valid2 = `{"zarr_format":2,"shape":[4,6],"chunks":[2,3],"dtype":"<f4","compressor":{"id":"zlib","level":1},"fill_value":0,"order":"C","filters":null}`

// edit returns doc with the text old, which it must contain, replaced by with.
func edit(t *testing.T, doc, old, with string) string {
	t.Helper()
	if strings.Count(doc, old) != 1 {
		t.Fatalf("%q is there %d times", old, strings.Count(doc, old))
	}
	return strings.Replace(doc, old, with, 1)
}

// refused checks an error's document, pointer and kind.
func refused(t *testing.T, err error, key, pointer string, kind error) {
	t.Helper()
	var m *fault.MetaError
	if !errors.As(err, &m) || !errors.Is(err, kind) {
		t.Fatalf("%v, want %v", err, kind)
	}
	if m.Key != key || m.Pointer != pointer {
		t.Errorf("at %q %q, want %q %q: %v", m.Key, m.Pointer, key, pointer, err)
	}
}

func TestInvalidV3(t *testing.T) {
	tests := []struct {
		name, old, with string
		pointer         string
		kind            error
	}{
		{"format a string", `"zarr_format":3`, `"zarr_format":"3"`, "/zarr_format", fault.Metadata},
		{"format 2", `"zarr_format":3`, `"zarr_format":2`, "/zarr_format", fault.Metadata},
		{"format 4", `"zarr_format":3`, `"zarr_format":4`, "/zarr_format", unsupported},
		{"no format", `"zarr_format":3,`, ``, "/zarr_format", fault.Metadata},
		{"no node type", `"node_type":"array",`, ``, "/node_type", fault.Metadata},
		{"other node type", `"array"`, `"blob"`, "/node_type", fault.Metadata},
		{"names have case", `"shape":[4,6]`, `"Shape":[4,6]`, "/Shape", unsupported},
		{"no shape", `"shape":[4,6],`, ``, "/shape", fault.Metadata},
		{"negative length", `[4,6]`, `[4,-6]`, "/shape/1", fault.Metadata},
		{"minus zero", `[4,6]`, `[4,-0]`, "/shape/1", fault.Metadata},
		{"fraction", `[4,6]`, `[4,6.0]`, "/shape/1", fault.Metadata},
		{"exponent", `[4,6]`, `[4,6e0]`, "/shape/1", fault.Metadata},
		{"length a string", `[4,6]`, `["4",6]`, "/shape/0", fault.Metadata},
		{"length true", `[4,6]`, `[true,6]`, "/shape/0", fault.Metadata},
		{"length null", `[4,6]`, `[null,6]`, "/shape/0", fault.Metadata},
		{"shape an object", `[4,6]`, `{}`, "/shape", fault.Metadata},
		{"length beyond int64", `[4,6]`, `[4,9223372036854775808]`, "/shape/1", fault.Limit},
		{"very long length", `[4,6]`, `[4,` + strings.Repeat("9", 1000) + `]`, "/shape/1", fault.Limit},
		{"no data type", `"data_type":"float32",`, ``, "/data_type", fault.Metadata},
		{"unknown data type", `"float32"`, `"float33"`, "/data_type", unsupported},
		{"unknown data type that need not be understood", `"float32"`, `{"name":"float33","must_understand":false}`, "/data_type", unsupported},
		{"data type a number", `"float32"`, `7`, "/data_type", fault.Metadata},
		{"no grid", `"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,3]}},`, ``, "/chunk_grid", fault.Metadata},
		{"unknown grid", `"regular"`, `"hexagons"`, "/chunk_grid", unsupported},
		{"unknown grid that need not be understood", `"name":"regular"`, `"must_understand":false,"name":"hexagons"`, "/chunk_grid", unsupported},
		{"grid a short-hand", `{"name":"regular","configuration":{"chunk_shape":[2,3]}}`, `"regular"`, "/chunk_grid/configuration/chunk_shape", fault.Metadata},
		{"grid without a name", `"name":"regular",`, ``, "/chunk_grid/name", fault.Metadata},
		{"grid's configuration a list", `{"chunk_shape":[2,3]}`, `[2,3]`, "/chunk_grid/configuration", fault.Metadata},
		{"unknown member of the grid's configuration", `[2,3]`, `[2,3],"x":1`, "/chunk_grid/configuration/x", unsupported},
		{"chunk of nothing", `[2,3]`, `[2,0]`, "/chunk_grid/configuration/chunk_shape/1", fault.Metadata},
		{"rank of chunks", `[2,3]`, `[2]`, "/chunk_grid/configuration/chunk_shape", fault.Metadata},
		{"no key encoding", `"chunk_key_encoding":{"name":"default"},`, ``, "/chunk_key_encoding", fault.Metadata},
		{"unknown key encoding", `"default"`, `"morton"`, "/chunk_key_encoding", unsupported},
		{"unknown key encoding that need not be understood", `{"name":"default"}`, `{"name":"morton","must_understand":false}`, "/chunk_key_encoding", unsupported},
		{"suffix of nothing", `{"name":"default"}`, `{"name":"suffix","configuration":{"suffix":".x"}}`, "/chunk_key_encoding/configuration/base_encoding", fault.Metadata},
		{"no suffix", `{"name":"default"}`, `{"name":"suffix","configuration":{"base_encoding":"v2"}}`, "/chunk_key_encoding/configuration/suffix", fault.Metadata},
		{"suffix that climbs", `{"name":"default"}`, `{"name":"suffix","configuration":{"suffix":"/../../x","base_encoding":"v2"}}`, "/chunk_key_encoding/configuration/suffix", fault.Path},
		{"suffixes without end", `{"name":"default"}`, strings.Repeat(`{"name":"suffix","configuration":{"suffix":".x","base_encoding":`, 9) + `"v2"` + strings.Repeat("}}", 9),
			"/chunk_key_encoding" + strings.Repeat("/configuration/base_encoding", 4), fault.Metadata},
		{"other separator", `{"name":"default"}`, `{"name":"default","configuration":{"separator":":"}}`, "/chunk_key_encoding/configuration/separator", fault.Metadata},
		{"no fill value", `"fill_value":0,`, ``, "/fill_value", fault.Metadata},
		{"fill value null", `"fill_value":0`, `"fill_value":null`, "/fill_value", fault.Metadata},
		{"fill value a bare token", `"fill_value":0`, `"fill_value":NaN`, "/fill_value", fault.Metadata},
		{"fill value a word", `"fill_value":0`, `"fill_value":"zero"`, "/fill_value", fault.Metadata},
		{"no codecs", `"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],`, ``, "/codecs", fault.Metadata},
		{"empty list of codecs", `[{"name":"bytes","configuration":{"endian":"little"}}]`, `[]`, "/codecs", fault.Metadata},
		{"codec a number", `[{"name":"bytes","configuration":{"endian":"little"}}]`, `["bytes",7]`, "/codecs/1", fault.Metadata},
		{"codec without a name", `"name":"bytes",`, ``, "/codecs/0/name", fault.Metadata},
		{"codec with an empty name", `"bytes"`, `""`, "/codecs/0/name", fault.Metadata},
		{"codec's configuration null", `{"endian":"little"}`, `null`, "/codecs/0/configuration", fault.Metadata},
		{"unknown member of a codec", `"name":"bytes"`, `"name":"bytes","x/y~z":1`, "/codecs/0/x~1y~0z", unsupported},
		{"must_understand a string", `"name":"bytes"`, `"name":"bytes","must_understand":"no"`, "/codecs/0/must_understand", fault.Metadata},
		{"attributes a list", `{"a":1}`, `[1]`, "/attributes", fault.Metadata},
		{"names for other axes", `["y",null]`, `["y"]`, "/dimension_names", fault.Metadata},
		{"name a number", `["y",null]`, `["y",1]`, "/dimension_names/1", fault.Metadata},
		{"storage transformer", `"storage_transformers":[]`, `"storage_transformers":[{"name":"x","must_understand":false}]`, "/storage_transformers/0", unsupported},
		{"storage transformers an object", `"storage_transformers":[]`, `"storage_transformers":{}`, "/storage_transformers", fault.Metadata},
		{"unknown member", `"attributes"`, `"x":{"a":1},"attributes"`, "/x", unsupported},
		{"unknown member to be understood", `"attributes"`, `"x":{"must_understand":true},"attributes"`, "/x", unsupported},
		{"unknown list", `"attributes"`, `"x":[],"attributes"`, "/x", unsupported},
		{"last of two shapes", `"attributes"`, `"shape":[-1,1],"attributes"`, "/shape/0", fault.Metadata},
		{"text after", `[]}`, `[]}x`, "", fault.Metadata},
		{"a second document", `[]}`, `[]}{}`, "", fault.Metadata},
		{"no end", `[]}`, `[]`, "", fault.Metadata},
		{"comma too many", `[]}`, `[],}`, "", fault.Metadata},
		{"comment", `"attributes"`, `/* */"attributes"`, "", fault.Metadata},
		{"not UTF-8", `{"a":1}`, "{\"\xff\":1}", "", fault.Metadata},
		{"control character", `{"a":1}`, "{\"\x01\":1}", "", fault.Metadata},
		{"bad escape", `{"a":1}`, `{"\x":1}`, "", fault.Metadata},
		{"leading zero", `{"a":1}`, `{"a":01}`, "", fault.Metadata},
		{"plus", `{"a":1}`, `{"a":+1}`, "", fault.Metadata},
		{"hexadecimal", `{"a":1}`, `{"a":0x1}`, "", fault.Metadata},
		{"token cut short", `{"a":1}`, `{"a":nul}`, "", fault.Metadata},
		{"nan in another case", `{"a":1}`, `{"a":nan}`, "", fault.Metadata},
		{"nested deep", `{"a":1}`, `{"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, "", fault.Metadata},
		{"two byte order marks", `{"zarr_format"`, "\xef\xbb\xbf\xef\xbb\xbf{\"zarr_format\"", "", fault.Metadata},
		{"byte order mark within", `"attributes"`, "\xef\xbb\xbf\"attributes\"", "", fault.Metadata},
		{"white space before a byte order mark", `{"zarr_format"`, "\n\xef\xbb\xbf{\"zarr_format\"", "", fault.Metadata},
		{"format a larger fraction", `"zarr_format":3`, `"zarr_format":3.5`, "/zarr_format", fault.Metadata},
		{"negative chunk", `[2,3]`, `[2,-1]`, "/chunk_grid/configuration/chunk_shape/1", fault.Metadata},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseV3("a/zarr.json", []byte(edit(t, valid3, tt.old, tt.with)))
			refused(t, err, "a/zarr.json", tt.pointer, tt.kind)
		})
	}
}

func TestInvalidV2(t *testing.T) {
	tests := []struct {
		name, old, with string
		pointer         string
		kind            error
	}{
		{"format 3", `"zarr_format":2`, `"zarr_format":3`, "/zarr_format", fault.Metadata},
		{"no format", `"zarr_format":2,`, ``, "/zarr_format", fault.Metadata},
		{"no shape", `"shape":[4,6],`, ``, "/shape", fault.Metadata},
		{"no chunks", `"chunks":[2,3],`, ``, "/chunks", fault.Metadata},
		{"chunk of nothing", `[2,3]`, `[0,3]`, "/chunks/0", fault.Metadata},
		{"rank of chunks", `[2,3]`, `[2,3,1]`, "/chunks", fault.Metadata},
		{"no dtype", `"dtype":"<f4",`, ``, "/dtype", fault.Metadata},
		{"dtype without order", `"<f4"`, `"f4"`, "/dtype", fault.Metadata},
		{"object dtype", `"<f4"`, `"|t5"`, "/dtype", unsupported},
		{"structured dtype", `"<f4"`, `[["a","<t4"]]`, "/dtype", unsupported},
		{"no compressor", `"compressor":{"id":"zlib","level":1},`, ``, "/compressor", fault.Metadata},
		{"compressor a string", `{"id":"zlib","level":1}`, `"zlib"`, "/compressor", fault.Metadata},
		{"compressor without an id", `"id":"zlib",`, ``, "/compressor/id", fault.Metadata},
		{"id a number", `"zlib"`, `7`, "/compressor/id", fault.Metadata},
		{"bare token in the compressor", `"level":1`, `"level":NaN`, "/compressor", fault.Metadata},
		{"no fill value", `"fill_value":0,`, ``, "/fill_value", fault.Metadata},
		{"bare token for an integer", `"dtype":"<f4","compressor":{"id":"zlib","level":1},"fill_value":0`, `"dtype":"<i4","compressor":null,"fill_value":NaN`, "/fill_value", fault.Metadata},
		{"no order", `"order":"C",`, ``, "/order", fault.Metadata},
		{"other order", `"C"`, `"A"`, "/order", fault.Metadata},
		{"filters an object", `"filters":null`, `"filters":{}`, "/filters", fault.Metadata},
		{"filter without an id", `"filters":null`, `"filters":[{"id":"a"},{}]`, "/filters/1/id", fault.Metadata},
		{"other separator", `"order"`, `"dimension_separator":":","order"`, "/dimension_separator", fault.Metadata},
		{"separator null", `"order"`, `"dimension_separator":null,"order"`, "/dimension_separator", fault.Metadata},
		{"too many elements", `[4,6]`, `[1073741824,1073741824,1073741824]`, "/shape/2", fault.Limit},
		{"bare token in an unknown member", `"order"`, `"x":[Infinity],"order"`, "/x", fault.Metadata},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parser{}.ArrayV2("a/.zarray", []byte(edit(t, valid2, tt.old, tt.with)), "a/.zattrs", nil)
			refused(t, err, "a/.zarray", tt.pointer, tt.kind)
		})
	}
	for name, doc := range map[string]string{"cut": `{"a":`, "a list": `[1]`, "empty": ``} {
		t.Run("attributes "+name, func(t *testing.T) {
			_, err := Parser{}.ArrayV2("a/.zarray", []byte(valid2), "a/.zattrs", []byte(doc))
			refused(t, err, "a/.zattrs", "", fault.Metadata)
			_, err = Parser{}.GroupV2("a/.zgroup", []byte(`{"zarr_format":2}`), "a/.zattrs", []byte(doc))
			refused(t, err, "a/.zattrs", "", fault.Metadata)
		})
	}
	_, err := Parser{}.GroupV2("a/.zgroup", []byte(`{"zarr_format":7}`), "a/.zattrs", nil)
	refused(t, err, "a/.zgroup", "/zarr_format", unsupported)
}

// TestChunkTooLarge tests chunks that are too large although their array is not.
func TestChunkTooLarge(t *testing.T) {
	doc := edit(t, valid3, "[2,3]", "[1073741824,1073741824]")
	if _, err := ParseV3("k", []byte(doc)); err != nil {
		t.Errorf("2^62 bytes: %v", err)
	}
	_, err := ParseV3("k", []byte(edit(t, valid3, "[2,3]", "[2147483647,2147483647]")))
	refused(t, err, "k", "/chunk_grid/configuration/chunk_shape/1", fault.Limit)
	// With a dimension of length 0 nothing overflows.
	doc = edit(t, edit(t, valid3, "[4,6]", "[2147483647,2147483647,2147483647,0]"), "[2,3]", "[1,1,1,1]")
	if _, err := ParseV3("k", []byte(edit(t, doc, `["y",null]`, "null"))); err != nil {
		t.Errorf("no elements: %v", err)
	}
}

func TestConsolidatedInvalid(t *testing.T) {
	tests := []struct {
		name, member string
		pointer      string
		kind         error
	}{
		{"unknown kind", `{"kind":"parquet"}`, "/consolidated_metadata", unsupported},
		{"no kind", `{"metadata":{}}`, "/consolidated_metadata", unsupported},
		{"a number", `7`, "/consolidated_metadata", unsupported},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseV3("zarr.json", []byte(`{"zarr_format":3,"node_type":"group","consolidated_metadata":`+tt.member+`}`))
			refused(t, err, "zarr.json", tt.pointer, tt.kind)
		})
	}
	malformed := []struct {
		name, member string
		pointer      string
		kind         error
	}{
		{"no metadata", `{"kind":"inline"}`, "/consolidated_metadata/metadata", fault.Metadata},
		{"metadata a list", `{"kind":"inline","metadata":[]}`, "/consolidated_metadata/metadata", fault.Metadata},
		{"path out of the store", `{"kind":"inline","metadata":{"../a":{}}}`, "/consolidated_metadata/metadata/..~1a", fault.Path},
		{"absolute path", `{"kind":"inline","metadata":{"/a":{}}}`, "/consolidated_metadata/metadata/~1a", fault.Path},
		{"back slash", `{"kind":"inline","metadata":{"a\\b":{}}}`, `/consolidated_metadata/metadata/a\b`, fault.Path},
		{"itself", `{"kind":"inline","metadata":{"":{}}}`, "/consolidated_metadata/metadata/", fault.Metadata},
	}
	for _, tt := range malformed {
		t.Run(tt.name, func(t *testing.T) {
			doc := []byte(`{"zarr_format":3,"node_type":"group","attributes":{"a":1},"consolidated_metadata":` + tt.member + `}`)
			n, err := ParseV3("zarr.json", doc)
			if err != nil {
				t.Fatalf("a copy that cannot be read: %v", err)
			}
			g := n.(*Group)
			refused(t, g.Unreadable, "zarr.json", tt.pointer, tt.kind)
			if g.Consolidated != nil || len(g.Attrs) != 1 {
				t.Errorf("%+v", g)
			}
			_, err = Parser{Lenient: func(f rule.Finding) error { return &rule.Error{Rule: f.Rule} }}.V3("zarr.json", doc)
			refused(t, err, "zarr.json", tt.pointer, tt.kind)
			if rule.Of(err) != rule.BadConsolidated {
				t.Errorf("strict: %v", err)
			}
		})
	}
	for doc, want := range map[string]struct {
		pointer string
		kind    error
	}{
		`{}`: {"/metadata", fault.Metadata},
		`{"zarr_consolidated_format":null,"metadata":{}}`:                                           {"/zarr_consolidated_format", unsupported},
		`{"zarr_consolidated_format":99,"metadata":{}}`:                                             {"/zarr_consolidated_format", unsupported},
		`{"zarr_consolidated_format":1}`:                                                            {"/metadata", fault.Metadata},
		`{"zarr_consolidated_format":1,"metadata":{"../e/.zarray":{}}}`:                             {"/metadata/..~1e~1.zarray", fault.Path},
		`{"zarr_consolidated_format":1,"metadata":{"` + strings.Repeat("x/", 600) + `.zarray":{}}}`: {"/metadata/" + strings.Repeat("x~1", 600) + ".zarray", fault.Path},
	} {
		_, err := Parser{}.ConsolidatedV2(".zmetadata", []byte(doc))
		refused(t, err, ".zmetadata", want.pointer, want.kind)
	}
}
