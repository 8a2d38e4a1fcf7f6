package codec

import "fmt"

// Codecs of numcodecs alone. zarr-python has those from bytes to bytes in v3 too, under the same
// names, all but base64.

// BZ2 compresses with bzip2 at a level from 1 to 9: how many 100,000 bytes are sorted together.
func BZ2(level int) Spec { return newSpec(numcodecs+"bz2", `{"level":%d}`, level) }

// LZMA compresses into the container xz at a preset from 0 to 9, with a CRC-64 of the contents.
// Formats, checks and filters are for a configuration.
func LZMA(preset int) Spec { return newSpec(numcodecs+"lzma", `{"preset":%d}`, preset) }

// LZ4 compresses into one LZ4 block behind its length. A larger acceleration is faster elsewhere;
// here there is one speed.
func LZ4(acceleration int) Spec {
	return newSpec(numcodecs+"lz4", `{"acceleration":%d}`, acceleration)
}

// Shuffle puts the first bytes of all elements first, then the second ones, and so on. The size is
// that of an element in bytes, and has to divide what is shuffled.
func Shuffle(elementSize int) Spec {
	return newSpec(numcodecs+"shuffle", `{"elementsize":%d}`, elementSize)
}

// Base64 writes bytes as text of RFC 4648.
func Base64() Spec { return Spec{Name: numcodecs + "base64"} }

// CRC32 puts a CRC-32 of the bytes before them.
func CRC32() Spec { return Spec{Name: numcodecs + "crc32"} }

// Adler32 puts an Adler-32 of the bytes before them.
func Adler32() Spec { return Spec{Name: numcodecs + "adler32"} }

// Fletcher32 puts a Fletcher-32 of the bytes after them, as HDF5 does.
func Fletcher32() Spec { return Spec{Name: numcodecs + "fletcher32"} }

// JenkinsLookup3 puts Bob Jenkins' lookup3 of the bytes after them, with a seed.
func JenkinsLookup3(seed uint32) Spec {
	return newSpec(numcodecs+"jenkins_lookup3", `{"initval":%d}`, seed)
}

// shortNumcodecs is the short form of a codec of numcodecs whose configuration is one number.
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
