package numcodecs_test

import (
	"math"
	"math/rand/v2"

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
