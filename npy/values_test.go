package npy

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

type pair struct {
	A int32   `zarr:"a"`
	B float64 `zarr:"b"`
}

type nested struct {
	P struct {
		X [2]float32 `zarr:"x'y"`
		N [2]uint16  `zarr:"n"`
	} `zarr:"p"`
	U [2]rune       `zarr:"u"`
	S [3]byte       `zarr:"s"`
	T dtype.Instant `zarr:"t"`
	B bool          `zarr:"b"`
}

// TestValues reads the files of numpy as Go values, in several calls, and writes the values again.
// The result must be the file that numpy.save writes for a little-endian array.
func TestValues(t *testing.T) {
	negZero, inf := math.Copysign(0, -1), math.Inf(1)
	var one nested
	one.P.X, one.P.N, one.U, one.S, one.T, one.B = [2]float32{1.5, -2}, [2]uint16{1, 2}, [2]rune{'é', 0x1f600}, [3]byte{'a', 'b'}, 1582934400, true
	for _, c := range []struct {
		name, little string // a file, and the file of the same values in little-endian order
		test         func(t *testing.T, file, little []byte)
	}{
		{"bool", "bool", check(true, false, true, true, false, false)},
		{"int16-big", "int16", check[int16](math.MinInt16, math.MaxInt16, 0, 1, 2, 3)},
		{"int16-fortran", "int16-fortran", check[int16](math.MinInt16, 1, math.MaxInt16, 2, 0, 3)},
		{"uint64", "uint64", check[uint64](0, math.MaxUint64, 0, 1, 2, 3)},
		{"float16-big", "float16", check[dtype.F16](0x3800, 0x8000, 0x7c00, 0xfc00, 0x3e00, 0xc080)},
		{"float64-big", "float64", check(0.5, negZero, inf, -inf, 1.5, -2.25)},
		{"complex64-big", "complex64", check(complex64(complex(0.5, 1)), complex64(complex(negZero, -0.25)), complex64(complex(inf, 2)), 3, complex64(complex(4, -5)), -6)},
		{"scalar", "scalar", check[int64](42)},
		{"empty", "empty", check[float32]()},
		{"text-big", "text", check([2]rune{'a'}, [2]rune{'b', 'c'})},
		{"bytes", "bytes", check([3]byte{'a'}, [3]byte{'b', 'c', 'd'})},
		{"void", "void", check([3]byte{'a', 'b', 'c'})},
		{"time", "time", check[dtype.Instant](1577836800000000000)},
		{"struct", "struct", check(pair{}, pair{})},
		{"struct-nested", "", check(one, one)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var little []byte
			if c.little != "" {
				little = file(t, c.little)
			}
			c.test(t, file(t, c.name), little)
		})
	}
}

func check[T any](want ...T) func(t *testing.T, file, little []byte) {
	return func(t *testing.T, file, little []byte) {
		after := []byte("after the array")
		in := bytes.NewReader(append(slices.Clone(file), after...))
		r, err := NewReader(iotest.HalfReader(in))
		if err != nil {
			t.Fatal(err)
		}
		var got []T
		for dst := make([]T, 4); ; {
			n, err := Read(r, dst)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, dst[:n]...)
		}
		if rest, _ := io.ReadAll(in); !bytes.Equal(rest, after) {
			t.Errorf("the Reader left %q", rest)
		}
		if len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%v, want %v", got, want)
		}

		var out bytes.Buffer
		w, err := NewWriter(&out, r.Header)
		for i := range got {
			err = errors.Join(err, Write(w, got[i:i+1]))
		}
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		if little == nil { // numpy wrote fields of both byte orders
			if _, elems, err := read(&out); err != nil || !bytes.Equal(elems, must(read(bytes.NewReader(file)))) {
				t.Errorf("%x, %v", elems, err)
			}
		} else if !bytes.Equal(out.Bytes(), little) {
			t.Errorf("%q, want %q", out.Bytes(), little)
		}
		if err := Write(w, make([]T, 1)); !errors.Is(err, fault.Selection) {
			t.Errorf("a Write beyond the shape: %v", err)
		}
	}
}

func must(_ Header, b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// TestLongValues converts more elements than a block has.
func TestLongValues(t *testing.T) {
	rows := make([]pair, 3*blockBytes/12+1)
	for i := range rows {
		rows[i] = pair{int32(i), float64(i) / 2}
	}
	typ, err := dtype.Of[pair]()
	if err != nil {
		t.Fatal(err)
	}
	var f bytes.Buffer
	w, err := NewWriter(&f, Header{Type: typ, Shape: []int{len(rows)}})
	if err := errors.Join(err, Write(w, rows[:7]), Write(w, rows[7:]), w.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(&f)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]pair, len(rows)+5)
	if n, err := Read(r, got); n != len(rows) || err != nil || !slices.Equal(got[:n], rows) {
		t.Errorf("%d rows, %v", n, err)
	}
}

func TestValuesRefused(t *testing.T) {
	open := func(shape string) *Reader {
		r, err := NewReader(strings.NewReader(head("{'descr': '<i4', 'fortran_order': False, 'shape': "+shape+", }") + "0123456"))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if _, err := Read(open("(2,)"), make([]uint32, 1)); !errors.Is(err, fault.Type) || !strings.Contains(err.Error(), "int32") {
		t.Errorf("uint32 of int32: %v", err)
	}
	if _, err := Read(open("(2,)"), make([]pair, 1)); !errors.Is(err, fault.Type) {
		t.Errorf("a struct of int32: %v", err)
	}
	if _, err := Read(open("(2000000000,)"), make([]int32, 2)); !errors.Is(err, fault.Corrupt) {
		t.Errorf("a file that is cut: %v", err)
	}
	if _, err := NewReader(strings.NewReader(head("{'descr': '<i4', 'fortran_order': False, 'shape': (9223372036854775807,), }"))); !errors.Is(err, fault.Limit) {
		t.Errorf("a size beyond int64: %v", err)
	}
	if _, err := NewWriter(io.Discard, Header{Type: dtype.BFloat16}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("bfloat16: %v", err)
	}
	w, err := NewWriter(io.Discard, Header{Type: dtype.Int8, Shape: []int{2}})
	if err := errors.Join(err, Write(w, []int8{1})); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); !errors.Is(err, fault.Selection) || !strings.Contains(err.Error(), "lacks 1") {
		t.Errorf("Close with an element missing: %v", err)
	}
	if err := Write(w, []uint8{1}); !errors.Is(err, fault.Type) {
		t.Errorf("uint8 in int8: %v", err)
	}
	full := errors.New("no room")
	if _, err := NewWriter(failing{full}, Header{Type: dtype.Int8}); !errors.Is(err, full) {
		t.Errorf("a writer that fails: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestFromFortranValues(t *testing.T) {
	src, dst := []string{"00", "10", "01", "11", "02", "12"}, make([]string, 6)
	if FromFortran(dst, src, []int{2, 3}, 1); !slices.Equal(dst, []string{"00", "01", "02", "10", "11", "12"}) {
		t.Error(dst)
	}
}
