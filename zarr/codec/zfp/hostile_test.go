package zfp_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/zfp"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// headed returns a stream of a magic number, the bits of parts, each a value and a number of bits,
// and n zeros.
func headed(n int, parts ...[2]uint64) []byte {
	b := []byte("zfp\x05")
	at := 0
	for _, p := range parts {
		for i := range p[1] {
			if at%8 == 0 {
				b = append(b, 0)
			}
			b[len(b)-1] |= byte(p[0] >> i & 1 << (at % 8))
			at++
		}
	}
	return append(b, make([]byte, n)...)
}

// Types and ranks in headers.
const (
	int32Type   = 0
	float32Type = 2
	oneAxis     = 0
	twoAxes     = 1
)

// all is a header of 64 bits of parameters.
func all(minbits, maxbits, maxprec uint64, minexp int) [2][2]uint64 {
	return [2][2]uint64{{4095, 12}, {(minbits - 1) | (maxbits-1)<<15 | (maxprec-1)<<30 | uint64(minexp+16495)<<37, 52}}
}

// TestHostile decodes streams of 6 numbers of float32 in 2 rows, with one fault each.
func TestHostile(t *testing.T) {
	typ, rank, rows, columns := [2]uint64{float32Type, 2}, [2]uint64{twoAxes, 2}, [2]uint64{1, 24}, [2]uint64{2, 24}
	padded, short, few, crossed, deep := all(32768, 32768, 64, 0), all(1, 16658, 64, -1074), all(1, 100, 64, 0), all(100, 99, 64, 0), all(1, 100, 65, 0)
	tests := []struct {
		name   string
		stored []byte
		want   error
		about  string
	}{
		{"empty", nil, fault.Corrupt, "0 bytes"},
		{"short", []byte("zfp\x05"), fault.Corrupt, "4 bytes"},
		{"other magic number", []byte("zfq\x05............"), fault.Corrupt, "not a zfp stream"},
		{"version 4", []byte("zfp\x04............"), errors.ErrUnsupported, "version 4"},
		{"other type", headed(9, [2]uint64{int32Type, 2}, rank, columns, rows, [2]uint64{31, 12}), fault.Corrupt, "int32, want float32"},
		{"other shape", headed(9, typ, rank, rows, columns, [2]uint64{31, 12}), fault.Corrupt, "[3 2], want [2 3]"},
		{"other length", headed(9, typ, [2]uint64{oneAxis, 2}, [2]uint64{6, 48}, [2]uint64{31, 12}), fault.Corrupt, "[7], want [2 3]"},
		{"huge", headed(9, typ, [2]uint64{oneAxis, 2}, [2]uint64{1<<48 - 1, 48}, [2]uint64{31, 12}), fault.Corrupt, "281474976710656"},
		{"no blocks", headed(0, typ, rank, columns, rows, [2]uint64{31, 12}), fault.Corrupt, "12 bytes for 1 zfp blocks of at least 32 bits"},
		{"missing parameters", headed(0, typ, rank, columns, rows, [2]uint64{4095, 12}), fault.Corrupt, "parameters"},
		{"minbits above maxbits", headed(20, typ, rank, columns, rows, crossed[0], crossed[1]), fault.Corrupt, "parameters"},
		{"65 planes", headed(20, typ, rank, columns, rows, deep[0], deep[1]), fault.Corrupt, "parameters"},
		{"much padding", headed(20, typ, rank, columns, rows, padded[0], padded[1]), fault.Corrupt, "at least 32768 bits"},
		{"long block", headed(0, typ, rank, columns, rows, short[0], short[1], [2]uint64{1<<32 - 1, 32}), fault.Corrupt, "block at [0 0]"},
		{"more bytes", headed(40, typ, rank, columns, rows, few[0], few[1]), fault.Corrupt, "end after"},
	}
	for _, tt := range tests {
		for _, specs := range [][]codec.Spec{nil, {codec.Bytes(dtype.Little)}} {
			specs = append(specs, codec.Spec{Name: zfp.NumcodecsName})
			c, err := zfp.Add(codec.Builtin()).Chain(specs, codec.Repr{Shape: []int{2, 3}, Type: dtype.Float32})
			if err != nil {
				t.Fatal(err)
			}
			err = c.Decode(codec.Block{Bytes: make([]byte, 24)}, tt.stored, nil)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.about) {
				t.Errorf("%s: %v, want %v about %q", tt.name, err, tt.want, tt.about)
			}
		}
	}
}

