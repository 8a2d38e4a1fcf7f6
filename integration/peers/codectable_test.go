package peers

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// The sizes of all arrays of TestCodecs. Both axes end within a chunk. The second row of chunks and
// the second shard are not stored. A chunk of single bytes has at least 128 bytes, because blosc
// stores shorter chunks uncompressed.
var (
	codedShape, codedChunks, codedShards, codedBox = []int{23, 17}, []int{16, 12}, []int{16, 24}, []int{16, 17}
)

// chain is a list of codecs with the data types for which they are tested.
type chain struct {
	name  string // the relevant codecs, joined by "+"
	types string // v2 names, separated by spaces
	// codecs has names and configurations, separated by bars. v2 configurations are without an id.
	// TYPE is the data type in the notation of the format, SIZE is the size of an element in bytes.
	codecs string
	more   mode
}

// mode has further properties of a chain.
type mode int

const (
	lossy   mode = 1 << iota // elements are read with other values than were written
	columns                  // stored column by column
	whole                    // not tested in shards
)

// Data types of several chains.
const (
	plain  = "|u1 <i2 >i2 <f8"
	ints   = "<i2 >i2 <i4"
	floats = "<f4 >f4 <f8"
	texts  = "string"
)

// chains2 returns the v2 chains, with every codec that zargo writes in v2.
func chains2() []chain {
	all := []chain{
		{"none", plain, "", 0},
		{"zlib", plain, `zlib {"level":1}`, 0},
		{"gzip", plain, `gzip {"level":9}`, 0},
		{"zstd", plain, `zstd {"level":3}`, 0},
		{"zstd-checksum", plain, `zstd {"level":1,"checksum":true}`, 0},
		{"zstd-negative", plain, `zstd {"level":-7}`, 0},
		{"bz2", plain, `bz2 {"level":1}`, 0},
		{"lzma-xz", plain, `lzma {"format":1,"check":-1,"preset":null,"filters":null}`, 0},
		{"lzma-alone", plain, `lzma {"format":2,"check":-1,"preset":1,"filters":null}`, 0},
		{"lzma-raw", plain, `lzma {"format":3,"check":-1,"preset":null,"filters":[{"id":33,"preset":1}]}`, 0},
		{"lzma-filters", plain, `lzma {"format":1,"check":4,"preset":null,"filters":[{"id":3,"dist":SIZE},{"id":33,"preset":1}]}`, 0},
		{"lz4", plain, `lz4 {"acceleration":1}`, 0},
		{"shuffle", plain, `shuffle {"elementsize":SIZE}`, 0},
		{"crc32", plain, `crc32`, 0},
		{"crc32-end", plain, `crc32 {"location":"end"}`, 0},
		{"crc32c", plain, `crc32c`, 0},
		{"crc32c-end", plain, `crc32c {"location":"end"}`, 0},
		{"adler32", plain, `adler32`, 0},
		{"fletcher32", plain, `fletcher32`, 0},
		{"jenkins_lookup3", plain, `jenkins_lookup3 {"initval":7,"prefix":null}`, 0},
		{"base64", plain, `base64`, 0},
		{"delta", ints, `delta {"dtype":"TYPE","astype":"TYPE"}`, 0},
		{"fixedscaleoffset", floats, `fixedscaleoffset {"scale":8.0,"offset":1.0,"dtype":"TYPE","astype":"<i2"}`, lossy},
		{"quantize", floats, `quantize {"digits":2,"dtype":"TYPE","astype":"TYPE"}`, lossy},
		{"bitround", "<f2 <f4 <f8", `bitround {"keepbits":4}`, lossy},
		{"astype", floats, `astype {"encode_dtype":"<f2","decode_dtype":"TYPE"}`, lossy},
		{"packbits", "|b1", `packbits`, 0},
		{"categorize", texts, `categorize {"labels":["a","é漢"],"dtype":"TYPE","astype":"|u1"}`, lossy},
		{"categorize", "<U3 >U3", `categorize {"labels":["a","é漢"],"dtype":"TYPE","astype":"<i2"}`, lossy},
		{"json2", "json", `json2 {"allow_nan":true,"check_circular":true,"encoding":"utf-8","ensure_ascii":true,"indent":null,"separators":[",",":"],"skipkeys":false,"sort_keys":true,"strict":true}`, 0},
		{"json2", "|u1 >i2 <f8", `json2 {"allow_nan":true,"check_circular":true,"encoding":"utf-8","ensure_ascii":true,"indent":null,"separators":[",",":"],"skipkeys":false,"sort_keys":true,"strict":true}`, 0},
		{"msgpack2", "json |u1 >i2 <f8", `msgpack2 {"raw":false,"use_bin_type":true,"use_single_float":false}`, 0},
		{"vlen-utf8", texts, `vlen-utf8`, 0},
		{"vlen-bytes", "bytes", `vlen-bytes`, 0},
		{"vlen-array", "ragged", `vlen-array {"dtype":"<i2"}`, 0},
		{"vlen-utf8+zstd", texts, `vlen-utf8 | zstd {"level":1}`, 0},
		{"vlen-bytes+lz4", "bytes", `vlen-bytes | lz4 {"acceleration":1}`, 0},
		{"vlen-array+gzip", "ragged", `vlen-array {"dtype":"<i2"} | gzip {"level":1}`, 0},
		{"json2+zlib", "json", `json2 {"allow_nan":true,"check_circular":true,"encoding":"utf-8","ensure_ascii":true,"indent":null,"separators":[",",":"],"skipkeys":false,"sort_keys":true,"strict":true} | zlib {"level":1}`, 0},
		{"delta+shuffle+zstd", ints, `delta {"dtype":"TYPE","astype":"TYPE"} | shuffle {"elementsize":SIZE} | zstd {"level":1}`, 0},
		{"shuffle+lz4", plain, `shuffle {"elementsize":SIZE} | lz4 {"acceleration":1}`, 0},
		{"fixedscaleoffset+delta+zlib", floats, `fixedscaleoffset {"scale":8.0,"offset":1.0,"dtype":"TYPE","astype":"<i2"} | delta {"dtype":"<i2","astype":"<i2"} | zlib {"level":1}`, lossy},
		{"bitround+blosc", "<f4 <f8", `bitround {"keepbits":4} | blosc {"cname":"lz4","clevel":5,"shuffle":2,"blocksize":0}`, lossy},
		{"zstd+crc32", plain, `zstd {"level":1} | crc32`, 0},
		{"packbits+gzip", "|b1", `packbits | gzip {"level":1}`, 0},
		{"transposed delta+zstd", ints, `delta {"dtype":"TYPE","astype":"TYPE"} | zstd {"level":1}`, columns},
		{"transposed shuffle", plain, `shuffle {"elementsize":SIZE}`, columns},
		{"transposed blosc", plain, `blosc {"cname":"zstd","clevel":5,"shuffle":1,"blocksize":0}`, columns},
	}
	for _, cname := range []string{"blosclz", "lz4", "lz4hc", "zstd", "zlib", "snappy"} {
		for i, shuffle := range []string{"noshuffle", "shuffle", "bitshuffle"} {
			all = append(all, chain{"blosc-" + cname + "-" + shuffle, "|u1 >i2 <f8", fmt.Sprintf(`blosc {"cname":%q,"clevel":5,"shuffle":%d,"blocksize":0}`, cname, i), 0})
		}
	}
	return all
}

