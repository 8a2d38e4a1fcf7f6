package document

import (
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

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
	s := Set{Docs: map[string]store.Value{}}
	for _, doc := range d {
		if doc.Bytes != nil {
			s.Docs[doc.Name] = store.Value{Bytes: doc.Bytes, Size: int64(len(doc.Bytes)), Version: doc.Version}
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
