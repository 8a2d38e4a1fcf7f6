package npy

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

var basics = []dtype.Type{dtype.Bool, dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Uint8, dtype.Uint16, dtype.Uint32,
	dtype.Uint64, dtype.Float16, dtype.Float32, dtype.Float64, dtype.Complex64, dtype.Complex128}

// values returns the elements that testdata/numpy/write.py stores for each type, in memory form. It
// does not use package dtype.
func values(t *testing.T, name string) []byte {
	t.Helper()
	inf := math.Inf(1)
	negZero := math.Copysign(0, -1)
	ints := func(lo, hi any) []any { return []any{lo, hi} }
	var b []byte
	add := func(vs ...any) {
		for _, v := range vs {
			var err error
			if b, err = binary.Append(b, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	switch name {
	case "bool":
		add([]bool{true, false, true, true, false, false})
	case "int8":
		add(append(ints(int8(math.MinInt8), int8(math.MaxInt8)), []int8{0, 1, 2, 3})...)
	case "int16":
		add(append(ints(int16(math.MinInt16), int16(math.MaxInt16)), []int16{0, 1, 2, 3})...)
	case "int32":
		add(append(ints(int32(math.MinInt32), int32(math.MaxInt32)), []int32{0, 1, 2, 3})...)
	case "int64":
		add(append(ints(int64(math.MinInt64), int64(math.MaxInt64)), []int64{0, 1, 2, 3})...)
	case "uint8":
		add(append(ints(uint8(0), uint8(math.MaxUint8)), []uint8{0, 1, 2, 3})...)
	case "uint16":
		add(append(ints(uint16(0), uint16(math.MaxUint16)), []uint16{0, 1, 2, 3})...)
	case "uint32":
		add(append(ints(uint32(0), uint32(math.MaxUint32)), []uint32{0, 1, 2, 3})...)
	case "uint64":
		add(append(ints(uint64(0), uint64(math.MaxUint64)), []uint64{0, 1, 2, 3})...)
	case "float16":
		add([]uint16{0x3800, 0x8000, 0x7c00, 0xfc00, 0x3e00, 0xc080})
	case "float32":
		add([]float32{0.5, float32(negZero), float32(inf), float32(-inf), 1.5, -2.25})
	case "float64":
		add([]float64{0.5, negZero, inf, -inf, 1.5, -2.25})
	case "complex64":
		add([]float32{0.5, 1, float32(negZero), -0.25, float32(inf), 2, 3, 0, 4, -5, -6, 0})
	case "complex128":
		add([]float64{0.5, 1, negZero, -0.25, inf, 2, 3, 0, 4, -5, -6, 0})
	default:
		t.Fatalf("no values of %s", name)
	}
	return b
}

func file(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "numpy", name+".npy"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// read reads a whole file and returns its elements in C order.
func read(r io.Reader) (Header, []byte, error) {
	h, err := ReadHeader(r)
	if err != nil {
		return h, nil, err
	}
	n, err := h.Bytes()
	if err != nil {
		return h, nil, err
	}
	b := make([]byte, n)
	if err := h.ReadBytes(r, b); err != nil {
		return h, nil, err
	}
	if h.Fortran {
		c := make([]byte, n)
		FromFortran(c, b, h.Shape, h.Type.Size())
		b = c
	}
	return h, b, nil
}

func TestManifest(t *testing.T) {
	m, err := os.ReadFile(filepath.Join("testdata", "numpy", "MANIFEST"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(m)) {
		f := strings.Fields(line)
		if len(f) != 2 || !strings.HasSuffix(f[1], ".npy") {
			continue
		}
		n++
		sum := sha256.Sum256(file(t, strings.TrimSuffix(f[1], ".npy")))
		if hex.EncodeToString(sum[:]) != f[0] {
			t.Errorf("%s is not the file that numpy wrote", f[1])
		}
	}
	if n != 46 {
		t.Errorf("the manifest has %d files", n)
	}
}

func TestReadNumpy(t *testing.T) {
	type row struct {
		name    string
		typ     dtype.Type
		order   dtype.Order
		fortran bool
	}
	var rows []row
	for _, b := range basics {
		order := dtype.NoOrder
		if b.HasOrder() {
			order = dtype.Little
			rows = append(rows, row{b.String() + "-big", b, dtype.Big, false})
		}
		rows = append(rows, row{b.String(), b, order, false})
	}
	rows = append(rows,
		row{"int16-fortran", dtype.Int16, dtype.Little, true},
		row{"float32-big-fortran", dtype.Float32, dtype.Big, true},
		row{"int32-v2", dtype.Int32, dtype.Little, false},
		row{"int32-v3", dtype.Int32, dtype.Little, false},
	)
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			h, got, err := read(iotest.OneByteReader(bytes.NewReader(file(t, r.name))))
			if err != nil {
				t.Fatal(err)
			}
			if h.Type != r.typ || h.Order != r.order || h.Fortran != r.fortran || !slices.Equal(h.Shape, []int{2, 3}) {
				t.Errorf("header %+v", h)
			}
			if want := values(t, r.typ.String()); !bytes.Equal(got, want) {
				t.Errorf("elements %x, want %x", got, want)
			}
		})
	}
}

// TestReadNumpyTypes reads structures, text, times and booleans, and compares the elements with
// those that numpy prints.
func TestReadNumpyTypes(t *testing.T) {
	nested := `[["p",[["x'y",">f4",[2]],["n","<u2",[2]]]],["u",">U2"],["s","|S3"],["t","<M8[s]"],["b","|b1"]]`
	one := "0000c03f000000c0" + "01000200" + "e900000000f60100" + "616200" + "80a9595e00000000" + "01"
	for _, r := range []struct{ name, typ, elems string }{
		{"struct", `[["a","<i4"],["b","<f8"]]`, strings.Repeat("00", 24)},
		{"struct-nested", nested, one + one},
		{"struct-latin1", `[["é","<i4"]]`, "00000000"},
		{"struct-unicode", `[["漢\t","<i4"]]`, "00000000"},
		{"struct-titled", `[["a","<i4"]]`, "00000000"},
		{"bytes", "S3", "610000626364"},
		{"void", "V3", "616263"},
		{"text", "U2", "61000000000000006200000063000000"},
		{"text-big", "U2", "61000000000000006200000063000000"},
		{"time", "datetime64[ns]", "00008ab9359ae515"},
		{"delta", "timedelta64[25s]", "05000000000000000000000000000080"},
	} {
		t.Run(r.name, func(t *testing.T) {
			want, err := dtype.Parse(r.typ)
			if err != nil {
				t.Fatal(err)
			}
			h, got, err := read(bytes.NewReader(file(t, r.name)))
			if err != nil || !dtype.Equal(h.Type, want) || hex.EncodeToString(got) != r.elems {
				t.Errorf("%+v, %x, %v; want %v, %s", h, got, err, want, r.elems)
			}
		})
	}
	if _, err := AppendHeader(nil, Header{Type: dtype.BFloat16}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("bfloat16: %v", err)
	}
	if _, err := AppendHeader(nil, Header{Type: dtype.String}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("string: %v", err)
	}
}

func TestReadNumpyShapes(t *testing.T) {
	cube := make([]byte, 24)
	for i := range cube {
		cube[i] = byte(i)
	}
	for _, r := range []struct {
		name  string
		shape []int
		want  []byte
	}{
		{"scalar", []int{}, []byte{42, 0, 0, 0, 0, 0, 0, 0}},
		{"empty", []int{0, 3}, []byte{}},
		{"line", []int{5}, []byte{0, 0, 1, 0, 2, 0, 3, 0, 4, 0}},
		{"cube-fortran", []int{2, 3, 4}, cube},
	} {
		t.Run(r.name, func(t *testing.T) {
			h, got, err := read(bytes.NewReader(file(t, r.name)))
			if err != nil || !slices.Equal(h.Shape, r.shape) || !bytes.Equal(got, r.want) {
				t.Errorf("shape %v, elements %x, error %v", h.Shape, got, err)
			}
		})
	}
}

// TestWriteAsNumpy checks that AppendHeader and the elements produce the bytes of numpy.save.
func TestWriteAsNumpy(t *testing.T) {
	names := []string{"scalar", "empty", "line", "int16-fortran", "float64-big", "struct", "struct-nested", "struct-latin1", "struct-unicode",
		"text", "text-big", "bytes", "void", "time", "delta"}
	for _, b := range basics {
		names = append(names, b.String())
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			want := file(t, name)
			h, err := ReadHeader(bytes.NewReader(want))
			if err != nil {
				t.Fatal(err)
			}
			got, err := AppendHeader([]byte("x"), h)
			if err != nil {
				t.Fatal(err)
			}
			if got = got[1:]; !bytes.HasPrefix(want, got) || len(got)%64 != 0 {
				t.Errorf("header\n%q\nwant\n%q", got, want)
			}
			if n, err := h.Bytes(); err != nil || n != int64(len(want)-len(got)) {
				t.Errorf("%d bytes of elements, %v", n, err)
			}
		})
	}
}

