package document

import (
	"context"
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/zarr/meta"
)

// Source is what a node was made of: its documents and what they say.
type Source struct {
	At    *Node
	Doc   Stored      // the document that makes it a node; of one from consolidated metadata, the key of that alone
	Attrs Stored      // the document that holds the attributes, which is Doc in v3
	Model meta.Node   // a *meta.Array or a *meta.Group, as its documents have it
	With  meta.Parser // that the documents were read with
}

// Parse reads documents that were read at the node. v3 wins, then an array. nil: they make no node.
func (n *Node) Parse(docs Set, with meta.Parser) (s *Source, err error) {
	s = &Source{At: n, With: with}
	switch {
	case docs.Has(ZarrJSON):
		s.Doc = n.Stored(docs, ZarrJSON)
		s.Attrs = s.Doc
		s.Model, err = with.V3(s.Doc.Key, s.Doc.Bytes)
	case docs.Has(ZArray):
		s.Doc, s.Attrs = n.Stored(docs, ZArray), n.Stored(docs, ZAttrs)
		s.Model, err = with.ArrayV2(s.Doc.Key, s.Doc.Bytes, s.Attrs.Key, s.Attrs.Bytes)
	case docs.Has(ZGroup):
		s.Doc, s.Attrs = n.Stored(docs, ZGroup), n.Stored(docs, ZAttrs)
		s.Model, err = with.GroupV2(s.Doc.Key, s.Doc.Bytes, s.Attrs.Key, s.Attrs.Bytes)
	case docs.Has(V1Array):
		s.Doc, s.Attrs = n.Stored(docs, V1Array), n.Stored(docs, V1Attrs)
		s.Model, err = with.ArrayV1(s.Doc.Key, s.Doc.Bytes, s.Attrs.Key, s.Attrs.Bytes)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Open reads a v2 or v3 node that is expected to be of a kind; nil where there is none. One of
// another kind takes some more requests.
func (n *Node) Open(ctx context.Context, k Kind) (*Source, error) {
	for ; ; k = Any {
		docs, err := n.Find(ctx, k)
		if err != nil {
			return nil, err
		}
		s, err := n.Parse(docs, n.Parser)
		if err != nil || k == Any || s != nil && s.Kind() == k {
			return s, err
		}
	}
}

// Kind is the kind of the node.
func (s *Source) Kind() Kind {
	if _, isArray := s.Model.(*meta.Array); isArray {
		return Array
	}
	return Group
}

// Format is the format of the node's documents.
func (s *Source) Format() int { return formatOf(s.Model) }

func formatOf(m meta.Node) int {
	switch m := m.(type) {
	case *meta.Array:
		return m.Format
	case *meta.Group:
		return m.Format
	}
	return 0
}

func attrsOf(m meta.Node) meta.Attrs {
	switch m := m.(type) {
	case *meta.Array:
		return m.Attrs
	case *meta.Group:
		return m.Attrs
	}
	return nil
}

// Same reports whether two nodes say the same, consolidated metadata apart.
func Same(a, b meta.Node) bool {
	if formatOf(a) != formatOf(b) || !meta.SameAttrs(attrsOf(a), attrsOf(b)) {
		return false
	}
	x, isArray := a.(*meta.Array)
	y, isToo := b.(*meta.Array)
	return isArray == isToo && (!isArray || x.Difference(y) == "")
}

// StrictV3 returns the node's document as it is stored, without bare tokens such as NaN, which only
// attributes can have, and without the record of a change under way.
func (s *Source) StrictV3() ([]byte, error) {
	doc, err := Unclaimed(s.Doc)
	if err != nil || meta.Strict(doc) {
		return doc, err
	}
	return meta.SetAttrs(s.Doc.Key, doc, attrsOf(s.Model))
}

// Proven reports why it is not known whether the node has attributes: a refused .zattrs is read as
// an absent one, but is not copied as one.
func (s *Source) Proven() error {
	if err := s.Attrs.Refused; err != nil {
		return fmt.Errorf("whether there are attributes is not known, so nothing is written that has none: %w", err)
	}
	return nil
}

// StrictV2 returns the node's documents as they are stored, without bare tokens, and the name of
// the one that makes it a node; attrs is nil when there is none.
func (s *Source) StrictV2() (name string, doc, attrs []byte, err error) {
	if err := s.Proven(); err != nil {
		return "", nil, nil, err
	}
	if doc, err = Unclaimed(s.Doc); err != nil {
		return "", nil, nil, err
	}
	if attrs, err = Unclaimed(s.Attrs); err != nil {
		return "", nil, nil, err
	}
	if attrs != nil && !meta.Strict(attrs) {
		if attrs, err = meta.EncodeAttrs(attrsOf(s.Model)); err != nil {
			return "", nil, nil, err
		}
	}
	a, ok := s.Model.(*meta.Array)
	if !ok {
		return ZGroup, doc, attrs, nil
	}
	if !meta.Strict(doc) {
		doc, _, err = a.EncodeV2()
	}
	return ZArray, doc, attrs, err
}

// Holder returns the path of the group above whose consolidated metadata the node was taken from,
// and whether it was.
func (s *Source) Holder() (string, bool) {
	path := strings.TrimSuffix(strings.TrimSuffix(s.Doc.Key, ZarrJSON), ZMetadata)
	path = strings.TrimSuffix(path, "/")
	return path, !s.Doc.There() && path != s.At.Path
}

// Claimed is the document that carries the record of a change under way, see ClaimIn.
func (s *Source) Claimed() Stored {
	if s.Kind() == Group {
		return s.Attrs
	}
	return s.Doc
}

// Documents returns the documents of the node that are stored.
func (s *Source) Documents() []Stored {
	if s.Attrs.There() && s.Attrs.Key != s.Doc.Key {
		return []Stored{s.Doc, s.Attrs}
	}
	return []Stored{s.Doc}
}