// chains3 returns the v3 chains. They omit the array-to-bytes codec if it is bytes.
func chains3() []chain {
	all := []chain{
		{"none", plain, "", 0},
		{"gzip", plain, `gzip {"level":1}`, 0},
		{"zstd", plain, `zstd {"level":3,"checksum":false}`, 0},
		{"zstd-checksum", plain, `zstd {"level":3,"checksum":true}`, 0},
		{"zstd-negative", plain, `zstd {"level":-7,"checksum":false}`, 0},
		{"crc32c", plain, `crc32c`, 0},
		{"zstd+crc32c", plain, `zstd {"level":1,"checksum":false} | crc32c`, 0},
		{"transposed", plain, `transpose {"order":[1,0]}`, 0},
		{"transposed gzip", plain, `transpose {"order":[1,0]} | gzip {"level":1}`, 0},
		{"vlen-utf8", texts, `vlen-utf8`, 0},
		{"vlen-bytes", "bytes", `vlen-bytes`, 0},
		{"vlen-utf8+zstd", texts, `vlen-utf8 | zstd {"level":1,"checksum":false}`, 0},
		{"packbits", "|b1", `packbits {}`, 0},
		{"packbits-of", "|u1", `packbits {"first_bit":0,"last_bit":6}`, 0},
		{"bitround", "<f4 <f8 <i4", `bitround {"keepbits":4}`, lossy},
		{"reshape", plain, `reshape {"shape":[-1]}`, 0},
		{"scale_offset", ints, `scale_offset {"offset":5,"scale":2}`, 0},
		{"cast_value", ints, `cast_value {"data_type":"float32"}`, 0},
		{"scale_offset+cast_value", floats, `scale_offset {"offset":5,"scale":8} | cast_value {"data_type":"int16","rounding":"nearest-even"}`, lossy},

		{"numcodecs.zlib", plain, `numcodecs.zlib {"level":1}`, 0},
		{"numcodecs.gzip", plain, `numcodecs.gzip {"level":1}`, 0},
		{"numcodecs.zstd", plain, `numcodecs.zstd {"level":1}`, 0},
		{"numcodecs.blosc", plain, `numcodecs.blosc {"cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}`, 0},
		{"numcodecs.bz2", plain, `numcodecs.bz2 {"level":1}`, 0},
		{"numcodecs.lzma", plain, `numcodecs.lzma {"preset":1}`, 0},
		{"numcodecs.lzma-raw", plain, `numcodecs.lzma {"format":3,"filters":[{"id":33,"preset":1}]}`, 0},
		{"numcodecs.lz4", plain, `numcodecs.lz4 {"acceleration":1}`, 0},
		{"numcodecs.shuffle", plain, `numcodecs.shuffle {"elementsize":SIZE}`, 0},
		{"numcodecs.crc32", plain, `numcodecs.crc32`, 0},
		{"numcodecs.crc32c", plain, `numcodecs.crc32c`, 0},
		{"numcodecs.adler32", plain, `numcodecs.adler32`, 0},
		{"numcodecs.fletcher32", plain, `numcodecs.fletcher32`, 0},
		{"numcodecs.jenkins_lookup3", plain, `numcodecs.jenkins_lookup3 {"initval":7}`, 0},
		{"numcodecs.base64", plain, `numcodecs.base64`, 0},
		{"numcodecs.json2", "|u1 <f8", `numcodecs.json2 {"encoding":"utf-8","sort_keys":true,"separators":[",",":"]}`, 0},
		{"numcodecs.msgpack2", "|u1 <f8", `numcodecs.msgpack2 {"use_bin_type":true,"raw":false}`, 0},
		{"numcodecs.categorize", "string <U3", `numcodecs.categorize {"labels":["a","é漢"],"dtype":"TYPE","astype":"|u1"}`, lossy},
		{"numcodecs.delta", "<i2 <i4", `numcodecs.delta {"dtype":"TYPE","astype":"TYPE"}`, 0},
		{"numcodecs.fixedscaleoffset", "<f4 <f8", `numcodecs.fixedscaleoffset {"scale":8.0,"offset":1.0,"dtype":"TYPE","astype":"<i2"}`, lossy},
		{"numcodecs.quantize", "<f4 <f8", `numcodecs.quantize {"digits":2,"dtype":"TYPE"}`, lossy},
		{"numcodecs.bitround", "<f4 <f8", `numcodecs.bitround {"keepbits":4}`, lossy},
		{"numcodecs.astype", "<f4 <f8", `numcodecs.astype {"encode_dtype":"<f2","decode_dtype":"TYPE"}`, lossy},
		{"numcodecs.packbits", "|b1", `numcodecs.packbits`, 0},
		{"numcodecs.delta+shuffle+zstd", "<i2 <i4", `numcodecs.delta {"dtype":"TYPE","astype":"TYPE"} | numcodecs.shuffle {"elementsize":SIZE} | zstd {"level":1,"checksum":false}`, 0},
		{"numcodecs.shuffle+lz4", plain, `numcodecs.shuffle {"elementsize":SIZE} | numcodecs.lz4 {"acceleration":1}`, 0},
	}
	for _, cname := range []string{"blosclz", "lz4", "lz4hc", "zstd", "zlib", "snappy"} {
		for _, shuffle := range []string{"noshuffle", "shuffle", "bitshuffle"} {
			all = append(all, chain{"blosc-" + cname + "-" + shuffle, ">i2 <f8", fmt.Sprintf(`blosc {"typesize":SIZE,"cname":%q,"clevel":5,"shuffle":%q,"blocksize":0}`, cname, shuffle), whole})
		}
	}
	return all
}

