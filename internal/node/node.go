package node

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/chunk/written"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Kind is the kind of a node: array or group.
type Kind uint8

// Kinds of nodes. Any means both kinds.
const (
	Any Kind = iota
	Array
	Group
)

// String returns the kind in words.
func (k Kind) String() string { return [...]string{"array or group", "array", "group"}[k] }

// Node is the location of a node. Store, Path and Cfg are always set. The other fields are set when
// the node is opened or created.
type Node struct {
	Store *written.Store
	Path  string // normalised; "" is the root
	Cfg   Options

	Format int
	// Doc is the document that defines the node, such as zarr.json. If the node is from
	// consolidated metadata, Doc has only a Key: the key of the consolidated metadata.
	Doc Stored
	// AttrsDoc is the document that contains the attributes. In v3 it equals Doc. If AttrsDoc was
	// not read from the store, or if it is an absent .zattrs, its Version is empty.
	AttrsDoc Stored
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

// Begin starts the account of one operation, such as a listing of the node's chunks. All requests of
// the operation must use the returned context and store.
func (n *Node) Begin(ctx context.Context) (context.Context, store.Store) {
	ctx, s, _ := account.Begin(ctx, n.Store, account.Options{Report: n.Cfg.Report})
	return ctx, s
}

// Conflict counts a change that is retried because another writer changed the document.
func (n *Node) Conflict() {
	if r := n.Cfg.Report; r != nil {
		r.Conflicts.Add(1)
	}
}

// Errorf wraps err with the path of the node and the name of the store.
func (n *Node) Errorf(err error) error {
	return fmt.Errorf("zarr: %q in %s: %w", n.Path, store.Name(n.Store), err)
}

// At returns the unopened node at another path of the store, whose documents are searched in the
// same way.
func (n *Node) At(path string) *Node {
	return &Node{Store: n.Store, Path: path, Cfg: n.Cfg, expect: n.expect, in: n.in}
}

// Key returns the key of a document of the node.
func (n *Node) Key(name string) string { return Join(n.Path, name) }

// Join returns the key of name below path.
func Join(path, name string) string {
	switch {
	case path == "":
		return name
	case name == "":
		return path
	}
	return path + "/" + name
}

// PathOf returns the path of the node that a document with this key belongs to.
func PathOf(key string) string { return strings.TrimPrefix(path.Dir("/"+key), "/") }

// IsAbove reports whether path p is strictly above path q.
func IsAbove(p, q string) bool { return p != q && (p == "" || strings.HasPrefix(q, p+"/")) }

// at returns the unopened node at a path of the store, with the same options. If n is opened, the
// node is expected to have the same format.
func (n *Node) at(path string) *Node {
	return &Node{Store: n.Store, Path: path, Cfg: n.Cfg, expect: n.Format}
}

// again returns the unopened node for its documents in the store.
func (n *Node) again() *Node {
	b := n.at(n.Path)
	b.Cfg.Documents = nil
	return b
}

// Child returns the unopened node at a path below a group, with the group's options.
func (n *Node) Child(path string) (*Node, error) {
	p, err := meta.NormalizePath(path)
	if err != nil {
		return nil, n.Errorf(err)
	}
	return n.at(Join(n.Path, p)), nil
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

// Parent returns the path of the group that contains the node at path. It returns false for the
// root.
func Parent(path string) (string, bool) {
	if path == "" {
		return "", false
	}
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], true
}

// Above returns the paths of all groups above the node at path, the nearest first.
func Above(path string) []string {
	var above []string
	for p, ok := Parent(path); ok; p, ok = Parent(p) {
		above = append(above, p)
	}
	return above
}

// wanted returns fault.NotFound if n is nil or not of kind w.
func (n *Node) wanted(w Kind) error {
	switch {
	case n == nil:
		return fault.Newf(fault.NotFound, "no %v here", w)
	case n.Group() != nil && w == Array:
		return fault.Newf(fault.NotFound, "the node is a group, want an array")
	case n.Array() != nil && w == Group:
		return fault.Newf(fault.NotFound, "the node is an array, want a group")
	}
	return nil
}

// Kind returns the kind of the node.
func (n *Node) Kind() Kind {
	if _, isArray := n.Model.(*meta.Array); isArray {
		return Array
	}
	return Group
}

// Attrs returns the attributes of an opened node. The map must not be changed.
func (n *Node) Attrs() map[string]any { return attrsOf(n.Model) }

// Claimed returns the document that carries the claim and the record; see [ClaimIn].
func (n *Node) Claimed() Stored {
	if n.Kind() == Group {
		return n.AttrsDoc
	}
	return n.Doc
}

// StoredDocuments returns the stored documents of the node.
func (n *Node) StoredDocuments() []Stored {
	if n.AttrsDoc.There() && n.AttrsDoc.Key != n.Doc.Key {
		return []Stored{n.Doc, n.AttrsDoc}
	}
	return []Stored{n.Doc}
}

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

// withAttrs returns a copy of m with other attributes.
func withAttrs(m meta.Node, attrs meta.Attrs) meta.Node {
	switch m := m.(type) {
	case *meta.Array:
		b := *m
		b.Attrs = attrs
		return &b
	case *meta.Group:
		b := *m
		b.Attrs = attrs
		return &b
	}
	return m
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
