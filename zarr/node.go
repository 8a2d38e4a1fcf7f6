package zarr

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/bits/jsontext"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Node is an [*Array] or a [*Group].
type Node interface {
	// Path returns the path relative to the store's root, without outer slashes; "" for the root.
	Path() string
	// Name returns the last element of the path; "" for the root.
	Name() string
	// Format returns the Zarr format: 1, 2 or 3.
	Format() int
	// Attrs returns the attributes as JSON values. Numbers are json.Number, which keeps all
	// digits. The caller may change the map, but not the values in it.
	Attrs() map[string]any
	// Documents returns the metadata documents of the node by key, for the option [Documents].
	Documents() (map[string][]byte, error)
	// Stored returns the node as its own stored documents describe it; see [Array.Stored] and
	// [Group.Stored].
	Stored(ctx context.Context) (Node, error)
	handled
}

// handle makes the documents of a node available to other packages of this module, and handled is
// the method that does so. No type outside this package has it.
type (
	handle  = node.Handle
	handled = node.Handled
)

// opened is the common part of arrays and groups. nodeOf makes one.
type opened struct {
	handle
	at  *node.Node
	cfg config
}

// nodeOf returns n with the options cfg, but keeps the node.Options of n.
func nodeOf(n *node.Node, cfg config) opened {
	cfg.Options.Options = n.Cfg
	return opened{n.Handle(), n, cfg}
}

// Path returns the path relative to the store's root.
func (n *opened) Path() string { return n.at.Path }

// Format returns the Zarr format: 1, 2 or 3.
func (n *opened) Format() int { return n.at.Format }

// Store returns the store that the node was opened in.
func (n *opened) Store() store.Store { return n.at.Store.Store }

// Name returns the last element of the path; "" for the root.
func (n *opened) Name() string { return n.at.Path[strings.LastIndexByte(n.at.Path, '/')+1:] }

// Attrs returns the attributes. The caller may change the map, but not the values in it.
func (n *opened) Attrs() map[string]any {
	m := make(map[string]any, len(n.at.Attrs()))
	maps.Copy(m, n.at.Attrs())
	return m
}

// Options returns the options that the node was opened with, including those of [Array.With], so
// that other nodes can be opened with the same options. The caller owns the slice.
func (n *opened) Options() []Option { return slices.Clone(n.cfg.opts) }

// Attr decodes the attribute of n with the given name as a T: Attr[string](a, "units"). ok reports
// whether the attribute exists. Attr returns ErrType if the value cannot be decoded as a T.
func Attr[T any](n Node, name string) (value T, ok bool, err error) {
	v, ok := n.Attrs()[name]
	if !ok {
		return value, false, nil
	}
	if t, same := v.(T); same {
		return t, true, nil
	}
	b, err := meta.EncodeAttr(jsontext.Quoted(v)) // encoding/json cannot parse NaN
	if err != nil {
		return value, true, err
	}
	var t T
	if err := json.Unmarshal(b, &t); err != nil {
		return value, true, fault.Newf(fault.Type, "attribute %q of %q: %w", name, n.Path(), err)
	}
	return t, true, nil
}

// errf adds the store and the path of the node to an error.
func (n *opened) errf(err error) error { return n.at.Errorf(err) }

func join(path, name string) string { return node.Join(path, name) }
