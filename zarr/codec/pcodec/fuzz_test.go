package pcodec_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/pcodec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// FuzzDecode decodes arbitrary bytes as a file of each number type. What decodes must survive a
// round trip.
func FuzzDecode(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(v.stored)
	}
	var codecs []codec.BytesBytes
	for _, typ := range types {
		c, err := pcodec.New(nil, codec.Repr{Shape: []int{1}, Type: typ, Order: dtype.Little})
		if err != nil {
			f.Fatal(err)
		}
		codecs = append(codecs, c.(codec.BytesBytes))
	}
	f.Fuzz(func(t *testing.T, stored []byte) {
		const limit = 10_000
		for i, c := range codecs {
			got, err := c.Decode(nil, stored, limit)
			switch {
			case err != nil && !errors.Is(err, fault.Corrupt) && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fault.Limit):
				t.Fatalf("%v: error without kind: %v", types[i], err)
			case err != nil:
				continue
			case len(got) > limit:
				t.Fatalf("%v: %d bytes", types[i], len(got))
			}
			again, err := c.Encode(nil, got)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := c.Decode(nil, again, limit); err != nil || !bytes.Equal(back, got) {
				t.Fatalf("%v: round trip: equal %v, %v", types[i], bytes.Equal(back, got), err)
			}
		}
	})
}
