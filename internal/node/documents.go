package node

import (
	"errors"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Names of metadata documents, relative to their node.
const (
	ZarrJSON  = "zarr.json"
	ZArray    = ".zarray"
	ZGroup    = ".zgroup"
	ZAttrs    = ".zattrs"
	ZMetadata = ".zmetadata" // v2's consolidated metadata

	V1Array = "meta"
	V1Attrs = "attrs"
)

// founding returns the names of the documents that make a path a node. If a path has several, a
// reader takes the first.
func founding() []string { return []string{ZarrJSON, ZArray, ZGroup} }

// Founds reports whether a document of this name makes its path a node.
func Founds(name string) bool { return slices.Contains(founding(), name) }

// IsDocument reports whether a metadata document of v2 or v3 has the name.
func IsDocument(name string) bool { return Founds(name) || name == ZAttrs || name == ZMetadata }

// Set contains the documents that exist, by name.
type Set struct {
	Docs    map[string]Stored
	Refused map[string]error // errors of denied reads; it is unknown whether these documents exist
}

// Has reports whether a document is in the set.
func (s Set) Has(name string) bool {
	_, ok := s.Docs[name]
	return ok
}

func (s *Set) refuse(name string, err error) {
	if s.Refused == nil {
		s.Refused = map[string]error{}
	}
	s.Refused[name] = err
}

// proven returns s if its documents make a node or no read was denied. Otherwise it returns the
// errors of the denied reads.
func (s Set) proven(err error) (Set, error) {
	if err != nil {
		return Set{}, err
	}
	if !s.found() {
		err = s.refusals()
	}
	if err != nil {
		return Set{}, err
	}
	return s, nil
}

// found reports whether the documents make a v2 or v3 node.
func (s Set) found() bool { return s.Has(ZarrJSON) || s.Has(ZArray) || s.Has(ZGroup) }

// refusals joins, in a fixed order, the errors of s.Refused for documents that make a node.
func (s Set) refusals() (err error) {
	for _, name := range []string{ZarrJSON, ZArray, ZGroup, V1Array} {
		if s.Refused[name] != nil {
			err = errors.Join(err, s.Refused[name])
		}
	}
	return err
}

// Stored is a document as read from the store.
type Stored struct {
	Key     string
	Bytes   []byte // nil if the document is absent or its read was denied
	Version store.Version
	Refused error // error of a denied read; the document may exist
}

// There reports whether the document exists and was read.
func (d Stored) There() bool { return d.Bytes != nil }

// notNil returns doc, or an empty slice if doc is nil. In a Set, nil means an absent
// document.
func notNil(doc []byte) []byte {
	if doc == nil {
		return []byte{}
	}
	return doc
}

// Doc is a document of a new node.
type Doc struct {
	Name    string
	Bytes   []byte // nil if the node does not have this document
	Version store.Version
}

// Docs are the documents of a new node. The first document makes the path a node.
type Docs []Doc

// Set returns d in the form of documents that were read.
func (d Docs) Set() Set {
	s := Set{Docs: map[string]Stored{}}
	for _, doc := range d {
		if doc.Bytes != nil {
			s.Docs[doc.Name] = Stored{Bytes: doc.Bytes, Version: doc.Version}
		}
	}
	return s
}

// OfArray encodes the documents of an array.
func OfArray(m *meta.Array) (Docs, error) {
	if m.Format == 3 {
		doc, err := m.EncodeV3()
		return Docs{{Name: ZarrJSON, Bytes: doc}}, err
	}
	zarray, zattrs, err := m.EncodeV2()
	return Docs{{Name: ZArray, Bytes: zarray}, {Name: ZAttrs, Bytes: zattrs}}, err
}

// OfGroup encodes the documents of a group. It returns fault.Metadata if the format is neither 2
// nor 3.
func OfGroup(m *meta.Group) (Docs, error) {
	switch m.Format {
	case 3:
		doc, err := m.EncodeV3()
		return Docs{{Name: ZarrJSON, Bytes: doc}}, err
	case 2:
		zgroup, zattrs, err := m.EncodeV2()
		return Docs{{Name: ZGroup, Bytes: zgroup}, {Name: ZAttrs, Bytes: zattrs}}, err
	}
	return nil, fault.Newf(fault.Metadata, "format must be 2 or 3, is %d", m.Format)
}
