package upkeep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/internal/hierarchy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Difference is a node for which consolidated metadata is not what is stored.
type Difference struct {
	Path string // below the group; "" is the group itself, of which v2 has a copy too
	Why  string // "missing", "gone" or "changed"
}

// String gives both.
func (d Difference) String() string {
	if d.Path == "" {
		return "the group itself is " + d.Why
	}
	return fmt.Sprintf("%q is %s", d.Path, d.Why)
}

// CheckConsolidated compares the consolidated metadata that is stored of the group with the nodes
// below it, which are read one by one, and returns where they differ, by path. What g itself holds
// does not count: it is a snapshot, which Consolidate does not change. A group that was opened from
// consolidated metadata above it is compared with that. A node of another format than the group,
// which a copy cannot have, is missing in it.
//
// ErrNotFound when there is no consolidated metadata, ErrMetadata when it cannot be read. A node
// that cannot be read is an error, the first of them, and the differences of the others come with
// it.
func CheckConsolidated(ctx context.Context, g *zarr.Group) ([]Difference, error) {
	direct := append(g.Options(), zarr.IgnoreConsolidated())
	root, err := zarr.OpenGroup(ctx, g.Store(), g.Path(), direct...)
	if err != nil {
		return nil, err
	}
	copied, err := storedCopy(ctx, g, root, direct)
	if err != nil {
		return nil, errorf(hierarchy.SourceOf(g).At, err)
	}
	if copied.nodes == nil {
		return nil, errorf(hierarchy.SourceOf(g).At, fault.Newf(fault.NotFound, "no consolidated metadata"))
	}
	s, err := collect(ctx, root)
	if err != nil {
		return nil, err
	}
	out := s.compare(copied.nodes)
	if copied.ofRoot {
		switch m := copied.nodes[""]; {
		case m == nil:
			out = slices.Insert(out, 0, Difference{"", "missing"})
		case !document.Same(m, hierarchy.SourceOf(root).Model):
			out = slices.Insert(out, 0, Difference{"", "changed"})
		}
	}
	return out, s.err
}

// consolidated is consolidated metadata as it is stored.
type consolidated struct {
	nodes  map[string]meta.Node // by path; nil when there is none
	ofRoot bool                 // it has the group itself too, as ""
}

// storedCopy is the consolidated metadata that is stored of a group, which was just read as root:
// that above it from which it was taken, else its own.
func storedCopy(ctx context.Context, g, root *zarr.Group, opts []zarr.Option) (consolidated, error) {
	if holder, ok := hierarchy.SourceOf(g).Holder(); ok {
		above, err := zarr.OpenGroup(ctx, g.Store(), holder, opts...)
		if err != nil {
			return consolidated{}, err
		}
		c, err := ownCopy(ctx, above)
		if err != nil {
			return c, err
		}
		if m, ok := c.nodes[below(above.Path(), g.Path())].(*meta.Group); ok {
			return consolidated{nodes: m.Consolidated}, nil
		}
	}
	return ownCopy(ctx, root)
}

// ownCopy is the consolidated metadata in the document of a group that was just read, or beside it.
func ownCopy(ctx context.Context, g *zarr.Group) (consolidated, error) {
	if m := g.Metadata(); g.Format() == 3 {
		return consolidated{nodes: m.Consolidated}, m.Unreadable
	}
	of := hierarchy.SourceOf(g)
	v, err := of.At.Get(ctx, document.ZMetadata)
	switch {
	case errors.Is(err, fault.NotFound), errors.Is(err, fault.Refused):
		return consolidated{}, nil
	case err != nil:
		return consolidated{}, err
	}
	nodes, err := of.With.ConsolidatedV2(of.At.Key(document.ZMetadata), v.Bytes)
	return consolidated{nodes, true}, err
}

// stored are the nodes below a group, as they are stored.
type stored struct {
	root   *zarr.Group
	nodes  map[string]meta.Node // by path below the root
	broken map[string]bool      // the paths of those that cannot be read
	err    error                // of the first of them
}

// collect reads the hierarchy below a group that was just read.
func collect(ctx context.Context, g *zarr.Group) (*stored, error) {
	s := &stored{root: g, nodes: map[string]meta.Node{}, broken: map[string]bool{}}
	for n, err := range g.Walk(ctx) {
		var of *fault.MetaError
		switch {
		case err == nil:
			s.nodes[below(g.Path(), n.Path())] = source(n).Model
		case errors.As(err, &of):
			path, _ := document.Parent(of.Key)
			s.broken[below(g.Path(), path)] = true
			s.err = cmp.Or(s.err, err)
		default:
			return nil, err
		}
	}
	return s, nil
}

// compare compares the nodes with copies of them. Of what could not be read, and what is below
// that, nothing is known.
func (s *stored) compare(copies map[string]meta.Node) []Difference {
	var out []Difference
	for path, m := range copies {
		n, ok := s.nodes[path]
		switch {
		case path == "" || s.unknown(path):
		case !ok:
			out = append(out, Difference{path, "gone"})
		case !document.Same(m, n):
			out = append(out, Difference{path, "changed"})
		}
	}
	for path := range s.nodes {
		if _, ok := copies[path]; !ok {
			out = append(out, Difference{path, "missing"})
		}
	}
	slices.SortFunc(out, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// unknown reports whether the node at a path, or one above it, could not be read.
func (s *stored) unknown(path string) bool {
	for ok := true; ok && path != ""; path, ok = document.Parent(path) {
		if s.broken[path] {
			return true
		}
	}
	return false
}
