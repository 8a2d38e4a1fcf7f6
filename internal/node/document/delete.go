package document

import (
	"context"
	"errors"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Delete deletes documents one after another, each on the condition that the stored document still
// has the version that was read. For a store without versions it returns errors.ErrUnsupported. If
// SingleWriter is set, Delete deletes without conditions.
func (n *Node) Delete(ctx context.Context, docs ...Stored) error {
	for _, d := range docs {
		if d.Version == "" && !n.SingleWriter {
			return store.NoVersions(n.Store, "nothing can be removed")
		}
		if err := n.delete(ctx, d.Key, d.Version); err != nil {
			return err
		}
	}
	return nil
}

// delete deletes the document at key if it has version v. If SingleWriter is set or v is "", it
// deletes the document without a condition.
func (n *Node) delete(ctx context.Context, key string, v store.Version) error {
	if n.SingleWriter {
		v = ""
	}
	ctx, s := n.begin(ctx)
	return s.Delete(ctx, key, store.DeleteOptions{IfVersion: v})
}

// Remove deletes the array at the node's path, if one exists: first its metadata, then its chunks.
// If both zarr.json and v2 documents exist, zarr.json is deleted first. Before Remove deletes the
// documents of a v1 array, it passes them to the function v1, and returns the error of v1, if any.
// Remove returns fault.Exists if the node is a group.
func (n *Node) Remove(ctx context.Context, v1 func(Set) error) error {
	all := n.At(n.Path)
	all.Format, all.Expect = 0, anyFormat // a .zattrs without a node counts too
	suffix := ""
	for {
		docs, err := all.Find(ctx, Any)
		if err != nil {
			return err
		}
		if d, ok := docs.Docs[ZarrJSON]; ok {
			if m, err := n.Parser.V3(n.Key(ZarrJSON), d.Bytes); err == nil {
				switch m := m.(type) {
				case *meta.Group:
					return fault.Newf(fault.Exists, "a group exists at this path")
				case *meta.Array:
					suffix = m.Keys.Suffix
				}
			}
		}
		if docs.Has(ZGroup) {
			return fault.Newf(fault.Exists, "a group exists at this path")
		}
		if len(docs.Docs) == 0 {
			if err := n.removeV1(ctx, v1); err != nil {
				return err
			}
			return n.removeChunks(ctx, suffix)
		}
		for _, name := range []string{ZarrJSON, ZArray, ZAttrs} {
			if d, ok := docs.Docs[name]; ok {
				if err := n.delete(ctx, n.Key(name), d.Version); err != nil {
					return err
				}
			}
		}
	}
}

// removeV1 deletes the metadata of a v1 array, if one exists and check returns nil for it.
func (n *Node) removeV1(ctx context.Context, check func(Set) error) error {
	if err := n.NoV1(ctx); err == nil || !errors.Is(err, fault.Exists) {
		return err
	}
	docs, err := n.FindV1(ctx)
	if err != nil || !docs.Has(V1Array) { // it was deleted after NoV1 found it
		return err
	}
	if err := check(docs); err != nil {
		return err
	}
	old := []Stored{n.Stored(docs, V1Array)}
	if docs.Has(V1Attrs) {
		old = append(old, n.Stored(docs, V1Attrs))
	}
	return n.Delete(ctx, old...)
}

// removeChunks deletes each object below the node whose key has the form of a chunk key in any
// format, or that form followed by suffix. If a symbolic link has such a name, removeChunks removes
// the link but not the linked chunks.
func (n *Node) removeChunks(ctx context.Context, suffix string) error {
	ctx, s := n.begin(ctx)
	return store.DeleteSeq(ctx, s, func(yield func(string, error) bool) {
		for e, err := range store.ListAll(ctx, s, n.Path, store.ListOptions{NoFollow: true}) {
			below := n.below(e.Key)
			if err == nil && !isChunkKey(below) && !isChunkKey(strings.TrimSuffix(below, suffix)) {
				continue
			}
			if !yield(e.Key, err) {
				return
			}
		}
	})
}

// isChunkKey reports whether a key below an array has the form of a chunk key: "c", "c/0/1",
// "c.0.1", "0.1" or "0/1".
func isChunkKey(key string) bool {
	if key == "c" {
		return true
	}
	if rest, ok := strings.CutPrefix(key, "c"); ok {
		if rest[0] != '/' && rest[0] != '.' {
			return false
		}
		key = rest[1:]
	}
	for part := range strings.FieldsFuncSeq(key, func(r rune) bool { return r == '/' || r == '.' }) {
		if strings.Trim(part, "0123456789") != "" {
			return false
		}
	}
	return key != ""
}
