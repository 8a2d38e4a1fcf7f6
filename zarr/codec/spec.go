package codec

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/codec/blosc"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// BloscOptions configures [Blosc]. The zero value means the defaults of zarr-python. The default
// shuffle is "bitshuffle" for elements of one byte, and "shuffle" for others.
type BloscOptions struct {
	Cname     string // "lz4", "lz4hc", "zstd", "zlib", "snappy" or "blosclz"; default "zstd"
	Level     int    // 1 to 9; 0 means the default 5, and Stored does not compress
	Shuffle   string // "noshuffle", "shuffle" or "bitshuffle"; "" depends on the data type
	TypeSize  int    // bytes of an element; 0 means the size of the data type
	BlockSize int    // bytes of a block; 0 means that the level decides
}

// numcodecs is the name prefix of codecs that numcodecs defines.
const numcodecs = "numcodecs."

// Stored is a value of BloscOptions.Level. It means that blosc does not compress. Metadata stores
// it as level 0.
const Stored = -1

// Blosc compresses with blosc (v3 core "blosc"); see package blosc. [Table.Normalize] adds unset
// settings that depend on the data type.
func Blosc(o BloscOptions) Spec {
	c := bloscConfig{Cname: o.Cname, Level: o.Level, Shuffle: o.Shuffle, TypeSize: o.TypeSize, BlockSize: o.BlockSize}
	if c.Cname == "" {
		c.Cname = blosc.Zstd.String()
	}
	switch c.Level {
	case 0:
		c.Level = 5
	case Stored:
		c.Level = 0
	}
	raw, err := json.Marshal(c)
	if err != nil {
		panic(err) // strings and numbers can be marshalled
	}
	return Spec{Name: "blosc", Config: raw}
}

// Zstd compresses to the format of RFC 8878 at a level of libzstd's scale, -131072 to 22 (v3 core
// "zstd"). Level 0 means 3. All negative levels have the same effect, and so have levels 2 and 3.
// Frames lack a checksum. For frames with a checksum, write the configuration: {"level": 3,
// "checksum": true}.
func Zstd(level int) Spec { return zstdSpec(level, false) }

func zstdSpec(level int, checksum bool) Spec {
	return newSpec("zstd", `{"level":%d,"checksum":%t}`, level, checksum)
}

// bloscConfig is the v3 configuration. Its members have the same order as in zarr-python.
type bloscConfig struct {
	TypeSize  int    `json:"typesize,omitempty"`
	Cname     string `json:"cname"`
	Level     int    `json:"clevel"`
	Shuffle   string `json:"shuffle,omitempty"`
	BlockSize int    `json:"blocksize"`
}

func newSpec(name, format string, args ...any) Spec {
	if format == "" {
		return Spec{Name: name}
	}
	return Spec{Name: name, Config: json.RawMessage(fmt.Sprintf(format, args...))}
}

// Bytes stores elements one after another in the given byte order (v3 core "bytes"). dtype.NoOrder
// omits the order, as is required for elements of one byte. [Table.Normalize] adds an order if the
// data type needs one.
func Bytes(order dtype.Order) Spec {
	if order == dtype.NoOrder {
		return Spec{Name: "bytes"}
	}
	return newSpec("bytes", `{"endian":%q}`, order)
}

// Transpose stores axis order[i] as axis i (v3 core "transpose"). Transpose(1, 0) of a matrix
// stores columns first.
func Transpose(order ...int) Spec {
	list := strings.ReplaceAll(strings.Trim(fmt.Sprint(order), "[]"), " ", ",")
	return newSpec("transpose", `{"order":[%s]}`, list)
}

// Gzip compresses to the format of RFC 1952 at a level from 0 (stored) to 9 (v3 core "gzip").
// Levels 1 to 7 have the same effect and take about the time of zlib's level 3.
func Gzip(level int) Spec { return newSpec("gzip", `{"level":%d}`, level) }

// Zlib compresses to the format of RFC 1950 at a level from -1 to 9. Level 0 stores the bytes.
// Levels -1 and 1 to 7 have the same effect, as in [Gzip]. Zlib is a codec of numcodecs, not of the
// v3 core.
func Zlib(level int) Spec { return newSpec(numcodecs+"zlib", `{"level":%d}`, level) }

// CRC32C appends a CRC-32C of the bytes (v3 core "crc32c").
func CRC32C() Spec { return Spec{Name: "crc32c"} }

// VlenArray stores elements that are arrays, each preceded by its length (numcodecs "vlen-array").
// It is available only in v2.
func VlenArray(t dtype.Ragged) Spec {
	raw, err := t.ElemV2()
	if err != nil {
		raw = json.RawMessage("null") // Bind rejects it
	}
	return newSpec(numcodecs+"vlen-array", `{"dtype":%s}`, raw)
}

// JSON2 stores elements of [dtype.JSON], numbers or fixed-length text as one JSON list (numcodecs
// "json2"), with the configuration that numcodecs writes. No other implementation is known to read
// it in v3.
func JSON2() Spec {
	return newSpec(numcodecs+"json2", `{"allow_nan":true,"check_circular":true,"encoding":"utf-8","ensure_ascii":true,"indent":null,`+
		`"separators":[",",":"],"skipkeys":false,"sort_keys":true,"strict":true}`)
}

// MsgPack2 stores elements as [JSON2] does, but in MessagePack (numcodecs "msgpack2"). It can also
// store bytes. No other implementation is known to read it in v3.
func MsgPack2() Spec {
	return newSpec(numcodecs+"msgpack2", `{"raw":false,"use_bin_type":true,"use_single_float":false}`)
}

// Categorize stores text as its index in a list of labels, counted from 1 (numcodecs "categorize").
// The parameter as is the integer type of the indexes. t is the data type of the text:
// dtype.String, or dtype.U in little-endian order. Text that is not a label is stored as 0 and read
// as empty text. No other implementation is known to read this codec in v3.
func Categorize(t dtype.Type, as dtype.Basic, labels ...string) Spec {
	of, err := t.V2(dtype.Little)
	if err != nil {
		of = json.RawMessage("null") // Bind rejects it
	}
	code, err := as.V2(dtype.Little)
	if err != nil {
		code = json.RawMessage("null")
	}
	list, err := json.Marshal(slices.Concat([]string{}, labels))
	if err != nil {
		panic(err) // strings can be marshalled
	}
	return newSpec(numcodecs+"categorize", `{"labels":%s,"dtype":%s,"astype":%s}`, list, of, code)
}
