package rule

import (
	"errors"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Rule is the code of a rule. A released code never changes.
type Rule string

// Rules of metadata documents. Readers accept documents that violate them.
const (
	ByteOrderMark        Rule = "byte-order-mark"
	BareToken            Rule = "bare-token"
	DuplicateMember      Rule = "duplicate-member"
	UnknownMember        Rule = "unknown-member"
	NoFilters            Rule = "no-filters"
	NoOrder              Rule = "no-order"
	DTypeSpelling        Rule = "dtype-spelling"
	LegacyStructured     Rule = "legacy-structured"
	FillSpelling         Rule = "fill-spelling"
	DimensionsNull       Rule = "dimensions-null"
	NullMember           Rule = "null-member"
	GridSpelling         Rule = "grid-spelling"
	ConsolidatedNull     Rule = "consolidated-null"
	BadConsolidated      Rule = "bad-consolidated"
	AttributesOfNothing  Rule = "attributes-of-nothing"
	NoIndexCodecs        Rule = "no-index-codecs"
	CodecDefault         Rule = "codec-default"
	EmptyChunk           Rule = "empty-chunk"
	NumberSpelling       Rule = "number-spelling"
	UnregisteredSpelling Rule = "unregistered-spelling"
	NoFillValue          Rule = "no-fill-value"
	NoConsolidatedFormat Rule = "no-consolidated-format"
	DraftCodec           Rule = "draft-codec"
	NoEndian             Rule = "no-endian"
	CodecRange           Rule = "codec-range"
	EncoderSetting       Rule = "encoder-setting"
)

// Rules of chunks. Readers accept chunks that violate them.
const (
	// ElementForm is violated by bytes that do not encode any element: a bool of 7, or bits beyond
	// the width of a sub-byte number.
	ElementForm Rule = "element-form"
	// ShardOverlap is violated by a shard index whose entries share bytes with each other or with
	// the index.
	ShardOverlap Rule = "shard-overlap"
	// TrailingBytes is violated by a compressed chunk with bytes after its end: any bytes after a
	// blosc frame or a zlib stream, zeros after gzip.
	TrailingBytes Rule = "trailing-bytes"
)

// Rules of hierarchies, about the keys of nodes and chunks.
const (
	TwoFormats    Rule = "two-formats"
	ArrayAndGroup Rule = "array-and-group"
	NodeInArray   Rule = "node-in-array"
	BeyondShape   Rule = "beyond-shape"
	StrayKey      Rule = "stray-key"
	NoNode        Rule = "no-node"
	OtherLayout   Rule = "other-layout"
	// WrongSeparator is violated by an array whose chunks are all stored under keys of another
	// layout than its metadata specifies.
	WrongSeparator Rule = "wrong-separator"
	// MissingChunk is violated by an array with a null fill value that lacks a chunk. The finding
	// has the key of the missing chunk.
	MissingChunk Rule = "missing-chunk"
	Stale        Rule = "stale-consolidated"
	// LeftOverClaim is violated by a node whose document records an unfinished append or resize.
	// The operation may be in progress, or its process was killed.
	LeftOverClaim Rule = "left-over-claim"
	// OutdatedLevels is violated by a group with a pyramid whose array or levels have changed since
	// package pyramid computed the levels, or whose levels are not complete.
	OutdatedLevels Rule = "outdated-levels"
	Unlisted       Rule = "not-listed"
	// Convention is violated by an attribute of a convention that packages crs and multiscale
	// ignore or do not use. The elements are read as they are.
	Convention Rule = "convention"
)

// Rules whose violation makes every read fail. The finding has the text of the error.
const (
	NotThere    Rule = "not-there"
	Metadata    Rule = "metadata"
	Corrupt     Rule = "corrupt"
	Unsupported Rule = "unsupported"
	Limit       Rule = "limit"
	Path        Rule = "path"
	Unreadable  Rule = "unreadable"
)

// Severity is the effect of a violation on readers. Larger values are worse.
type Severity uint8

// The severities.
const (
	Note    Severity = iota // for information; reading is not affected
	Warning                 // readers accept it; an error in strict mode
	Fault                   // cannot be read, or different readers would return different results
)

// String returns "note", "warning" or "error".
func (s Severity) String() string { return [...]string{"note", "warning", "error"}[min(s, Fault)] }

// entry describes one rule.
type entry struct {
	rule     Rule
	severity Severity
	kind     error // kind of the error in strict mode
	text     string
	section  string // document and section that define the rule
}

const (
	core = "Zarr core specification 3.1, "
	v2   = "Zarr storage specification 2, "
)

// table returns every rule once, in the order of the documentation.
func table() []entry {
	unsupported := errors.ErrUnsupported
	return []entry{
		{ByteOrderMark, Warning, fault.Metadata, "the document begins with a byte order mark", "RFC 8259, section 8.1"},
		{BareToken, Warning, fault.Metadata, "NaN, Infinity or -Infinity is written without quotes, which is not JSON", "RFC 8259, section 3"},
		{DuplicateMember, Warning, fault.Metadata, "an object has two members with the same name; the last one counts", "RFC 8259, section 4"},
		{UnknownMember, Warning, fault.Metadata, "a member is not defined by the format and is ignored", v2 + "\"Metadata\""},
		{NoFilters, Warning, fault.Metadata, "the member \"filters\" is missing; it is read as null", v2 + "\"Metadata\""},
		{NoOrder, Warning, fault.Metadata, "the member \"order\" is missing; it is read as C", "zarr 1.0, persistence"},
		{DTypeSpelling, Warning, fault.Metadata, "the data type is not written as the specification requires", v2 + "\"Data type encoding\""},
		{LegacyStructured, Warning, fault.Metadata, "the data type is \"structured\", the earlier name of \"struct\"", "zarr-extensions, data type struct"},
		{FillSpelling, Warning, fault.Metadata, "the fill value is not written as the specification requires for the data type", core + "\"Fill value\"; " + v2 + "\"Fill value encoding\""},
		{DimensionsNull, Warning, fault.Metadata, "\"dimension_names\" is null instead of absent", core + "\"Dimension names\""},
		{NullMember, Warning, fault.Metadata, "a member is null instead of absent", core + "\"Array metadata\""},
		{GridSpelling, Warning, fault.Metadata, "the chunk grid is not written as its specification requires; zarr-python wrote it", core + "\"Chunk grids\"; zarr-extensions, chunk grid rectilinear"},
		{ConsolidatedNull, Warning, fault.Metadata, "\"consolidated_metadata\" is null instead of absent", core + "\"Consolidated metadata\""},
		{BadConsolidated, Warning, fault.Metadata, "consolidated metadata cannot be read; the nodes are read from the store", core + "\"Consolidated metadata\"; zarr-python 2, consolidated metadata"},
		{AttributesOfNothing, Warning, fault.Metadata, "consolidated metadata has attributes of a node that it does not contain", "zarr-python 2, consolidated metadata"},
		{NoIndexCodecs, Warning, fault.Metadata, "a sharding codec lacks \"index_codecs\"; the recommended ones are used", "Zarr sharding codec 1.0, \"Configuration parameters\""},
		{CodecDefault, Warning, fault.Metadata, "a codec's configuration lacks a required member; writers use the default", "Zarr codecs specifications 1.0, \"Configuration parameters\""},
		{EmptyChunk, Warning, fault.Metadata, "chunks have length 0 along an axis of length 0, which has no chunks", core + "\"Regular grids\""},
		{NumberSpelling, Warning, fault.Metadata, "an integer of the format, of a data type or of a codec's configuration is written with a point or an exponent", "RFC 8259, section 6"},
		{UnregisteredSpelling, Warning, fault.Metadata, "the data type has an accepted name that is not the registered one", "zarr-extensions, data types"},
		{NoFillValue, Warning, fault.Metadata, "a v1 document lacks \"fill_value\"; the fill value is undefined", "zarr 1.0, persistence"},
		{NoConsolidatedFormat, Warning, fault.Metadata, "consolidated metadata of v2 lacks \"zarr_consolidated_format\"; it is read as 1", "zarr-python 2, consolidated metadata"},
		{DraftCodec, Warning, fault.Metadata, "a codec has the name that it had in drafts of v3", "Zarr codecs specifications 1.0, bytes"},
		{NoEndian, Warning, fault.Metadata, "the codec \"bytes\" lacks \"endian\" although elements have a byte order; it is read as little", "Zarr codecs specifications 1.0, bytes, \"Configuration parameters\""},
		{EncoderSetting, Note, fault.Metadata, "a codec's configuration has a setting of the encoder that zargo does not accept, or chunks that the codec cannot encode; chunks can be read but not written", "numcodecs; Zarr codecs specifications 1.0, \"Configuration parameters\""},
		{CodecRange, Warning, fault.Metadata, "a number in a codec's configuration is out of range, but its meaning is unambiguous", "Zarr codecs specifications 1.0, \"Configuration parameters\""},

		{ElementForm, Warning, fault.Corrupt, "stored bytes do not encode an element; the nearest element is read", core + "\"Data types\"; zarr-extensions, data types"},
		{ShardOverlap, Warning, fault.Corrupt, "inner chunks of a shard overlap each other or the index; each is read as stored", "Zarr sharding codec 1.0, \"Binary shard format\""},
		{TrailingBytes, Warning, fault.Corrupt, "a compressed chunk is followed by bytes that are ignored: at most 16 elements after a blosc frame, zeros after gzip, any bytes after zlib", "RFC 1952, section 2.2; blosc 1, chunk format"},

		{TwoFormats, Warning, fault.Metadata, "metadata of v2 and of v3 exists at one path; v3 is read", core + "\"Storage keys\""},
		{ArrayAndGroup, Warning, fault.Metadata, "an array and a group of v2 exist at one path; the array is read", v2 + "\"Hierarchies\""},
		{NodeInArray, Warning, fault.Metadata, "metadata of a node exists below an array, which cannot contain nodes; the node is ignored", core + "\"Hierarchy\""},
		{BeyondShape, Warning, fault.Corrupt, "a chunk is outside the array's shape and is never read", core + "\"Chunk grids\""},
		{StrayKey, Note, fault.Corrupt, "a key is neither metadata nor a chunk of the array", core + "\"Storage keys\""},
		{NoNode, Note, fault.Metadata, "a directory in a group is not a node; everything below it is ignored", core + "\"Hierarchy\""},
		{OtherLayout, Warning, fault.Metadata, "chunks are stored under keys of another layout and are not read", core + "\"Chunk key encoding\"; " + v2 + "\"Chunks\""},
		{WrongSeparator, Fault, fault.Metadata, "all chunks are stored under keys of another layout than the metadata declares, so every element is read as the fill value", core + "\"Chunk key encoding\"; " + v2 + "\"Chunks\""},
		{MissingChunk, Warning, fault.Corrupt, "a chunk is not stored and the fill value is null; its elements are undefined and are read as the default of the data type", v2 + "\"Metadata\""},
		{Stale, Fault, fault.Metadata, "consolidated metadata differs from the stored metadata", core + "\"Consolidated metadata\""},
		{LeftOverClaim, Note, fault.Metadata, "a change of the shape is in progress, or its process was killed", "zargo"},
		{OutdatedLevels, Warning, fault.Metadata, "the levels of a pyramid are not those of its array", "zargo"},
		{Unlisted, Note, unsupported, "the store cannot list; chunks are requested one by one, and other keys are not found", core + "\"Abstract store interface\""},
		{Convention, Note, fault.Metadata, "an attribute of a convention for coordinates or pyramids is malformed or not used", "Zarr conventions proj, spatial and multiscales 0.1; OME-Zarr 0.4 to 0.6; CF conventions, section 5.6"},

		{NotThere, Fault, fault.NotFound, "the node does not exist", core + "\"Hierarchy\""},
		{Metadata, Fault, fault.Metadata, "metadata is malformed or contradicts itself", core + "\"Metadata\"; " + v2 + "\"Metadata\""},
		{Corrupt, Fault, fault.Corrupt, "a chunk or a shard does not match the metadata: it is truncated, torn or too long, or its checksum is wrong", core + "\"Codecs\"; Zarr sharding codec 1.0, \"Binary shard format\""},
		{Unsupported, Fault, unsupported, "the metadata is well formed, but not implemented", core + "\"Extension points\""},
		{Limit, Fault, fault.Limit, "a bound on memory or size is exceeded", "zargo"},
		{Path, Fault, fault.Path, "a path or a key is unsafe", core + "\"Node names\""},
		{Unreadable, Fault, nil, "the store refused a request or did not respond", "zargo"},
	}
}

// Decoded reports whether a violation is detected only when chunks are decoded: by reads, and by
// package validate with Options.Data (zargo validate --data).
func (r Rule) Decoded() bool {
	switch r {
	case ElementForm, ShardOverlap, TrailingBytes, Corrupt:
		return true
	}
	return false
}

// All returns every rule, in the order of the documentation.
func All() []Rule {
	all := table()
	out := make([]Rule, len(all))
	for i, e := range all {
		out[i] = e.rule
	}
	return out
}

func (r Rule) entry() entry {
	all := table()
	if i := slices.IndexFunc(all, func(e entry) bool { return e.rule == r }); i >= 0 {
		return all[i]
	}
	return entry{rule: r, severity: Fault, text: string(r)}
}

// Severity returns the severity of a violation.
func (r Rule) Severity() Severity { return r.entry().severity }

// Text returns a one-line description of the violation.
func (r Rule) Text() string { return r.entry().text }

// Section returns the name of the document that defines the rule, and the section in it.
func (r Rule) Section() string { return r.entry().section }

// Kind returns the kind of the error for a violation in strict mode: a kind of package fault, or
// errors.ErrUnsupported. It returns nil for Unreadable, because its errors have the kind that the
// store returned.
func (r Rule) Kind() error { return r.entry().kind }
