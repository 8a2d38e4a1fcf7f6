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
// The first document is put on the condition that it is absent, so only one of several creators
// succeeds. Only this creator puts the other documents. Create sets the Version of each stored
// document. It returns fault.Exists if the path has a node of any format.
func (n *Node) Create(ctx context.Context, format int, docs Docs, free func(context.Context) error) error {
	if err := checkNames(ctx, n.Path, format); err != nil {
		return err
	}
	if err := n.createAncestors(ctx, format); err != nil {
		return err
	}
	// A node of another format would be hidden by the new node or would hide the new node.
	var others []string
	for _, name := range []string{ZarrJSON, ZArray, ZGroup} {
		if name != docs[0].Name {
			others = append(others, name)
		}
	}
	found := make([]error, len(others)+1) // the first error by index is returned, whichever occurs first
	err := concurrency.EachN(ctx, len(found), len(found), func(ctx context.Context, i int) error {
		if i == len(others) {
			found[i] = free(ctx)
			if errors.Is(found[i], fault.Exists) {
				if is, err := n.Look(ctx, docs[0].Name); err == nil && is.There() { // the message is clearer
					found[i] = fault.Newf(fault.Exists, "%q exists", n.Key(docs[0].Name))
				}
			}
			return nil
		}
		switch _, err := n.Get(ctx, others[i]); {
		case err == nil:
			found[i] = fault.Newf(fault.Exists, "%q exists", n.Key(others[i]))
		case !errors.Is(err, fault.NotFound) && !errors.Is(err, fault.Refused):
			found[i] = err
		}
		return nil
	})
	if err = cmp.Or(append(found, err)...); err != nil {
		return err
	}
	for i := range docs {
		d := &docs[i]
		if d.Bytes == nil {
			continue
		}
		d.Version, err = n.put(ctx, n.Key(d.Name), d.Bytes, store.PutOptions{IfAbsent: true})
		if i > 0 && errors.Is(err, fault.Exists) {
			// Another writer has completed the node. The attributes may have been changed since.
			var v store.Value
			v, err = n.Get(ctx, d.Name)
			d.Bytes, d.Version = v.Bytes, v.Version
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// createAncestors creates the missing groups above the node. It does not change existing groups of
// any format. It returns fault.Exists if there is an array above the node.
func (n *Node) createAncestors(ctx context.Context, format int) error {
	above := Above(n.Path)
	return concurrency.EachN(ctx, len(above), len(above), func(ctx context.Context, i int) error {
		p := n.At(above[i])
		p.Format = 0
		docs, err := p.Find(ctx, Any)
		if err != nil && !errors.Is(err, fault.Refused) {
			return err
		}
		if docs.Has(ZArray) {
			return fault.Newf(fault.Exists, "a node cannot be created below the array %q", p.Path)
		}
		if d, ok := docs.Docs[ZarrJSON]; ok {
			m, err := p.Parser.V3(p.Key(ZarrJSON), d.Bytes)
			if err != nil {
				return err
			}
			if _, isArray := m.(*meta.Array); isArray {
				return fault.Newf(fault.Exists, "a node cannot be created below the array %q", p.Path)
			}
			return nil
		}
		if docs.Has(ZGroup) {
			return nil
		}
		if err := p.NoV1(ctx); err != nil {
			return err
		}
		group, err := OfGroup(&meta.Group{Format: format})
		if err != nil {
			return err
		}
		_, err = p.put(ctx, p.Key(group[0].Name), group[0].Bytes, store.PutOptions{IfAbsent: true})
		if errors.Is(err, fault.Exists) {
			return nil // another writer has created it in the meantime
		}
		return err
	})
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
