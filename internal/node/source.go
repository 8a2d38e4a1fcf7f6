package node

import (
	"context"
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/zarr/meta"
)

// Source is a node as read from the store, with its documents and their parsed content.
type Source struct {
	At *Node
	// Doc is the document that makes the path a node. If the node is from consolidated metadata,
	// Doc has only a Key, which is that of the consolidated metadata.
	Doc   Stored
	Attrs Stored      // the document that has the attributes; in v3 it is Doc
	Model meta.Node   // a *meta.Array or a *meta.Group
	With  meta.Parser // the parser that read the documents
}

// OpenSource reads a v2 or v3 node. It returns nil if the node is absent. OpenSource first reads the documents
// of a node of kind k. If these make no node of that kind, it sends further requests.
func (n *Node) OpenSource(ctx context.Context, k Kind) (*Source, error) {
	for ; ; k = Any {
		docs, err := n.Find(ctx, k)
		if err != nil {
			return nil, err
		}
		s, err := n.parse(docs, n.Plain())
		if err != nil || k == Any || s != nil && s.Kind() == k {
			return s, err
		}
	}
}

// Kind returns the kind of the node.
func (s *Source) Kind() Kind {
	if _, isArray := s.Model.(*meta.Array); isArray {
		return Array
	}
	return Group
}

// Format returns the format of the node's documents.
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

// Same reports whether two nodes have equal metadata, ignoring consolidated metadata.
func Same(a, b meta.Node) bool {
	if formatOf(a) != formatOf(b) || !meta.SameAttrs(attrsOf(a), attrsOf(b)) {
		return false
	}
	x, isArray := a.(*meta.Array)
	y, isToo := b.(*meta.Array)
	return isArray == isToo && (!isArray || x.Difference(y) == "")
}

// CopyV3 returns the node's zarr.json for consolidated metadata: without claim and record.
func (s *Source) CopyV3() ([]byte, error) { return Unclaimed(s.Doc) }

// Proven returns an error if the read of .zattrs was denied, because the attributes are then
// unknown. A reader treats denied attributes as absent, but a copy must not.
func (s *Source) Proven() error {
	if err := s.Attrs.Refused; err != nil {
		return fmt.Errorf("the attributes could not be read, so a document without them is not written: %w", err)
	}
	return nil
}

// CopyV2 returns the node's documents for consolidated metadata: without claim and record, and
// without bare tokens such as NaN in doc. Attributes keep such tokens. name is the name of doc.
// attrs is nil if .zattrs is absent.
func (s *Source) CopyV2() (name string, doc, attrs []byte, err error) {
	if err := s.Proven(); err != nil {
		return "", nil, nil, err
	}
	if doc, err = Unclaimed(s.Doc); err != nil {
		return "", nil, nil, err
	}
	if attrs, err = Unclaimed(s.Attrs); err != nil {
		return "", nil, nil, err
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

// Holder returns the path of the group from whose consolidated metadata the node was read. ok is
// false if the node was not read from the consolidated metadata of a group above.
func (s *Source) Holder() (string, bool) {
	path := strings.TrimSuffix(strings.TrimSuffix(s.Doc.Key, ZarrJSON), ZMetadata)
	path = strings.TrimSuffix(path, "/")
	return path, !s.Doc.There() && path != s.At.Path
}

// Claimed returns the document that carries the claim and the record; see [ClaimIn].
func (s *Source) Claimed() Stored {
	if s.Kind() == Group {
		return s.Attrs
	}
	return s.Doc
}

// Documents returns the stored documents of the node.
func (s *Source) Documents() []Stored {
	if s.Attrs.There() && s.Attrs.Key != s.Doc.Key {
		return []Stored{s.Doc, s.Attrs}
	}
	return []Stored{s.Doc}
}

// Source returns the documents of an opened node with its metadata.
func (n *Node) Source() *Source {
	s := &Source{At: n, Doc: n.Doc, Attrs: n.AttrsDoc, With: n.Parser()}
	switch m := n.Model.(type) {
	case *meta.Array:
		own := *m
		own.Attrs = n.Attrs
		s.Model = &own
	case *meta.Group:
		own := *m
		own.Attrs = n.Attrs
		s.Model = &own
	}
	return s
}
