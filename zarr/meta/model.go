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
	Shape  []int // elements along each axis; empty, not nil, for a scalar
	Grid   Grid
	DType  dtype.Type
	Fill   []byte      // fill value in memory form; nil is v2's null: undefined
	Codecs []Named     // the pipeline from chunk to stored bytes, uniform over formats
	Keys   KeyEncoding // where chunks are stored
	Dims   []string    // v3's dimension names, "" for null; nil when there are none
	Attrs  Attrs       // never nil after parsing

	// AllFilters is for v2: the compressor is null, so that the last codec is a filter too. Without
	// it the last codec is written as the compressor, if it can be one.
	AllFilters bool

	// NoSeparator is for v2: the document does not say the separator of chunk keys, and is written
	// again without it. Parsing gives Keys the specification's default, a point; old writers left
	// chunks under the keys of the other separator too.
	NoSeparator bool

	// Unknown are top-level members that this package does not know and may ignore, kept to be
	// written again: in v3 objects with "must_understand": false, in v2 all.
	Unknown map[string]json.RawMessage
}

// Group is the metadata of a group.
type Group struct {
	Format int   // 2 or 3
	Attrs  Attrs // never nil after parsing

	// Consolidated are the nodes below the group, at any depth, by path relative to it, as
	// consolidated metadata has them: a copy that can be stale. nil when there is none.
	Consolidated map[string]Node

	// Unreadable is why consolidated metadata is there and cannot be read, in which case
	// Consolidated is nil.
	Unreadable error

	// Unknown is as for Array.
	Unknown map[string]json.RawMessage
}

// Bad stands in consolidated metadata for a node that cannot be parsed, so that one bad or
// unsupported node does not hide the others.
type Bad struct {
	Err error // a *fault.MetaError
}

// Named is an extension as metadata spells it. Its fields are those of codec.Spec, and one more.
type Named struct {
	Name     string
	Config   json.RawMessage // a compact object; nil when there is none
	Optional bool            // "must_understand": false
}

// Attrs are attributes: JSON values as encoding/json has them, with every number a json.Number, so
// that none loses a digit. The bare tokens NaN, Infinity and -Infinity are float64.
type Attrs = map[string]any
