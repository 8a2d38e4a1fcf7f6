package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"

	"github.com/zargo-io/zargo/npy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// dataSet returns the Spec of the data set with the given name, for an array of the given shape.
// Chunks may be larger than the array.
func dataSet(name string, shape []int) (zarr.Spec, error) {
	blosc := codec.Blosc(codec.BloscOptions{Cname: "lz4", Level: 5, Shuffle: "shuffle"})
	s := zarr.Spec{Format: 3, Shape: shape, DType: dtype.Float32, Codecs: []codec.Spec{}}
	switch name {
	case "blosc64":
		s.Chunks, s.Codecs = []int{64, 64, 64}, []codec.Spec{blosc}
	case "v2blosc":
		s.Format, s.Chunks, s.Codecs = 2, []int{64, 64, 64}, []codec.Spec{blosc}
	case "zstd128":
		s.Chunks, s.Codecs = []int{128, 128, 128}, []codec.Spec{codec.Zstd(3)}
	case "raw64":
		s.Chunks = []int{64, 64, 64}
	case "shard32":
		s.Chunks, s.Shards, s.Codecs = []int{32, 32, 32}, []int{256, 256, 256}, []codec.Spec{blosc}
	default:
		return zarr.Spec{}, fmt.Errorf("data set %q is unknown: %w", name, errors.ErrUnsupported)
	}
	if len(shape) != len(s.Chunks) {
		return zarr.Spec{}, fmt.Errorf("data set %q has %d axes, but the values have %d", name, len(s.Chunks), len(shape))
	}
	return s, nil
}

// part is the number of elements that are converted to bytes at a time.
const part = 1 << 14

// field reads an array of float32 from a NumPy file.
func field(path string) ([]int, []float32, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }() // the file is only read
	r := bufio.NewReaderSize(f, 4*part)
	h, err := npy.ReadHeader(r)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	if h.Type != dtype.Float32 || h.Order == dtype.Big || h.Fortran {
		return nil, nil, fmt.Errorf("%s does not have little-endian float32 in C order: %w", path, errors.ErrUnsupported)
	}
	n, err := h.Elems()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	values, buf := make([]float32, n), make([]byte, 4*part)
	for rest := values; len(rest) > 0; {
		b := buf[:4*min(part, len(rest))]
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		for i := range len(b) / 4 {
			rest[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
		rest = rest[len(b)/4:]
	}
	return h.Shape, values, nil
}

// checksum returns the CRC-32/IEEE of the values in little-endian order.
func checksum[T int16 | float32 | float64](values []T) uint32 {
	sum, buf := uint32(0), []byte(nil)
	for len(values) > 0 {
		n := min(part, len(values))
		buf, _ = binary.Append(buf[:0], binary.LittleEndian, values[:n]) // the types have fixed sizes
		sum, values = crc32.Update(sum, crc32.IEEETable, buf), values[n:]
	}
	return sum
}
