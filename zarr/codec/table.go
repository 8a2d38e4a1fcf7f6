package codec

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Factory makes the codec of a configuration: an [ArrayArray], [ArrayBytes], [BytesBytes] or
// [Either], bound to the Repr that enters it on encoding. For a BytesBytes that is the Repr that
// entered the array-to-bytes codec, with its Order. The configuration is a JSON object, {} where
// metadata has none. fault.Metadata for one that is wrong or does not fit the Repr, and so is an
// error without a kind; errors.ErrUnsupported for one that is not implemented. It may be called
// several times for one array.
type Factory func(config json.RawMessage, in Repr) (any, error)

// bytesName is the codec that makes elements of bytes.
const bytesName = "bytes"

// Table is a set of codecs by name. It is immutable and safe for concurrent use.
type Table struct {
	factories map[string]Factory
	binders   map[string]binder
	nesting   int                      // shardings that this table is used within
	own       map[string]bool          // names that With set
	report    func(rule.Finding) error // nil: violations are tolerated
}

// binder is the Factory of a codec that has codecs of its own, from the table it is in.
type binder func(t *Table, config json.RawMessage, in Repr) (any, error)

// Builtin is the table of the codecs in this package: of the v3 core bytes, transpose, gzip, zstd,
// blosc, crc32c and sharding_indexed; of the registry of extensions vlen-utf8, vlen-bytes,
// packbits, bitround, reshape, scale_offset and cast_value; of numcodecs, under "numcodecs." and
// their id, all but what is there to be refused with a reason: pickle and n5_wrapper.
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
		numcodecs + "crc32c": newNumcodecsCRC32C,
		numcodecs + "lz4":    newLZ4,
		numcodecs + "bz2":    newBZ2,
		numcodecs + "lzma":   newLZMA,

		numcodecs + "shuffle": newShuffle,
		numcodecs + "base64":  newBase64,

		numcodecs + "crc32":           newCRC32,
		numcodecs + "adler32":         newAdler32,
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
		numcodecs + "pickle":     refused("it is never read: it would run whatever program is stored"),
		numcodecs + "n5_wrapper": refused("it is for N5, which is another format than Zarr"),
	}}
}

// refused is the Factory of a codec that there will never be.
func refused(why string) Factory {
	return func(json.RawMessage, Repr) (any, error) { return nil, fault.Newf(errors.ErrUnsupported, "%s", why) }
}

// With returns a table that has f under name too, in place of what was there. Names are those of
// Spec: one that numcodecs or v2 metadata knows starts with "numcodecs.".
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
// tolerate while decoding; an error from it ends the decoding. Rule and Text of the finding are
// set. Only the codecs "bytes", "sharding_indexed", blosc and gzip tolerate any; codecs that a user
// put in their place do not call it. report must be safe for concurrent calls.
func (t *Table) WithFindings(report func(rule.Finding) error) *Table {
	c := *t
	c.report = report
	return &c
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

// lenient is a codec that tolerates violations of a rule while decoding, unless report returns an
// error for them.
type lenient interface {
	setReport(report func(rule.Finding) error)
}
