package msgpack_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/bits/jsontext"
	"github.com/zargo-io/zargo/zarr/codec/internal/msgpack"
	"github.com/zargo-io/zargo/zarr/fault"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestForms checks every form at its minimum and maximum lengths, in both directions.
func TestForms(t *testing.T) {
	long := func(n int) string { return strings.Repeat("61", n) }
	text := func(n int) string { return `"` + strings.Repeat("a", n) + `"` }
	list := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("0,", n), ",") + "]" }
	for _, r := range []struct{ stored, canon string }{
		{"c0", "null"}, {"c2", "false"}, {"c3", "true"}, {"00", "0"}, {"7f", "127"}, {"cc80", "128"}, {"ccff", "255"}, {"cd0100", "256"}, {"cdffff", "65535"}, {"ce00010000", "65536"}, {"ceffffffff", "4294967295"},
		{"cf0000000100000000", "4294967296"}, {"cfffffffffffffffff", "18446744073709551615"}, {"ff", "-1"}, {"e0", "-32"}, {"d0df", "-33"}, {"d080", "-128"}, {"d1ff7f", "-129"}, {"d18000", "-32768"}, {"d2ffff7fff", "-32769"},
		{"d280000000", "-2147483648"}, {"d3ffffffff7fffffff", "-2147483649"}, {"d38000000000000000", "-9223372036854775808"}, {"cb3ff0000000000000", "1.0"}, {"cb4004000000000000", "2.5"}, {"cb8000000000000000", "-0.0"},
		{"cb7ff0000000000000", `{"float":"Infinity"}`}, {"cbfff0000000000000", `{"float":"-Infinity"}`}, {"cb3ee4f8b588e368f1", "1e-05"}, {"cb4341c37937e08000", "1e+16"},
		{"a0", `""`}, {"bf" + long(31), text(31)}, {"d920" + long(32), text(32)}, {"d9ff" + long(255), text(255)}, {"da0100" + long(256), text(256)}, {"dbg", ""},
		{"c400", `{"b64":""}`}, {"c40100", `{"b64":"AA=="}`}, {"c50100" + strings.Repeat("00", 256), `{"b64":"` + strings.Repeat("A", 342) + `=="}`},
		{"90", "[]"}, {"9f" + strings.Repeat("00", 15), list(15)}, {"dc0010" + strings.Repeat("00", 16), list(16)}, {"80", "{}"}, {"82a16101a162c0", `{"a":1,"b":null}`}, {"81a2c3a991a161", `{"é":["a"]}`},
	} {
		if strings.HasSuffix(r.stored, "g") {
			r.stored, r.canon = "db00010000"+long(65536), text(65536)
		}
		src := unhex(t, r.stored)
		canon, err := msgpack.Decode([]byte("x"), src, false)
		if err != nil || string(canon) != "x"+r.canon {
			t.Errorf("%.40s: %.80s, %v, want %.80s", r.stored, canon, err, r.canon)
		}
		back, err := (msgpack.Options{}).Encode([]byte("x"), []byte(r.canon))
		if err != nil || !bytes.Equal(back[1:], src) {
			t.Errorf("%.80s: %.80x, %v", r.canon, back, err)
		}
	}
}

// TestOtherForms checks forms that the encoder does not write, and all options.
func TestOtherForms(t *testing.T) {
	for _, r := range []struct {
		stored, canon string
		raw           bool
	}{
		{"ca3fc00000", "1.5", false}, {"cc01", "1", false}, {"d3ffffffffffffffff", "-1", false}, {"dd0000000101", "[1]", false}, {"df00000001a16101", `{"a":1}`, false}, {"de0001a16101", `{"a":1}`, false},
		{"c60000000161", `{"b64":"YQ=="}`, false}, {"a161", `{"b64":"YQ=="}`, true}, {"a1ff", `{"b64":"/w=="}`, true}, {"cb7ff8000000000001", `{"float":"NaN"}`, false},
	} {
		if canon, err := msgpack.Decode(nil, unhex(t, r.stored), r.raw); err != nil || string(canon) != r.canon {
			t.Errorf("%s: %s, %v", r.stored, canon, err)
		}
	}
	for _, r := range []struct {
		canon, stored string
		o             msgpack.Options
	}{
		{"1.5", "ca3fc00000", msgpack.Options{Single: true}}, {`{"b64":"YQ=="}`, "a161", msgpack.Options{Old: true}}, {`"` + strings.Repeat("a", 32) + `"`, "da0020" + strings.Repeat("61", 32), msgpack.Options{Old: true}},
		{`{"float":"NaN"}`, "cb7ff8000000000000", msgpack.Options{}}, {`{"float":"NaN"}`, "ca7fc00000", msgpack.Options{Single: true}},
	} {
		if b, err := r.o.Encode(nil, []byte(r.canon)); err != nil || hex.EncodeToString(b) != r.stored {
			t.Errorf("%s: %x, %v", r.canon, b, err)
		}
	}
}

