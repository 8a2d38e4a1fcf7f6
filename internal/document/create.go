package document

import (
	"cmp"
	"context"
	"errors"
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
	if err := n.createAncestors(ctx, format); err != nil {
		return err
	}
	if err := n.inGroup(ctx); err != nil {
		return err
	}
	if err := n.vacant(ctx, docs[0].Name, free); err != nil {
		return err
	}
	if err := n.found(ctx, &docs[0]); err != nil {
		return err
	}
	for i := range docs[1:] {
		d := &docs[1+i]
		if d.Bytes == nil {
			continue
		}
		var err error
		d.Version, err = n.put(ctx, n.Key(d.Name), d.Bytes, store.PutOptions{IfAbsent: true})
		if errors.Is(err, fault.Exists) {
			// Another writer has completed the node. The attributes may have been changed since.
			var v store.Value
			if v, err = n.Get(ctx, d.Name); err == nil {
				d.Bytes, d.Version = v.Bytes, v.Version
				// A migration did not see the attributes of this creator.
				err = n.Migrated(ctx, Stored{Key: n.Key(d.Name), Bytes: v.Bytes, Version: v.Version})
			}
		} else if err == nil {
			err = n.completed(ctx, docs[0], *d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// completed is the look of a creator of a v2 node after it has put attrs, the last document. If the
// node was removed or migrated in the meantime, attrs must not remain; see [Node.Orphaned].
func (n *Node) completed(ctx context.Context, founder, attrs Doc) error {
	if n.SingleWriter || founder.Version == "" {
		return nil
	}
	err := n.Orphaned(ctx,
		Stored{Key: n.Key(founder.Name), Bytes: founder.Bytes, Version: founder.Version},
		Stored{Key: n.Key(attrs.Name), Bytes: attrs.Bytes, Version: attrs.Version})
	if errors.Is(err, fault.NotFound) {
		err = fault.Newf(fault.Conflict, "the node was removed concurrently: %w", err)
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
func (n *Node) createAncestors(ctx context.Context, format int) error {
	above := Above(n.Path)
	return concurrency.EachN(ctx, len(above), len(above), func(ctx context.Context, i int) error {
		p := n.At(above[i])
		p.Format, p.Group = 0, nil
		for try := 1; ; try++ {
			tried, err := p.groupHere(ctx, format)
			// After fault.Exists, another creator has put a document at the path. It may be an
			// array.
			if !tried || !errors.Is(err, fault.Exists) || try == maxRaces {
				return err
			}
		}
	})
}

// groupHere creates a group unless one exists. It reports whether it tried to create the group. It
// returns fault.Exists if an array exists.
func (n *Node) groupHere(ctx context.Context, format int) (tried bool, err error) {
	docs, err := n.Find(ctx, Any)
	if err != nil && !errors.Is(err, fault.Refused) {
		return false, err
	}
	if docs.Has(ZArray) {
		return false, n.isArray()
	}
	if d, ok := docs.Docs[ZarrJSON]; ok {
		m, err := n.Parser.V3(n.Key(ZarrJSON), d.Bytes)
		if err != nil {
			return false, err
		}
		if _, isArray := m.(*meta.Array); isArray {
			return false, n.isArray()
		}
		return false, nil
	}
	if docs.Has(ZGroup) {
		return false, nil
	}
	if err := n.NoV1(ctx); err != nil {
		return false, err
	}
	group, err := OfGroup(&meta.Group{Format: format})
	if err != nil {
		return false, err
	}
	if group[0].Name == ZGroup && docs.Has(ZAttrs) {
		return false, n.adopted()
	}
	return true, n.found(ctx, &group[0])
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
		check = checkCopied
	}
	for name := range strings.SplitSeq(path, "/") {
		if err := check(name, format); err != nil {
			return err
		}
	}
	return nil
}

// checkCopied returns fault.Path if the document of a node, or of its group, has the name.
func checkCopied(name string, format int) error {
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
