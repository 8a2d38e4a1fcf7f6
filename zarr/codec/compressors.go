package codec

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/zargo-io/zargo/zarr/codec/blosc"
	"github.com/zargo-io/zargo/zarr/codec/internal/deflate"
	"github.com/zargo-io/zargo/zarr/codec/internal/zst"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// compressor is what all compressors have in common: the length of what they make is not known
// before.
type compressor struct {
	densest int64 // how many bytes a byte of its output can stand for, or a few more
}

func (compressor) EncodedSize(int64) int64 { return -1 }

// Worst allows for an encoder that flushes after every few bytes and for small inputs.
func (compressor) Worst(n int64) int64 { return addSat(addSat(n, n), 64<<10) }

// Typical allows for a hundredth and 600 bytes, which is what bzip2 says that it may need; the
// others need less.
func (compressor) Typical(n int64) int64 { return addSat(addSat(n, n/64), 1<<10) }

// least is how short the encoded form of n bytes can be.
func (c compressor) least(n int64) int64 { return n / c.densest }

// addSat adds two numbers that are not negative, up to the largest there is.
func addSat(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// What a byte can hold at most. The densest block of zstd has 4 bytes for 128 KiB (RFC 8878,
// 3.1.1.2), which is in a frame of blosc too. Deflate repeats 258 bytes by two bits. A byte more of
// a length in LZ4 is 255 more bytes. LZMA repeats 273 bytes by 14 decisions of 1/45 bit, when all
// are as sure as they become. A block of bzip2 is 900,000 runs of 5 bytes for 259 each, at most, in
// no less than 16.
const (
	densestZstd    = 128 << 10 / 4
	densestDeflate = 258 * 8 / 2
	densestLZ4     = 255
	densestLZMA    = 8 << 10
	densestBzip2   = 900_000 / 5 * 259 / 16
)

// zstdCodec is the v3 core codec "zstd" and numcodecs' of the same name: frames of RFC 8878.
type zstdCodec struct {
	compressor
	enc *zst.Encoder
}

func newZstd(raw json.RawMessage, in Repr) (any, error) {
	return zstdOf(raw, in, -131072, 22)
}

// newNumcodecsZstd takes any level, as numcodecs does, which leaves it to libzstd to bring it into
// range.
func newNumcodecsZstd(raw json.RawMessage, in Repr) (any, error) {
	return zstdOf(raw, in, math.MinInt32, math.MaxInt32)
}

func zstdOf(raw json.RawMessage, in Repr, lo, hi int) (any, error) {
	c := openConfig(raw)
	o := zst.Options{Level: c.integer("level", 0, lo, hi), Checksum: c.boolean("checksum", false)}
	if err := c.close(); err != nil {
		return nil, err
	}
	// The window of chunks whose size is not known is left to the encoder.
	o.Window, _ = in.Bytes()
	return &zstdCodec{compressor: compressor{densestZstd}, enc: zst.NewEncoder(o)}, nil
}

func (c *zstdCodec) Encode(dst, src []byte) ([]byte, error) { return c.enc.Encode(dst, src) }

func (c *zstdCodec) Decode(dst, src []byte, limit int) ([]byte, error) {
	return zst.Decode(dst, src, limit)
}

// deflateCodec is the v3 core codec "gzip" and numcodecs' gzip and zlib: RFC 1952 and 1950.
type deflateCodec struct {
	compressor
	padding
	format deflate.Format
	enc    *deflate.Encoder
}

// newGzip takes level -1 too, which is zlib's default and numcodecs'. Package meta reports it
// (rule.CodecRange), and it is never written, as Spec.normal does not take it.
func newGzip(raw json.RawMessage, _ Repr) (any, error) { return deflateOf(raw, deflate.Gzip, 5, -1) }

func newNumcodecsGzip(raw json.RawMessage, _ Repr) (any, error) {
	return deflateOf(raw, deflate.Gzip, 1, -1)
}

func newNumcodecsZlib(raw json.RawMessage, _ Repr) (any, error) {
	return deflateOf(raw, deflate.Zlib, 1, -1)
}

func deflateOf(raw json.RawMessage, f deflate.Format, def, lowest int) (any, error) {
	c := openConfig(raw)
	level := c.integer("level", def, lowest, 9)
	if err := c.close(); err != nil {
		return nil, err
	}
	return &deflateCodec{compressor: compressor{densestDeflate}, format: f, enc: deflate.NewEncoder(f, level)}, nil
}

func (c *deflateCodec) Encode(dst, src []byte) ([]byte, error) { return c.enc.Encode(dst, src) }

// Decode passes over zeros after a stream of gzip, as Python's gzip and with it numcodecs do
// (gzip's manual, "Tapes"). TensorStore does so in v3 only.
func (c *deflateCodec) Decode(dst, src []byte, limit int) ([]byte, error) {
	out, zeros, err := deflate.DecodePadded(c.format, dst, src, limit)
	if err == nil && zeros > 0 {
		err = c.found(zeros, "zero bytes after the stream")
	}
	return out, err
}

// padding is embedded in codecs that tolerate bytes after the encoded ones.
type padding struct {
	report func(rule.Finding) error // called for such bytes; nil tolerates them
}

func (p *padding) setReport(report func(rule.Finding) error) { p.report = report }

func (p *padding) found(n int, what string) error {
	if p.report == nil {
		return nil
	}
	return p.report(rule.Finding{Rule: rule.TrailingBytes, Text: fmt.Sprintf("%d %s", n, what)})
}

// bloscCodec is the v3 core codec "blosc" and numcodecs' of the same name. Frames say themselves
// how they are to be decoded; the configuration is for encoding.
type bloscCodec struct {
	compressor
	padding
	enc   *blosc.Encoder
	array stage // that the bytes are of, where they are of no other
}

func newBlosc(raw json.RawMessage, in Repr) (any, error) {
	o, err := bloscV3(raw, in)
	return bloscOf(o, in, err)
}

func newNumcodecsBlosc(raw json.RawMessage, in Repr) (any, error) {
	o, err := bloscV2(raw, in)
	return bloscOf(o, in, err)
}

func bloscOf(o blosc.Options, in Repr, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	enc, err := blosc.NewEncoder(o)
	if err != nil {
		return nil, err
	}
	array, err := stageOf(in)
	return &bloscCodec{compressor: compressor{densestZstd}, enc: enc, array: array}, err
}

// cnames are the compressors that a configuration may name.
var cnames = [...]string{"zstd", "lz4", "lz4hc", "zlib", "snappy", "blosclz"}

// bloscV3 reads a v3 configuration; what is missing is as in zarr-python.
func bloscV3(raw json.RawMessage, in Repr) (o blosc.Options, err error) {
	c := openConfig(raw)
	cname := c.text("cname", "zstd", cnames[:]...)
	shuffle := c.text("shuffle", "auto", "noshuffle", "shuffle", "bitshuffle")
	least := 1
	if shuffle == blosc.NoShuffle.String() {
		least = 0 // "in which case the value is ignored"
	}
	o = blosc.Options{Level: c.integer("clevel", 5, 0, 9), TypeSize: c.integer("typesize", typeSize(in), least, math.MaxInt32), BlockSize: c.integer("blocksize", 0, 0, blosc.MaxSize)}
	if err := c.close(); err != nil {
		return o, err
	}
	switch {
	case o.TypeSize > blosc.MaxTypeSize:
		o.TypeSize = 1
	case o.TypeSize == 0:
		o.TypeSize = typeSize(in)
	}
	if o.Compressor, err = blosc.ParseCompressor(cname); err != nil {
		return o, err
	}
	if shuffle == "auto" {
		o.Shuffle = autoShuffle(in.Type.Size())
		return o, nil
	}
	o.Shuffle, err = blosc.ParseShuffle(shuffle)
	return o, err
}

// bloscV2 reads numcodecs' configuration.
func bloscV2(raw json.RawMessage, in Repr) (o blosc.Options, err error) {
	c := openConfig(raw)
	cname := c.text("cname", "lz4", cnames[:]...)
	shuffle := c.integer("shuffle", 1, -1, 2)
	if string(c.members["typesize"]) == "null" {
		delete(c.members, "typesize")
	}
	o = blosc.Options{Level: c.integer("clevel", 5, 0, 9), TypeSize: c.integer("typesize", in.Type.Size(), 1, math.MaxInt32), BlockSize: c.integer("blocksize", 0, 0, blosc.MaxSize)}
	if err := c.close(); err != nil {
		return o, err
	}
	if o.Shuffle = autoShuffle(o.TypeSize); shuffle >= 0 {
		o.Shuffle = blosc.Shuffle(shuffle)
	}
	if o.TypeSize < 1 || o.TypeSize > blosc.MaxTypeSize {
		o.TypeSize = 1
	}
	o.Compressor, err = blosc.ParseCompressor(cname)
	return o, err
}

// typeSize is the bytes of an element for blosc; 1 where they vary or are too many for it.
func typeSize(in Repr) int {
	if s := in.Type.Size(); s >= 1 && s <= blosc.MaxTypeSize {
		return s
	}
	return 1
}

// autoShuffle is what numcodecs and zarr-python choose for elements of a size: the former of
// blosc's elements, the latter of the array's.
func autoShuffle(size int) blosc.Shuffle {
	if size == 1 {
		return blosc.BitShuffle
	}
	return blosc.ByteShuffle
}

func (c *bloscCodec) Encode(dst, src []byte) ([]byte, error) { return c.enc.Encode(dst, src) }

// Decode passes over a few bytes after the frame: see cut.
func (c *bloscCodec) Decode(dst, src []byte, limit int) ([]byte, error) {
	frame := c.cut(src)
	out, err := blosc.Decode(dst, frame, limit)
	if extra := len(src) - len(frame); err == nil && extra > 0 {
		err = c.found(extra, "bytes after the frame")
	}
	return out, err
}

// cut leaves out a few bytes after the frame: early versions of z5 made the buffer of a chunk 16
// elements longer than the frame, 16 being blosc's overhead in bytes. Any number of bytes may
// follow in numcodecs, none in TensorStore.
func (c *bloscCodec) cut(src []byte) []byte {
	if h, err := blosc.ParseHeader(src); err == nil && h.Encoded < len(src) && len(src)-h.Encoded <= 16*min(h.TypeSize, largestNumber) {
		return src[:h.Encoded]
	}
	return src
}

// largestNumber is the bytes of the largest element that z5 has.
const largestNumber = 8

// places reports whether a box has rows that are worth placing one by one: they lie in memory as in
// the chunk, and have 64 bytes or more, below which finding them takes longer than copying them
// once more; or few of the chunk's elements are in the box.
func (c *bloscCodec) places(box Strided) bool {
	var m move
	m.inChunk(box, c.array.shape)
	row := axis{1, box.Size, box.Size}
	n := 1
	for _, a := range m.axes() {
		n, row = n*a.n, a
	}
	return row.dst == box.Size && (row.n*box.Size >= 64 && row.src == box.Size || n < c.array.elems/4)
}

// DecodeTo decodes the blocks that the box has elements of, and joins rows of elements where they
// belong.
func (c *bloscCodec) DecodeTo(dst Strided, src []byte, _ *Scratch) error {
	frame := c.cut(src)
	f, err := blosc.Open(frame, c.array.bytes)
	if err != nil {
		return err
	}
	defer f.Close()
	if f.Size() != c.array.bytes {
		return fault.Newf(fault.Corrupt, "decodes to %d bytes, %d are due", f.Size(), c.array.bytes)
	}
	var m move
	m.inChunk(dst, c.array.shape)
	if err := m.pull(dst.Bytes, dst.Size, f.Copy); err != nil {
		return err
	}
	if extra := len(src) - len(frame); extra > 0 {
		return c.found(extra, "bytes after the frame")
	}
	return nil
}