// coded is one array of TestCodecs.
type coded struct {
	Name   string // also used as path
	chain  chain
	format int
	Type   string // v2 name
	shards bool

	typ   dtype.Type
	order dtype.Order
}

// codedArrays returns an array for each chain and data type, in v3 also in shards.
func codedArrays() []coded {
	var all []coded
	for i, chains := range [][]chain{chains2(), chains3()} {
		format := 2 + i
		for _, c := range chains {
			for i, name := range strings.Fields(c.types) {
				a := coded{chain: c, format: format, Type: name}
				a.typ, a.order = storedAs(name)
				for _, a.shards = range []bool{false, true} {
					if a.shards && (format == 2 || c.more&whole != 0 || i > 1) {
						continue
					}
					a.Name = fmt.Sprintf("v%d %s of %s%s", format, c.name, strings.Trim(name, "|"), map[bool]string{true: " in shards"}[a.shards])
					all = append(all, a)
				}
			}
		}
	}
	return all
}

// storedAs parses the name of a data type.
func storedAs(name string) (dtype.Type, dtype.Order) {
	switch name {
	case "json":
		return dtype.JSON, dtype.NoOrder
	case "ragged":
		return dtype.Ragged{Elem: dtype.Int16, Order: dtype.Little}, dtype.NoOrder
	}
	t, err := dtype.Parse(name)
	if err != nil {
		panic(err) // the names are constant
	}
	return t, map[byte]dtype.Order{'<': dtype.Little, '>': dtype.Big}[name[0]]
}

