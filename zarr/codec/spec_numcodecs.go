package codec

import "fmt"

// The functions below return codecs that only numcodecs defines. In v3, zarr-python supports the
// bytes-to-bytes codecs except base64, under the same names.

// BZ2 compresses with bzip2 at a level from 1 to 9. The level is the block size in units of 100,000
// bytes.
func BZ2(level int) Spec { return newSpec(numcodecs+"bz2", `{"level":%d}`, level) }

// LZMA compresses to the xz format at a preset from 0 to 9, with a CRC-64 of the content. To use
// other formats, checks or filters, write the configuration.
func LZMA(preset int) Spec { return newSpec(numcodecs+"lzma", `{"preset":%d}`, preset) }

// LZ4 compresses to one LZ4 block, preceded by its decoded length. This package ignores
// acceleration, but writes it to the configuration for other implementations.
func LZ4(acceleration int) Spec {
	return newSpec(numcodecs+"lz4", `{"acceleration":%d}`, acceleration)
}

// Shuffle stores the first bytes of all elements, then the second bytes, and so on. elementSize is
// in bytes and must divide the length of the input.
func Shuffle(elementSize int) Spec {
	return newSpec(numcodecs+"shuffle", `{"elementsize":%d}`, elementSize)
}

// Base64 encodes bytes as base64 text (RFC 4648).
func Base64() Spec { return Spec{Name: numcodecs + "base64"} }

// CRC32 prepends a CRC-32 of the bytes.
func CRC32() Spec { return Spec{Name: numcodecs + "crc32"} }

// Adler32 prepends an Adler-32 of the bytes.
func Adler32() Spec { return Spec{Name: numcodecs + "adler32"} }

// Fletcher32 appends a Fletcher-32 of the bytes, as HDF5 does.
func Fletcher32() Spec { return Spec{Name: numcodecs + "fletcher32"} }

// JenkinsLookup3 appends Bob Jenkins' lookup3 hash of the bytes, with a seed.
func JenkinsLookup3(seed uint32) Spec {
	return newSpec(numcodecs+"jenkins_lookup3", `{"initval":%d}`, seed)
}

// shortNumcodecs returns the short form of a numcodecs codec whose configuration is one number.
func shortNumcodecs(id string, c *config) (string, bool) {
	member, ok := map[string]string{"bz2": "level", "lzma": "preset", "lz4": "acceleration", "shuffle": "elementsize", "jenkins_lookup3": "initval"}[id]
	if !ok {
		return "", false
	}
	if _, ok := c.members[member]; !ok {
		return "", false
	}
	const lo, hi = -1 << 31, 1<<31 - 1
	text := fmt.Sprintf("%s:%d", id, c.integer(member, 0, lo, hi))
	return text, c.close() == nil
}
