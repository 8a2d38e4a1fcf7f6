package zfp_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/zfp"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// FuzzDecode decodes arbitrary bytes as arrays of each type, with a header and as a stream of each
// mode. A stream must not decode to anything else the second time.
func FuzzDecode(f *testing.F) {
	shapes := [][]int{{11}, {5, 6}, {3, 5, 6}, {2, 5, 3, 4}}
	types := []dtype.Type{dtype.Int32, dtype.Int64, dtype.Float32, dtype.Float64, dtype.Int8, dtype.Uint16, dtype.Uint32, dtype.Uint64}
	specs := []codec.Spec{
		{Name: zfp.NumcodecsName},
		{Name: zfp.Name, Config: []byte(`{"mode":"reversible"}`)},
		{Name: zfp.Name, Config: []byte(`{"mode":"fixed_rate","rate":5.3}`)},
		{Name: zfp.Name, Config: []byte(`{"mode":"fixed_precision","precision":19}`)},
		{Name: zfp.Name, Config: []byte(`{"mode":"expert","minbits":70,"maxbits":300,"maxprec":30,"minexp":-9}`)},
	}
	for _, s := range streams(f, "testdata/streams.zip") {
		f.Add(s.stored, byte(len(s.Shape)-1), byte(len(s.Name)))
	}
	f.Fuzz(func(t *testing.T, stored []byte, rank, typ byte) {
		in := codec.Repr{Shape: shapes[rank%4], Type: types[typ%8]}
		for _, s := range specs {
			c, err := zfp.Add(codec.Builtin()).Chain([]codec.Spec{s}, in)
			if err != nil {
				t.Fatal(err)
			}
			n, err := in.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			first, second := make([]byte, n), bytes.Repeat([]byte{1}, n)
			err = c.Decode(codec.Block{Bytes: first}, stored, nil)
			if err != nil && !errors.Is(err, fault.Corrupt) && !errors.Is(err, errors.ErrUnsupported) {
				t.Fatalf("%v %s: %v", in, s.Config, err)
			}
			again := c.Decode(codec.Block{Bytes: second}, stored, nil)
			if (err == nil) != (again == nil) || err == nil && !bytes.Equal(first, second) {
				t.Fatalf("%v %s: then %v", in, s.Config, again)
			}
		}
	})
}
