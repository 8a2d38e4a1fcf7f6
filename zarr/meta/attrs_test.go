package meta

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
)

func TestSetAttrs(t *testing.T) {
	attrs := Attrs{"b": json.Number("1.10"), "a": []any{true, nil}}
	tests := []struct{ name, doc, want string }{
		{"one line", `{"zarr_format":3,"attributes":{"old":{"attributes":1}},"n":1.50E+01}`, `{"zarr_format":3,"attributes":{"a":[true,null],"b":1.10},"n":1.50E+01}`},
		{"lines", "{\n  \"n\": 1e2,\n  \"attributes\": {},\n  \"zarr_format\": 3\n}\n",
			"{\n  \"n\": 1e2,\n  \"attributes\": {\n    \"a\": [\n      true,\n      null\n    ],\n    \"b\": 1.10\n  },\n  \"zarr_format\": 3\n}\n"},
		{"four columns", "\n{\r\n    \"zarr_format\": 3,\r\n    \"attributes\": {}\r\n}",
			"\n{\r\n    \"zarr_format\": 3,\r\n    \"attributes\": {\n        \"a\": [\n            true,\n            null\n        ],\n        \"b\": 1.10\n    }\r\n}"},
		{"absent", `{ "zarr_format":3}`, `{ "attributes": {"a":[true,null],"b":1.10}, "zarr_format":3}`},
		{"absent, lines", "{\n  \"zarr_format\": 3\n}", "{\n  \"attributes\": {\n    \"a\": [\n      true,\n      null\n    ],\n    \"b\": 1.10\n  },\n  \"zarr_format\": 3\n}"},
		{"twice", `{"attributes":{},"zarr_format":3,"attributes":{"x":1}}`, `{"attributes":{},"zarr_format":3,"attributes":{"a":[true,null],"b":1.10}}`},
		{"bare tokens", `{"attributes":{"x":NaN},"zarr_format":3}`, `{"attributes":{"a":[true,null],"b":1.10},"zarr_format":3}`},
		{"escaped name", `{"\u0061ttributes":{"x":1},"zarr_format":3}`, `{"\u0061ttributes":{"a":[true,null],"b":1.10},"zarr_format":3}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := SetAttrs("zarr.json", []byte(tt.doc), attrs)
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
	_, err := SetAttrs("zarr.json", []byte(`{"zarr_format":2}`), attrs)
	refused(t, err, "zarr.json", "/zarr_format", fault.Metadata)
	_, err = SetAttrs("zarr.json", []byte(`[]`), attrs)
	refused(t, err, "zarr.json", "", fault.Metadata)
	_, err = SetAttrs("zarr.json", []byte(`{"zarr_format":3}`), Attrs{"a": make(chan int)})
	refused(t, err, "zarr.json", "/attributes", fault.Type)
}

func TestSetSeparator(t *testing.T) {
	tests := []struct{ name, doc, sep, want string }{
		{"one line", `{"zarr_format":2,"n":1.50E+01}`, "/", `{"dimension_separator": "/","zarr_format":2,"n":1.50E+01}`},
		{"lines", "{\n    \"zarr_format\": 2\n}\n", ".", "{\n    \"dimension_separator\": \".\",\n    \"zarr_format\": 2\n}\n"},
		{"white space first", "\n {\r\n\"zarr_format\": 2}", "/", "\n {\r\n\"dimension_separator\": \"/\",\r\n\"zarr_format\": 2}"},
		{"bare tokens", `{"zarr_format":2,"fill_value":NaN}`, "/", `{"dimension_separator": "/","zarr_format":2,"fill_value":NaN}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := SetSeparator(".zarray", []byte(tt.doc), tt.sep)
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
	for _, tt := range []struct{ doc, sep, pointer string }{
		{`{"zarr_format":2,"dimension_separator":"."}`, ".", "/dimension_separator"},
		{`{"zarr_format":2,"dimension_separator":null}`, "/", "/dimension_separator"},
		{`{"zarr_format":2}`, "-", "/dimension_separator"},
		{`{"zarr_format":3}`, "/", "/zarr_format"},
		{`{}`, "/", "/zarr_format"},
		{`[]`, "/", ""},
	} {
		_, err := SetSeparator(".zarray", []byte(tt.doc), tt.sep)
		refused(t, err, ".zarray", tt.pointer, fault.Metadata)
	}
}

type level float32

func TestEncodeAttrs(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	type named struct {
		N int `json:"n"`
	}
	one := 1.5
	tests := []struct {
		name  string
		value any
		want  string // compact; "" is fault.Type
	}{
		{"null", nil, `null`},
		{"integer", 7, `7`},
		{"large integer", uint64(math.MaxUint64), `18446744073709551615`},
		{"number", json.Number("1e5"), `1e5`},
		{"no number", json.Number("1,5"), ``},
		{"number and more", json.Number("1 "), ``},
		{"empty number", json.Number(""), ``},
		{"NaN", nan, `NaN`},
		{"infinities", []float64{inf, -inf, 0.1}, `[Infinity,-Infinity,0.1]`},
		{"single precision", float32(0.1), `0.1`},
		{"named", level(nan), `NaN`},
		{"pointer", &one, `1.5`},
		{"nil pointer", (*float64)(nil), `null`},
		{"array", [2]float32{1, float32(inf)}, `[1,Infinity]`},
		{"map of floats", map[string]float64{"b": nan, "a": 1}, `{"a":1,"b":NaN}`},
		{"nested", Attrs{"x": []any{Attrs{"y": nan}}}, `{"x":[{"y":NaN}]}`},
		{"bytes", []byte("hi"), `"aGk="`},
		{"nil list", []float64(nil), `null`},
		{"struct", named{3}, `{"n":3}`},
		{"own form", time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), `"2026-01-02T00:00:00Z"`},
		{"raw", json.RawMessage(` [1, 2] `), `[1,2]`},
		{"bad raw", json.RawMessage(`[1`), ``},
		{"text", "<a&b>\n\u00e9", `"<a&b>\né"`},
		{"function", func() {}, ``},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := attributes(Attrs{"k": tt.value})
			if tt.want == "" {
				if !errors.Is(err, fault.Type) {
					t.Errorf("%s, %v", got, err)
				}
				return
			}
			if err != nil || string(got) != `{"k":`+tt.want+`}` {
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
		})
	}
	loop := Attrs{}
	loop["self"] = loop
	if _, err := EncodeAttrs(loop); !errors.Is(err, fault.Type) {
		t.Errorf("attributes that hold themselves: %v", err)
	}
	if doc, err := EncodeAttrs(nil); err != nil || string(doc) != "{}" {
		t.Errorf("none: %s, %v", doc, err)
	}
}

