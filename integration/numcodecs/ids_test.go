package numcodecs_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/zargo-io/zargo/integration/numcodecs"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// plainTypes are data types of several sizes and both byte orders.
var plainTypes = []string{"|u1", "|b1", "<i2", ">i2", "<f4", ">u4", "<f8", ">i8", "<c16", "|S3", "|S7"}

// ids is the table: every id with what it is tried with.
func ids() []numcodecs.ID {
	return []numcodecs.ID{
		{ID: "zlib", Types: plainTypes, Cases: 500, Config: level(-1, 9)},
		{ID: "gzip", Types: plainTypes, Cases: 500, Config: level(-1, 9)},
		{ID: "zstd", Types: plainTypes, Cases: 1000, Config: zstdConfig, NonEmpty: true},
		{ID: "lz4", Types: plainTypes, Cases: 2000, Config: lz4Config, NonEmpty: true},
		{ID: "bz2", Types: plainTypes, Cases: 500, Config: level(1, 9)},
		{ID: "lzma", Types: plainTypes, Cases: 500, Config: lzmaConfig, Elems: 2000},
		{ID: "lzma", Name: "/code", Types: []string{"|u1"}, Cases: 500, Config: lzmaConfig, Contents: code, Elems: 3000},
		{ID: "blosc", Types: bloscTypes(), Cases: 2000, Config: bloscConfig, Elems: 600, NonEmpty: true},
		{ID: "blosc", Name: "/blosclz", Types: bloscTypes(), Cases: 1000, Config: blosclzConfig, Elems: 600, NonEmpty: true, ReadOnly: true},
		{ID: "shuffle", Types: plainTypes, Cases: 2000, Config: shuffleConfig, Exact: true},
		{ID: "base64", Types: plainTypes, Cases: 2000, Exact: true},
		{ID: "crc32", Types: plainTypes, Cases: 2000, Config: location, Exact: true},
		{ID: "crc32c", Types: plainTypes, Cases: 2000, Config: location, Exact: true},
		{ID: "adler32", Types: plainTypes, Cases: 2000, Config: location, Exact: true},
		{ID: "fletcher32", Types: plainTypes, Cases: 2000, Exact: true, NonEmpty: true},
		{ID: "jenkins_lookup3", Types: plainTypes, Cases: 2000, Config: seed, Exact: true},
	}
}

// sometimes is a configuration that may also be left empty.
func sometimes(r *rand.Rand, c numcodecs.Config) numcodecs.Config {
	if r.IntN(10) == 0 {
		return nil
	}
	return c
}

// between is a number in [lo, hi].
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

// shuffleConfig takes sizes that divide the array's bytes, which are all that numcodecs takes: divisors of the data type's.
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

// lzmaConfig is xz with any check, alone, and raw, by a preset or with any chain of filters.
func lzmaConfig(r *rand.Rand, _ dtype.Type) numcodecs.Config {
	format := between(r, 1, 3)
	c := numcodecs.Config{"format": format, "check": -1, "preset": nil, "filters": nil}
	if format == 1 {
		c["check"] = []int{-1, 0, 1, 4, 10}[r.IntN(5)]
	}
	if format != 3 && r.IntN(2) == 0 {
		if r.IntN(4) > 0 {
			c["preset"] = between(r, 0, 6) | r.IntN(2)<<31
		}
		return sometimes(r, c)
	}
	const lzma1 = 0x4000000000000001
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

// code is what the branch filters of lzma look for, among noise.
func code(r *rand.Rand, _ dtype.Type, array []byte) {
	for i := range array {
		array[i] = []byte{0xe8, 0xe9, 0, 0xff, 0x48, 1, 0x40, 0x7f, 0xc0, 0xeb, 0xf0, 0xf8, 0x10, 0x12, 0x16, byte(r.Uint32()), byte(r.Uint32())}[r.IntN(17)]
	}
}

// bloscTypes have elements of 1 to 255 bytes, and of more than blosc can say.
func bloscTypes() []string {
	names := slices.Clone(plainTypes)
	for n := 1; n <= 260; n++ {
		names = append(names, fmt.Sprintf("|V%d", n))
	}
	return names
}

func bloscConfig(r *rand.Rand, t dtype.Type) numcodecs.Config {
	c := blosclzConfig(r, t)
	c["cname"] = []string{"lz4", "lz4hc", "zstd", "zlib"}[r.IntN(4)] // the wheel has no snappy
	return c
}

func blosclzConfig(r *rand.Rand, _ dtype.Type) numcodecs.Config {
	block := 0
	if r.IntN(2) == 0 {
		block = between(r, 1, 70_000)
	}
	return numcodecs.Config{"cname": "blosclz", "clevel": between(r, 0, 9), "shuffle": between(r, -1, 2), "blocksize": block}
}
