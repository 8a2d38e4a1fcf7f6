package jsontext_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/bits/jsontext"
	"github.com/zargo-io/zargo/zarr/fault"
)

func TestCanon(t *testing.T) {
	for _, r := range []struct {
		src, want string
		dialect   jsontext.Dialect
	}{
		{" null ", "null", 0}, {"[ ]", "[]", 0}, {"{ }", "{}", 0}, {"[1 , 2.50,\t-0,1E+5]", "[1,2.50,-0,1E+5]", 0},
		{`{"b" : 1, "a":[true,false, {}]}`, `{"b":1,"a":[true,false,{}]}`, 0},
		{`"\u00e9\/\u000a\u001F\"\\\b\f\r\t\n"`, `"é/\n\u001f\"\\\b\f\r\t\n"`, 0}, {`"\ud83d\ude00"`, `"😀"`, 0}, {`"\ud83dx\ude00\ud83d"`, `"\ud83dx\ude00\ud83d"`, 0},
		{`"\u0041\u007f"`, "\"A\x7f\"", 0}, {"\"a\x00\nb\"", `"a\u0000\nb"`, jsontext.Controls},
		{"[NaN,-Infinity,Infinity]", `[{"float":"NaN"},{"float":"-Infinity"},{"float":"Infinity"}]`, jsontext.Tokens},
		{`{"float":"NaN"}`, `{"float":"NaN"}`, 0}, {`{"float":"nan"}`, `{"float":"nan"}`, jsontext.Tokens}, {`{"float":1}`, `{"float":1}`, jsontext.Tokens},
	} {
		b, err := jsontext.Canon([]byte("x"), []byte(r.src), r.dialect)
		if err != nil || string(b) != "x"+r.want {
			t.Errorf("%s: %s, %v", r.src, b, err)
		}
	}
	deep := strings.Repeat("[", jsontext.MaxDepth) + strings.Repeat("]", jsontext.MaxDepth)
	if _, err := jsontext.Canon(nil, []byte(deep), 0); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	for _, r := range []struct {
		src  string
		kind error
	}{
		{"", fault.Corrupt}, {"[", fault.Corrupt}, {"[1,]", fault.Corrupt}, {"[,1]", fault.Corrupt}, {"[1 2]", fault.Corrupt}, {"{1:2}", fault.Corrupt}, {`{"a" 1}`, fault.Corrupt}, {`{"a":1,}`, fault.Corrupt},
		{`{"a":1 "b":2}`, fault.Corrupt}, {"1 2", fault.Corrupt}, {"01", fault.Corrupt}, {"-", fault.Corrupt}, {"1.", fault.Corrupt}, {"1e", fault.Corrupt}, {".5", fault.Corrupt}, {"+1", fault.Corrupt}, {"nul", fault.Corrupt}, {"nulll", fault.Corrupt},
		{`"`, fault.Corrupt}, {`"\`, fault.Corrupt}, {`"\u12"`, fault.Corrupt}, {`"\u12g4"`, fault.Corrupt}, {`"\x"`, fault.Corrupt}, {"\"\n\"", fault.Corrupt}, {"\"\xff\"", fault.Corrupt}, {"'a'", fault.Corrupt},
		{"[" + deep + "]", fault.Limit}, {strings.Repeat("[", 1<<20), fault.Limit}, {strings.Repeat(`{"a":`, 1<<20), fault.Limit}, {`[{"float":"NaN"},NaN]`, errors.ErrUnsupported},
	} {
		if b, err := jsontext.Canon([]byte("x"), []byte(r.src), jsontext.Tokens); !errors.Is(err, r.kind) || string(b) != "x" {
			t.Errorf("%.40s: %s, %v", r.src, b, err)
		}
	}
	if _, err := jsontext.Canon(nil, []byte("NaN"), jsontext.Strict); !errors.Is(err, fault.Corrupt) {
		t.Errorf("NaN: %v", err)
	}
}

func TestRender(t *testing.T) {
	const canon = `{"b":[1,{"float":"NaN"},"é😀` + "\x7f" + `"],"a\n":{},"a":{"float":"-Infinity"}}`
	for _, r := range []struct {
		style jsontext.Style
		want  string
	}{
		{jsontext.Style{Tokens: true}, `{"b":[1,NaN,"é😀` + "\x7f" + `"],"a\n":{},"a":-Infinity}`},
		{jsontext.Style{Tokens: true, Sorted: true, ASCII: true}, `{"a":-Infinity,"a\n":{},"b":[1,NaN,"\u00e9\ud83d\ude00\u007f"]}`},
	} {
		if b, err := r.style.Render(nil, []byte(canon)); err != nil || string(b) != r.want {
			t.Errorf("%s, %v", b, err)
		}
	}
	for _, bad := range []string{canon, `[{"b64":"AA=="}]`} {
		if b, err := (jsontext.Style{}).Render(nil, []byte(bad)); !errors.Is(err, fault.Type) {
			t.Errorf("%s, %v", b, err)
		}
	}
}

func TestUnquote(t *testing.T) {
	for canon, want := range map[string]string{`"a\"\\\n\u0000é"`: "a\"\\\n\x00é", `""`: ""} {
		if s, ok := jsontext.Unquote([]byte(canon)); !ok || s != want {
			t.Errorf("%s: %q, %v", canon, s, ok)
		}
		if b := jsontext.AppendString(nil, want); string(b) != canon {
			t.Errorf("%q: %s", want, b)
		}
	}
	for _, canon := range []string{`1`, `"\ud800"`, `[]`, ``} {
		if s, ok := jsontext.Unquote([]byte(canon)); ok {
			t.Errorf("%s: %q", canon, s)
		}
	}
}

func TestBytes(t *testing.T) {
	for _, b := range []string{"", "a", "\x00\xff\xfe"} {
		canon := jsontext.AppendBytes(nil, []byte(b))
		if back, ok := jsontext.Bytes(canon); !ok || string(back) != b {
			t.Errorf("%s: %q, %v", canon, back, ok)
		}
	}
	for _, canon := range []string{`{"b64":"!"}`, `{"b64":1}`, `{"b64":"AA==","c":"d"}`, `{"b64":"a\"b"}`, `{}`} {
		if b, ok := jsontext.Bytes([]byte(canon)); ok {
			t.Errorf("%s: %q", canon, b)
		}
	}
}

// beyond reports whether err is about a number outside of the range of float64. encoding/json
// refuses such numbers but no other valid JSON.
func beyond(err error) bool {
	var e *json.UnmarshalTypeError
	return errors.As(err, &e) && strings.HasPrefix(e.Value, "number ")
}

// FuzzCanon compares Canon with encoding/json, and checks that Canon parses its own result and the
// result of Render.
func FuzzCanon(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,null,true],"é":"\u00fc\ud800"}`, `[[[]],{"a":{"b":{}}}]`, `[NaN,-Infinity,{"float":"NaN"}]`, `"\ud83d\ude00\n"`, `["x",1,2.5,"|O",[3]]`} {
		f.Add([]byte(s), byte(0))
		f.Add([]byte(s), byte(6))
	}
	f.Fuzz(func(t *testing.T, src []byte, dialect byte) {
		d := jsontext.Dialect(dialect) & (jsontext.Tokens | jsontext.Controls)
		canon, err := jsontext.Canon(nil, src, d)
		if err != nil {
			if !errors.Is(err, fault.Corrupt) && !errors.Is(err, fault.Limit) && !errors.Is(err, errors.ErrUnsupported) {
				t.Fatalf("error without kind: %v", err)
			}
			return
		}
		if len(canon) > 20*len(src) {
			t.Fatalf("%d bytes of %d", len(canon), len(src))
		}
		var x, y any
		if d == jsontext.Strict {
			if err := json.Unmarshal(src, &x); err != nil && !beyond(err) {
				t.Fatalf("%q: %v", src, err)
			}
		}
		if err := json.Unmarshal(canon, &y); err != nil && !beyond(err) {
			t.Fatalf("%q became %q: %v", src, canon, err)
		}
		if d == jsontext.Strict && !reflect.DeepEqual(x, y) {
			t.Fatalf("%q became %q", src, canon)
		}
		again, err := jsontext.Canon(nil, canon, jsontext.Strict)
		if err != nil || !bytes.Equal(again, canon) {
			t.Fatalf("%q, then %q, %v", canon, again, err)
		}
		style := jsontext.Style{ASCII: dialect&8 != 0, Tokens: true}
		text, err := style.Render(nil, canon)
		if err != nil {
			return // Render refuses bytes
		}
		if back, err := jsontext.Canon(nil, text, jsontext.Tokens); err != nil || !bytes.Equal(back, canon) {
			t.Fatalf("%q rendered as %q, read as %q, %v", canon, text, back, err)
		}
	})
}

// TestCanonCost bounds the allocated bytes for many escapes, and for nested objects that begin like
// a float and must not be copied at each level.
func TestCanonCost(t *testing.T) {
	for name, src := range map[string]string{
		"escapes": `"` + strings.Repeat(`\n\/`, 1<<16) + `"`,
		"nested":  strings.Repeat(`{"float":"x","a":`, 500) + `"` + strings.Repeat("y", 1<<16) + `"` + strings.Repeat("}", 500),
	} {
		room := make([]byte, 0, 1<<20)
		text := []byte(src)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := jsontext.Canon(room, text, jsontext.Tokens)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; err != nil || n > 1<<20 {
			t.Errorf("%s: %d bytes were allocated, %v", name, n, err)
		}
	}
}
