package meta

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

// TestSplice checks that entries are changed, sorted and removed, and that all other bytes are
// unchanged.
func TestSplice(t *testing.T) {
	group := func(title string) []byte {
		return []byte(`{"zarr_format":3, "node_type":"group", "attributes":{"title":"` + title + `"}}`)
	}
	entry := func(title string) string {
		return `{"consolidated_metadata": {"kind":"inline","must_understand":false,"metadata":{}},"zarr_format":3,"node_type":"group","attributes":{"title":"` + title + `"}}`
	}
	array := []byte("{\n \"zarr_format\": 3,\n \"node_type\": \"array\", \"by\": 1.0}")
	v3 := func(nodes string) string {
		return `{"zarr_format":3,"by":"hand" , "consolidated_metadata":{"kind":"inline","metadata":{` + nodes + `},"must_understand":false},"node_type":"group"}`
	}
	v2 := func(docs string) string { return ` { "metadata":{` + docs + `}, "zarr_consolidated_format":1.0 }` }
	for name, tt := range map[string]struct {
		splice    func(string, []byte, map[string][]byte) ([]byte, error)
		doc, want string
		changes   map[string][]byte
	}{
		"changed": {SpliceV3, v3(`"a":{"x" :1},"b":{"y": [ ]}`), v3(`"a":{"x" :1},"b":` + strings.ReplaceAll(entry("new"), `": {`, `":{`)), map[string][]byte{"b": group("new")}},
		"added": {SpliceV3, v3(`"a":{},"c":{},"a/b":{}`), v3(`"a":{},"b":{"zarr_format":3,"node_type":"array","by":1.0},"c":{},"a/a":{"zarr_format":3,"node_type":"array","by":1.0},"a/b":{},"a/c":{"zarr_format":3,"node_type":"array","by":1.0}`),
			map[string][]byte{"b": array, "a/c": array, "a/a": array}},
		"first":                {SpliceV3, v3(``), v3(`"b":{"zarr_format":3,"node_type":"array","by":1.0}`), map[string][]byte{"b": array}},
		"taken out":            {SpliceV3, v3(`"a":{},"b":{},"c":{}`), v3(`"b":{}`), map[string][]byte{"a": nil, "c": nil, "d": nil}},
		"all taken out":        {SpliceV3, v3(`"a":{}`), v3(``), map[string][]byte{"a": nil}},
		"v2":                   {SpliceV2, v2(`".zgroup":{},"a/.zarray":{"x":NaN},"c/.zgroup":{}`), v2(`".zgroup":{},"a/.zarray":{"x":NaN},"a/.zattrs":{"u":"K"},"b/.zgroup":{"zarr_format":2}`), map[string][]byte{"a/.zattrs": []byte(`{ "u": "K" }`), "b/.zgroup": []byte(`{"zarr_format":2}`), "c/.zgroup": nil, "c/.zattrs": nil}},
		"a byte order mark":    {SpliceV2, "\xef\xbb\xbf" + v2(`"a/.zgroup":{}`), "\xef\xbb\xbf" + v2(``), map[string][]byte{"a/.zgroup": nil}},
		"laid out":             {SpliceV2, "{\n    \"metadata\": {\n        \"a/.zgroup\": {\n            \"zarr_format\": 2\n        }\n    },\n    \"x\": 1\n}", "{\n    \"metadata\": {\n        \"a/.zattrs\": {\n            \"u\": {\n                \"v\": 1\n            }\n        },\n        \"a/.zgroup\": {\n            \"zarr_format\": 2\n        }\n    },\n    \"x\": 1\n}", map[string][]byte{"a/.zattrs": []byte(`{"u":{"v":1}}`)}},
		"laid out, the first":  {SpliceV3, "{\n  \"zarr_format\": 3,\n  \"node_type\": \"group\",\n  \"consolidated_metadata\": {\n    \"kind\": \"inline\",\n    \"metadata\": {}\n  }\n}", "{\n  \"zarr_format\": 3,\n  \"node_type\": \"group\",\n  \"consolidated_metadata\": {\n    \"kind\": \"inline\",\n    \"metadata\": {\n      \"b\": {\n        \"zarr_format\": 3,\n        \"node_type\": \"array\",\n        \"by\": 1.0\n      }\n    }\n  }\n}", map[string][]byte{"b": array}},
		"laid out, taken out":  {SpliceV3, "{\n  \"zarr_format\": 3,\n  \"consolidated_metadata\": {\n    \"kind\": \"inline\",\n    \"metadata\": {\n      \"b\": {}\n    }\n  }\n}", "{\n  \"zarr_format\": 3,\n  \"consolidated_metadata\": {\n    \"kind\": \"inline\",\n    \"metadata\": {}\n  }\n}", map[string][]byte{"b": nil}},
		"nothing":              {SpliceV3, v3(`"a":{}`), v3(`"a":{}`), nil},
		"a name to be escaped": {SpliceV3, v3(`"é":{}`), v3(`"\"":{"zarr_format":3,"node_type":"array","by":1.0},"é":{}`), map[string][]byte{`"`: array}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tt.splice("k", []byte(tt.doc), tt.changes)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if !strings.Contains(tt.want, "NaN") && !json.Valid(trimSpace(got)) {
				t.Error("this is not JSON")
			}
		})
	}
	for name, tt := range map[string]struct {
		splice  func(string, []byte, map[string][]byte) ([]byte, error)
		doc     string
		changes map[string][]byte
		pointer string
		kind    error
	}{
		"no copy":          {SpliceV3, `{"zarr_format":3,"node_type":"group"}`, nil, "/consolidated_metadata", fault.Metadata},
		"another kind":     {SpliceV3, `{"consolidated_metadata":{"kind":"parquet"}}`, nil, "/consolidated_metadata", unsupported},
		"no nodes":         {SpliceV3, `{"consolidated_metadata":{"kind":"inline"}}`, nil, "/consolidated_metadata/metadata", fault.Metadata},
		"a list of nodes":  {SpliceV3, `{"consolidated_metadata":{"kind":"inline","metadata":[]}}`, nil, "/consolidated_metadata/metadata", fault.Metadata},
		"null":             {SpliceV3, `{"consolidated_metadata":null}`, nil, "/consolidated_metadata", fault.Metadata},
		"v2, no documents": {SpliceV2, `{}`, nil, "/metadata", fault.Metadata},
		"v2, a number":     {SpliceV2, `{"metadata":7}`, nil, "/metadata", fault.Metadata},
		"cut":              {SpliceV2, `{"metadata":`, nil, "", fault.Metadata},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tt.splice("k", []byte(tt.doc), tt.changes)
			refused(t, err, "k", tt.pointer, tt.kind)
		})
	}
	for _, splice := range []func(string, []byte, map[string][]byte) ([]byte, error){SpliceV2, SpliceV3} {
		if _, err := splice("k", []byte(`{"metadata":{},"consolidated_metadata":{"kind":"inline","metadata":{}}}`), map[string][]byte{"a": []byte("{")}); err == nil {
			t.Error("an entry that is no JSON was taken")
		}
	}
}
