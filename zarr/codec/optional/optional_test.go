package optional_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/optional"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestType parses data types and writes their metadata.
func TestType(t *testing.T) {
	const of = `{"name":"zarrs.optional","configuration":{"name":"int32","configuration":{}}}`
	deep := `{"name":"int8"}`
	for range 9 {
		deep = `{"name":"zarrs.optional","configuration":` + deep + `}`
	}
	tests := []struct {
		raw, text, v3 string
		err           error
	}{
		{raw: `{"name":"optional","configuration":{"name":"int32","configuration":{}}}`, text: "optional{int32}", v3: of},
		{raw: `{"name":"zarrs.optional","configuration":{"name":"int32"}}`, text: "optional{int32}", v3: of},
		{
			raw:  `{"name":"zarrs.optional","configuration":{"name":"optional","configuration":{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}}}`,
			text: "optional{optional{numpy.datetime64[s]}}",
			v3:   `{"name":"zarrs.optional","configuration":{"name":"zarrs.optional","configuration":{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}}}`,
		},
		{raw: `"zarrs.optional"`, err: fault.Metadata},
		{raw: `{"name":"zarrs.optional","configuration":{}}`, err: fault.Metadata},
		{raw: `{"name":"zarrs.optional","configuration":{"name":null}}`, err: fault.Metadata},
		{raw: `{"name":"zarrs.optional","configuration":{"name":"int32","more":1}}`, err: fault.Metadata},
		{raw: `{"name":"zarrs.optional","configuration":{"name":"other"}}`, err: errors.ErrUnsupported},
		{raw: `{"name":"zarrs.optional","configuration":{"name":"string"}}`, err: errors.ErrUnsupported},
		{raw: deep, err: fault.Limit},
	}
	table := optional.AddType(dtype.Standard())
	for _, tt := range tests {
		typ, err := table.ParseV3(json.RawMessage(tt.raw))
		if tt.err != nil || err != nil {
			if !errors.Is(err, tt.err) {
				t.Errorf("%s: %v, want %v", tt.raw, err, tt.err)
			}
			continue
		}
		v3, err := typ.V3()
		if err != nil || string(v3) != tt.v3 || typ.String() != tt.text {
			t.Errorf("%s: %v %s %v, want %s", tt.raw, typ, v3, err, tt.v3)
		}
		if _, err := typ.V2(dtype.Little); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s in v2: %v", tt.raw, err)
		}
	}
}

// TestFill converts fill values in both directions.
func TestFill(t *testing.T) {
	one, err := optional.Of(dtype.Int16)
	if err != nil {
		t.Fatal(err)
	}
	two, err := optional.Of(one)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		of   dtype.Type
		raw  string
		want []byte // nil for an error
	}{
		{one, `null`, []byte{0, 0, 0}},
		{one, `[7]`, []byte{1, 7, 0}},
		{two, `null`, []byte{0, 0, 0, 0}},
		{two, `[null]`, []byte{1, 0, 0, 0}},
		{two, `[[7]]`, []byte{1, 1, 7, 0}},
		{one, `7`, nil},
		{one, `[]`, nil},
		{one, `[7,8]`, nil},
		{one, `[null]`, nil},
		{two, `[7]`, nil},
		{one, `["x"]`, nil},
	}
	for _, tt := range tests {
		got, err := tt.of.ParseFill(json.RawMessage(tt.raw), 3)
		if tt.want == nil {
			if !errors.Is(err, fault.Metadata) {
				t.Errorf("%v %s: %v", tt.of, tt.raw, err)
			}
			continue
		}
		if err != nil || !bytes.Equal(got, tt.want) {
			t.Errorf("%v %s: %v, %v, want %v", tt.of, tt.raw, got, err, tt.want)
		}
		raw, err := tt.of.FormatFill(tt.want, 3)
		if err != nil || string(raw) != tt.raw {
			t.Errorf("%v: %s, %v, want %s", tt.of, raw, err, tt.raw)
		}
		if _, err := tt.of.ParseFill(json.RawMessage(tt.raw), 2); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%v in v2: %v", tt.of, err)
		}
	}
	plain, err := dtype.NewStruct(one.Fields()...)
	if err != nil {
		t.Fatal(err)
	}
	if dtype.Equal(one, plain) || dtype.Equal(one, two) || !dtype.Equal(one, one) {
		t.Error("Equal ignores the form")
	}
}

