package codec_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

func ragged(t testing.TB, elem dtype.Type, order dtype.Order) dtype.Ragged {
	t.Helper()
	r, err := dtype.RaggedOf(elem, order)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestObjectBytes compares encoded objects with the bytes that numcodecs writes.
func TestObjectBytes(t *testing.T) {
	for _, r := range []struct {
		name   string
		typ    dtype.Type
		spec   codec.Spec
		shape  []int
		items  [][]byte
		stored string
	}{
		{"json2", dtype.JSON, codec.JSON2(), []int{3}, texts(`"x"`, `{"é":null,"b":[1,2.5]}`, `{"float":"NaN"}`), `["x",{"b":[1,2.5],"\u00e9":null},NaN,"|O",[3]]`},
		{"json2, two axes", dtype.JSON, codec.JSON2(), []int{2, 2}, texts(`1`, `[]`, `"c"`, `null`), `[[1,[]],["c",null],"|O",[2,2]]`},
		{"json2, three axes", dtype.JSON, codec.JSON2(), []int{1, 2, 1}, texts(`1`, `2`), `[[[1],[2]],"|O",[1,2,1]]`},
		{"json2, no axes", dtype.JSON, codec.JSON2(), nil, texts(`1`), `[1,"|O",[]]`},
		{"json2, no elements", dtype.JSON, codec.JSON2(), []int{0}, nil, `["|O",[0]]`},
		{"msgpack2", dtype.JSON, codec.MsgPack2(), []int{3}, texts(`"x"`, `1`, `{"b64":"/w=="}`), "\x95\xa1x\x01\xc4\x01\xff\xa2|O\x91\x03"},
		{"msgpack2, two axes", dtype.JSON, codec.MsgPack2(), []int{1, 2}, texts(`1`, `2`), "\x93\x92\x01\x02\xa2|O\x92\x01\x02"},
		{"vlen-array", ragged(t, dtype.Int16, dtype.Big), codec.VlenArray(ragged(t, dtype.Int16, dtype.Big)), []int{2}, [][]byte{{1, 0, 2, 0}, {}}, "\x02\x00\x00\x00\x04\x00\x00\x00\x00\x01\x00\x02\x00\x00\x00\x00"},
		{"categorize", dtype.String, codec.Categorize(dtype.String, dtype.Int16, "red", "é"), []int{4}, texts("é", "red", "", "é"), "\x02\x00\x01\x00\x00\x00\x02\x00"},
	} {
		c := mustChain(t, codec.Repr{Shape: r.shape, Type: r.typ}, r.spec)
		b, err := c.Encode(nil, codec.Block{Items: r.items}, nil)
		if err != nil || string(b) != r.stored {
			t.Errorf("%s: %q, %v", r.name, b, err)
		}
		if n := c.EncodedSize(); n >= 0 && n != int64(len(b)) || int64(len(b)) > c.Worst() {
			t.Errorf("%s: %d bytes, said were %d, at most %d", r.name, len(b), n, c.Worst())
		}
		got := codec.Block{Items: make([][]byte, len(r.items))}
		src := []byte(r.stored)
		if err := c.Decode(got, src, nil); err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
		for i, b := range got.Items {
			if want := r.items[i]; !bytes.Equal(b, want) && r.name != "json2" || len(b) != len(want) {
				t.Errorf("%s: element %d is %q, want %q", r.name, i, b, want)
			}
		}
		if string(src) != r.stored {
			t.Errorf("%s: what was read has changed", r.name)
		}
	}
}

// TestObjectsOfOtherWriters checks that valid forms that this package does not write are decoded.
func TestObjectsOfOtherWriters(t *testing.T) {
	spec := func(id, config string) codec.Spec { return codec.FromNumcodecs(id, json.RawMessage(config)) }
	for _, r := range []struct {
		name   string
		typ    dtype.Type
		spec   codec.Spec
		stored string
		want   []string
	}{
		{"white space", dtype.JSON, spec("json2", `{"indent":2}`), "[\n  \"a\",\n  [1, 2],\n \"|O\", [2]\n]", []string{`"a"`, "[1,2]"}},
		{"another shape of as many", dtype.JSON, spec("json2", ``), `[["a","b"],"|O",[1,2]]`, []string{`"a"`, `"b"`}},
		{"control characters", dtype.JSON, spec("json2", `{"strict":false}`), "[\"a\n\",1,\"|O\",[2]]", []string{`"a\n"`, "1"}},
		{"msgpack of text as bytes", dtype.JSON, spec("msgpack2", `{"raw":true}`), "\x94\x01\xa1a\xa2|O\x91\x02", nil},
		{"codes beyond", dtype.String, spec("categorize", `{"labels":["a","b"],"dtype":"|O","astype":"|i1"}`), "\xff\x02", []string{"", "b"}},
		{"codes of another size", dtype.String, spec("categorize", `{"labels":["a","b"],"dtype":"O","astype":">u2"}`), "\x00\x01\x01\x02", []string{"a", ""}},
	} {
		c := mustChain(t, codec.Repr{Shape: []int{2}, Type: r.typ}, r.spec)
		got := codec.Block{Items: make([][]byte, 2)}
		err := c.Decode(got, []byte(r.stored), nil)
		if r.want == nil {
			// The dtype is then also bytes, which numcodecs cannot read either.
			if !errors.Is(err, fault.Corrupt) {
				t.Errorf("%s: %q, %v", r.name, got.Items, err)
			}
			continue
		}
		if err != nil || !slices.EqualFunc(got.Items, r.want, func(b []byte, s string) bool { return string(b) == s }) {
			t.Errorf("%s: %q, %v", r.name, got.Items, err)
		}
	}
}

func TestObjectsRefuse(t *testing.T) {
	json2 := mustChain(t, codec.Repr{Shape: []int{2}, Type: dtype.JSON}, codec.JSON2())
	array := mustChain(t, codec.Repr{Shape: []int{2}, Type: ragged(t, dtype.Int32, dtype.Little)}, codec.VlenArray(ragged(t, dtype.Int32, dtype.Little)))
	labels := mustChain(t, codec.Repr{Shape: []int{2}, Type: dtype.String}, codec.Categorize(dtype.String, dtype.Uint8, "a"))
	for _, r := range []struct {
		c      *codec.Chain
		stored string
		kind   error
	}{
		{json2, `["a","b"`, fault.Corrupt}, {json2, `["a","b","|O",[7]]`, fault.Corrupt}, {json2, `["a","b","|O",[2]]x`, fault.Corrupt}, {json2, `["a","|O",[1]]`, fault.Corrupt}, {json2, `["a","b"]`, fault.Corrupt}, {json2, `[]`, fault.Corrupt},
		{json2, `{"a":1}`, fault.Corrupt}, {json2, `7`, fault.Corrupt}, {json2, `["a","b","<i4",[2]]`, fault.Corrupt}, {json2, `["a","b",3,[2]]`, fault.Corrupt}, {json2, `["a","b","|O",2]`, fault.Corrupt}, {json2, `["a","b","|O",[-2]]`, fault.Corrupt},
		{json2, `["a","b","|O",[2.5]]`, fault.Corrupt}, {json2, `["a","b","|O",[2,9223372036854775807]]`, fault.Corrupt}, {json2, `["a","b","|O",[2` + strings.Repeat(",1", 64) + `]]`, fault.Corrupt}, {json2, `["ab","|O",[1,2]]`, fault.Corrupt},
		{json2, `[[1],"|O",[1,2]]`, fault.Corrupt}, {json2, `[[1,2,3],"|O",[1,2]]`, fault.Corrupt}, {json2, `[{"float":"NaN"},1,"|O",[2]]`, errors.ErrUnsupported}, {json2, strings.Repeat("[", 5000), fault.Limit}, {json2, "\xff", fault.Corrupt},
		{array, "", fault.Corrupt}, {array, "\x02\x00\x00\x00\x03\x00\x00\x00abc\x00\x00\x00\x00", fault.Corrupt}, {array, "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", fault.Corrupt},
		{labels, "\x01", fault.Corrupt}, {labels, "\x01\x01\x01", fault.Corrupt},
	} {
		if err := r.c.Decode(codec.Block{Items: make([][]byte, 2)}, []byte(r.stored), nil); !errors.Is(err, r.kind) {
			t.Errorf("%.60q: %v, want %v", r.stored, err, r.kind)
		}
	}
	for name, r := range map[string]struct {
		c    *codec.Chain
		item string
	}{"no JSON": {json2, "a"}, "two values": {json2, "1,2"}, "nothing": {json2, ""}, "bytes": {json2, `{"b64":"AA=="}`}, "part of a number": {array, "abc"}} {
		if b, err := r.c.Encode([]byte("x"), codec.Block{Items: [][]byte{[]byte(r.item), []byte(r.item)}}, nil); !errors.Is(err, fault.Type) || string(b) != "x" {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
}

func TestObjectsBind(t *testing.T) {
	u6 := codec.Repr{Shape: []int{2}, Type: dtype.U(6)}
	objects := codec.Repr{Shape: []int{2}, Type: dtype.JSON}
	text := codec.Repr{Shape: []int{2}, Type: dtype.String}
	arrays := codec.Repr{Shape: []int{2}, Type: ragged(t, dtype.Int32, dtype.Little)}
	for _, r := range []struct {
		id, config string
		in         codec.Repr
		kind       error
	}{
		{"json2", `{"encoding":"utf-16"}`, objects, errors.ErrUnsupported}, {"json2", `{"encoding":7}`, objects, fault.Metadata}, {"json2", `{"x":1}`, objects, fault.Metadata}, {"json2", `{"strict":1}`, objects, fault.Metadata}, {"json2", ``, text, fault.Metadata},
		{"json2", ``, codec.Repr{Shape: []int{math.MaxInt, 2}, Type: dtype.JSON}, fault.Limit}, {"msgpack2", `{"raw":0}`, objects, fault.Metadata}, {"msgpack2", ``, codec.Repr{Type: dtype.JSON}, errors.ErrUnsupported},
		{"vlen-array", ``, arrays, fault.Metadata}, {"vlen-array", `{"dtype":"<i8"}`, arrays, fault.Metadata}, {"vlen-array", `{"dtype":"|O"}`, arrays, fault.Metadata}, {"vlen-array", `{"dtype":"<i4"}`, text, fault.Metadata}, {"vlen-array", `{"dtype":"<i4","x":1}`, arrays, fault.Metadata},
		{"categorize", `{}`, text, fault.Metadata}, {"categorize", `{"labels":null,"dtype":"|O"}`, text, fault.Metadata}, {"categorize", `{"labels":["a"],"dtype":"|O","astype":"<f4"}`, text, errors.ErrUnsupported}, {"categorize", `{"labels":["a"],"dtype":"|O"}`, objects, fault.Metadata},
		{"categorize", `{"labels":["a"],"dtype":"|S6"}`, u6, fault.Metadata}, {"categorize", `{"labels":["a"],"dtype":"<U0"}`, u6, fault.Metadata}, {"categorize", `{"labels":["a"],"dtype":"<U6","astype":"|O"}`, u6, fault.Metadata}, {"categorize", `{"labels":["a"]}`, u6, fault.Metadata},
		{"pickle", `{"protocol":5}`, objects, errors.ErrUnsupported}, {"n5_wrapper", ``, u6, errors.ErrUnsupported}, {"json", ``, objects, errors.ErrUnsupported}, {"msgpack", ``, objects, errors.ErrUnsupported},
	} {
		spec := codec.FromNumcodecs(r.id, json.RawMessage(r.config))
		if _, err := codec.Builtin().Bind(spec, r.in); !errors.Is(err, r.kind) || !strings.Contains(err.Error(), r.id) {
			t.Errorf("%s%s of %v: %v, want %v", r.id, r.config, r.in.Type, err, r.kind)
		}
	}
	many := mustChain(t, text, codec.Categorize(dtype.String, dtype.Int8, slices.Repeat([]string{"a"}, 128)...))
	if _, err := many.Encode(nil, codec.Block{Items: texts("a", "b")}, nil); !errors.Is(err, fault.Type) {
		t.Errorf("128 labels as int8: %v", err)
	}
}

// TestListedValues compares arrays of numbers and text with the bytes that numcodecs writes. In v2
// the elements have been converted to bytes before this codec.
func TestListedValues(t *testing.T) {
	for _, r := range []struct {
		name   string
		typ    dtype.Type
		order  dtype.Order
		spec   codec.Spec
		shape  []int
		memory string
		stored string
	}{
		{"int16", dtype.Int16, dtype.Big, codec.JSON2(), []int{1, 2}, "0100feff", `[[1,-2],">i2",[1,2]]`},
		{"bool", dtype.Bool, dtype.NoOrder, codec.JSON2(), []int{2}, "0100", `[true,false,"|b1",[2]]`},
		{"float32", dtype.Float32, dtype.Little, codec.JSON2(), []int{3}, "0000c03f" + "0000c07f" + "000080ff", `[1.5,NaN,-Infinity,"<f4",[3]]`},
		{"text", dtype.U(2), dtype.Big, codec.JSON2(), []int{2}, "e900000000f60100" + "0000000000000000", `["\u00e9\ud83d\ude00","",">U2",[2]]`},
		{"msgpack", dtype.Uint8, dtype.NoOrder, codec.MsgPack2(), []int{2}, "01ff", "\x94\x01\xcc\xff\xa3|u1\x91\x02"},
		{"bytes in msgpack", dtype.S(3), dtype.NoOrder, codec.MsgPack2(), []int{2}, "616200" + "000000", "\x94\xc4\x02ab\xc4\x00\xa3|S3\x91\x02"},
	} {
		c := mustChain(t, codec.Repr{Shape: r.shape, Type: r.typ}, codec.Bytes(r.order), r.spec)
		memory := unhex(t, r.memory)
		b, err := c.Encode([]byte("x"), codec.Block{Bytes: memory}, nil)
		if err != nil || string(b) != "x"+r.stored || hex.EncodeToString(memory) != r.memory {
			t.Errorf("%s: %q, %v", r.name, b, err)
		}
		got := make([]byte, len(memory))
		if err := c.Decode(codec.Block{Bytes: got}, []byte(r.stored), nil); err != nil || !bytes.Equal(got, memory) {
			t.Errorf("%s: %x, %v", r.name, got, err)
		}
	}
	c := mustChain(t, codec.Repr{Shape: []int{2}, Type: dtype.Int16}, codec.Bytes(dtype.Little), codec.JSON2())
	for stored, kind := range map[string]error{
		`[1,"<i2",[1]]`: fault.Corrupt, `[1,2,3,"<i2",[3]]`: fault.Corrupt, `[1,70000,"<i2",[2]]`: fault.Corrupt, `[1,"2","<i2",[2]]`: fault.Corrupt, `[1,null,"<i2",[2]]`: fault.Corrupt, `[1,{"b64":"AAA="},"<i2",[2]]`: fault.Corrupt,
		`[1,NaN,"<i2",[2]]`: fault.Corrupt, `[1,2,"i2",[2]]`: fault.Corrupt, `[1,2,"|O",[2]]`: fault.Corrupt, `[1,2,"<c8",[2]]`: errors.ErrUnsupported, `["a","b","<U0",[2]]`: fault.Corrupt, `[1,2,"<i2",[9223372036854775807]]`: fault.Corrupt,
	} {
		if err := c.Decode(codec.Block{Bytes: make([]byte, 4)}, []byte(stored), nil); !errors.Is(err, kind) {
			t.Errorf("%s: %v, want %v", stored, err, kind)
		}
	}
	for _, r := range []struct {
		typ  dtype.Type
		kind error
	}{{dtype.Complex64, errors.ErrUnsupported}, {dtype.S(3), fault.Type}, {dtype.V(4), errors.ErrUnsupported}} {
		c := mustChain(t, codec.Repr{Shape: []int{2}, Type: r.typ}, codec.Bytes(dtype.Little), codec.JSON2())
		if b, err := c.Encode([]byte("x"), codec.Block{Bytes: make([]byte, 2*r.typ.Size())}, nil); !errors.Is(err, r.kind) || string(b) != "x" {
			t.Errorf("%v: %q, %v", r.typ, b, err)
		}
	}
}

func TestCategorizeText(t *testing.T) {
	// There are three big-endian code points per element. "toolong" is truncated on reading, and no
	// text matches it on writing.
	c := mustChain(t, codec.Repr{Shape: []int{5}, Type: dtype.U(3)}, codec.Bytes(dtype.Big),
		codec.FromNumcodecs("categorize", json.RawMessage(`{"labels":["é","ab","toolong"],"dtype":">U3","astype":"<u2"}`)))
	text := func(words ...string) []byte {
		b := make([]byte, 12*len(words))
		for i, w := range words {
			for k, r := range []rune(w) {
				b[12*i+4*k], b[12*i+4*k+1], b[12*i+4*k+2] = byte(r), byte(r>>8), byte(r>>16)
			}
		}
		return b
	}
	b, err := c.Encode(nil, codec.Block{Bytes: text("ab", "", "é", "abc", "too")}, nil)
	if err != nil || hex.EncodeToString(b) != "02000000010000000000" || c.EncodedSize() != 10 {
		t.Errorf("%x, %v, of %d", b, err, c.EncodedSize())
	}
	got := make([]byte, 60)
	if err := c.Decode(codec.Block{Bytes: got}, unhex(t, "0200"+"0000"+"0100"+"0300"+"ffff"), nil); err != nil || !bytes.Equal(got, text("ab", "", "é", "too", "")) {
		t.Errorf("%x, %v", got, err)
	}
	for _, n := range []int{0, 9, 12} {
		if err := c.Decode(codec.Block{Bytes: got}, make([]byte, n), nil); !errors.Is(err, fault.Corrupt) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// objectChains returns the chains of FuzzObjects.
func objectChains(t testing.TB) []*codec.Chain {
	little := codec.Bytes(dtype.Little)
	return []*codec.Chain{
		mustChain(t, codec.Repr{Shape: []int{3}, Type: dtype.JSON}, codec.JSON2()),
		mustChain(t, codec.Repr{Shape: []int{1, 3}, Type: dtype.JSON}, codec.MsgPack2()),
		mustChain(t, codec.Repr{Shape: []int{3}, Type: ragged(t, dtype.Bool, dtype.NoOrder)}, codec.VlenArray(ragged(t, dtype.Bool, dtype.NoOrder))),
		mustChain(t, codec.Repr{Shape: []int{3}, Type: ragged(t, dtype.Int32, dtype.Big)}, codec.VlenArray(ragged(t, dtype.Int32, dtype.Big))),
		mustChain(t, codec.Repr{Shape: []int{3}, Type: dtype.String}, codec.Categorize(dtype.String, dtype.Uint8, "red", "green", "blue")),
		mustChain(t, codec.Repr{Shape: []int{3}, Type: dtype.U(6)}, little, codec.Categorize(dtype.U(6), dtype.Int16, "red", "green", "blue")),
		mustChain(t, codec.Repr{Shape: []int{3}, Type: dtype.Float32}, little, codec.JSON2()),
		mustChain(t, codec.Repr{Shape: []int{3}, Type: dtype.U(2)}, little, codec.MsgPack2()),
		mustChain(t, codec.Repr{Shape: []int{3}, Type: dtype.S(2)}, codec.Bytes(dtype.NoOrder), codec.MsgPack2()),
	}
}

// FuzzObjects checks that a decoded chunk is the same after encoding and decoding it.
func FuzzObjects(f *testing.F) {
	for _, s := range []string{`["x",1,2.5,"|O",[3]]`, `[null,true,[1,"a",null],"|O",[3]]`, `[{"k":[1,2],"\u00e9":"\u00fc"},null,null,"|O",[3]]`, `[1.5,NaN,-Infinity,"<f4",[3]]`, `[["a"],["b"],["c"],"|O",[3,1]]`} {
		f.Add(byte(0), []byte(s))
		f.Add(byte(6), []byte(s))
	}
	for _, s := range []string{"95a17801cb4004000000000000a27c4f9103", "95c0c39301a161c0a27c4f9103", "9582a16b920102a2c3a9a2c3bcc0c0a27c4f9103", "95a161a162a163a33c55329103", "95c40161c40162c40163a37c53329103", "93930102c0a27c4f920103"} {
		for k := range byte(3) {
			f.Add([]byte{1, 7, 8}[k], unhex(f, s))
		}
	}
	f.Add(byte(2), unhex(f, "03000000000000000300000000ff7b0100000088"))
	f.Add(byte(3), unhex(f, "0300000000000000"+"0800000000000001ffffffff"+"00000000"))
	f.Add(byte(4), []byte{1, 2, 0})
	f.Add(byte(5), []byte{1, 0, 3, 0, 255, 255})
	chains := objectChains(f)
	f.Fuzz(func(t *testing.T, which byte, src []byte) {
		c := chains[int(which)%len(chains)]
		n, err := c.In().Bytes()
		if err != nil {
			t.Fatal(err)
		}
		room := func() codec.Block {
			if n == 0 {
				return codec.Block{Items: make([][]byte, 3)}
			}
			return codec.Block{Bytes: make([]byte, n)}
		}
		got, before := room(), bytes.Clone(src)
		if err := c.Decode(got, src, nil); err != nil {
			if !errors.Is(err, fault.Corrupt) && !errors.Is(err, fault.Limit) && !errors.Is(err, errors.ErrUnsupported) {
				t.Fatalf("error without kind: %v", err)
			}
			return
		}
		if !bytes.Equal(src, before) {
			t.Fatal("what was read has changed")
		}
		stored, err := c.Encode(nil, got, nil)
		// Text that is not valid UTF-8, or numbers that MessagePack cannot represent.
		if err != nil && !errors.Is(err, fault.Type) {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		again := room()
		if err := c.Decode(again, stored, nil); err != nil || !bytes.Equal(again.Bytes, got.Bytes) || !slices.EqualFunc(again.Items, got.Items, bytes.Equal) && which%9 != 0 {
			t.Fatalf("%q, then %q by %q, %v", got, again, stored, err)
		}
	})
}

// TestLabelsAreShared checks that decoded elements with the same label share its memory.
func TestLabelsAreShared(t *testing.T) {
	const elems = 64
	label := strings.Repeat("x", 1<<16)
	c := mustChain(t, codec.Repr{Shape: []int{elems}, Type: dtype.String}, codec.Categorize(dtype.String, dtype.Uint8, label))
	b := codec.Block{Items: make([][]byte, elems)}
	stored := bytes.Repeat([]byte{1}, elems)
	n := testing.AllocsPerRun(5, func() {
		succeed(t, c.Decode(b, stored, nil))
	})
	if n > 2 || string(b.Items[elems-1]) != label {
		t.Errorf("%v allocations for %d elements", n, elems)
	}
}
