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

	// AllFilters, for v2, means that the compressor is null and the last codec is a filter. If
	// AllFilters is false, the last codec is encoded as the compressor, unless it can only be a
	// filter.
	AllFilters bool

	// NoSeparator, for v2, means that the document lacks the separator of chunk keys, and is
	// encoded without it. Keys then has the specification's default, ".". Old writers also stored
	// chunks under keys with "/".
	NoSeparator bool

	// Unknown contains top-level members that this package does not know and may ignore. In v3
	// these are objects with "must_understand": false, in v2 all unknown members. Encoding writes
	// them again.
	Unknown map[string]json.RawMessage
}

// Group is the metadata of a group.
type Group struct {
	Format int   // 2 or 3
	Attrs  Attrs // never nil after parsing

	// Consolidated contains the nodes below the group at any depth, by path relative to it, from
	// consolidated metadata. They are copies that may be stale. It is nil without consolidated
	// metadata.
	Consolidated map[string]Node

	// Unreadable is the error of consolidated metadata that cannot be read. Consolidated is then
	// nil.
	Unreadable error

	// Unknown contains unknown members, as for Array.
	Unknown map[string]json.RawMessage
}

// Bad represents a node in consolidated metadata that cannot be parsed, so that one such node does
// not hide the others.
type Bad struct {
	Err error // a *fault.MetaError
}

// Named is an extension in metadata. It has the fields of codec.Spec and Optional.
type Named struct {
	Name     string
	Config   json.RawMessage // a compact object; nil if there is none
	Optional bool            // "must_understand": false
}

// Attrs are attributes: JSON values as encoding/json decodes them, with numbers as json.Number to
// keep all digits. The bare tokens NaN, Infinity and -Infinity are float64.
type Attrs = map[string]any
