package node

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// ground is a group above a node that is created.
type ground struct {
	at     *Node
	doc    Doc  // the document that makes the path a group; perhaps without Bytes
	own    bool // this process has created the group, so nobody withdraws it
	format int  // of the group, if it must be created
}

// createAncestors creates the missing groups above the node. It does not change existing groups of
// any format. It returns fault.Exists if there is an array above the node.
func (n *Node) createAncestors(ctx context.Context, format int) ([]ground, error) {
	paths := Above(n.Path)
	if opened, ok := ctx.Value(within{}).(string); ok {
		paths = slices.DeleteFunc(paths, func(p string) bool {
			return p == opened || slices.Contains(Above(opened), p)
		})
	}
	return n.groupsAt(ctx, paths, format)
}

// within is the key of the path in a context of [Within].
type within struct{}

// Within returns a context in which Create neither reads nor creates the group at path, which the
// caller has opened, and the groups above it. The caller must prove afterwards that the group
// remains, for example by a put in place of the document that it has read.
func Within(ctx context.Context, path string) context.Context {
	return context.WithValue(ctx, within{}, path)
}

// groupsAt creates the missing groups at paths. If one fails, the others continue: a put that was
// canceled may arrive later, when its creator no longer looks for other nodes.
func (n *Node) groupsAt(ctx context.Context, paths []string, format int) ([]ground, error) {
	list, errs := make([]ground, len(paths)), make([]error, len(paths))
	err := concurrency.EachN(ctx, max(len(paths), 1), len(paths), func(ctx context.Context, i int) error {
		p := n.At(paths[i])
		p.Cfg.Format, p.in = 0, nil
		list[i], errs[i] = p.group(ctx, format)
		return nil
	})
	return list, cmp.Or(append(errs, err)...)
}

// Groups creates the groups of a format at paths above a new node, unless they exist. It returns
// fault.Exists if a path has an array. The caller calls hold after it has put the node. hold
// returns fault.Exists if one of the groups has become an array, and creates groups that were
// withdrawn.
func (n *Node) Groups(ctx context.Context, paths []string, format int) (hold func(context.Context) error, err error) {
	list, err := n.groupsAt(ctx, paths, format)
	return func(ctx context.Context) error {
		errs := make([]error, len(list))
		err := concurrency.EachN(ctx, max(len(list), 1), len(list), func(ctx context.Context, i int) error {
			errs[i] = list[i].holds(ctx) // may put a group, as groupsAt
			return nil
		})
		return cmp.Or(append(errs, err)...)
	}, err
}

// group creates a group unless one exists. It returns fault.Exists if an array exists.
func (n *Node) group(ctx context.Context, format int) (ground, error) {
	for try := 1; ; try++ {
		doc, tried, err := n.groupHere(ctx, format)
		// After fault.Exists, another creator has put a document at the path. It may be an array.
		if !tried || !errors.Is(err, fault.Exists) || try == maxRaces {
			return ground{n, doc, tried, format}, err
		}
	}
}

// holds is the second look at a group above a node, after the node was put. The creator of the
// group may have withdrawn it, and another node may have been created in its place. holds then
// creates the group again, or returns fault.Exists if the path has an array. If nothing has
// changed, it sends two requests, and three in v2.
func (g ground) holds(ctx context.Context) error {
	if g.own {
		return nil
	}
	same := make([]bool, 2)
	err := concurrency.EachN(ctx, len(same), len(same), func(ctx context.Context, i int) error {
		if i > 0 {
			is, err := g.at.Look(ctx, ZArray)
			same[i] = err == nil && !is.There()
			return nil
		}
		c, s := g.at.Begin(ctx)
		_, err := s.Get(c, g.at.Key(g.doc.Name), store.GetOptions{IfNotVersion: g.doc.Version, Range: store.Within(0, 1)}, nil)
		same[i] = errors.Is(err, fault.Unchanged)
		return nil
	})
	if err == nil && same[0] && same[1] && g.doc.Name == ZGroup {
		// A migration puts zarr.json before it deletes .zarray.
		is, look := g.at.Look(ctx, ZarrJSON)
		same[1] = look == nil && !is.There()
	}
	if err != nil || same[0] && same[1] {
		return err
	}
	if g.doc.Name == ZarrJSON {
		// A reader takes a zarr.json that is about to be withdrawn for the group.
		if err := g.at.Met(ctx, ZArray); err != nil && !errors.Is(err, fault.Exists) {
			return err
		}
	}
	_, err = g.at.group(ctx, g.format)
	return err
}

// groupHere creates a group unless one exists. It returns the document of the group, and reports
// whether it tried to create the group. It returns fault.Exists if an array exists.
func (n *Node) groupHere(ctx context.Context, format int) (doc Doc, tried bool, err error) {
	// Nearly all groups above a new node have its format. Before a v2 group is created, a .zattrs
	// without a node must be found too.
	at := n.At(n.Path)
	if at.expect = format; format == 2 {
		at.expect = anyFormat
	}
	docs, err := at.Find(ctx, Any)
	if err != nil && !errors.Is(err, fault.Refused) {
		return doc, false, err
	}
	if docs.Has(ZArray) {
		return doc, false, n.isArray()
	}
	if d, ok := docs.Docs[ZarrJSON]; ok {
		m, err := n.Plain().V3(n.Key(ZarrJSON), d.Bytes)
		if err != nil {
			return doc, false, err
		}
		if _, isArray := m.(*meta.Array); isArray {
			return doc, false, n.isArray()
		}
		return Doc{Name: ZarrJSON, Version: d.Version}, false, nil
	}
	if docs.Has(ZGroup) {
		return Doc{Name: ZGroup, Version: docs.Docs[ZGroup].Version}, false, nil
	}
	if err := n.NoV1(ctx); err != nil {
		return doc, false, err
	}
	group, err := OfGroup(&meta.Group{Format: format})
	if err != nil {
		return doc, false, err
	}
	if group[0].Name == ZGroup && docs.Has(ZAttrs) {
		return doc, false, n.adopted()
	}
	err = n.found(ctx, &group[0])
	return group[0], true, err
}

func (n *Node) isArray() error {
	return fault.Newf(fault.Exists, "a node cannot be created below the array %q", n.Path)
}

// adopted is the error for a .zattrs without a node.
func (n *Node) adopted() error {
	return fault.Newf(fault.Exists, "%q exists and would become the attributes of the new node; delete it first", n.Key(ZAttrs))
}
