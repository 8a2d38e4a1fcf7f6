package document

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Create stores the documents of a new node. It first creates the missing groups above the node.
// Then it checks that no document of another node is stored at the path, and calls free. free must
// return fault.Exists if other objects are stored below the path.
//
// The first document is put on the condition that it is absent, so only one of several creators of
// that document succeeds. Creators of another format or kind put another document. So Create then
// looks for their documents and, if there is one, withdraws its own; see alone. Only the creator
// that remains puts the other documents. Create sets the Version of each stored document. It
// returns fault.Exists if the path has a node of any format, and for a v2 node also if it has a
// .zattrs, which would become the attributes of the new node.
func (n *Node) Create(ctx context.Context, format int, docs Docs, free func(context.Context) error) error {
	if err := checkNames(ctx, n.Path, format); err != nil {
		return err
	}
	above, err := n.createAncestors(ctx, format)
	if err != nil {
		return err
	}
	if err := n.inGroup(ctx); err != nil {
		return err
	}
	if err := n.vacant(ctx, docs[0].Name, free); err != nil {
		return err
	}
	if err := n.found(ctx, &docs[0], above...); err != nil {
		return err
	}
	for i := range docs[1:] {
		d := &docs[1+i]
		if d.Bytes == nil {
			continue
		}
		d.Version, err = n.put(ctx, n.Key(d.Name), d.Bytes, store.PutOptions{IfAbsent: true})
		if errors.Is(err, fault.Exists) {
			err = n.complete(ctx, docs[0], d)
		} else if err == nil {
			err = n.completed(ctx, docs[0], *d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// complete sets d, attributes whose put has met others, to the stored attributes: another writer
// has completed the node, and may have changed them since. If only the record of a migration is
// stored, complete adds the attributes to it. It returns fault.Conflict if the node was migrated,
// because the migration did not see the attributes, or removed, because the stored attributes may
// be those of a later node.
func (n *Node) complete(ctx context.Context, founder Doc, d *Doc) error {
	for try := 1; ; try++ {
		v, err := n.Get(ctx, d.Name)
		is := Stored{Key: n.Key(d.Name), Bytes: v.Bytes, Version: v.Version}
		if err == nil {
			err = n.Migrated(ctx, is)
		}
		if err == nil && !n.SingleWriter && founder.Version != "" {
			err = removed(n.Remains(ctx, Stored{Key: n.Key(founder.Name), Bytes: founder.Bytes, Version: founder.Version}))
		}
		var text, doc []byte
		if err == nil {
			text, err = Unclaimed(is)
		}
		if err != nil {
			return err
		}
		if bytes.Equal(text, is.Bytes) || strings.Trim(string(text), "{} \n\t") != "" {
			d.Bytes, d.Version = is.Bytes, is.Version
			return nil
		}
		if doc, err = KeepClaim(is, is.Key, d.Bytes); err != nil {
			return err
		}
		if v.Version, err = n.Swap(ctx, is, doc, "attributes cannot be changed"); err == nil {
			d.Bytes, d.Version = doc, v.Version
			return nil
		}
		if !errors.Is(err, fault.Conflict) || try == maxRaces {
			return err
		}
	}
}

// completed is the look of a creator of a v2 node after it has put attrs, the last document. If the
// node was removed or migrated in the meantime, attrs must not remain; see [Node.Orphaned].
func (n *Node) completed(ctx context.Context, founder, attrs Doc) error {
	if n.SingleWriter || founder.Version == "" {
		return nil
	}
	return removed(n.Orphaned(ctx,
		Stored{Key: n.Key(founder.Name), Bytes: founder.Bytes, Version: founder.Version},
		Stored{},
		Stored{Key: n.Key(attrs.Name), Bytes: attrs.Bytes, Version: attrs.Version}))
}

// removed returns a fault.Conflict for an error of [Node.Remains] that means that the node was
// removed.
func removed(err error) error {
	if errors.Is(err, fault.NotFound) {
		return fault.Newf(fault.Conflict, "the node was removed concurrently: %w", err)
	}
	return err
}

// vacant returns fault.Exists if the path has a document of a node other than name, or a .zattrs
// that a v2 node would adopt. It returns the error of free, if any.
func (n *Node) vacant(ctx context.Context, name string, free func(context.Context) error) error {
	others := rivals(name)
	if name != ZarrJSON {
		others = append(others, ZAttrs)
	}
	found := make([]error, len(others)+1) // the first error by index is returned, whichever occurs first
	// mine returns a clearer error than err if the document name exists.
	mine := func(ctx context.Context, err error) error {
		if is, look := n.Look(ctx, name); look == nil && is.There() {
			return fault.Newf(fault.Exists, "%q exists", n.Key(name))
		}
		return err
	}
	err := concurrency.EachN(ctx, len(found), len(found), func(ctx context.Context, i int) error {
		if i == len(others) {
			found[i] = free(ctx)
			if errors.Is(found[i], fault.Exists) {
				found[i] = mine(ctx, found[i])
			}
			return nil
		}
		switch _, err := n.Get(ctx, others[i]); {
		case err == nil && others[i] == ZAttrs:
			found[i] = mine(ctx, n.adopted())
		case err == nil:
			found[i] = fault.Newf(fault.Exists, "%q exists", n.Key(others[i]))
		case !errors.Is(err, fault.NotFound) && !errors.Is(err, fault.Refused):
			found[i] = err
		}
		return nil
	})
	return cmp.Or(append(found, err)...)
}

// adopted is the error for a .zattrs without a node.
func (n *Node) adopted() error {
	return fault.Newf(fault.Exists, "%q exists and would become the attributes of the new node; delete it first", n.Key(ZAttrs))
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
		p.Format, p.Group = 0, nil
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

// ground is a group above a node that is created.
type ground struct {
	at     *Node
	doc    Doc  // the document that makes the path a group; perhaps without Bytes
	own    bool // this process has created the group, so nobody withdraws it
	format int  // of the group, if it must be created
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
		c, s := g.at.begin(ctx)
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
	if at.Expect = format; format == 2 {
		at.Expect = anyFormat
	}
	docs, err := at.Find(ctx, Any)
	if err != nil && !errors.Is(err, fault.Refused) {
		return doc, false, err
	}
	if docs.Has(ZArray) {
		return doc, false, n.isArray()
	}
	if d, ok := docs.Docs[ZarrJSON]; ok {
		m, err := n.Parser.V3(n.Key(ZarrJSON), d.Bytes)
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

// copying is the key of a context in which nodes are copied.
type copying struct{}

// Copying returns a context for the copies of existing nodes. In this context, Create accepts the
// names that other programs have created although the formats reserve them, such as
// "__xarray_dataarray_variable__" in v3, and names with control characters.
func Copying(ctx context.Context) context.Context { return context.WithValue(ctx, copying{}, true) }

// checkNames returns an error if the format does not allow a segment of path as the name of a new
// node.
func checkNames(ctx context.Context, path string, format int) error {
	if path == "" {
		return nil
	}
	check := meta.CheckName
	if ctx.Value(copying{}) != nil {
		check = CheckCopied
	}
	for name := range strings.SplitSeq(path, "/") {
		if err := check(name, format); err != nil {
			return err
		}
	}
	return nil
}

// CheckCopied returns fault.Path if a copy of a node cannot have the name, because the document of
// a node, or of its group, has it.
func CheckCopied(name string, format int) error {
	switch name {
	case ZarrJSON:
		format = 5 - format
	case ZArray, ZGroup, ZAttrs, ZMetadata:
	default:
		_, err := meta.NormalizePath(name)
		return err
	}
	if format == 2 {
		return fault.Newf(fault.Path, "a copy cannot have the name %q, which is that of a document", name)
	}
	return nil
}
