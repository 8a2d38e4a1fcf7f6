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

// compressor is embedded in all compressors. The length of their output depends on the data.
type compressor struct {
	settings
	densest int64 // maximum decoded bytes per encoded byte, or slightly more
}

func (compressor) EncodedSize(int64) int64 { return -1 }

// Worst returns twice the input length plus 64 KiB, which is enough for an encoder that flushes
// after every few bytes.
func (compressor) Worst(n int64) int64 { return addSat(addSat(n, n), 64<<10) }

// Typical adds 1/64 of the input length and 1 KiB. bzip2, which needs most, documents a limit of 1
// % and 600 bytes.
func (compressor) Typical(n int64) int64 { return addSat(addSat(n, n/64), 1<<10) }

// least returns the minimum encoded length of n bytes.
func (c compressor) least(n int64) int64 { return n / c.densest }

// addSat adds two non-negative numbers, saturating at math.MaxInt64.
func addSat(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Maximum number of decoded bytes per encoded byte. The densest zstd block encodes 128 KiB in 4
// bytes (RFC 8878, section 3.1.1.2), and blosc frames may contain such blocks. Deflate encodes a
// match of 258 bytes in 2 bits. Each additional length byte of LZ4 adds up to 255 bytes. LZMA
// encodes a match of 273 bytes in 14 decisions of at least 1/45 bit each. A bzip2 block has at
// least 16 encoded bytes, and at most 900,000 bytes after run-length encoding. That encoding
// encodes a run of 259 bytes in 5 bytes.
const (
	densestZstd    = 128 << 10 / 4
	densestDeflate = 258 * 8 / 2
	densestLZ4     = 255
	densestLZMA    = 8 << 10
	densestBzip2   = 900_000 / 5 * 259 / 16
)

// zstdCodec is the v3 core codec "zstd" and numcodecs' zstd: frames of RFC 8878.
type zstdCodec struct {
	compressor
	enc *zst.Encoder
}

// newZstd also reads levels below the minimum, as zarr-python does.
func newZstd(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	level, sum := c.integer("level", 0, math.MinInt32, 22), c.boolean("checksum", false)
	if level < minZstd {
		c.encoder(func() { c.fail(`"level" must be %d to 22, is %d`, minZstd, level) })
	}
	return zstdOf(c, level, sum, in)
}

// minZstd is the minimum level of libzstd.
const minZstd = -131072

// newNumcodecsZstd accepts any level, as numcodecs does, and clamps the level to libzstd's range.
func newNumcodecsZstd(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	level, sum := 0, false
	c.encoder(func() {
		level, sum = c.integer("level", 0, math.MinInt32, math.MaxInt32), c.boolean("checksum", false)
	})
	return zstdOf(c, level, sum, in)
}

func zstdOf(c *config, level int, sum bool, in Repr) (any, error) {
	if err := c.close(); err != nil {
		return nil, err
	}
	size, _ := in.Bytes() // if the size is unknown (0), the encoder chooses the window
	enc := zst.NewEncoder(zst.Options{Effort: zst.EffortOf(level), Window: size, Checksum: sum})
	return &zstdCodec{compressor: compressor{c.settings(), densestZstd}, enc: enc}, nil
}

func (c *zstdCodec) Encode(dst, src []byte) ([]byte, error) { return c.enc.Encode(dst, src) }

func (c *zstdCodec) Decode(dst, src []byte, limit int) ([]byte, error) {
	return zst.Decode(dst, src, limit)
}

// deflateCodec is the v3 core codec "gzip" and numcodecs' gzip and zlib: RFC 1952 and RFC 1950.
type deflateCodec struct {
	compressor
	padding
	format deflate.Format
	enc    *deflate.Encoder
}

// newGzip also accepts level -1, the default level in zlib and numcodecs, and package meta reports
// such a level (rule.CodecRange). Level -1 is never written to metadata, because Spec.normal
// rejects it.
func newGzip(raw json.RawMessage, _ Repr) (any, error) {
	c := openConfig(raw)
	return deflateOf(c, deflate.Gzip, c.integer("level", 5, -1, 9))
}

// newNumcodecsDeflate returns the Factory of numcodecs' gzip or zlib.
func newNumcodecsDeflate(f deflate.Format) Factory {
	return func(raw json.RawMessage, _ Repr) (any, error) {
		c, level := openConfig(raw), 1
		c.encoder(func() { level = c.integer("level", 1, -1, 9) })
		return deflateOf(c, f, level)
	}
}

func deflateOf(c *config, f deflate.Format, level int) (any, error) {
	if err := c.close(); err != nil {
		return nil, err
	}
	return &deflateCodec{compressor: compressor{c.settings(), densestDeflate}, format: f, enc: deflate.NewEncoder(f, level)}, nil
}

func (c *deflateCodec) Encode(dst, src []byte) ([]byte, error) { return c.enc.Encode(dst, src) }

// Decode ignores zeros after a gzip stream, as Python's gzip and numcodecs do (gzip manual, section
// "Tapes"). TensorStore ignores them only in v3. Decode ignores any bytes after a zlib stream, as
// numcodecs does.
func (c *deflateCodec) Decode(dst, src []byte, limit int) ([]byte, error) {
	out, extra, err := deflate.DecodePadded(c.format, dst, src, limit)
	if err == nil && extra > 0 {
		what := "bytes after the stream"
		if c.format == deflate.Gzip {
			what = "zero " + what
		}
		err = c.found(extra, what)
	}
	return out, err
}

// padding is embedded in codecs that tolerate bytes after the encoded form.
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

// bloscCodec is the v3 core codec "blosc" and numcodecs' blosc. Frames are self-describing, so the
// configuration is used only for encoding.
type bloscCodec struct {
	compressor
	padding
	enc   *blosc.Encoder
	array stage // array of the bytes, if the array-to-bytes codec is directly before it
}

func newBlosc(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	o, err := c.bloscV3(in)
	return c.bloscOf(o, in, err)
}

func newNumcodecsBlosc(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	o, err := c.bloscV2(in)
	return c.bloscOf(o, in, err)
}

func (c *config) bloscOf(o blosc.Options, in Repr, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	enc, err := blosc.NewEncoder(o)
	if err != nil {
		return nil, err
	}
	array, err := stageOf(in)
	return &bloscCodec{compressor: compressor{c.settings(), densestZstd}, enc: enc, array: array}, err
}

// strictly returns the options of a configuration that is used to encode.
func strictly(read func(*config, Repr) (blosc.Options, error), raw json.RawMessage, in Repr) (blosc.Options, error) {
	c := openConfig(raw)
	o, err := read(c, in)
	if err == nil {
		err = c.unused
	}
	return o, err
}

// cnames are the compressor names in configurations.
var cnames = [...]string{"zstd", "lz4", "lz4hc", "zlib", "snappy", "blosclz"}

// bloscV3 reads a v3 configuration. The defaults are the same as in zarr-python, which also reads
// null for the shuffle and the type size, and levels and block sizes out of range.
func (c *config) bloscV3(in Repr) (o blosc.Options, err error) {
	c.dropNull("shuffle", "typesize")
	cname := c.text("cname", "zstd", cnames[:]...)
	shuffle := c.text("shuffle", "auto", "noshuffle", "shuffle", "bitshuffle")
	least := 1
	if shuffle == blosc.NoShuffle.String() {
		least = 0 // the specification says that the value is ignored for noshuffle
	}
	o.TypeSize = c.integer("typesize", typeSize(in), least, math.MaxInt32)
	level, size := c.integer64("clevel", 5, math.MinInt64, math.MaxInt64), c.integer64("blocksize", 0, math.MinInt64, math.MaxInt64)
	c.encoder(func() {
		o.Level, o.BlockSize = int(c.within("clevel", level, 5, 0, 9)), int(c.within("blocksize", size, 0, 0, blosc.MaxSize))
	})
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

// bloscV2 reads a configuration of numcodecs, which checks only the type size when it decodes.
func (c *config) bloscV2(in Repr) (o blosc.Options, err error) {
	cname, shuffle := "lz4", 1
	c.dropNull("typesize")
	c.encoder(func() {
		cname, shuffle = c.text("cname", "lz4", cnames[:]...), c.integer("shuffle", 1, -1, 2)
		o.Level, o.BlockSize = c.integer("clevel", 5, 0, 9), c.integer("blocksize", 0, 0, blosc.MaxSize)
	})
	o.TypeSize = c.integer("typesize", in.Type.Size(), 1, math.MaxInt32)
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

// typeSize returns the blosc type size of an element. It is 1 if elements vary in length or are too
// large for blosc.
func typeSize(in Repr) int {
	if s := in.Type.Size(); s >= 1 && s <= blosc.MaxTypeSize {
		return s
	}
	return 1
}

// autoShuffle returns the default shuffle for elements of size bytes. For size, numcodecs takes
// blosc's type size, and zarr-python takes the array's element size.
func autoShuffle(size int) blosc.Shuffle {
	if size == 1 {
		return blosc.BitShuffle
	}
	return blosc.ByteShuffle
}

func (c *bloscCodec) Encode(dst, src []byte) ([]byte, error) { return c.enc.Encode(dst, src) }

// Decode decodes a frame. It accepts and reports the padding that early versions of z5 wrote after
// the frame; see cut.
func (c *bloscCodec) Decode(dst, src []byte, limit int) ([]byte, error) {
	frame := c.cut(src)
	out, err := blosc.Decode(dst, frame, limit)
	if extra := len(src) - len(frame); err == nil && extra > 0 {
		err = c.found(extra, "bytes after the frame")
	}
	return out, err
}

// cut returns src without the padding after the frame. Early versions of z5 allowed 16 elements
// instead of 16 bytes for the overhead of a frame, and wrote the unused bytes. numcodecs ignores
// any number of bytes after the frame. TensorStore rejects them.
func (c *bloscCodec) cut(src []byte) []byte {
	if h, err := blosc.ParseHeader(src); err == nil && h.Encoded < len(src) && len(src)-h.Encoded <= 16*min(h.TypeSize, largestNumber) {
		return src[:h.Encoded]
	}
	return src
}

// largestNumber is the size in bytes of the largest element type that z5 supports.
const largestNumber = 8

// places reports whether rows of the box should be decoded one at a time to their positions. That
// is faster than a copy in two cases: rows are contiguous in memory and in the chunk and have at
// least 64 bytes, or the box has less than a quarter of the chunk's elements.
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

// DecodeTo decodes the blocks that the box overlaps and writes rows of elements to their positions.
func (c *bloscCodec) DecodeTo(dst Strided, src []byte, _ *Scratch) error {
	frame := c.cut(src)
	f, err := blosc.Open(frame, c.array.bytes)
	if err != nil {
		return err
	}
	defer f.Close()
	if f.Size() != c.array.bytes {
		return fault.Newf(fault.Corrupt, "decoded to %d bytes, want %d", f.Size(), c.array.bytes)
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
