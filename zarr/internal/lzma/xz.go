package lzma

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/crc64"
)

// magic is the start of an xz stream.
var magic = []byte{0xfd, '7', 'z', 'X', 'Z', 0}

// xzHeader is the size of a stream header. A stream footer has the same size.
const xzHeader = 12

// crc64Table is the table of the CRC-64 of xz, with the polynomial of ECMA-182. It is read-only.
var crc64Table = crc64.MakeTable(crc64.ECMA)

// sumSize returns the size in bytes of the check with ID c, which may be a reserved ID.
func sumSize(c Check) int { return [...]int{0, 4, 8, 16, 32, 64}[(int(c)+2)/3] }

// appendSum appends the check of b.
func appendSum(dst []byte, c Check, b []byte) []byte {
	switch c {
	case CRC32:
		return binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(b))
	case CRC64:
		return binary.LittleEndian.AppendUint64(dst, crc64.Checksum(b, crc64Table))
	case SHA256:
		sum := sha256.Sum256(b)
		return append(dst, sum[:]...)
	}
	return dst
}

// record is the index record of a block. It consists of the unpadded size and the uncompressed size
// of the block.
type record struct{ packed, size uint64 }

// decodeXZ decodes one stream and returns the bytes after it.
func decodeXZ(o *output, src []byte) ([]byte, error) {
	all := src
	if len(src) < xzHeader || !bytes.HasPrefix(src, magic) {
		return nil, errStart
	}
	flags := src[6:8]
	if binary.LittleEndian.Uint32(src[8:]) != crc32.ChecksumIEEE(flags) {
		return nil, errors.New("checksum of the stream header does not match")
	}
	if flags[0] != 0 || flags[1] > 15 {
		return nil, fmt.Errorf("%w: stream flags %x", errors.ErrUnsupported, flags)
	}
	kind := Check(flags[1])
	if kind != None && kind != CRC32 && kind != CRC64 && kind != SHA256 {
		return nil, fmt.Errorf("%w: xz check %d", errors.ErrUnsupported, kind)
	}
	src = src[xzHeader:]
	var records []record
	for len(src) > 0 && src[0] != 0 {
		r, rest, err := decodeBlock(o, src, kind)
		if err != nil {
			return nil, err
		}
		records, src = append(records, r), rest
	}
	index, src, err := checkIndex(src, records)
	if err != nil {
		return nil, err
	}
	if len(src) < xzHeader {
		return nil, errCut
	}
	footer := src[:xzHeader]
	if footer[10] != 'Y' || footer[11] != 'Z' || !bytes.Equal(footer[8:10], flags) || binary.LittleEndian.Uint32(footer) != crc32.ChecksumIEEE(footer[4:10]) ||
		int64(binary.LittleEndian.Uint32(footer[4:])) != int64(index/4-1) {
		return nil, errors.New("invalid stream footer")
	}
	return all[len(all)-len(src)+xzHeader:], nil
}

// decodeBlock decodes one block and returns the bytes after it.
func decodeBlock(o *output, src []byte, kind Check) (r record, rest []byte, err error) {
	head := (int(src[0]) + 1) * 4
	if len(src) < head {
		return r, nil, errCut
	}
	h := src[:head-4]
	if binary.LittleEndian.Uint32(src[head-4:]) != crc32.ChecksumIEEE(h) {
		return r, nil, errors.New("checksum of a block header does not match")
	}
	chain, packed, size, err := parseBlockHeader(h)
	if err != nil {
		return r, nil, err
	}
	from := o.n
	rest, err = decodeRaw(chain, o, src[head:])
	if err != nil {
		return r, nil, err
	}
	n := len(src) - head - len(rest)
	if packed >= 0 && packed != int64(n) || size >= 0 && size != int64(o.n-from) {
		return r, nil, fmt.Errorf("block has %d bytes encoded in %d, but declares %d in %d", o.n-from, n, size, packed)
	}
	for pad := -n & 3; pad > 0; pad-- {
		if len(rest) == 0 || rest[0] != 0 {
			return r, nil, errors.New("padding of a block is not zero")
		}
		rest = rest[1:]
	}
	sum := sumSize(kind)
	if len(rest) < sum {
		return r, nil, errCut
	}
	if got := appendSum(nil, kind, o.b[from:o.n]); !bytes.Equal(got, rest[:sum]) {
		return r, nil, fmt.Errorf("checksum of %d bytes is %x, but the stored checksum is %x", o.n-from, got, rest[:sum])
	}
	return record{uint64(head + n + sum), uint64(o.n - from)}, rest[sum:], nil
}

// parseBlockHeader parses a block header without its CRC. packed and size are the sizes in the
// header, or -1 if the header lacks them.
func parseBlockHeader(h []byte) (chain []Filter, packed, size int64, err error) {
	flags := h[1]
	b := h[2:]
	if flags&0x3c != 0 {
		return nil, 0, 0, fmt.Errorf("%w: block flags %#x", errors.ErrUnsupported, flags)
	}
	packed, size = -1, -1
	for i, to := range []*int64{&packed, &size} {
		if flags>>(6+i)&1 == 1 {
			var v uint64
			if v, b, err = number(b); err != nil {
				return nil, 0, 0, err
			}
			*to = int64(v)
		}
	}
	for range flags&3 + 1 {
		var id, n uint64
		if id, b, err = number(b); err == nil {
			n, b, err = number(b)
		}
		if err != nil || n > uint64(len(b)) {
			return nil, 0, 0, errCut
		}
		f, err := parseFilter(FilterID(id), b[:n])
		if err != nil {
			return nil, 0, 0, err
		}
		chain, b = append(chain, f), b[n:]
	}
	for _, c := range b {
		if c != 0 {
			return nil, 0, 0, fmt.Errorf("%w: unknown fields in a block header", errors.ErrUnsupported)
		}
	}
	return chain, packed, size, check(chain, LZMA2)
}

// checkIndex compares the index with the records of the decoded blocks. It returns the size of the
// index and the bytes after it.
func checkIndex(src []byte, records []record) (int, []byte, error) {
	want := appendIndex(nil, records)
	if len(src) < len(want) {
		return 0, nil, errCut
	}
	if !bytes.Equal(src[:len(want)], want) {
		return 0, nil, errors.New("index does not match the blocks")
	}
	return len(want), src[len(want):], nil
}

// appendIndex appends the index of an xz stream with the given records. checkIndex relies on the
// fact that an index has only one valid encoding.
func appendIndex(dst []byte, records []record) []byte {
	from := len(dst)
	dst = append(dst, 0)
	dst = binary.AppendUvarint(dst, uint64(len(records)))
	for _, r := range records {
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, r.packed), r.size)
	}
	for (len(dst)-from)%4 != 0 {
		dst = append(dst, 0)
	}
	return binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[from:]))
}

// number reads a multibyte integer of up to 63 bits, which must be in its shortest form, and
// returns the bytes after it. Each byte holds seven bits, and the low bits come first.
func number(b []byte) (uint64, []byte, error) {
	v, n := binary.Uvarint(b)
	if n <= 0 || n > 9 || n > 1 && b[n-1] == 0 {
		return 0, nil, errCut
	}
	return v, b[n:], nil
}