// TestBind binds the codec to invalid configurations and other data types.
func TestBind(t *testing.T) {
	const bits, raw = `"mask_codecs":["packbits"]`, `"data_codecs":["bytes"]`
	of, err := optional.Of(dtype.Int32)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		config string
		of     dtype.Type
		want   error
	}{
		{`{` + bits + `,` + raw + `}`, of, nil},
		{`{` + bits + `,` + raw + `}`, dtype.Int32, fault.Metadata},
		{`{` + bits + `}`, of, fault.Metadata},
		{`{` + raw + `,"mask_codecs":[]}`, of, fault.Metadata},
		{`{` + raw + `,"mask_codecs":[{}]}`, of, fault.Metadata},
		{`{` + raw + `,"mask_codecs":["gzip"]}`, of, fault.Metadata},
		{`{` + raw + `,"mask_codecs":["none"]}`, of, errors.ErrUnsupported},
		{`{` + bits + `,` + raw + `,"more":1}`, of, fault.Metadata},
		{`{` + bits + `,"data_codecs":[{"name":"zarrs.optional","configuration":{` + bits + `,` + raw + `}}]}`, of, fault.Metadata},
	}
	table := optional.Add(codec.Builtin())
	for _, tt := range tests {
		in := codec.Repr{Shape: []int{3}, Type: tt.of}
		if _, err := table.Chain([]codec.Spec{{Name: optional.Name, Config: json.RawMessage(tt.config)}}, in); !errors.Is(err, tt.want) {
			t.Errorf("%s of %v: %v, want %v", tt.config, tt.of, err, tt.want)
		}
	}
	// The codec "bytes" would store another form, which no other program reads.
	if _, err := zarr.Create(t.Context(), mem.New(), "a", zarr.Spec{Shape: []int{3}, DType: of}, tables()); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("created with the codec bytes: %v", err)
	}
}

// chain returns the codec for 2 × 3 elements of optional int16, with masks and values without
// compression.
func chain(t testing.TB, gzip string) *codec.Chain {
	of, err := optional.Of(dtype.Int16)
	if err != nil {
		t.Fatal(err)
	}
	config := `{"mask_codecs":["packbits"` + gzip + `],"data_codecs":["bytes"` + gzip + `]}`
	c, err := optional.Add(codec.Builtin()).Chain([]codec.Spec{{Name: optional.Name, Config: json.RawMessage(config)}}, codec.Repr{Shape: []int{2, 3}, Type: of})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// chunk returns a chunk with these lengths, a mask and values.
func chunk(nMask, nData uint64, rest ...byte) []byte {
	b := make([]byte, 16)
	for i := range 8 {
		b[i], b[8+i] = byte(nMask>>(8*i)), byte(nData>>(8*i))
	}
	return append(b, rest...)
}

// TestHostile decodes invalid chunks.
func TestHostile(t *testing.T) {
	c := chain(t, "")
	tests := []struct {
		name   string
		stored []byte
		ok     bool
	}{
		{"two values", chunk(1, 4, 0b100001, 1, 0, 2, 0), true},
		{"all missing", chunk(1, 0, 0), true},
		{"empty", nil, false},
		{"half a header", make([]byte, 15), false},
		{"no mask", chunk(0, 0), false},
		{"lengths without bytes", chunk(1, 4), false},
		{"huge mask", chunk(1<<63, 1<<63, 0), false},
		{"sum overflows", chunk(1<<64-1, 2, 0), false},
		{"bytes after the data", chunk(1, 2, 1, 7, 0, 9), false},
		{"too few values", chunk(1, 2, 3, 7, 0), false},
		{"too many values", chunk(1, 4, 1, 7, 0, 7, 0), false},
		{"values of missing elements", chunk(1, 2, 0, 7, 0), false},
		{"long mask", chunk(2, 2, 1, 0, 7, 0), false},
	}
	for _, tt := range tests {
		dst := bytes.Repeat([]byte{0xff}, 18)
		err := c.Decode(codec.Block{Bytes: dst}, tt.stored, nil)
		if tt.ok && err != nil || !tt.ok && !errors.Is(err, fault.Corrupt) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if want := slices.Concat([]byte{1, 1, 0}, make([]byte, 12), []byte{1, 2, 0}); tt.name == "two values" && !bytes.Equal(dst, want) {
			t.Errorf("%v, want %v", dst, want)
		}
	}
}

// FuzzDecode decodes arbitrary bytes. What decodes must survive a round trip.
func FuzzDecode(f *testing.F) {
	chains := []*codec.Chain{chain(f, ""), chain(f, `,"gzip"`)}
	f.Add(chunk(1, 4, 0b100001, 1, 0, 2, 0))
	f.Add(chunk(1, 0, 0))
	f.Add(chunk(1<<64-1, 2, 0))
	for _, c := range chains {
		b, err := c.Encode(nil, codec.Block{Bytes: []byte{1, 1, 2, 0, 0, 0, 1, 5, 6, 0, 0, 0, 1, 9, 9, 0, 0, 0}}, nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, stored []byte) {
		for _, c := range chains {
			got := make([]byte, 18)
			if err := c.Decode(codec.Block{Bytes: got}, stored, nil); err != nil {
				if !errors.Is(err, fault.Corrupt) {
					t.Fatalf("error of another kind: %v", err)
				}
				continue
			}
			again, err := c.Encode(nil, codec.Block{Bytes: got}, nil)
			if err != nil {
				t.Fatal(err)
			}
			back := make([]byte, 18)
			if err := c.Decode(codec.Block{Bytes: back}, again, nil); err != nil || !bytes.Equal(back, got) {
				t.Fatalf("round trip: %v, %v, want %v", back, err, got)
			}
		}
	})
}
