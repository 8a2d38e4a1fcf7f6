package meta

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

func parse3(t *testing.T, doc string) *Array {
	t.Helper()
	n, err := ParseV3("zarr.json", []byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return n.(*Array)
}

func parse2(t *testing.T, doc string) *Array {
	t.Helper()
	a, err := Parser{}.ArrayV2(".zarray", []byte(doc), ".zattrs", nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestAllowed tests forms that are allowed or tolerated.
func TestAllowed(t *testing.T) {
	base3, base2 := describe(parse3(t, valid3)), describe(parse2(t, valid2))
	tests := []struct {
		name, old, with string
		from, to        string // text that changes in the description
	}{
		{"as it is", `"shape"`, `"shape"`, "", ""},
		{"byte order mark", `{"zarr_format"`, "\xef\xbb\xbf \n{\"zarr_format\"", "", ""},
		{"format a fraction", `"zarr_format":3`, `"zarr_format":3.0`, "", ""},
		{"white space", `"shape":`, "\r\n\t \"shape\" \r\n\t :", "", ""},
		{"name escaped", `"shape"`, `"\u0073hape"`, "", ""},
		{"data type an object", `"float32"`, `{"name":"float32"}`, "", ""},
		{"key encoding a short-hand", `{"name":"default"}`, `"v2"`, "default/", "v2."},
		{"separator", `{"name":"default"}`, `{"name":"default","configuration":{"separator":"."}}`, "default/", "default."},
		{"codec a short-hand", `{"name":"bytes","configuration":{"endian":"little"}}`, `"bytes"`, `bytes{"endian":"little"}`, "bytes"},
		{"codecs of both spellings", `"little"}}]`, `"little"}},"crc32c",{"name":"gzip","configuration":{"level":1}}]`, `"little"}`, `"little"} crc32c gzip{"level":1}`},
		{"codec named by a URI", `"little"}}]`, `"little"}},{"name":"https://example.org/codec"}]`, `"little"}`, `"little"} https://example.org/codec`},
		{"no storage transformers", `,"storage_transformers":[]`, ``, "", ""},
		{"two axes of one name", `["y",null]`, `["y","y"]`, `["y" ""]`, `["y" "y"]`},
		{"dimension names null", `["y",null]`, `null`, ` dims ["y" ""]`, ""},
		{"fill value in hexadecimal", `"fill_value":0`, `"fill_value":"0x7fc00001"`, "fill 00000000", "fill 0100c07f"},
		{"codec that need not be understood", `"name":"bytes"`, `"name":"bytes","must_understand":false`, `"little"}`, `"little"}?`},
		{"unknown member that may be ignored", `"attributes"`, `"x": { "must_understand": false, "b": [1, 2] },"attributes"`, `attrs {"a":1}`, `attrs {"a":1} and x {"must_understand":false,"b":[1,2]}`},
		{"bare tokens in attributes", `{"a":1}`, `{"a":[NaN,-Infinity,Infinity,"NaN"]}`, `{"a":1}`, `{"a":[NaN,-Infinity,Infinity,"NaN"]}`},
		{"last of two attributes", `{"a":1}`, `{"a":2},"attributes":{"a":1}`, "", ""},
		{"number exactly", `{"a":1}`, `{"a":1.10e+0099999}`, `{"a":1}`, `{"a":1.10e+0099999}`},
		{"long integer", `{"a":1}`, `{"a":123456789012345678901234567890}`, `{"a":1}`, `{"a":123456789012345678901234567890}`},
		{"extended characters", `{"a":1}`, `{"a":"<\u00e9\ud83d\ude00>"}`, `{"a":1}`, `{"a":"<é😀>"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := valid3
			if tt.old != tt.with {
				doc = edit(t, valid3, tt.old, tt.with)
			}
			if got, want := describe(parse3(t, doc)), strings.Replace(base3, tt.from, tt.to, 1); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
	for _, tt := range []struct{ name, old, with, from, to string }{
		{"separator", `"order"`, `"dimension_separator":"/","order"`, "v2.", "v2/"},
		{"bare fill value", `"fill_value":0`, `"fill_value":NaN`, "fill 00000000", "fill 0000c07f"},
		{"bare infinity", `"fill_value":0`, `"fill_value": -Infinity`, "fill 00000000", "fill 000080ff"},
		{"no fill value", `"fill_value":0`, `"fill_value":null`, "fill 00000000", "fill none"},
		{"no filters", `,"filters":null`, ``, "", ""},
		{"empty filters", `"filters":null`, `"filters":[]`, "", ""},
		{"filters", `"filters":null`, `"filters":[{"id":"delta","dtype":"<f4"},{"id":"x"}]`, "numcodecs.zlib", `numcodecs.delta{"dtype":"<f4"} numcodecs.x numcodecs.zlib`},
		{"order F", `"C"`, `"F"`, "codecs", `codecs transpose{"order":[1,0]}`},
		{"big-endian", `"<f4"`, `">f4"`, "little", "big"},
		{"one byte", `"<f4"`, `"|i1"`, `float32[4 6] chunks [2 3] fill 00000000 keys v2. codecs bytes{"endian":"little"}`, `int8[4 6] chunks [2 3] fill 00 keys v2. codecs bytes`},
		{"unknown member", `"order"`, `"x": [ 1, null ],"order"`, `{"level":1}`, `{"level":1} and x [1,null]`},
	} {
		t.Run("v2 "+tt.name, func(t *testing.T) {
			if got, want := describe(parse2(t, edit(t, valid2, tt.old, tt.with))), strings.Replace(base2, tt.from, tt.to, 1); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestEmptyChunks checks that a chunk length of 0 is accepted in an empty dimension, and encoded as
// 1.
func TestEmptyChunks(t *testing.T) {
	doc := edit(t, edit(t, valid3, `[4,6]`, `[4,0]`), `[2,3]`, `[2,0]`)
	a := parse3(t, doc)
	if !slices.Equal(a.Grid.Shape, []int{2, 1}) {
		t.Errorf("chunks %v", a.Grid.Shape)
	}
	again, err := a.EncodeV3()
	if err != nil {
		t.Fatal(err)
	}
	if b := parse3(t, string(again)); describe(b) != describe(a) {
		t.Errorf("got  %s\nwant %s", describe(b), describe(a))
	}
}

// TestMarkedDocuments checks that changed documents keep a byte order mark, only at the start.
func TestMarkedDocuments(t *testing.T) {
	const mark = "\xef\xbb\xbf"
	doc, err := SetAttrs("k", []byte(mark+valid3), Attrs{"b": json.Number("2")})
	if a := parse3(t, string(doc)); err != nil || a.Attrs["b"] != json.Number("2") || strings.Count(string(doc), mark) != 1 {
		t.Errorf("%q, %v", doc, err)
	}
	doc, err = ConsolidateV2(map[string][]byte{".zgroup": []byte(mark + `{"zarr_format":2}`), "a/.zarray": []byte(mark + valid2), "a/.zattrs": []byte(mark + "{}")})
	if err != nil || strings.Contains(string(doc), mark) {
		t.Errorf("%q, %v", doc, err)
	}
	if nodes, err := (Parser{}).ConsolidatedV2("k", doc); err != nil || nodes.Len() != 2 {
		t.Errorf("%v, %v", nodes, err)
	}
	if !Strict([]byte(mark+"{}")) || Strict([]byte(mark+`{"a":NaN}`)) {
		t.Error("a mark is no bare token")
	}
}

// TestWritten compares whole documents with the format of zarr-python 3.1.6.
func TestWritten(t *testing.T) {
	a := parse3(t, valid3)
	a.Unknown = map[string]json.RawMessage{"x": json.RawMessage(`{"must_understand":false}`)}
	doc, err := a.EncodeV3()
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "shape": [
    4,
    6
  ],
  "data_type": "float32",
  "chunk_grid": {
    "name": "regular",
    "configuration": {
      "chunk_shape": [
        2,
        3
      ]
    }
  },
  "chunk_key_encoding": {
    "name": "default",
    "configuration": {
      "separator": "/"
    }
  },
  "fill_value": 0.0,
  "codecs": [
    {
      "name": "bytes",
      "configuration": {
        "endian": "little"
      }
    }
  ],
  "attributes": {
    "a": 1
  },
  "dimension_names": [
    "y",
    null
  ],
  "zarr_format": 3,
  "node_type": "array",
  "storage_transformers": [],
  "x": {
    "must_understand": false
  }
}`
	if string(doc) != want {
		t.Errorf("got %s", doc)
	}
	doc, attrs, err := parse2(t, edit(t, valid2, `"order"`, `"dimension_separator":".","order"`)).EncodeV2()
	if err != nil || attrs != nil {
		t.Fatal(attrs, err)
	}
	want = `{
  "shape": [
    4,
    6
  ],
  "chunks": [
    2,
    3
  ],
  "dtype": "<f4",
  "fill_value": 0.0,
  "order": "C",
  "filters": null,
  "dimension_separator": ".",
  "compressor": {
    "id": "zlib",
    "level": 1
  },
  "zarr_format": 2
}`
	if string(doc) != want {
		t.Errorf("got %s", doc)
	}
	g := &Group{Format: 3, Attrs: Attrs{"z": []float64{1, math.NaN()}, "a": "<ü>"}}
	doc, err = g.EncodeV3()
	if want := "{\n  \"attributes\": {\n    \"a\": \"<ü>\",\n    \"z\": [\n      1,\n      NaN\n    ]\n  },\n  \"zarr_format\": 3,\n  \"node_type\": \"group\"\n}"; err != nil || string(doc) != want {
		t.Errorf("got %s, %v", doc, err)
	}
	g.Format = 2
	doc, attrs, err = g.EncodeV2()
	if err != nil || string(doc) != "{\n  \"zarr_format\": 2\n}" || string(attrs) != "{\n  \"a\": \"<ü>\",\n  \"z\": [\n    1,\n    NaN\n  ]\n}" {
		t.Errorf("got %s, %s, %v", doc, attrs, err)
	}
}

func TestNotWritable(t *testing.T) {
	bytes := Named{Name: "bytes", Config: json.RawMessage(`{"endian":"little"}`)}
	array := func(change func(*Array)) *Array {
		a := &Array{Format: 2, Shape: []int{2, 2}, Grid: Grid{Shape: []int{1, 1}}, DType: dtype.Float32, Fill: []byte{0, 0, 0, 0}, Codecs: []Named{bytes}, Keys: KeyEncoding{"v2", ".", ""}}
		change(a)
		return a
	}
	tests := []struct {
		name string
		a    *Array
		kind error
	}{
		{"codec of v3", array(func(a *Array) { a.Codecs = append(a.Codecs, Named{Name: "gzip"}) }), unsupported},
		{"transpose of v3", array(func(a *Array) {
			a.Codecs = []Named{{Name: "transpose", Config: json.RawMessage(`{"order":[0,1]}`)}, bytes}
		}), unsupported},
		{"no bytes", array(func(a *Array) { a.Codecs = []Named{{Name: "numcodecs.zlib"}} }), unsupported},
		{"no byte order", array(func(a *Array) { a.Codecs = []Named{{Name: "bytes"}} }), fault.Metadata},
		{"configuration no object", array(func(a *Array) { a.Codecs = append(a.Codecs, Named{Name: "numcodecs.x", Config: json.RawMessage(`[`)}) }), fault.Metadata},
		{"no codecs", array(func(a *Array) { a.Codecs = nil }), fault.Metadata},
		{"rank", array(func(a *Array) { a.Grid.Shape = []int{1} }), fault.Metadata},
		{"short fill", array(func(a *Array) { a.Fill = []byte{0} }), fault.Metadata},
		{"names", array(func(a *Array) { a.Dims = []string{"x"} }), fault.Metadata},
		{"separator", array(func(a *Array) { a.Keys.Separator = "" }), fault.Metadata},
		{"no data type", array(func(a *Array) { a.DType = nil }), fault.Metadata},
		{"format", array(func(a *Array) { a.Format = 3 }), fault.Metadata},
		{"attribute", array(func(a *Array) { a.Attrs = Attrs{"f": func() {}} }), fault.Type},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if doc, _, err := tt.a.EncodeV2(); !errors.Is(err, tt.kind) {
				t.Errorf("%s, %v, want %v", doc, err, tt.kind)
			}
		})
	}
	a := array(func(a *Array) { a.Format, a.Fill = 3, nil })
	if doc, err := a.EncodeV3(); !errors.Is(err, fault.Metadata) {
		t.Errorf("v3 without a fill value: %s, %v", doc, err)
	}
}

// TestSeparatorUnsaid checks that documents without a separator are encoded without one, even if
// the model has it.
func TestSeparatorUnsaid(t *testing.T) {
	a := parse2(t, valid2)
	if !a.NoSeparator || a.Keys != (KeyEncoding{"v2", ".", ""}) {
		t.Errorf("%+v, said: %v", a.Keys, !a.NoSeparator)
	}
	for _, sep := range []string{".", "/"} {
		a.Keys.Separator = sep
		if doc, _, err := a.EncodeV2(); err != nil || strings.Contains(string(doc), "dimension_separator") {
			t.Errorf("%q: %s, %v", sep, doc, err)
		}
		said := parse2(t, edit(t, valid2, `"order"`, `"dimension_separator":"`+sep+`","order"`))
		if doc, _, err := said.EncodeV2(); said.NoSeparator || err != nil || !strings.Contains(string(doc), `"dimension_separator": "`+sep+`"`) {
			t.Errorf("%q: %s, %v", sep, doc, err)
		}
	}
	if a := parse3(t, valid3); a.NoSeparator {
		t.Error("a v3 array says its separator")
	}
}

// TestFilterIsNoCompressor checks, for models that were not parsed, which codecs readers expect as
// the compressor.
func TestFilterIsNoCompressor(t *testing.T) {
	a := parse2(t, valid2)
	for _, tt := range []struct{ id, want string }{
		{"delta", `"filters":[{"id":"delta"}],"compressor":null`},
		{"zlib", `"filters":null,"compressor":{"id":"zlib"}`},
	} {
		a.Codecs = []Named{a.Codecs[0], {Name: "numcodecs." + tt.id}}
		if doc, err := a.documentV2(); err != nil || !strings.Contains(string(doc), tt.want) {
			t.Errorf("%s, %v, want %s", doc, err, tt.want)
		}
	}
}

// parsed returns the nodes of a group's consolidated metadata, with nil for the copies below them.
func parsed(n Node) map[string]Node {
	all := map[string]Node{}
	for path := range n.(*Group).Consolidated.Paths() {
		all[path] = n.(*Group).Consolidated.Node(path)
		if g, ok := all[path].(*Group); ok {
			g.Consolidated = nil
		}
	}
	return all
}

func TestConsolidated(t *testing.T) {
	doc := `{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{
"a":{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","metadata":{}}},
"a-b":` + valid3 + `,"a/b":{"zarr_format":3,"node_type":"group"},"a/b/c":` + valid3 + `,
"bad":{"zarr_format":3,"node_type":"array"},"text":` + edit(t, valid3, `"float32"`, `"text"`) + `}}}`
	n, err := ParseV3("zarr.json", []byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	g := n.(*Group)
	if g.Consolidated.Len() != 6 {
		t.Fatalf("%d nodes", g.Consolidated.Len())
	}
	a, b := g.Consolidated.Node("a").(*Group), g.Consolidated.Node("a/b").(*Group)
	if a.Consolidated.Len() != 2 || a.Consolidated.Node("b").(*Group).Consolidated.Len() != 1 || b.Consolidated.Len() != 1 || b.Consolidated.Node("c") == nil {
		t.Errorf("a has %v, a/b has %v", a.Consolidated, b.Consolidated)
	}
	refused(t, g.Consolidated.Node("bad").(*Bad).Err, "zarr.json", "/consolidated_metadata/metadata/bad/shape", fault.Metadata)
	refused(t, g.Consolidated.Node("text").(*Bad).Err, "zarr.json", "/consolidated_metadata/metadata/text/data_type", unsupported)

	// Documents are copied unchanged, including those that cannot be parsed.
	var stored struct {
		Consolidated struct{ Metadata map[string]json.RawMessage } `json:"consolidated_metadata"`
	}
	if err := json.Unmarshal([]byte(doc), &stored); err != nil {
		t.Fatal(err)
	}
	docs := map[string][]byte{}
	for path, doc := range stored.Consolidated.Metadata {
		docs[path] = doc
	}
	out, err := ConsolidateV3("zarr.json", []byte(`{"zarr_format":3,"node_type":"group"}`), docs)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseV3("zarr.json", out)
	if err != nil || !reflect.DeepEqual(parsed(again), parsed(n)) || again.(*Group).Consolidated.Len() != 6 {
		t.Errorf("%s\n%v", out, err)
	}

	for _, none := range []string{`null`, `{"kind":"parquet","must_understand":false}`} {
		n, err := ParseV3("k", []byte(`{"zarr_format":3,"node_type":"group","consolidated_metadata":`+none+`}`))
		if err != nil || n.(*Group).Consolidated != nil {
			t.Errorf("%s: %v, %v", none, n, err)
		}
	}
	nodes, err := Parser{}.ConsolidatedV2("k", []byte(`{"zarr_consolidated_format":1,"metadata":{".zgroup":{"zarr_format":2},"a/.zattrs":{"x":NaN},"a/.zarray":`+valid2+`,"b/.zattrs":{},"c/.zgroup":{}}}`))
	if err != nil || nodes.Len() != 3 {
		t.Fatal(nodes, err)
	}
	if x := nodes.Node("a").(*Array).Attrs["x"]; !math.IsNaN(x.(float64)) || !nodes.Node("").(*Group).Consolidated.Has("a") {
		t.Errorf("a has x = %v", x)
	}
	refused(t, nodes.Node("c").(*Bad).Err, "k", "/metadata/c~1.zgroup/zarr_format", fault.Metadata)
}
