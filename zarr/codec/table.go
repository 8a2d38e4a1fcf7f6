package codec

import (
	"encoding/json"
	"errors"
	"hash/adler32"
	"hash/crc32"
	"maps"
	"slices"

	"github.com/zargo-io/zargo/zarr/codec/internal/deflate"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Factory makes a codec from its configuration: an [ArrayArray], [ArrayBytes], [BytesBytes] or
// [Either]. The codec is bound to in, the Repr of its input on encoding. For a BytesBytes, in is
// the Repr of the array that entered the array-to-bytes codec, with its Order. config is a JSON
// object, which is {} if the metadata lacks a configuration.
//
// An error without a kind becomes fault.Metadata, the kind for a configuration that is invalid or
// does not fit the Repr. A Factory returns errors.ErrUnsupported if it does not implement the
// configuration. A Factory may be called several times for one array.
type Factory func(config json.RawMessage, in Repr) (any, error)

// bytesName is the name of the codec that serialises elements.
const bytesName = "bytes"

// Table is a set of codecs by name. It is immutable and safe for concurrent use.
type Table struct {
	factories map[string]Factory
	binders   map[string]binder
	nesting   int                      // number of enclosing sharding codecs
	own       map[string]bool          // names set by With
	report    func(rule.Finding) error // nil tolerates violations
}

// binder is the Factory of a codec that contains other codecs. It binds the inner codecs with t.
type binder func(t *Table, config json.RawMessage, in Repr) (any, error)

// Builtin returns the table of the codecs in this package. The v3 core codecs are bytes, transpose,
// gzip, zstd, blosc, crc32c and sharding_indexed. The codecs of the extension registry are
// vlen-utf8, vlen-bytes, packbits, bitround, reshape, scale_offset and cast_value. The codecs of
// numcodecs have the name "numcodecs." followed by their id. The table also contains pickle and
// n5_wrapper, which always return an error with the reason why they are not supported.
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
		numcodecs + "zlib":   newNumcodecsDeflate(deflate.Zlib),
		numcodecs + "gzip":   newNumcodecsDeflate(deflate.Gzip),
		numcodecs + "zstd":   newNumcodecsZstd,
		numcodecs + "blosc":  newNumcodecsBlosc,
		numcodecs + "crc32c": newNumcodecsCRC32C,
		numcodecs + "lz4":    newLZ4,
		numcodecs + "bz2":    newBZ2,
		numcodecs + "lzma":   newLZMA,

		numcodecs + "shuffle": newShuffle,
		numcodecs + "base64":  newBase64,

		numcodecs + "crc32":           newChecksum("start", crc32.ChecksumIEEE),
		numcodecs + "adler32":         newChecksum("start", adler32.Checksum),
		numcodecs + "fletcher32":      newFletcher32,
		numcodecs + "jenkins_lookup3": newLookup3,

		"packbits":     newPackBits,
		"bitround":     newBitRound,
		"reshape":      newReshape,
		"scale_offset": newScaleOffset,
		"cast_value":   newCastValue,

		numcodecs + "delta":            newDelta,
		numcodecs + "fixedscaleoffset": newFixedScaleOffset,
		numcodecs + "quantize":         newQuantize,
		numcodecs + "astype":           newAsType,
		numcodecs + "bitround":         newNumcodecsBitRound,
		numcodecs + "packbits":         newNumcodecsPackBits,

		numcodecs + "vlen-utf8":  newVlen(dtype.String),
		numcodecs + "vlen-bytes": newVlen(dtype.Bytes),
		numcodecs + "vlen-array": newVlenArray,
		numcodecs + "json2":      newJSON2,
		numcodecs + "msgpack2":   newMsgPack2,
		numcodecs + "categorize": newCategorize,
		numcodecs + "pickle":     refused("reading pickled data could run arbitrary code"),
		numcodecs + "n5_wrapper": refused("it is a codec of the N5 format, not of Zarr"),
	}}
}

// refused returns the Factory of a codec that is deliberately not supported.
func refused(why string) Factory {
	return func(json.RawMessage, Repr) (any, error) { return nil, fault.Newf(errors.ErrUnsupported, "%s", why) }
}

// With returns a copy of the table with f as the Factory of the codec name. It replaces any codec
// of that name. Names are those of Spec: codecs of numcodecs and v2 metadata start with
// "numcodecs.".
func (t *Table) With(name string, f Factory) *Table {
	m := maps.Clone(t.factories)
	if m == nil {
		m = map[string]Factory{}
	}
	m[name] = f
	b := maps.Clone(t.binders)
	delete(b, name)
	own := maps.Clone(t.own)
	if own == nil {
		own = map[string]bool{}
	}
	own[name] = true
	return &Table{factories: m, binders: b, nesting: t.nesting, own: own, report: t.report}
}

// WithFindings returns a table whose codecs call report for each violation of a rule that they
// tolerate while decoding. An error from report ends the decoding. The fields Rule and Text of the
// finding are set. Only the built-in codecs "bytes", "sharding_indexed", blosc, gzip and zlib
// tolerate violations. A codec that replaces one of these ([Table.With]) does not call report.
// report must be safe for concurrent calls.
func (t *Table) WithFindings(report func(rule.Finding) error) *Table {
	c := *t
	c.report = report
	return &c
}

// Names returns the names of all codecs, sorted.
func (t *Table) Names() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(t.factories)), maps.Keys(t.binders))
	slices.Sort(names)
	return names
}

// Bind makes one codec. It returns errors.ErrUnsupported for an unknown name.
func (t *Table) Bind(s Spec, in Repr) (any, error) {
	if s.Name == "" {
		return nil, fault.Newf(fault.Metadata, "codec has no name")
	}
	if in.Type == nil {
		return nil, named(s.Name, fault.Newf(fault.Metadata, "array has no data type"))
	}
	f, ok := t.factories[s.Name]
	if b, nested := t.binders[s.Name]; nested {
		f, ok = func(config json.RawMessage, in Repr) (any, error) { return b(t, config, in) }, true
	}
	if !ok {
		return nil, t.unknown(s, in)
	}
	c, err := f(orEmpty(s.Config), in)
	if err != nil {
		return nil, named(s.Name, kinded(fault.Metadata, err))
	}
	if j, ok := c.(lenient); ok && t.report != nil && !t.own[s.Name] {
		j.setReport(t.report)
	}
	return c, nil
}

// lenient is a codec that tolerates violations of a rule while decoding. It calls the report
// function, if one is set, and fails if that function returns an error.
type lenient interface {
	setReport(report func(rule.Finding) error)
}
