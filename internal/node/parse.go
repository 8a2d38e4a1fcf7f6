package node

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/node/spec"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Judge returns the function that is called for each violation of a rule in metadata and in chunks.
// Lenient reads tolerate violations. In strict mode the function returns an error for a violation
// of severity rule.Warning or higher. Judge returns nil if violations are neither errors nor
// reported.
func (n *Node) Judge() func(rule.Finding) error {
	strict, tell, path := n.Cfg.Strict, n.Cfg.Tell, n.Path
	if !strict && tell == nil {
		return nil
	}
	return func(f rule.Finding) error {
		f.Path = path
		if tell != nil {
			tell(f)
		}
		if strict && f.Severity() >= rule.Warning {
			return &rule.Error{Rule: f.Rule, Text: f.Text}
		}
		return nil
	}
}

// Parser returns the parser of the node's documents, with its violation handler.
func (n *Node) Parser() meta.Parser {
	return meta.Parser{Types: n.Cfg.Types, Memory: max(2*min(n.Cfg.MaxMetadata, math.MaxInt64/2), meta.DefaultMemory), Lenient: n.Judge()}
}

// Plain returns the parser of documents that decide what may be created or deleted, and of stored
// documents that are compared with opened ones. It reports no violations of rules.
func (n *Node) Plain() meta.Parser { return meta.Parser{Types: n.Cfg.Types} }

// codecs returns the table of the node's codecs, with its violation handler.
func (n *Node) codecs() *codec.Table {
	if judge := n.Judge(); judge != nil {
		return n.Cfg.Table.WithFindings(judge)
	}
	return n.Cfg.Table
}

// parse parses documents that were read at the node. zarr.json takes precedence over v2 and v1, and
// an array over a group. parse returns nil if the documents do not make a node.
func (n *Node) parse(docs Set, with meta.Parser) (*Node, error) {
	var err error
	b := *n
	switch {
	case docs.Has(ZarrJSON):
		b.Doc = n.Stored(docs, ZarrJSON)
		b.AttrsDoc = b.Doc
		b.Model, err = with.V3(b.Doc.Key, b.Doc.Bytes)
	case docs.Has(ZArray):
		b.Doc, b.AttrsDoc = n.Stored(docs, ZArray), n.Stored(docs, ZAttrs)
		b.Model, err = with.ArrayV2(b.Doc.Key, b.Doc.Bytes, b.AttrsDoc.Key, b.AttrsDoc.Bytes)
	case docs.Has(ZGroup):
		b.Doc, b.AttrsDoc = n.Stored(docs, ZGroup), n.Stored(docs, ZAttrs)
		b.Model, err = with.GroupV2(b.Doc.Key, b.Doc.Bytes, b.AttrsDoc.Key, b.AttrsDoc.Bytes)
	case docs.Has(V1Array):
		b.Doc, b.AttrsDoc = n.Stored(docs, V1Array), n.Stored(docs, V1Attrs)
		b.Model, err = with.ArrayV1(b.Doc.Key, b.Doc.Bytes, b.AttrsDoc.Key, b.AttrsDoc.Bytes)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	b.Format = formatOf(b.Model)
	return &b, nil
}

// Parse returns the node that the documents define, or nil if they do not define a node.
func (n *Node) Parse(docs Set) (*Node, error) {
	b, err := n.parse(docs, n.Parser())
	if err != nil || b == nil {
		return nil, err
	}
	return b.bind(b.Model)
}

// bind returns the node of parsed metadata.
func (n *Node) bind(m meta.Node) (*Node, error) {
	b := *n
	b.Model = m
	switch m := m.(type) {
	case *meta.Array:
		b.Format = m.Format
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
		b.Format, b.lazy = m.Format, &lazyCopy{}
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
func (n *Node) Reparsed(doc Stored) (*Node, error) {
	if n.Group() != nil && n.Format == 2 {
		b := *n
		b.AttrsDoc, b.lazy = doc, &lazyCopy{}
		attrs, err := n.Parser().AttrsV2(doc.Key, doc.Bytes)
		b.Model = withAttrs(n.Model, attrs)
		return &b, err
	}
	docs := Docs{{Name: doc.Key[strings.LastIndexByte(doc.Key, '/')+1:], Bytes: doc.Bytes, Version: doc.Version}}
	if d := n.AttrsDoc; d.Key != doc.Key && d.There() {
		docs = append(docs, Doc{Name: ZAttrs, Bytes: d.Bytes, Version: d.Version})
	}
	b, err := n.again().Parse(docs.Set())
	if err == nil && n.Format == 2 {
		b.AttrsDoc = n.AttrsDoc // also if .zattrs is absent or its read was denied
	}
	return b, err
}

// metaError returns an error about a member of the array's metadata. The error has the key of the
// document that contains the member, and the pointer to the member. For consolidated metadata of
// v2, the error has the key of the .zarray entry in the consolidated metadata, like parse errors.
func (n *Node) metaError(m *meta.Array, pointer string, err error) error {
	key := n.Doc.Key
	switch {
	case n.From != FromCopy:
	case m.Format == 3:
		below := strings.TrimPrefix(n.Path, strings.TrimSuffix(key, ZarrJSON))
		pointer = "/consolidated_metadata/metadata/" + strings.ReplaceAll(strings.ReplaceAll(below, "~", "~0"), "/", "~1") + pointer
	default:
		key = Join(n.Path, ZArray)
	}
	return &fault.MetaError{Key: key, Pointer: pointer, Err: err}
}

// codecPointer returns the JSON pointer of the codec that caused err, an error of binding m's
// codecs. It returns "" if the error concerns more than one member.
func codecPointer(m *meta.Array, err error) string {
	var of *codec.ChainError
	known := errors.As(err, &of)
	if m.Format == 3 {
		if !known {
			return "/codecs"
		}
		return fmt.Sprintf("/codecs/%d", of.Index)
	}
	if !known {
		return ""
	}
	first := 0 // the first codec that the document lists; earlier codecs are derived from order and byte order
	for first < len(m.Codecs) && (m.Codecs[first].Name == "transpose" || m.Codecs[first].Name == "bytes") {
		first++
	}
	switch {
	case of.Index < first:
		return ""
	case m.Format == 1:
		return "/compression"
	case of.Index == len(m.Codecs)-1 && !m.AllFilters:
		return "/compressor"
	}
	return fmt.Sprintf("/filters/%d", of.Index-first)
}