func TestRefuses(t *testing.T) {
	for name, r := range map[string]struct {
		stored string
		kind   error
	}{
		"nothing": {"", fault.Corrupt}, "no value": {"c1", fault.Corrupt}, "more": {"c0c0", fault.Corrupt}, "cut number": {"ce0000", fault.Corrupt}, "cut text": {"a261", fault.Corrupt}, "cut list": {"9201", fault.Corrupt},
		"cut map": {"81a161", fault.Corrupt}, "2^32-1 elements": {"ddffffffff00", fault.Corrupt}, "2^32-1 members": {"dfffffffffa16100", fault.Corrupt}, "2^32-1 bytes": {"c6ffffffff00", fault.Corrupt}, "no UTF-8": {"a1ff", fault.Corrupt},
		"extension": {"d40100", errors.ErrUnsupported}, "extension of any length": {"c70001", errors.ErrUnsupported}, "time": {"d6ff00000000", errors.ErrUnsupported}, "number as key": {"810102", errors.ErrUnsupported}, "bytes as key": {"81c4016101", errors.ErrUnsupported},
		"a map like bytes": {"81a3623634a0", errors.ErrUnsupported}, "a map like a number": {"81a5666c6f6174a34e614e", errors.ErrUnsupported}, "deep": {strings.Repeat("91", 100_000), fault.Limit}, "deep maps": {strings.Repeat("81a161", 100_000), fault.Limit},
	} {
		if b, err := msgpack.Decode([]byte("x"), unhex(t, r.stored), false); !errors.Is(err, r.kind) || string(b) != "x" {
			t.Errorf("%s: %s, %v", name, b, err)
		}
	}
	for _, canon := range []string{"18446744073709551616", "-9223372036854775809", "1e999", `"\ud800"`, `["\ud800"]`, `{"a":1e999}`, `{"\ud800":1}`} {
		if b, err := (msgpack.Options{}).Encode([]byte("x"), []byte(canon)); !errors.Is(err, fault.Type) || string(b) != "x" {
			t.Errorf("%s: %x, %v", canon, b, err)
		}
	}
}

// FuzzDecode checks that decoded text is unchanged after encoding and decoding it.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"95a17801cb4004000000000000a27c4f9103", "95c0c39301a161c0a27c4f9103", "9582a16b920102a2c3a9a2c3bcc0c0a27c4f9103", "c403ff00fe", "ddffffffff", "d6ff00000000", "ca7fc00000", "df00000001a161a162"} {
		f.Add(unhex(f, s), false)
		f.Add(unhex(f, s), true)
	}
	f.Fuzz(func(t *testing.T, src []byte, raw bool) {
		canon, err := msgpack.Decode(nil, src, raw)
		if err != nil {
			if !errors.Is(err, fault.Corrupt) && !errors.Is(err, fault.Limit) && !errors.Is(err, errors.ErrUnsupported) {
				t.Fatalf("error without kind: %v", err)
			}
			return
		}
		if len(canon) > 24*len(src) {
			t.Fatalf("%d bytes of %d", len(canon), len(src))
		}
		if again, err := jsontext.Canon(nil, canon, jsontext.Strict); err != nil || !bytes.Equal(again, canon) {
			t.Fatalf("%s is not canonical: %s, %v", canon, again, err)
		}
		stored, err := (msgpack.Options{}).Encode(nil, canon)
		if err != nil {
			t.Fatalf("%s: %v", canon, err)
		}
		if back, err := msgpack.Decode(nil, stored, false); err != nil || !bytes.Equal(back, canon) {
			t.Fatalf("%s became %s, %v", canon, back, err)
		}
	})
}
