package meta

import (
	"encoding/json"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// Node is an [*Array], a [*Group] or a [*Bad].
type Node interface{ isNode() }

func (*Array) isNode() {}
func (*Group) isNode() {}
func (*Bad) isNode()   {}

// Array is the metadata of an array.
type Array struct {
	Format int   // 1, 2 or 3
	Shape  []int // length of each dimension; empty, not nil, for a scalar
	Grid   Grid
	DType  dtype.Type
	Fill   []byte      // fill value in memory form; nil if undefined (v2's null)
	Codecs []Named     // codecs from chunk to stored bytes, in the same form for all formats
	Keys   KeyEncoding // the keys of chunks
	Dims   []string    // v3's dimension names, "" for null; nil without names
	Attrs  Attrs       // never nil after parsing

	// AllFilters means that the compressor of a v2 array is null and the last codec is a filter. If
	// AllFilters is false, the last codec is encoded as the compressor, unless it can only be a
	// filter.
	AllFilters bool

	// NoSeparator means that a v2 document lacks the separator of chunk keys, and is encoded
	// without it. The separator in Keys is then the specification's default, ".". Old writers may
	// have used "/" without recording it.
	NoSeparator bool

	// Unknown contains top-level members that this package does not know and may ignore. In v3,
	// unknown members may be ignored if they are objects with "must_understand": false; in v2, all
	// may be ignored. Encoding writes these members unchanged.
	Unknown map[string]json.RawMessage
}

// Group is the metadata of a group.
type Group struct {
	Format int   // 2 or 3
	Attrs  Attrs // never nil after parsing

	// Consolidated contains the nodes of the group's consolidated metadata. These are copies, which
	// may be stale, of the nodes below the group at any depth. Their paths are relative to the
	// group. Without consolidated metadata it is nil.
	Consolidated *Copies

	// Unreadable is the error that occurred when the consolidated metadata was parsed. If it is
	// set, Consolidated is nil.
	Unreadable error

	// Unknown contains top-level members that this package does not know and may ignore, as in
	// [Array].
	Unknown map[string]json.RawMessage
}

// Bad represents a node in consolidated metadata that cannot be parsed, so that one such node does
// not hide the others.
type Bad struct {
	Err error // a *fault.MetaError
}

// Named is an extension in metadata: a codec, for example. It has the fields of codec.Spec, and
// Optional.
type Named struct {
	Name     string
	Config   json.RawMessage // a compact object; nil if there is none
	Optional bool            // "must_understand": false
}

// Attrs are attributes: JSON values as encoding/json decodes them, but with numbers as json.Number,
// which keeps all digits. The bare tokens NaN, Infinity and -Infinity are decoded as float64.
type Attrs = map[string]any
