package numcodecs_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/zargo-io/zargo/integration/numcodecs"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// plainTypes are data types of several sizes and both byte orders.
var plainTypes = []string{"|u1", "|b1", "<i2", ">i2", "<f4", ">u4", "<f8", ">i8", "<c16", "|S3", "|S7"}

// ids returns the table: each codec id with its data types and configurations.
func ids() []numcodecs.ID {
	return []numcodecs.ID{
		{ID: "zlib", Types: plainTypes, Cases: 500, Config: level(-1, 9)},
		{ID: "gzip", Types: plainTypes, Cases: 500, Config: level(-1, 9)},
		{ID: "zstd", Types: plainTypes, Cases: 1000, Config: zstdConfig, NonEmpty: true},
		{ID: "lz4", Types: plainTypes, Cases: 2000, Config: lz4Config, NonEmpty: true},
		{ID: "bz2", Types: plainTypes, Cases: 500, Config: level(1, 9)},
		{ID: "lzma", Types: plainTypes, Cases: 500, Config: lzmaConfig, Elems: 2000},
		{ID: "lzma", Name: "/code", Types: []string{"|u1"}, Cases: 500, Config: lzmaConfig, Contents: code, Elems: 3000},
		{ID: "blosc", Types: sizedTypes(), Cases: 2000, Config: anyBlosc, Elems: 600, NonEmpty: true},
		{ID: "shuffle", Types: plainTypes, Cases: 2000, Config: shuffleConfig, Exact: true},
		{ID: "base64", Types: plainTypes, Cases: 2000, Exact: true},
		{ID: "crc32", Types: plainTypes, Cases: 2000, Config: location, Exact: true},
		{ID: "crc32c", Types: plainTypes, Cases: 2000, Config: location, Exact: true},
		{ID: "adler32", Types: plainTypes, Cases: 2000, Config: location, Exact: true},
		{ID: "fletcher32", Types: plainTypes, Cases: 2000, Exact: true, NonEmpty: true},
		{ID: "blosc", Name: "/blosclz", Types: bloscTypes, Cases: 2000, Config: bloscConfig("blosclz"), Elems: 30_000, NonEmpty: true},
		{ID: "blosc", Name: "/lz4", Types: bloscTypes, Cases: 1000, Config: bloscConfig("lz4"), Elems: 30_000, NonEmpty: true},
		{ID: "blosc", Name: "/lz4hc", Types: bloscTypes, Cases: 500, Config: bloscConfig("lz4hc"), Elems: 30_000, NonEmpty: true},
		{ID: "blosc", Name: "/zlib", Types: bloscTypes, Cases: 500, Config: bloscConfig("zlib"), Elems: 30_000, NonEmpty: true},
		{ID: "blosc", Name: "/zstd", Types: bloscTypes, Cases: 500, Config: bloscConfig("zstd"), Elems: 30_000, NonEmpty: true},
		{ID: "blosc", Name: "/snappy", Library: numcodecs.TensorStore, Types: bloscTypes, Cases: 2000, Config: bloscConfig("snappy"), Elems: 30_000, NonEmpty: true},
		{ID: "blosc", Name: "/snappy of any size", Library: numcodecs.TensorStore, Types: sizedTypes(), Cases: 2000, Config: bloscConfig("snappy"), Elems: 600, NonEmpty: true},
		{ID: "json2", Name: "/values", Types: valueTypes, Cases: 500, Contents: values, Elems: 300, Exact: true, NonEmpty: true},
		{ID: "msgpack2", Name: "/values", Types: append([]string{"|S3", "|S7"}, valueTypes...), Cases: 500, Contents: values, Elems: 300, Exact: true},
		{ID: "categorize", Name: "/text", Types: []string{"<U6", ">U3"}, Cases: 1000, Contents: values, Config: textLabels, Exact: true, Lossy: true},
		{ID: "jenkins_lookup3", Types: plainTypes, Cases: 2000, Config: seed, Exact: true},
	}
}

// sometimes returns c, or nil in one call of ten.
func sometimes(r *rand.Rand, c numcodecs.Config) numcodecs.Config {
	if r.IntN(10) == 0 {
		return nil
	}
	return c
}

// between returns a random number in [lo, hi].
func between(r *rand.Rand, lo, hi int) int { return lo + r.IntN(hi-lo+1) }

func level(lo, hi int) func(*rand.Rand, dtype.Type) numcodecs.Config {
	return func(r *rand.Rand, _ dtype.Type) numcodecs.Config {
		return sometimes(r, numcodecs.Config{"level": between(r, lo, hi)})
	}
}

func zstdConfig(r *rand.Rand, _ dtype.Type) numcodecs.Config {
	return sometimes(r, numcodecs.Config{"level": between(r, -50, 19), "checksum": r.IntN(2) == 0})
}

func lz4Config(r *rand.Rand, _ dtype.Type) numcodecs.Config {
	return sometimes(r, numcodecs.Config{"acceleration": between(r, -2, 200)})
}

// shuffleConfig returns divisors of the element size: numcodecs accepts only sizes that divide the
// array's length in bytes.
func shuffleConfig(r *rand.Rand, t dtype.Type) numcodecs.Config {
	size := between(r, 1, t.Size())
	for t.Size()%size != 0 {
		size--
	}
	return numcodecs.Config{"elementsize": size}
}

func location(r *rand.Rand, _ dtype.Type) numcodecs.Config {
	return sometimes(r, numcodecs.Config{"location": []any{"start", "end", nil}[r.IntN(3)]})
}

