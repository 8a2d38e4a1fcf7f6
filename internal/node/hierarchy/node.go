package hierarchy

import (
	"errors"
	"strings"

	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/chunk/written"
	"github.com/zargo-io/zargo/internal/node/document"
	"github.com/zargo-io/zargo/internal/node/spec"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Node is the location of a node. Store, Path and Cfg are always set. The other fields are set when
// the node is opened or created.
type Node struct {
	Store *written.Store
	Path  string // normalised; "" is the root
	Cfg   Options

	Format int
	Attrs  map[string]any
	// Doc is the document that defines the node, such as zarr.json. If the node is from
	// consolidated metadata, Doc has only a Key: the key of the consolidated metadata.
	Doc document.Stored
	// AttrsDoc is the document that contains the attributes. In v3 it equals Doc. If AttrsDoc was
	// not read from the store, or if it is an absent .zattrs, its Version is empty.
	AttrsDoc document.Stored
	From     Origin
	expect   int       // format of the node from which this node was reached; 0 if unknown
	in       *string   // path of the v2 group through which the node is created, or nil
	Model    meta.Node // a *meta.Array or a *meta.Group, as parsed

	Keyed *meta.Array // for an array, Model with the chunk keys of Options.Separator
	Pipe  *pipeline.Pipeline
	lazy  *lazyCopy // consolidated metadata of a v2 group
}

// Origin is the source of the metadata of an opened node.
type Origin string

// Origins of nodes.
const (
	FromStore Origin = ""                      // the node's own documents in the store
	FromCopy  Origin = "consolidated metadata" // of the node or of a group above it
	FromGiven Origin = "a given document"      // see Options.Documents
)

// Group returns the metadata of a group, or nil for an array.
func (n *Node) Group() *meta.Group {
	m, _ := n.Model.(*meta.Group)
	return m
}

// Array returns the metadata of an array as parsed, or nil for a group.
func (n *Node) Array() *meta.Array {
	m, _ := n.Model.(*meta.Array)
	return m
}

// Docs returns the accessor of the documents of the node, with the node's options.
func (n *Node) Docs() *document.Node {
	return &document.Node{
		Store: n.Store, Path: n.Path, Format: n.Cfg.Format, Expect: n.expect, Limit: n.Cfg.MaxMetadata, SingleWriter: n.Cfg.SingleWriter,
		Parser: meta.Parser{Types: n.Cfg.Types}, Account: account.Options{Report: n.Cfg.Report}, Group: n.in,
	}
}

// Source returns the documents of an opened node with its metadata.
func (n *Node) Source() *document.Source {
	s := &document.Source{At: n.Docs(), Doc: n.Doc, Attrs: n.AttrsDoc, With: n.Parser()}
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

// Errorf wraps err with the path of the node and the name of the store.
func (n *Node) Errorf(err error) error { return document.Errorf(n.Store, n.Path, err) }

// at returns the unopened node at a path of the store, with the same options. If n is opened, the
// node is expected to have the same format.
func (n *Node) at(path string) *Node {
	return &Node{Store: n.Store, Path: path, Cfg: n.Cfg, expect: n.Format}
}

// Child returns the unopened node at a path below a group, with the group's options.
func (n *Node) Child(path string) (*Node, error) {
	p, err := meta.NormalizePath(path)
	if err != nil {
		return nil, n.Errorf(err)
	}
	return n.at(document.Join(n.Path, p)), nil
}

// Member is like Child for a node that is to be created.
func (n *Node) Member(path string) (*Node, error) {
	c, err := n.Child(path)
	if err == nil && n.Format == 2 {
		c.in = &n.Path
	}
	return c, err
}

// Below returns path relative to the path of a group above it.
func Below(group, path string) string { return strings.TrimPrefix(path[len(group):], "/") }

// Writable returns errors.ErrUnsupported for a v1 node, as v1 is read-only.
func (n *Node) Writable() error {
	if n.Format == 1 {
		return fault.Newf(errors.ErrUnsupported, "v1 arrays are read-only")
	}
	return nil
}

// Parse returns the node that the documents define, or nil if they do not define a node.
func (n *Node) Parse(docs document.Set) (*Node, error) {
	s, err := n.Docs().Parse(docs, n.Parser())
	if err != nil || s == nil {
		return nil, err
	}
	b := *n
	b.Doc, b.AttrsDoc = s.Doc, s.Attrs
	return b.bind(s.Model)
}

// bind returns the node of parsed metadata.
func (n *Node) bind(m meta.Node) (*Node, error) {
	b := *n
	b.Model = m
	switch m := m.(type) {
	case *meta.Array:
		b.Format, b.Attrs = m.Format, m.Attrs
		pointer := "/chunk_key_encoding"
		if m.Format == 2 {
			pointer = "/dimension_separator"
		}
		keyed, err := spec.Separated(m, n.Cfg.Separator)
		if err != nil {
			return nil, b.metaError(m, pointer, err)
		}
		if err := b.bindArray(keyed); err != nil {
			return nil, err
		}
		return &b, nil
	case *meta.Group:
		b.Format, b.Attrs, b.lazy = m.Format, m.Attrs, &lazyCopy{}
		return &b, nil
	case *meta.Bad:
		return nil, m.Err
	}
	return nil, fault.Newf(errors.ErrUnsupported, "nodes of type %T are not supported", m)
}

// bindArray binds the codecs of an array. Errors are *fault.MetaError.
func (n *Node) bindArray(m *meta.Array) error {
	axes := spec.Axes(m)
	repr := codec.Repr{Shape: pipeline.Largest(axes), Type: m.DType, Fill: m.Fill}
	if _, err := repr.Bytes(); err != nil {
		pointer := "/chunk_grid"
		if m.Format < 3 {
			pointer = "/chunks"
		}
		return n.metaError(m, pointer, err)
	}
	specs := make([]codec.Spec, len(m.Codecs))
	for i, c := range m.Codecs {
		specs[i] = codec.Spec{Name: c.Name, Config: c.Config}
	}
	pipe, err := pipeline.New(n.codecs(), specs, repr, axes, n.Cfg.Chunks)
	if err != nil {
		return n.metaError(m, codecPointer(m, err), err)
	}
	n.Keyed, n.Pipe = m, pipe
	return nil
}

// With returns an opened node with other options.
func (n *Node) With(o Options) (*Node, error) {
	b := *n
	b.Cfg = o
	if n.Array() == nil {
		if o.Types != n.Cfg.Types || o.Strict != n.Cfg.Strict || o.MaxMetadata != n.Cfg.MaxMetadata || o.Tell != nil || n.Cfg.Tell != nil {
			b.lazy = &lazyCopy{} // the options affect its parsing
		}
		return &b, nil
	}
	m, err := spec.Separated(n.Keyed, o.Separator)
	if err == nil {
		err = b.bindArray(m)
	}
	if err != nil {
		return nil, n.Errorf(err)
	}
	return &b, nil
}

// Reparsed returns the node parsed from doc, another version of the document that contains the
// node's claim.
func (n *Node) Reparsed(doc document.Stored) (*Node, error) {
	if n.Group() != nil && n.Format == 2 {
		b := *n
		b.AttrsDoc, b.lazy = doc, &lazyCopy{}
		attrs, err := n.Parser().AttrsV2(doc.Key, doc.Bytes)
		b.Attrs = attrs
		return &b, err
	}
	docs := document.Docs{{Name: doc.Key[strings.LastIndexByte(doc.Key, '/')+1:], Bytes: doc.Bytes, Version: doc.Version}}
	if d := n.AttrsDoc; d.Key != doc.Key && d.There() {
		docs = append(docs, document.Doc{Name: document.ZAttrs, Bytes: d.Bytes, Version: d.Version})
	}
	at := n.at(n.Path)
	at.Cfg.Documents = nil
	b, err := at.Parse(docs.Set())
	if err == nil && n.Format == 2 {
		b.AttrsDoc = n.AttrsDoc // also if .zattrs is absent or its read was denied
	}
	return b, err
}
