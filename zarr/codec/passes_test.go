package codec_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// TestPasses checks how often decoding copies the elements of a chunk after they are read and
// decompressed, to contiguous memory and to rows of a larger array. It counts buffers, because
// every pass except the last ends in a buffer. Without a buffer there is at most one pass, from the
// stored bytes to the box, and no pass if the stored bytes are read directly into the box. With a
// decompressor's buffer there is one pass from it to the box.
func TestPasses(t *testing.T) {
	const rows, cols, size = 64, 96, 4
	little, turn := codec.Bytes(dtype.Little), codec.Transpose(1, 0)
	blosc := codec.Blosc(codec.BloscOptions{Cname: "lz4", Shuffle: "shuffle", TypeSize: size})
	none, decompressed := []int{}, []int{rows * cols * size}
	for _, tt := range []struct {
		name     string
		specs    []codec.Spec
		received bool  // the stored bytes can be read directly into the contiguous chunk
		flat     []int // sizes of the buffers to decode to contiguous memory
		wide     []int // the same for rows
	}{
		{"raw", []codec.Spec{little}, true, none, none},
		{"raw, order F", []codec.Spec{turn, little}, false, none, none},
		{"raw, other byte order", []codec.Spec{codec.Bytes(dtype.Big)}, true, none, none},
		{"blosc, shuffled", []codec.Spec{little, blosc}, false, none, none},
		{"zstd", []codec.Spec{little, codec.Zstd(1)}, false, none, decompressed},
		{"zstd, order F", []codec.Spec{turn, little, codec.Zstd(1)}, false, decompressed, decompressed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := codec.Builtin().Chain(tt.specs, codec.Repr{Shape: []int{rows, cols}, Type: dtype.Float32, Fill: make([]byte, size)})
			if err != nil {
				t.Fatal(err)
			}
			want := make([]byte, rows*cols*size)
			for i := range want {
				want[i] = byte(i * 7 >> 3)
			}
			stored, err := c.Encode(nil, codec.Block{Bytes: want}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, gap := range []int{0, 32} {
				lent := []int{}
				s := &codec.Scratch{Buffer: func(n int) []byte {
					lent = append(lent, n)
					return make([]byte, 0, n)
				}}
				got := make([]byte, rows*(cols+gap)*size)
				box := codec.Whole(codec.Block{Bytes: got}, []int{rows, cols}, size)
				box.Axes[0].Stride += gap * size
				direct, _ := c.Room(box)
				if (direct != nil) != (tt.received && gap == 0) {
					t.Errorf("gap of %d: received in place: %v", gap, direct != nil)
				}
				succeed(t, c.DecodeTo(box, stored, s))
				buffers := tt.flat
				if gap > 0 {
					buffers = tt.wide
				}
				if !slices.Equal(lent, buffers) {
					t.Errorf("gap of %d: buffers of %d bytes, want %d", gap, lent, buffers)
				}
				for i := range rows {
					row, of := got[i*(cols+gap)*size:], want[i*cols*size:]
					if !slices.Equal(row[:cols*size], of[:cols*size]) {
						t.Fatalf("gap of %d: row %d differs", gap, i)
					}
				}
			}
		})
	}
}

// TestEncodeInPlace checks that elements are encoded and decoded in place, and that chains with
// other stored forms return an error.
func TestEncodeInPlace(t *testing.T) {
	little := codec.Bytes(dtype.Little)
	for _, tt := range []struct {
		name  string
		specs []codec.Spec
		ok    bool
	}{
		{"raw", []codec.Spec{little}, true},
		{"raw, other byte order", []codec.Spec{codec.Bytes(dtype.Big)}, true},
		{"raw, order F", []codec.Spec{codec.Transpose(1, 0), little}, false},
		{"zstd", []codec.Spec{little, codec.Zstd(1)}, false},
	} {
		c, err := codec.Builtin().Chain(tt.specs, codec.Repr{Shape: []int{2, 3}, Type: dtype.Int16, Fill: make([]byte, 2)})
		if err != nil {
			t.Fatal(err)
		}
		elems := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
		want, err := c.Encode(nil, codec.Block{Bytes: elems}, nil)
		if err != nil {
			t.Fatal(err)
		}
		b := slices.Clone(elems)
		err = c.EncodeInPlace(b)
		if !tt.ok {
			if !errors.Is(err, fault.Selection) || !slices.Equal(b, elems) {
				t.Errorf("%s: %v, %v", tt.name, b, err)
			}
			continue
		}
		if err != nil || !slices.Equal(b, want) {
			t.Errorf("%s: %v, %v, want %v", tt.name, b, err, want)
		}
		if err := c.Decode(codec.Block{Bytes: b}, b, nil); err != nil || !slices.Equal(b, elems) {
			t.Errorf("%s: back: %v, %v", tt.name, b, err)
		}
		if err := c.EncodeInPlace(b[:10]); !errors.Is(err, fault.Selection) {
			t.Errorf("%s: of another length: %v", tt.name, err)
		}
	}
}
