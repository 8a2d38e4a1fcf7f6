package meta

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// parse parses a document of the format that it declares.
func (with Parser) parse(doc string) error {
	var err error
	switch {
	case strings.Contains(doc, `"zarr_consolidated_format"`), strings.HasPrefix(doc, `{"metadata"`):
		_, err = with.ConsolidatedV2("k", []byte(doc))
	case strings.Contains(doc, `"zarr_format":1`):
		_, err = with.ArrayV1("k", []byte(doc), "", nil)
	case strings.Contains(doc, `"zarr_format":2`) && strings.Contains(doc, `"shape"`):
		_, err = with.ArrayV2("k", []byte(doc), "", nil)
	case strings.Contains(doc, `"zarr_format":2`):
		_, err = with.GroupV2("k", []byte(doc), "", nil)
	default:
		_, err = with.V3("k", []byte(doc))
	}
	return err
}

// TestLenient parses documents that violate rules: by default, with a violation handler, and
// strictly.
func TestLenient(t *testing.T) {
	v2 := func(old, with string) string { return edit(t, valid2, old, with) }
	v3 := func(old, with string) string { return edit(t, valid3, old, with) }
	const group = `{"zarr_format":3,"node_type":"group"`
	const v1 = `{"zarr_format":1,"shape":[9,4],"chunks":[4,4],"dtype":">u2","fill_value":7,"compression":null`
	typed := func(name, fill string) string {
		return strings.Replace(v3(`"float32"`, name), `"fill_value":0`, `"fill_value":`+fill, 1)
	}
	sharded := `"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[1,3],"codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]`
	codecs := `"codecs":[{"name":"bytes","configuration":{"endian":"little"}}]`
	tests := []struct {
		name, doc, pointer string
		want               rule.Rule
	}{
		{"bare NaN, v2", v2(`"fill_value":0`, `"fill_value":NaN`), "/fill_value", rule.BareToken},
		{"byte order mark", "\xef\xbb\xbf" + valid3, "", rule.ByteOrderMark},
		{"byte order mark, v2", "\xef\xbb\xbf" + valid2, "", rule.ByteOrderMark},
		{"bare NaN, v1", strings.NewReplacer(`7`, `NaN`, `>u2`, `>f4`).Replace(v1) + `,"order":"C"}`, "/fill_value", rule.BareToken},
		{"bare NaN in attributes", v3(`{"a":1}`, `{"a":[-Infinity]}`), "/attributes", rule.BareToken},
		{"bare NaN in a group", group + `,"attributes":{"a":NaN}}`, "/attributes", rule.BareToken},
		{"twice", v3(`{"a":1}`, `{"a":1,"b":{"a":1,"a":2}}`), "", rule.DuplicateMember},
		{"unknown in v2", v2(`"order":"C"`, `"order":"C","x":1`), "/x", rule.UnknownMember},
		{"unknown in a v2 group", `{"zarr_format":2,"x":1}`, "/x", rule.UnknownMember},
		{"filters", v2(`,"filters":null`, ``), "", rule.NoFilters},
		{"order of v1", v1 + `}`, "", rule.NoOrder},
		{"order of one byte", v2(`<f4`, `<u1`), "/dtype", rule.DTypeSpelling},
		{"micro", strings.Replace(v2(`<f4`, `<M8[μs]`), `"fill_value":0`, `"fill_value":0`, 1), "/dtype", rule.DTypeSpelling},
		{"TensorStore's name", v2(`<f4`, `bfloat16`), "/dtype", rule.DTypeSpelling},
		{"no unit", v2(`<f4`, `<M8`), "/dtype", rule.DTypeSpelling},
		{"padding", strings.Replace(v2(`"<f4"`, `[["a",[["x","|u1"],["","|V3"]]],["b","<i4"]]`), `"fill_value":0`, `"fill_value":null`, 1), "/dtype", rule.DTypeSpelling},
		{"fraction in a v2 data type", strings.Replace(v2(`"<f4"`, `[["a","<i4",[2.0]]]`), `"fill_value":0`, `"fill_value":null`, 1), "/dtype", rule.NumberSpelling},
		{"pointer's size", strings.Replace(v2(`<f4`, `|O8`), `"fill_value":0,"order":"C","filters":null`, `"fill_value":"","order":"C","filters":[{"id":"vlen-utf8"}]`, 1), "/dtype", rule.DTypeSpelling},
		{"micro, v3", typed(`{"name":"numpy.datetime64","configuration":{"unit":"μs","scale_factor":1}}`, `"NaT"`), "/data_type", rule.UnregisteredSpelling},
		{"bytes", typed(`"variable_length_bytes"`, `""`), "/data_type", rule.UnregisteredSpelling},
		{"structured", typed(`{"name":"structured","configuration":{"fields":[["x","uint8"]]}}`, `"AA=="`), "/data_type", rule.LegacyStructured},
		{"pairs", typed(`{"name":"struct","configuration":{"fields":[["x","uint8"]]}}`, `{"x":1}`), "/data_type", rule.LegacyStructured},
		{"fraction in a data type", typed(`{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1e0}}`, `"NaT"`), "/data_type", rule.NumberSpelling},
		{"zero for text", v2(`<f4`, `|S5`), "/fill_value", rule.FillSpelling},
		{"zero for bool", v2(`<f4`, `|b1`), "/fill_value", rule.FillSpelling},
		{"fraction for integer", typed(`"int32"`, `1.0`), "/fill_value", rule.FillSpelling},
		{"fraction for a time", typed(`{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}`, `1.0`), "/fill_value", rule.FillSpelling},
		{"fraction for a byte", typed(`"bytes"`, `[1,2.0]`), "/fill_value", rule.FillSpelling},
		{"text for raw bits", typed(`"r16"`, `"AAE="`), "/fill_value", rule.FillSpelling},
		{"list for raw bytes", typed(`{"name":"raw_bytes","configuration":{"length_bytes":2}}`, `[0,1]`), "/fill_value", rule.FillSpelling},
		{"text for a structure", typed(`{"name":"struct","configuration":{"fields":[{"name":"x","data_type":"uint8"}]}}`, `"AA=="`), "/fill_value", rule.FillSpelling},
		{"number for a complex", v2(`<f4`, `<c8`), "/fill_value", rule.FillSpelling},
		{"quoted number", v2(`"fill_value":0`, `"fill_value":"0.5"`), "/fill_value", rule.FillSpelling},
		{"quoted part", strings.Replace(v2(`<f4`, `<c8`), `"fill_value":0`, `"fill_value":["NaN","1"]`, 1), "/fill_value", rule.FillSpelling},
		{"format a fraction", v3(`"zarr_format":3`, `"zarr_format":3.0`), "/zarr_format", rule.NumberSpelling},
		{"chunk of nothing", strings.Replace(v3(`[4,6]`, `[4,0]`), `[2,3]`, `[2,0]`, 1), "/chunk_grid/configuration/chunk_shape/1", rule.EmptyChunk},
		{"chunk of nothing, v2", strings.Replace(v2(`[4,6]`, `[0,6]`), `[2,3]`, `[0,3]`, 1), "/chunks/0", rule.EmptyChunk},
		{"gzip without a level", v3(codecs, codecs[:len(codecs)-1]+`,"gzip"]`), "/codecs/1/configuration", rule.CodecDefault},
		{"blosc without a size", v3(codecs, codecs[:len(codecs)-1]+`,{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","blocksize":0}}]`), "/codecs/1/configuration", rule.CodecDefault},
		{"attributes", v3(`{"a":1}`, `null`), "/attributes", rule.NullMember},
		{"attributes of a group", group + `,"attributes":null}`, "/attributes", rule.NullMember},
		{"storage transformers", v3(`"storage_transformers":[]`, `"storage_transformers":null`), "/storage_transformers", rule.NullMember},
		{"lists in a regular grid", v3(`[2,3]`, `[2,[3,1,2]]`), "/chunk_grid/configuration/chunk_shape", rule.GridSpelling},
		{"true in a grid", v3(`[2,3]`, `[true,3]`), "/chunk_grid/configuration/chunk_shape/0", rule.NumberSpelling},
		{"fraction of a chunk length", v3(`{"name":"regular","configuration":{"chunk_shape":[2,3]}}`, `{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[2.0,2],[[1,6]]]}}`), "/chunk_grid/configuration/chunk_shapes/0/0", rule.NumberSpelling},
		{"shuffle without size", strings.Replace(v2(`<f4`, `<i2`), `"filters":null`, `"filters":[{"id":"shuffle"}]`, 1), "/filters/0", rule.CodecDefault},
		{"shuffle null", v3(codecs, codecs[:len(codecs)-1]+`,{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":null,"blocksize":0,"typesize":4}}]`), "/codecs/1/configuration", rule.CodecDefault},
		{"quoted number of v3", v3(`"fill_value":0`, `"fill_value":"1.5"`), "/fill_value", rule.FillSpelling},
		{"quoted integer of v3", typed(`"int32"`, `"5"`), "/fill_value", rule.FillSpelling},
		{"inf", v3(`"fill_value":0`, `"fill_value":"-inf"`), "/fill_value", rule.FillSpelling},
		{"bits of another type", v3(`"fill_value":0`, `"fill_value":"0x7e01"`), "/fill_value", rule.FillSpelling},
		{"dimensions", v3(`["y",null]`, `null`), "/dimension_names", rule.DimensionsNull},
		{"consolidated", group + `,"consolidated_metadata":null}`, "/consolidated_metadata", rule.ConsolidatedNull},
		{"consolidated metadata without nodes", group + `,"consolidated_metadata":{"kind":"inline"}}`, "/consolidated_metadata/metadata", rule.BadConsolidated},
		{"consolidated format a fraction", `{"zarr_consolidated_format":1.0,"metadata":{}}`, "/zarr_consolidated_format", rule.NumberSpelling},
		{"attributes of nothing", `{"zarr_consolidated_format":1,"metadata":{"a/.zattrs":{}}}`, "/metadata/a~1.zattrs", rule.AttributesOfNothing},
		{"index codecs", v3(codecs, sharded), "/codecs/0/configuration", rule.NoIndexCodecs},
		{"fraction", v3(codecs, codecs[:len(codecs)-1]+`,{"name":"gzip","configuration":{"level":5.0}}]`), "/codecs/1/configuration/level", rule.NumberSpelling},
		{"fraction of bits", v3(`"codecs":[`, `"codecs":[{"name":"bitround","configuration":{"keepbits":5.0}},`), "/codecs/0/configuration/keepbits", rule.NumberSpelling},
		{"fraction in a shard's index", v3(codecs, strings.Replace(sharded, `}}]}}`, `}}],"index_codecs":[{"name":"transpose","configuration":{"order":[0,1,2e0]}},{"name":"bytes","configuration":{"endian":"little"}}]}}`, 1)),
			"/codecs/0/configuration/index_codecs/0/configuration/order", rule.NumberSpelling},
		// The following documents have the forms of other implementations.
		{"quoted integer of n5-zarr", strings.Replace(v2(`<f4`, `>u2`), `"fill_value":0`, `"fill_value":"0"`, 1), "/fill_value", rule.FillSpelling},
		{"quoted integer of bioformats2raw", strings.Replace(v2(`<f4`, `|i1`), `"fill_value":0`, `"fill_value":"-1"`, 1), "/fill_value", rule.FillSpelling},
		{"bool a number, v3", strings.Replace(typed(`"bool"`, `0`), `,"configuration":{"endian":"little"}`, ``, 1), "/fill_value", rule.FillSpelling},
		{"infinity with a sign", v3(`"fill_value":0`, `"fill_value":"+Infinity"`), "/fill_value", rule.FillSpelling},
		{"infinity with a sign, v2", v2(`"fill_value":0`, `"fill_value":"+Infinity"`), "/fill_value", rule.FillSpelling},
		{"infinity with a sign in a complex", typed(`"complex64"`, `["+Infinity",0]`), "/fill_value", rule.FillSpelling},
		{"infinity with a sign in a structure", typed(`{"name":"struct","configuration":{"fields":[{"name":"x","data_type":"float32"}]}}`, `{"x":"+Infinity"}`), "/fill_value/x", rule.FillSpelling},
		{"infinity with a sign in a codec", v3(`"codecs":[`, `"codecs":[{"name":"cast_value","configuration":{"data_type":"float64","scalar_map":{"encode":[["+Infinity",0]]}}},`), "/codecs/0/configuration/scalar_map", rule.FillSpelling},
		{"no fill value in v1", strings.Replace(v1, `"fill_value":7,`, ``, 1) + `,"order":"C"}`, "", rule.NoFillValue},
		{"no consolidated format", `{"metadata":{".zgroup":{"zarr_format":2}}}`, "", rule.NoConsolidatedFormat},
		{"the draft's bytes", v3(codecs, strings.Replace(codecs, `"bytes"`, `"endian"`, 1)), "/codecs/0", rule.DraftCodec},
		{"the draft's bytes in a shard's index", v3(codecs, strings.Replace(sharded, `}}]}}`, `}}],"index_codecs":[{"name":"endian","configuration":{"endian":"little"}},"crc32c"]}}`, 1)),
			"/codecs/0/configuration/index_codecs/0", rule.DraftCodec},
		{"no byte order", v3(codecs, `"codecs":[{"name":"bytes"}]`), "/codecs/0/configuration", rule.NoEndian},
		{"no byte order of text", strings.Replace(typed(`{"name":"fixed_length_utf32","configuration":{"length_bytes":8}}`, `""`), `{"endian":"little"}`, `{}`, 1), "/codecs/0/configuration", rule.NoEndian},
		{"no byte order in a shard", v3(codecs, strings.Replace(sharded, `}}]}}`, `}}],"index_codecs":["bytes"]}}`, 1)), "/codecs/0/configuration/index_codecs/0/configuration", rule.NoEndian},
		{"no byte order behind a cast", strings.Replace(typed(`"uint8"`, `0`), codecs, `"codecs":[{"name":"cast_value","configuration":{"data_type":"int16"}},"bytes"]`, 1), "/codecs/1/configuration", rule.NoEndian},
		{"gzip of zlib's level", v3(codecs, codecs[:len(codecs)-1]+`,{"name":"gzip","configuration":{"level":-1}}]`), "/codecs/1/configuration/level", rule.CodecRange},
		{"fraction in a shard", v3(codecs, strings.Replace(sharded, `}}]}}`, `}},{"name":"gzip","configuration":{"level":5e0}}],"index_codecs":["crc32c"]}}`, 1)),
			"/codecs/0/configuration/codecs/1/configuration/level", rule.NumberSpelling},
	}
	told := map[rule.Rule]bool{}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := (Parser{}).parse(tt.doc); err != nil {
				t.Fatalf("by default: %v", err)
			}
			var got []rule.Finding
			tell := func(f rule.Finding) error { got = append(got, f); return nil }
			if err := (Parser{Lenient: tell}).parse(tt.doc); err != nil {
				t.Errorf("told: %v", err)
			}
			if len(got) != 1 || got[0].Rule != tt.want || got[0].Pointer != tt.pointer || got[0].Key != "k" {
				t.Fatalf("told %+v, want %v at %q", got, tt.want, tt.pointer)
			}
			err := Parser{Lenient: func(f rule.Finding) error { return &rule.Error{Rule: f.Rule} }}.parse(tt.doc)
			refused(t, err, "k", tt.pointer, fault.Metadata)
			var broken *rule.Error
			if !errors.As(err, &broken) || broken.Rule != tt.want {
				t.Errorf("strict: %v", err)
			}
		})
		told[tt.want] = true
	}
	// The table must have every rule whose violation is an error in strict mode. Parsing accepts
	// the settings of an encoder, which package validate reports.
	last := slices.Index(rule.All(), rule.ElementForm)
	for _, r := range rule.All()[:last] {
		if !told[r] && r != rule.EncoderSetting {
			t.Errorf("no document breaks %q", r)
		}
	}
	small := func(name, fill, codec string) string {
		return strings.Replace(typed(name, fill), codecs, `"codecs":[`+codec+`]`, 1)
	}
	for _, doc := range []string{
		valid2, valid3, group + "}",
		small(`"int8"`, `0`, `"bytes"`), small(`"float32"`, `0`, `{"name":"cast_value","configuration":{"data_type":"int8"}},"bytes"`),
		typed(`"string"`, `"+Infinity"`),
	} {
		if err := (Parser{Lenient: func(f rule.Finding) error { return &rule.Error{Rule: f.Rule} }}).parse(doc); err != nil {
			t.Errorf("%s: %v", doc, err)
		}
	}
}