// TestLimit decodes an array that exceeds the limit of the output.
func TestLimit(t *testing.T) {
	for _, s := range streams(t, "testdata/streams.zip") {
		if !s.Header {
			continue
		}
		c, err := zfp.NewNumcodecs(nil, codec.Repr{Shape: s.Shape, Type: s.dtype(t), Order: dtype.Little})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.(codec.BytesBytes).Decode(nil, s.stored, len(s.values)-1); !errors.Is(err, fault.Corrupt) {
			t.Errorf("%s: %v", s.Name, err)
		}
		got, err := c.(codec.BytesBytes).Decode([]byte("before"), s.stored, len(s.values))
		if err != nil || !bytes.Equal(got, append([]byte("before"), s.values...)) {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}

// TestTruncated decodes streams without their last word, and with one more.
func TestTruncated(t *testing.T) {
	for _, s := range streams(t, "testdata/streams.zip") {
		for _, stored := range [][]byte{s.stored[:max(0, len(s.stored)-8)], append(bytes.Clone(s.stored), make([]byte, 8)...)} {
			if _, err := s.decode(t, stored); !errors.Is(err, fault.Corrupt) {
				t.Errorf("%s: %d bytes instead of %d: %v", s.Name, len(stored), len(s.stored), err)
			}
		}
	}
}

// TestBind checks configurations, data types and shapes.
func TestBind(t *testing.T) {
	f4, i4 := codec.Repr{Shape: []int{4}, Type: dtype.Float32}, codec.Repr{Shape: []int{4}, Type: dtype.Int32}
	of := func(typ dtype.Type, shape ...int) codec.Repr { return codec.Repr{Shape: shape, Type: typ} }
	const exact = `{"mode":"reversible"}`
	tests := []struct {
		name, codec, config string
		in                  codec.Repr
		want                error
	}{
		{"reversible", zfp.Name, exact, f4, nil},
		{"rate", zfp.Name, `{"mode":"fixed_rate","rate":10.5}`, i4, nil},
		{"precision", zfp.Name, `{"mode":"fixed_precision","precision":19}`, i4, nil},
		{"accuracy", zfp.Name, `{"mode":"fixed_accuracy","tolerance":0.05}`, f4, nil},
		{"expert", zfp.Name, `{"mode":"expert","minbits":1,"maxbits":4294967295,"maxprec":19,"minexp":-2}`, f4, nil},
		{"no axes", zfp.Name, exact, of(dtype.Float32), nil},
		{"times", zfp.Name, exact, of(dtype.DateTime{Unit: "s", Scale: 1}, 3), nil},
		{"no mode", zfp.Name, `{}`, f4, fault.Metadata},
		{"numcodecs' mode", zfp.Name, `{"mode":4,"tolerance":1}`, f4, fault.Metadata},
		{"unknown mode", zfp.Name, `{"mode":"fast"}`, f4, fault.Metadata},
		{"unknown member", zfp.Name, `{"mode":"reversible","write_header":true}`, f4, fault.Metadata},
		{"member of another mode", zfp.Name, `{"mode":"reversible","rate":1}`, f4, fault.Metadata},
		{"no rate", zfp.Name, `{"mode":"fixed_rate"}`, f4, fault.Metadata},
		{"negative rate", zfp.Name, `{"mode":"fixed_rate","rate":-1}`, f4, fault.Metadata},
		{"large rate", zfp.Name, `{"mode":"fixed_rate","rate":129}`, f4, fault.Metadata},
		{"accuracy of integers", zfp.Name, `{"mode":"fixed_accuracy","tolerance":1}`, i4, fault.Metadata},
		{"expert without maxprec", zfp.Name, `{"mode":"expert","minbits":1,"maxbits":13,"minexp":-2}`, f4, fault.Metadata},
		{"crossed bits", zfp.Name, `{"mode":"expert","minbits":14,"maxbits":13,"maxprec":19,"minexp":-2}`, f4, fault.Metadata},
		{"no planes", zfp.Name, `{"mode":"expert","minbits":1,"maxbits":13,"maxprec":0,"minexp":-2}`, f4, fault.Metadata},
		{"large minbits", zfp.Name, `{"mode":"expert","minbits":4000000000,"maxbits":4000000000,"maxprec":9,"minexp":-2}`, f4, fault.Limit},
		{"five axes", zfp.Name, exact, of(dtype.Float32, 1, 1, 1, 1, 4), errors.ErrUnsupported},
		{"complex", zfp.Name, exact, of(dtype.Complex64, 4), errors.ErrUnsupported},
		{"float16", zfp.Name, exact, of(dtype.Float16, 4), errors.ErrUnsupported},
		{"zfpy", zfp.NumcodecsName, `{"mode":4,"tolerance":0.1}`, f4, nil},
		{"zfpy, null", zfp.NumcodecsName, `{"mode":5,"tolerance":null,"rate":null,"precision":null}`, f4, nil},
		{"zfpy, default", zfp.NumcodecsName, `{}`, f4, nil},
		{"zfpy, five axes", zfp.NumcodecsName, `{}`, of(dtype.Float32, 1, 1, 1, 1, 4), nil},
		{"zfpy, no mode", zfp.NumcodecsName, `{"mode":0}`, f4, fault.Metadata},
		{"zfpy, mode 6", zfp.NumcodecsName, `{"mode":6}`, f4, fault.Metadata},
		{"zfpy, large rate", zfp.NumcodecsName, `{"mode":2,"rate":1e9}`, f4, fault.Metadata},
		{"zfpy, text", zfp.NumcodecsName, `{"mode":"reversible"}`, f4, fault.Metadata},
		{"zfpy, unknown member", zfp.NumcodecsName, `{"level":1}`, f4, fault.Metadata},
		{"zfpy, bool", zfp.NumcodecsName, `{}`, of(dtype.Bool, 4), errors.ErrUnsupported},
		{"zfpy, big-endian", zfp.NumcodecsName, `{}`, codec.Repr{Shape: []int{4}, Type: dtype.Int32, Order: dtype.Big}, errors.ErrUnsupported},
	}
	for _, tt := range tests {
		_, err := zfp.Add(codec.Builtin()).Bind(codec.Spec{Name: tt.codec, Config: []byte(tt.config)}, tt.in)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}
