package dtype

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

// TestMalformedOrUnknown distinguishes malformed data types from unknown ones.
func TestMalformedOrUnknown(t *testing.T) {
	v2 := func(raw string) error { _, _, err := ParseV2(json.RawMessage(raw)); return err }
	v3 := func(raw string) error { _, err := ParseV3(json.RawMessage(raw)); return err }
	tests := []struct {
		name  string
		parse func(string) error
		raw   string
		kind  error
	}{
		{"raw bits of no whole byte", v3, `"r7"`, fault.Metadata},
		{"no raw bits", v3, `"r0"`, fault.Metadata},
		{"very many raw bits", v3, `"r99999999999999999999999999"`, fault.Metadata},
		{"very many whole bytes", v3, `"r99999999999999999999999992"`, fault.Limit},
		{"a name that begins like raw bits", v3, `"r16x"`, errors.ErrUnsupported},
		{"a small float that TensorStore has not", v2, `"float6_e2m3fn"`, errors.ErrUnsupported},
		{"code without order", v2, `"i4"`, fault.Metadata},
		{"longer code without order", v2, `"f16"`, fault.Metadata},
		{"struct with an unknown field", v2, `[["a","<i2"],["b","<t4",[2,2]]]`, errors.ErrUnsupported},
		{"struct without fields", v2, `[]`, fault.Metadata},
		{"struct with two fields of one name", v2, `[["a","<i2"],["a","<i2"]]`, fault.Metadata},
		{"field without a type", v2, `[["a"],["b","<i2"]]`, fault.Metadata},
		{"field without a name", v2, `[[null,"<i2"]]`, fault.Metadata},
		{"negative subarray", v2, `[["a","<i2",[-1]]]`, fault.Metadata},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.parse(tt.raw); !errors.Is(err, tt.kind) {
				t.Errorf("%s: %v, want %v", tt.raw, err, tt.kind)
			}
		})
	}
}

// TestShortErrors checks that errors are short even if stored values are long.
func TestShortErrors(t *testing.T) {
	long := strings.Repeat("x", 1<<16)
	_, _, e1 := ParseV2(json.RawMessage(`"<` + long + `"`))
	_, e2 := ParseV3(json.RawMessage(`"` + long + `"`))
	_, _, e3 := ParseV2(json.RawMessage(`[["` + long + `","<t2"]]`))
	_, e4 := Float32.ParseFill(json.RawMessage(`"`+long+`"`), 3)
	_, e5 := Int8.ParseFill(json.RawMessage(strings.Repeat("9", 1000)), 3)
	for i, err := range []error{e1, e2, e3, e4, e5} {
		if err == nil || len(err.Error()) > 300 {
			t.Errorf("%d: an error of %d bytes", i, len(err.Error()))
		}
	}
}

// TestTypestringPlain checks that typestrings contain "<" and not the equivalent escape \u003c,
// which readers may not expect.
func TestTypestringPlain(t *testing.T) {
	if got, err := Float32.V2(Little); err != nil || string(got) != `"<f4"` {
		t.Errorf("got %s, %v", got, err)
	}
}
