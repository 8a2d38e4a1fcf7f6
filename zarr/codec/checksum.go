package codec

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"math"

	"github.com/zargo-io/zargo/zarr/fault"
)

// checksum adds a checksum of four little-endian bytes before or after the data. It is the v3 core
// codec "crc32c" (RFC 3720) and numcodecs' crc32 (RFC 1952), adler32 (RFC 1950), crc32c, fletcher32
// and jenkins_lookup3.
type checksum struct {
	first bool
	sum   func([]byte) uint32
}

// newChecksum returns the Factory of a codec with the checksum function sum. place is the default
// of the setting "location", which is "start" or "end". The defaults are those of numcodecs.
func newChecksum(place string, sum func([]byte) uint32) Factory {
	return func(raw json.RawMessage, _ Repr) (any, error) {
		c := openConfig(raw)
		c.dropNull("location")
		first := c.text("location", place, "start", "end") == "start"
		if err := c.close(); err != nil {
			return nil, err
		}
		return checksum{first, sum}, nil
	}
}

// newNumcodecsCRC32C makes the codec numcodecs.crc32c. Its checksum is at the end by default.
func newNumcodecsCRC32C(raw json.RawMessage, in Repr) (any, error) {
	table := crc32.MakeTable(crc32.Castagnoli)
	return newChecksum("end", func(b []byte) uint32 { return crc32.Checksum(b, table) })(raw, in)
}

// newCRC32C makes the v3 core codec, whose checksum is always at the end. The core codec has no
// location setting, and readers that ignore the configuration expect the checksum at the end.
func newCRC32C(raw json.RawMessage, in Repr) (any, error) {
	codec, err := newNumcodecsCRC32C(raw, in)
	if c, ok := codec.(checksum); ok && c.first {
		return nil, fault.Newf(fault.Metadata, `"location" is "start", which only numcodecs.crc32c supports`)
	}
	return codec, err
}

// newFletcher32 makes numcodecs' fletcher32. It has no configuration, and its checksum is at the
// end.
func newFletcher32(raw json.RawMessage, _ Repr) (any, error) {
	return checksum{false, fletcher32}, openConfig(raw).close()
}

// newLookup3 makes numcodecs' jenkins_lookup3. The codec has a seed, and its checksum is at the
// end. In numcodecs, a program can also set a prefix that is hashed before the data. Metadata has
// no setting for that prefix.
func newLookup3(raw json.RawMessage, _ Repr) (any, error) {
	c := openConfig(raw)
	c.dropNull("prefix")
	if _, ok := c.members["prefix"]; ok {
		return nil, fault.Newf(errors.ErrUnsupported, "\"prefix\" is not supported in metadata")
	}
	seed := uint32(c.integer64("initval", 0, 0, math.MaxUint32))
	if err := c.close(); err != nil {
		return nil, err
	}
	return checksum{false, func(b []byte) uint32 { return lookup3(b, seed) }}, nil
}

func (checksum) EncodedSize(n int64) int64 { return addSat(n, 4) }
func (checksum) Worst(n int64) int64       { return addSat(n, 4) }

func (c checksum) Encode(dst, src []byte) ([]byte, error) {
	sum := c.sum(src)
	if c.first {
		return append(binary.LittleEndian.AppendUint32(dst, sum), src...), nil
	}
	return binary.LittleEndian.AppendUint32(append(dst, src...), sum), nil
}

func (c checksum) DecodeView(src []byte) ([]byte, error) {
	n := len(src) - 4
	if n < 0 {
		return nil, fault.Newf(fault.Corrupt, "stored form must have at least the 4 bytes of the checksum, has %d", len(src))
	}
	data, sum := src[:n:n], src[n:]
	if c.first {
		data, sum = src[4:], src[:4]
	}
	want, got := binary.LittleEndian.Uint32(sum), c.sum(data)
	if want != got {
		return nil, fault.Newf(fault.Corrupt, "checksum of %d bytes is %08x, but the stored checksum is %08x", n, got, want)
	}
	return data, nil
}

func (c checksum) Decode(dst, src []byte, limit int) ([]byte, error) {
	b, err := c.DecodeView(src)
	if err != nil {
		return dst, err
	}
	if len(b) > limit {
		return dst, fault.Newf(fault.Corrupt, "decoded to %d bytes, want at most %d", len(b), limit)
	}
	return append(dst, b...), nil
}
