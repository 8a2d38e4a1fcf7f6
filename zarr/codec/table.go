package codec

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Factory makes the codec of a configuration: an [ArrayArray], [ArrayBytes], [BytesBytes] or [Either], bound to the Repr that
// enters it on encoding. For a BytesBytes that is the Repr that entered the array-to-bytes codec, with its Order. fault.Metadata for a
// configuration that is wrong or does not fit the Repr, errors.ErrUnsupported for one that is not implemented.
type Factory func(config json.RawMessage, in Repr) (any, error)

// Table is a set of codecs by name. It is immutable and safe for concurrent use.
type Table struct {
	factories map[string]Factory
	binders   map[string]binder
	nesting   int // shardings that this table is used within
}

// binder is the Factory of a codec that has codecs of its own, from the table it is in.
type binder func(t *Table, config json.RawMessage, in Repr) (any, error)

// Builtin is the table of the codecs in this package: of the v3 core bytes, transpose, gzip, zstd, blosc, crc32c and
// sharding_indexed; of the registry of extensions vlen-utf8 and vlen-bytes; of numcodecs zlib, gzip, zstd, blosc, lz4, bz2, lzma,
// shuffle, base64, crc32, crc32c, adler32, fletcher32, jenkins_lookup3, vlen-utf8 and vlen-bytes, under "numcodecs." and their id.
func Builtin() *Table {
	return &Table{binders: map[string]binder{shardingName: (*Table).newSharding}, factories: map[string]Factory{
		"bytes":              newBytes,
		"transpose":          newTranspose,
		"gzip":               newGzip,
		"zstd":               newZstd,
		"blosc":              newBlosc,
		"crc32c":             newCRC32C,
		"vlen-utf8":          newVlen(dtype.String),
		"vlen-bytes":         newVlen(dtype.Bytes),
		numcodecs + "zlib":   newNumcodecsZlib,
		numcodecs + "gzip":   newNumcodecsGzip,
		numcodecs + "zstd":   newNumcodecsZstd,
		numcodecs + "blosc":  newNumcodecsBlosc,
		numcodecs + "crc32c": newCRC32C,
		numcodecs + "lz4":    newLZ4,
		numcodecs + "bz2":    newBZ2,
		numcodecs + "lzma":   newLZMA,

		numcodecs + "shuffle": newShuffle,
		numcodecs + "base64":  newBase64,

		numcodecs + "crc32":           newCRC32,
		numcodecs + "adler32":         newAdler32,
		numcodecs + "fletcher32":      newFletcher32,
		numcodecs + "jenkins_lookup3": newLookup3,

		numcodecs + "vlen-utf8":  newVlen(dtype.String),
		numcodecs + "vlen-bytes": newVlen(dtype.Bytes),
	}}
}

// With returns a table that has f under name too, in place of what was there. Names are those of Spec: one that
// numcodecs or v2 metadata knows starts with "numcodecs.".
func (t *Table) With(name string, f Factory) *Table {
	m := maps.Clone(t.factories)
	if m == nil {
		m = map[string]Factory{}
	}
	m[name] = f
	b := maps.Clone(t.binders)
	delete(b, name)
	return &Table{factories: m, binders: b, nesting: t.nesting}
}

// Names are the names of all codecs, sorted.
func (t *Table) Names() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(t.factories)), maps.Keys(t.binders))
	slices.Sort(names)
	return names
}

// Bind makes one codec. errors.ErrUnsupported for an unknown name.
func (t *Table) Bind(s Spec, in Repr) (any, error) {
	if s.Name == "" {
		return nil, fault.Newf(fault.Metadata, "codec without name")
	}
	if in.Type == nil {
		return nil, named(s.Name, fault.Newf(fault.Metadata, "array without data type"))
	}
	f, ok := t.factories[s.Name]
	if b, nested := t.binders[s.Name]; nested {
		f, ok = func(config json.RawMessage, in Repr) (any, error) { return b(t, config, in) }, true
	}
	if !ok {
		return nil, fault.Newf(errors.ErrUnsupported, "codec %q", s.Name)
	}
	c, err := f(s.Config, in)
	if err != nil {
		return nil, named(s.Name, err)
	}
	return c, nil
}
