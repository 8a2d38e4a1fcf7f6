package node

import (
	"bytes"
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
		is, err := n.Get(ctx, d.Name)
		if err == nil {
			err = n.Migrated(ctx, is)
		}
		if err == nil && !n.Cfg.SingleWriter && founder.Version != "" {
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
		if is.Version, err = n.Swap(ctx, is, doc, "attributes cannot be changed"); err == nil {
			d.Bytes, d.Version = doc, is.Version
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
	if n.Cfg.SingleWriter || founder.Version == "" {
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

// Complete puts the missing documents of an opened node whose creator was killed. The document
// docs[0] is already stored. Complete does not change stored documents. put reports whether
// Complete put a document.
func (n *Node) Complete(ctx context.Context, docs Docs) (put bool, err error) {
	for _, d := range docs[1:] {
		if d.Bytes == nil || n.AttrsDoc.There() || n.AttrsDoc.Refused != nil {
			continue
		}
		_, err := n.put(ctx, n.Key(d.Name), d.Bytes, store.PutOptions{IfAbsent: true})
		if err != nil && !errors.Is(err, fault.Exists) {
			return put, err
		}
		put = true
	}
	return put, nil
}