func TestUnsupported(t *testing.T) {
	for _, name := range []string{"object", "struct-padded"} {
		if _, err := ReadHeader(bytes.NewReader(file(t, name))); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func head(text string) string {
	return magic + "\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(text)))) + text
}

func TestBadHeader(t *testing.T) {
	good := "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }"
	if _, err := ReadHeader(strings.NewReader(head(good))); err != nil {
		t.Fatal(err)
	}
	change := func(old, new string) string { return head(strings.Replace(good, old, new, 1)) }
	for _, r := range []struct {
		name, file string
		kind       error
		says       string
	}{
		{"nothing", "", fault.Corrupt, "first 8 bytes"},
		{"magic cut", magic, fault.Corrupt, "first 8 bytes"},
		{"other magic", "PK\x03\x04zipfile", fault.Corrupt, "not a .npy file"},
		{"version 4", magic + "\x04\x00\x10\x00\x00\x00", errors.ErrUnsupported, "4.0"},
		{"version 1.1", magic + "\x01\x01\x10\x00", errors.ErrUnsupported, "1.1"},
		{"length cut", magic + "\x02\x00\x10\x00", fault.Corrupt, "length"},
		{"4 GiB", magic + "\x02\x00\xff\xff\xff\xff{", fault.Limit, "4294967295"},
		{"text cut", magic + "\x01\x00\x10\x00{}", fault.Corrupt, "header"},
		{"empty text", head(""), fault.Corrupt, "unexpected end of the header"},
		{"no dictionary", head("(1, 2)"), fault.Corrupt, "dictionary"},
		{"member missing", change("'fortran_order': False, ", ""), fault.Corrupt, "dictionary"},
		{"member twice", change("'fortran_order'", "'descr'"), fault.Corrupt, "repeated"},
		{"member unknown", change("'fortran_order'", "'fortran'"), fault.Corrupt, "fortran_order"},
		{"order a number", change("False", "0"), fault.Corrupt, "fortran_order"},
		{"shape a list", change("(2,)", "[2]"), fault.Corrupt, "shape"},
		{"shape a number", change("(2,)", "(2)"), fault.Corrupt, "shape"},
		{"shape negative", change("(2,)", "(-2,)"), fault.Corrupt, "-2"},
		{"shape of text", change("(2,)", "('2',)"), fault.Corrupt, "shape"},
		{"shape beyond 64 bits", change("(2,)", "(99999999999999999999,)"), fault.Corrupt, "number"},
		{"65 axes", change("(2,)", "("+strings.Repeat("1,", 65)+")"), fault.Limit, "has 65"},
		{"comma missing", change("'<i4',", "'<i4'"), fault.Corrupt, "comma"},
		{"string without end", change("'<i4'", "'<i4"), fault.Corrupt, "at"},
		{"escape", change("'<i4'", `'<i\q'`), fault.Corrupt, "escape"},
		{"code", change("False", "exit()"), fault.Corrupt, "exit"},
		{"something after", head(good + "{}"), fault.Corrupt, "unexpected text"},
		{"deep", change("(2,)", strings.Repeat("(", 60000)), fault.Corrupt, "deep"},
		{"no such size", change("<i4", "<i3"), fault.Corrupt, "i3"},
		{"no order", change("<i4", "|i4"), fault.Corrupt, "|i4"},
		{"field a list", change("'<i4'", "[['a', '<i4']]"), fault.Corrupt, "tuple"},
		{"field without a type", change("'<i4'", "[('a',)]"), fault.Corrupt, "tuple"},
		{"field of a number", change("'<i4'", "[('a', 4)]"), fault.Corrupt, "descr"},
		{"fields of one name", change("'<i4'", "[('a', '<i4'), ('a', '<i4')]"), fault.Corrupt, "descr"},
		{"field of a negative shape", change("'<i4'", "[('a', '<i4', (-1,))]"), fault.Corrupt, "-1"},
		{"TensorStore's name", change("<i4", "bfloat16"), fault.Corrupt, "bfloat16"},
		{"object in a field", change("'<i4'", "[('a', '|O')]"), fault.Corrupt, "O"},
		{"huge element", change("<i4", "|S999999999"), fault.Limit, "S999999999"},
		{"descr a number", change("'<i4'", "4"), fault.Corrupt, "descr"},
	} {
		t.Run(r.name, func(t *testing.T) {
			_, err := ReadHeader(strings.NewReader(r.file))
			if !errors.Is(err, r.kind) || !strings.Contains(err.Error(), r.says) {
				t.Errorf("%v, want kind %v and %q", err, r.kind, r.says)
			}
		})
	}
}

func TestOverflow(t *testing.T) {
	h := Header{Type: dtype.Float64, Shape: []int{math.MaxInt, math.MaxInt, math.MaxInt}}
	if _, err := h.Elems(); !errors.Is(err, fault.Limit) {
		t.Error(err)
	}
	h.Shape = []int{math.MaxInt32, math.MaxInt32}
	if _, err := h.Bytes(); !errors.Is(err, fault.Limit) {
		t.Error(err)
	}
	h.Shape = []int{math.MaxInt, math.MaxInt, math.MaxInt, 0}
	if n, err := h.Bytes(); n != 0 || err != nil {
		t.Error(n, err)
	}
}

func TestTruncatedData(t *testing.T) {
	b := file(t, "float64")
	if _, _, err := read(bytes.NewReader(b[:len(b)-1])); !errors.Is(err, fault.Corrupt) || !strings.Contains(err.Error(), "elements") {
		t.Error(err)
	}
	broken := errors.New("broken pipe")
	if _, _, err := read(io.MultiReader(bytes.NewReader(b[:140]), iotest.ErrReader(broken))); !errors.Is(err, broken) || errors.Is(err, fault.Corrupt) {
		t.Error(err)
	}
}

func TestLenient(t *testing.T) {
	// Python 2 wrote long integers with the suffix L. Writers differ in spaces, quotes and the last
	// comma.
	h, err := ReadHeader(strings.NewReader(head("{ \"shape\" : (2L , 3L),\n'descr':\"|b1\",'fortran_order':True}")))
	if err != nil || !h.Fortran || h.Type != dtype.Bool || !slices.Equal(h.Shape, []int{2, 3}) {
		t.Error(h, err)
	}
}

func TestCanonicalBool(t *testing.T) {
	h := Header{Type: dtype.Bool, Shape: []int{3}}
	b := make([]byte, 3)
	if err := h.ReadBytes(bytes.NewReader([]byte{0, 7, 1}), b); err != nil || !bytes.Equal(b, []byte{0, 1, 1}) {
		t.Error(b, err)
	}
}

// TestVersion2Frame checks that a header of more than 65535 bytes has version 2. It calls frame
// directly, because 64 axes of 20 digits are far below that length.
func TestVersion2Frame(t *testing.T) {
	b := frame(nil, bytes.Repeat([]byte{' '}, 70000))
	if b[6] != 2 || len(b)%64 != 0 || int(binary.LittleEndian.Uint32(b[8:])) != len(b)-12 {
		t.Errorf("version %d, %d bytes", b[6], len(b))
	}
}

func FuzzReadHeader(f *testing.F) {
	names, err := filepath.Glob("testdata/numpy/*.npy")
	if err != nil || len(names) == 0 {
		f.Fatal(err)
	}
	for _, name := range names {
		f.Add(file(f, strings.TrimSuffix(filepath.Base(name), ".npy")))
	}
	f.Add([]byte(head("{'descr': [('a', '<i4'), ('b', [('c', '|u1', (2,))])], 'fortran_order': False, 'shape': (), }")))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := ReadHeader(bytes.NewReader(b))
		if err != nil {
			return
		}
		again, err := AppendHeader(nil, h)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := NewReader(bytes.NewReader(b)); err == nil {
			_, _ = Read(r, make([]int32, 10))
			_, _ = Read(r, make([][2]rune, 10))
		}
		g, err := ReadHeader(bytes.NewReader(again))
		if err != nil || !dtype.Equal(g.Type, h.Type) || g.Fortran != h.Fortran || !slices.Equal(g.Shape, h.Shape) || g.Order != h.Order {
			t.Fatalf("%+v became %+v, %v", h, g, err)
		}
	})
}

func ExampleReadHeader() {
	f, err := os.Open("testdata/numpy/line.npy")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	h, err := ReadHeader(f)
	if err != nil {
		fmt.Println(err)
		return
	}
	b := make([]byte, h.Shape[0]*h.Type.Size())
	err = h.ReadBytes(f, b)
	fmt.Println(h.Type, h.Shape, binary.LittleEndian.Uint16(b[8:]), err)
	// Output: uint16 [5] 4 <nil>
}