// TestLayout checks that the white space of JSON with bare tokens changes as encoding/json changes
// that of JSON.
func TestLayout(t *testing.T) {
	for _, doc := range []string{`{}`, ` [ ] `, `{"a":{},"b":[],"c":[[1,{"d":" \"{,}:[] \\"}],2.5e1]}`, `[{"a" : null , "b":true}]`, `"x"`, `1`} {
		var packed, laid bytes.Buffer
		if json.Compact(&packed, []byte(doc)) != nil || json.Indent(&laid, []byte(strings.TrimSpace(doc)), "\t", "  ") != nil {
			t.Fatal(doc)
		}
		if got := compact([]byte(doc)); !bytes.Equal(got, packed.Bytes()) {
			t.Errorf("%s: compact %s", doc, got)
		}
		if got := indented([]byte(doc), "\t", "  "); !bytes.Equal(got, laid.Bytes()) {
			t.Errorf("%s: %s, want %s", doc, got, &laid)
		}
	}
	const bare = "{\n  \"a\": [\n    NaN,\n    -Infinity\n  ]\n}"
	if got := indented([]byte(`{"a":[NaN,-Infinity]}`), "", "  "); string(got) != bare {
		t.Errorf("%s", got)
	}
	if got := compact([]byte(bare)); string(got) != `{"a":[NaN,-Infinity]}` {
		t.Errorf("%s", got)
	}
}

// TestSetAttrsOfBareTokens changes one of the attributes of an indented document.
func TestSetAttrsOfBareTokens(t *testing.T) {
	doc := []byte("{\n  \"zarr_format\": 3,\n  \"node_type\": \"group\",\n  \"attributes\": {\n    \"a\": NaN\n  }\n}")
	n, err := ParseV3("zarr.json", doc)
	if err != nil {
		t.Fatal(err)
	}
	attrs := n.(*Group).Attrs
	attrs["b"] = json.Number("1")
	got, err := SetAttrs("zarr.json", doc, attrs)
	if want := strings.Replace(string(doc), "NaN", "NaN,\n    \"b\": 1", 1); err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}