func seed(r *rand.Rand, _ dtype.Type) numcodecs.Config {
	return sometimes(r, numcodecs.Config{"initval": []uint32{0, 1, math.MaxUint32, r.Uint32()}[r.IntN(4)], "prefix": nil})
}

// valueTypes are the data types whose elements have a Python value.
var valueTypes = []string{"|u1", "|b1", "<i2", ">i4", "<u8", ">i8", "<f8", ">f4", "<f2", "<U3", ">U5"}

// values fills an array with numbers, including infinities and NaN, or with text.
func values(r *rand.Rand, t dtype.Type, array []byte) {
	numcodecs.Contents(r, t, array)
	for size := t.Size(); len(array) > 0; array = array[size:] {
		var v any
		switch t := t.(type) {
		case dtype.U:
			text := []rune(label(r.IntN(12)))
			v = string(text[:min(len(text), int(t))])
		case dtype.Basic:
			if t < dtype.Float16 || t > dtype.Float64 {
				return
			}
			v = r.NormFloat64()
			if r.IntN(10) == 0 {
				v = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, 65504, 1e-7}[r.IntN(8)]
			}
			v = real(v.(float64))
		default:
			return
		}
		raw, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		var special struct{ Float json.RawMessage }
		if json.Unmarshal(raw, &special) == nil && special.Float != nil {
			raw = special.Float
		}
		b, err := t.ParseFill(raw, 2)
		if err != nil {
			panic(err)
		}
		copy(array, b)
	}
}

func textLabels(r *rand.Rand, t dtype.Type) numcodecs.Config {
	c := labelConfig(r)
	c["dtype"] = map[dtype.Type]string{dtype.U(6): "<U6", dtype.U(3): ">U3"}[t]
	return c
}

// bloscTypes have every kind of element size: split and not split, odd, the largest size of blosc
// and a larger one.
var bloscTypes = []string{"|u1", "<i2", "|S3", "<f4", ">f8", "<c16", "|S5", "|S7", "|S15", "|S17", "|S100", "|S255", "|S256"}

// bloscConfig returns a function that returns any level, shuffle and block size.
func bloscConfig(cname string) func(*rand.Rand, dtype.Type) numcodecs.Config {
	return func(r *rand.Rand, _ dtype.Type) numcodecs.Config {
		block := 0
		if r.IntN(2) == 0 {
			block = 1 << r.IntN(18)
			block += r.IntN(block)
		}
		return numcodecs.Config{"cname": cname, "clevel": between(r, 0, 9), "shuffle": between(r, -1, 2), "blocksize": block}
	}
}

// lzmaConfig returns the formats xz with any check, alone, or raw, with a preset or any chain of
// filters.
func lzmaConfig(r *rand.Rand, _ dtype.Type) numcodecs.Config {
	format := between(r, 1, 3)
	c := numcodecs.Config{"format": format, "check": -1, "preset": nil, "filters": nil}
	if format == 1 {
		c["check"] = []int{-1, 0, 1, 4, 10}[r.IntN(5)]
	}
	if format != 3 && r.IntN(2) == 0 {
		if r.IntN(4) > 0 {
			c["preset"] = int64(between(r, 0, 6)) | r.Int64N(2)<<31
		}
		return sometimes(r, c)
	}
	const lzma1 = int64(0x4000000000000001)
	last := map[string]any{"id": 0x21}
	if format == 2 || format == 3 && r.IntN(2) == 0 {
		last["id"] = lzma1
	}
	if r.IntN(2) == 0 {
		last["preset"] = between(r, 0, 6)
	}
	if r.IntN(2) == 0 {
		last["lc"] = between(r, 0, 4)
		last["lp"] = between(r, 0, 4-last["lc"].(int))
		last["pb"] = between(r, 0, 4)
	}
	if r.IntN(2) == 0 {
		last["dict_size"] = between(r, 4096, 1<<18)
	}
	if r.IntN(4) == 0 {
		last["nice_len"], last["mf"], last["mode"], last["depth"] = between(r, 8, 273), 0x14, 2, between(r, 0, 50)
	}
	var filters []any
	for n := r.IntN(4); n > 0 && format != 2; n-- {
		if r.IntN(2) == 0 {
			filters = append(filters, map[string]any{"id": 3, "dist": between(r, 1, 256)})
			continue
		}
		filters = append(filters, map[string]any{"id": between(r, 4, 9), "start_offset": 16 * r.IntN(3)})
	}
	c["filters"] = append(filters, last)
	return c
}

// code fills an array with the instructions that lzma's branch filters search for, and noise.
func code(r *rand.Rand, _ dtype.Type, array []byte) {
	for i := range array {
		array[i] = []byte{0xe8, 0xe9, 0, 0xff, 0x48, 1, 0x40, 0x7f, 0xc0, 0xeb, 0xf0, 0xf8, 0x10, 0x12, 0x16, byte(r.Uint32()), byte(r.Uint32())}[r.IntN(17)]
	}
}

// sizedTypes have elements of 1 to 260 bytes; the limit of blosc is 255.
func sizedTypes() []string {
	names := slices.Clone(plainTypes)
	for n := 1; n <= 260; n++ {
		names = append(names, fmt.Sprintf("|V%d", n))
	}
	return names
}

// anyBlosc returns any compressor except snappy.
func anyBlosc(r *rand.Rand, t dtype.Type) numcodecs.Config {
	return bloscConfig([]string{"blosclz", "lz4", "lz4hc", "zstd", "zlib"}[r.IntN(5)])(r, t)
}