// varies reports whether elements have variable length.
func (a coded) varies() bool { return a.typ.Size() == 0 }

// kind returns the little-endian data type for Python.
func (a coded) kind() string { return strings.Replace(a.Type, ">", "<", 1) }

func (a coded) spec() zarr.Spec {
	s := zarr.Spec{Format: a.format, Shape: codedShape, Chunks: codedChunks, DType: a.typ, Codecs: []codec.Spec{}}
	if a.chain.more&columns != 0 {
		s.Order = "F"
	}
	if a.shards {
		s.Shards = codedShards
	}
	if _, number := a.typ.(dtype.Basic); number && a.typ != dtype.Bool {
		s.Fill = 7
	}
	name := a.Type
	if a.format == 3 {
		name = a.kind() // filters come before the byte order
	}
	if a.varies() {
		name = "|O"
	}
	text := strings.NewReplacer("TYPE", name, "SIZE", strconv.Itoa(a.typ.Size())).Replace(a.chain.codecs)
	serial := false
	for one := range strings.SplitSeq(text, " | ") {
		if one == "" {
			break
		}
		name, config, _ := strings.Cut(one, " ")
		c := codec.Spec{Name: name}
		if config != "" {
			c.Config = json.RawMessage(config)
		}
		if a.format == 2 {
			c = codec.FromNumcodecs(name, c.Config)
		}
		serial = serial || a.format == 3 && slices.Contains([]string{"packbits", "numcodecs.json2", "numcodecs.msgpack2", "numcodecs.categorize"}, name)
		s.Codecs = append(s.Codecs, c)
	}
	if !a.varies() && !serial {
		s.Codecs = append(s.Codecs, codec.Bytes(a.order))
	}
	return s
}

// values returns the elements of the box that is written, in C order: all of them in one slice, or
// one slice per element if their length varies. Numbers are from 0 to 99, and floats have a
// fraction. Three of each four rows are equal and one is noise, so a chunk has parts that compress
// and parts that do not.
func (a coded) values() [][]byte {
	r := rand.New(rand.NewPCG(uint64(len(a.Name)), 7))
	var items [][]byte
	for i := range codedBox[0] * codedBox[1] {
		n, part := i%codedBox[1], 0.3
		if i/codedBox[1]%4 == 1 {
			n, part = r.IntN(100), r.Float64()
		}
		items = append(items, a.element(n, part))
	}
	if a.varies() {
		return items
	}
	var all []byte
	for _, b := range items {
		all = append(all, b...)
	}
	return [][]byte{all}
}

// element returns an element with the number n. Floats have the fraction part.
func (a coded) element(n int, part float64) []byte {
	text := []string{"", "a", "é漢", "other"}[n%4]
	switch t := a.typ.(type) {
	case dtype.U:
		b := make([]byte, t.Size())
		for i, c := range []rune(text)[:min(len([]rune(text)), int(t))] {
			binary.LittleEndian.PutUint32(b[4*i:], uint32(c))
		}
		return b
	case dtype.Ragged:
		var b []byte
		for i := range n % 4 {
			b = binary.LittleEndian.AppendUint16(b, uint16(n*i))
		}
		return b
	case dtype.VarLen:
		switch t {
		case dtype.Bytes:
			return append([]byte(text), 0xff)[:min(n, len(text)+1)]
		case dtype.JSON:
			return []byte([]string{fmt.Sprint(n), `"é漢"`, `{"a":[1,2.5,null],"b":true}`, `[]`}[n%4])
		}
		return []byte(text)
	}
	f := float64(n) + part
	switch a.typ {
	case dtype.Bool:
		return []byte{byte(n & 1)}
	case dtype.Float16:
		return binary.LittleEndian.AppendUint16(nil, uint16(dtype.F16From(float32(f))))
	case dtype.Float32:
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(f)))
	case dtype.Float64:
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(f))
	}
	return binary.LittleEndian.AppendUint64(nil, uint64(n))[:a.typ.Size()]
}

func hexes(items [][]byte) []string {
	out := make([]string, len(items))
	for i, b := range items {
		out[i] = hex.EncodeToString(b)
	}
	return out
}

// shorts returns the numbers of a ragged element.
func shorts(b []byte) (out []int16) {
	for ; len(b) > 0; b = b[2:] {
		out = append(out, int16(binary.LittleEndian.Uint16(b)))
	}
	return out
}

// bytesOf encodes the numbers of a ragged element.
func bytesOf(v []int16) (b []byte) {
	for _, n := range v {
		b = binary.LittleEndian.AppendUint16(b, uint16(n))
	}
	return b
}
