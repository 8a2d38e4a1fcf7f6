package zarr

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/internal/hierarchy"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Node is an [*Array] or a [*Group].
type Node interface {
	// Path is the node's path below the store's root, without slashes at its ends; "" is the root.
	Path() string
	// Name is the last segment of the path.
	Name() string
	// Format is 1, 2 or 3.
	Format() int
	// Attrs are the attributes: JSON values. Numbers are json.Number, so that none loses a digit.
	// The map is the caller's to change, what hangs below it is not.
	Attrs() map[string]any
	// Documents returns the metadata documents of the node by key, for the option [Documents].
	Documents() (map[string][]byte, error)
	isNode()
}

// handle makes the documents of a node known to other packages of this module.
type handle = hierarchy.Handle

// node is what arrays and groups have in common. nodeOf makes one.
type node struct {
	handle
	at  *hierarchy.Node
	cfg config
}

// nodeOf returns the node that was found, with options beside those that it was found by.
func nodeOf(at *hierarchy.Node, cfg config) node {
	cfg.Options = at.Cfg
	return node{at.Handle(), at, cfg}
}

func (n *node) isNode() {}

// Path is the path below the store's root.
func (n *node) Path() string { return n.at.Path }

// Format is 1, 2 or 3.
func (n *node) Format() int { return n.at.Format }

// Store is the store the node was opened in.
func (n *node) Store() store.Store { return n.at.Store.Store }

// Name is the last segment of the path; "" for the root.
func (n *node) Name() string { return n.at.Path[strings.LastIndexByte(n.at.Path, '/')+1:] }

// Attrs returns the attributes.
func (n *node) Attrs() map[string]any {
	m := make(map[string]any, len(n.at.Attrs))
	maps.Copy(m, n.at.Attrs)
	return m
}

// Options returns the options that the node was opened with, those of [Array.With] included, to
// open others in the same way.
func (n *node) Options() []Option { return slices.Clone(n.cfg.given) }

// Attr decodes one attribute into a T, and reports whether the node has it: Attr[string](a,
// "units").
func Attr[T any](n Node, name string) (value T, ok bool, err error) {
	v, ok := n.Attrs()[name]
	if !ok {
		return value, false, nil
	}
	if t, same := v.(T); same {
		return t, true, nil
	}
	b, err := meta.EncodeAttrs(map[string]any{name: v})
	if err != nil {
		return value, true, err
	}
	var m map[string]T
	if err := json.Unmarshal(b, &m); err != nil {
		return value, true, fault.Newf(fault.Type, "attribute %q of %q: %w", name, n.Path(), err)
	}
	return m[name], true, nil
}

// errf says which node of which store an error is about.
func (n *node) errf(err error) error { return n.at.Errorf(err) }

// join puts a name below a path.
func join(path, name string) string { return document.Join(path, name) }
