package zarr

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/internal/written"
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

// node is what arrays and groups have in common.
type node struct {
	st     *written.Store // as the user has it, with what tells caches of its writes
	path   string
	cfg    config
	format int
	attrs  map[string]any
	doc    document.Stored // the document that makes it a node; of one from consolidated metadata, the key of that alone
	// What attributes are changed against: the document that holds them, which is doc in v3. It has
	// no version where it was not read from the store or, as v2's .zattrs, is absent.
	attrsDoc document.Stored
	from     origin
}

// origin is where the documents of a node were taken from when it was opened.
type origin string

const (
	fromStore origin = ""                      // they were read
	fromCopy  origin = "consolidated metadata" // of the node itself or of a group above
	fromGiven origin = "a given document"      // see Documents
)

func (n *node) isNode() {}

// Path is the path below the store's root.
func (n *node) Path() string { return n.path }

// Format is 1, 2 or 3.
func (n *node) Format() int { return n.format }

// Store is the store the node was opened in.
func (n *node) Store() store.Store { return n.st.Store }

// Name is the last segment of the path; "" for the root.
func (n *node) Name() string { return n.path[strings.LastIndexByte(n.path, '/')+1:] }

// Attrs returns the attributes.
func (n *node) Attrs() map[string]any {
	m := make(map[string]any, len(n.attrs))
	for k, v := range n.attrs {
		m[k] = v
	}
	return m
}

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

// writable refuses to change what is only read.
func (n *node) writable() error {
	if n.format == 1 {
		return fault.Newf(errors.ErrUnsupported, "Zarr v1 arrays are read, not written")
	}
	return nil
}

// errf says which node of which store an error is about.
func (n *node) errf(err error) error {
	return document.Errorf(n.st, n.path, err)
}

// join puts a name below a path.
func join(path, name string) string { return document.Join(path, name) }

// below is the path of a node from a group above it.
func below(group, path string) string {
	return strings.TrimPrefix(path[len(group):], "/")
}
