package zarr

import (
	"errors"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// is makes sure that what was found is there, and of the kind that is wanted.
func (n *node) is(found Node, w document.Kind) error {
	switch found.(type) {
	case *Group:
		if w == document.Array {
			return fault.Newf(fault.NotFound, "this is a group, not an array")
		}
	case *Array:
		if w == document.Group {
			return fault.Newf(fault.NotFound, "this is an array, not a group")
		}
	default:
		return fault.Newf(fault.NotFound, "no %v here", w)
	}
	return nil
}

// parse makes a node of its documents; nil when they do not make one.
func (n *node) parse(docs document.Set) (Node, error) {
	s, err := n.docs().Parse(docs, n.parser())
	if err != nil || s == nil {
		return nil, err
	}
	n.doc, n.attrsDoc = s.Doc, s.Attrs
	return n.bind(s.Model)
}

// bind makes a node of parsed metadata.
func (n *node) bind(m meta.Node) (Node, error) {
	switch m := m.(type) {
	case *meta.Array:
		n.format, n.attrs = m.Format, m.Attrs
		return newArray(*n, m)
	case *meta.Group:
		n.format, n.attrs = m.Format, m.Attrs
		return &Group{node: *n, meta: m, lazy: &lazyCopy{}}, nil
	case *meta.Bad:
		return nil, m.Err
	}
	return nil, fault.Newf(errors.ErrUnsupported, "node of type %T", m)
}
