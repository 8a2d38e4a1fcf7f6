package upkeep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Difference is a node whose consolidated metadata differs from its stored documents.
type Difference struct {
	Path string // relative to the group; "" is the group itself, which v2 copies too
	Why  string // "missing" from the metadata, "gone" from the store, or "changed"
}

// String describes the difference in one line.
func (d Difference) String() string {
	if d.Path == "" {
		return "the group itself is " + d.Why
	}
	return fmt.Sprintf("%q is %s", d.Path, d.Why)
}

// CheckConsolidated compares the stored consolidated metadata of a group with the documents of the
// nodes below the group, and returns the differences in order of path. It reads the documents one
// by one. It also reads the consolidated metadata again, because g is a snapshot. If g was opened
// from consolidated metadata of a group above it, CheckConsolidated compares that metadata. A node
// whose format differs from the group's cannot be consolidated and is reported as missing.
//
// CheckConsolidated returns ErrNotFound if the group lacks consolidated metadata, and ErrMetadata
// if the consolidated metadata cannot be parsed. If nodes cannot be read, it returns the first such
// error together with the differences of the other nodes.
func CheckConsolidated(ctx context.Context, g *zarr.Group) ([]Difference, error) {
	direct := append(g.Options(), zarr.IgnoreConsolidated())
	root, err := zarr.OpenGroup(ctx, g.Store(), g.Path(), direct...)
	if err != nil {
		return nil, err
	}
	copied, err := storedCopy(ctx, g, root, direct)
	if err != nil {
		return nil, node.Of(g).Errorf(err)
	}
	if copied.nodes == nil {
		return nil, node.Of(g).Errorf(fault.Newf(fault.NotFound, "the group has no consolidated metadata"))
	}
	s, err := collect(ctx, root)
	if err != nil {
		return nil, err
	}
	out := s.compare(copied.nodes)
	if copied.ofRoot {
		switch m := copied.nodes.Node(""); {
		case m == nil:
			out = slices.Insert(out, 0, Difference{"", "missing"})
		case !node.Same(m, node.Of(root).Model):
			out = slices.Insert(out, 0, Difference{"", "changed"})
		}
	}
	return out, s.err
}

// consolidated is stored consolidated metadata of a group.
type consolidated struct {
	nodes  *meta.Copies // by path; nil if nothing is stored
	ofRoot bool         // nodes includes the group itself, as ""
}

// storedCopy returns the stored consolidated metadata of a group. root is the same group, opened
// from its current documents. If g was opened from consolidated metadata of a group above it,
// storedCopy returns that metadata; otherwise it returns the metadata stored with the group.
func storedCopy(ctx context.Context, g, root *zarr.Group, opts []zarr.Option) (consolidated, error) {
	if holder, ok := node.Of(g).Holder(); ok {
		above, err := zarr.OpenGroup(ctx, g.Store(), holder, opts...)
		if err != nil {
			return consolidated{}, err
		}
		c, err := ownCopy(ctx, above)
		if err != nil {
			return c, err
		}
		if m, ok := c.nodes.Node(node.Below(above.Path(), g.Path())).(*meta.Group); ok {
			return consolidated{nodes: m.Consolidated}, nil
		}
	}
	return ownCopy(ctx, root)
}

// ownCopy returns the consolidated metadata in the zarr.json or .zmetadata of g. The group must
// have been opened just before, from its documents.
func ownCopy(ctx context.Context, g *zarr.Group) (consolidated, error) {
	if m := g.Metadata(); g.Format() == 3 {
		return consolidated{nodes: m.Consolidated}, m.Unreadable
	}
	of := node.Of(g)
	v, err := of.Get(ctx, node.ZMetadata)
	switch {
	case errors.Is(err, fault.NotFound), errors.Is(err, fault.Refused):
		return consolidated{}, nil
	case err != nil:
		return consolidated{}, err
	}
	nodes, err := of.Parser().ConsolidatedV2(of.Key(node.ZMetadata), v.Bytes)
	return consolidated{nodes, true}, err
}

// stored holds the nodes below a group, read from their documents.
type stored struct {
	root   *zarr.Group
	nodes  map[string]meta.Node // by path relative to the root
	broken map[string]bool      // paths of the nodes that cannot be read
	err    error                // the first error
}

// collect reads the nodes below a group, which must have been opened from its current documents.
func collect(ctx context.Context, g *zarr.Group) (*stored, error) {
	s := &stored{root: g, nodes: map[string]meta.Node{}, broken: map[string]bool{}}
	for n, err := range g.Walk(ctx) {
		var of *fault.MetaError
		switch {
		case err == nil:
			s.nodes[node.Below(g.Path(), n.Path())] = node.Of(n).Model
		case errors.As(err, &of):
			path, _ := node.Parent(of.Key)
			s.broken[node.Below(g.Path(), path)] = true
			s.err = cmp.Or(s.err, err)
		default:
			return nil, err
		}
	}
	return s, nil
}

// compare returns the differences between the nodes and their copies. It skips nodes that could not
// be read, and all nodes below these.
func (s *stored) compare(copies *meta.Copies) []Difference {
	var out []Difference
	for path := range copies.Paths() {
		n, ok := s.nodes[path]
		switch {
		case path == "" || s.unknown(path):
		case !ok:
			out = append(out, Difference{path, "gone"})
		case !node.Same(copies.Node(path), n):
			out = append(out, Difference{path, "changed"})
		}
	}
	for path := range s.nodes {
		if !copies.Has(path) {
			out = append(out, Difference{path, "missing"})
		}
	}
	slices.SortFunc(out, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// unknown reports whether the node at path, or one above it, could not be read.
func (s *stored) unknown(path string) bool {
	for ok := true; ok && path != ""; path, ok = node.Parent(path) {
		if s.broken[path] {
			return true
		}
	}
	return false
}
