package codec

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/codec/blosc"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// numcodecs is what the names of codecs that numcodecs defines start with.
const numcodecs = "numcodecs."

func newSpec(name, format string, args ...any) Spec {
	if format == "" {
		return Spec{Name: name}
	}
	return Spec{Name: name, Config: json.RawMessage(fmt.Sprintf(format, args...))}
}

// Bytes stores elements one after another in the given byte order (v3 core "bytes"). With
// dtype.NoOrder the order is left out, as it has to be for elements of one byte; [Table.Normalize]
// puts in what the data type needs.
func Bytes(order dtype.Order) Spec {
	if order == dtype.NoOrder {
		return Spec{Name: "bytes"}
	}
	return newSpec("bytes", `{"endian":%q}`, order)
}

// Transpose stores axis order[i] as axis i (v3 core "transpose"): Transpose(1, 0) of a matrix
// stores columns first.
func Transpose(order ...int) Spec {
	list := strings.ReplaceAll(strings.Trim(fmt.Sprint(order), "[]"), " ", ",")
	return newSpec("transpose", `{"order":[%s]}`, list)
}

// Gzip compresses with RFC 1952 at a level from 0 (stored) to 9 (v3 core "gzip"). From 1 to 7
// all are one, which takes about the time of zlib's 3.
func Gzip(level int) Spec { return newSpec("gzip", `{"level":%d}`, level) }

// Zlib compresses with RFC 1950 at a level from -1 or 0 (stored) to 9, of which there are as many
// as of Gzip. It is numcodecs' codec, not one of the v3 core.
func Zlib(level int) Spec { return newSpec(numcodecs+"zlib", `{"level":%d}`, level) }

// Zstd compresses with RFC 8878 at a level of libzstd's scale, -131072 to 22, where 0 is 3 (v3 core
// "zstd"). The encoder has five: negative, 1, 0 with 2 to 4, 5 with 6, and 7 and more. For a
// checksum in every frame, which readers check, write the configuration: {"level": 3, "checksum":
// true}.
func Zstd(level int) Spec { return zstdSpec(level, false) }

func zstdSpec(level int, checksum bool) Spec {
	return newSpec("zstd", `{"level":%d,"checksum":%t}`, level, checksum)
}

// CRC32C puts a CRC-32C of the bytes after them (v3 core "crc32c").
func CRC32C() Spec { return Spec{Name: "crc32c"} }

// VlenArray stores elements that are arrays, each after its length (numcodecs "vlen-array"; v2
// only).
func VlenArray(t dtype.Ragged) Spec {
	raw, err := t.ElemV2()
	if err != nil {
		raw = json.RawMessage("null") // Bind refuses it
	}
	return newSpec(numcodecs+"vlen-array", `{"dtype":%s}`, raw)
}

// JSON2 stores elements of [dtype.JSON], or numbers and text of a fixed length, as one JSON list
// (numcodecs "json2"), with the configuration that numcodecs writes. No other implementation is
// known that reads it in v3.
func JSON2() Spec {
	return newSpec(numcodecs+"json2", `{"allow_nan":true,"check_circular":true,"encoding":"utf-8","ensure_ascii":true,"indent":null,`+
		`"separators":[",",":"],"skipkeys":false,"sort_keys":true,"strict":true}`)
}

// MsgPack2 is JSON2 in MessagePack (numcodecs "msgpack2"), which has bytes too. No other
// implementation is known that reads it in v3.
func MsgPack2() Spec {
	return newSpec(numcodecs+"msgpack2", `{"raw":false,"use_bin_type":true,"use_single_float":false}`)
}

// Categorize stores text as its place in a list of labels, counted from 1, in integers of a type
// (numcodecs "categorize"). The text is of the data type t: dtype.String, or dtype.U, which is
// little-endian. Text that is no label is stored as 0 and read back as no text. No other
// implementation is known that reads it in v3.
func Categorize(t dtype.Type, as dtype.Basic, labels ...string) Spec {
	of, err := t.V2(dtype.Little)
	if err != nil {
		of = json.RawMessage("null") // Bind refuses it
	}
	code, err := as.V2(dtype.Little)
	if err != nil {
		code = json.RawMessage("null")
	}
	list, err := json.Marshal(slices.Concat([]string{}, labels))
	if err != nil {
		panic(err) // strings
	}
	return newSpec(numcodecs+"categorize", `{"labels":%s,"dtype":%s,"astype":%s}`, list, of, code)
}

// BloscOptions configure [Blosc]. The zero value is zarr-python's default.
type BloscOptions struct {
	Cname     string // "lz4", "lz4hc", "zstd", "zlib", "snappy" or "blosclz"; "" is "zstd"
	Level     int    // 1 to 9; 0 is 5, and Stored stores without compressing
	Shuffle   string // "noshuffle", "shuffle" or "bitshuffle"; "" is "shuffle", and "bitshuffle" for elements of one byte
	TypeSize  int    // bytes of an element; 0 is that of the data type
	BlockSize int    // bytes of a block; 0 leaves it to the level
}

// Stored is the BloscOptions.Level that does not compress, which metadata calls level 0.
const Stored = -1

// Blosc compresses with blosc (v3 core "blosc"); see package blosc. What is left out depends on the
// data type, and [Table.Normalize] puts it in.
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
		panic(err) // strings and numbers
	}
	return Spec{Name: "blosc", Config: raw}
}

// bloscConfig is the v3 configuration, its members in the order in which zarr-python writes them.
type bloscConfig struct {
	TypeSize  int    `json:"typesize,omitempty"`
	Cname     string `json:"cname"`
	Level     int    `json:"clevel"`
	Shuffle   string `json:"shuffle,omitempty"`
	BlockSize int    `json:"blocksize"`
}
