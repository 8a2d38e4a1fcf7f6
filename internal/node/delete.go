package node

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Remove deletes the array at the node's path, if one exists: first its metadata, then its chunks.
// If both zarr.json and v2 documents exist, zarr.json is deleted first. Before Remove deletes the
// documents of a v1 array, it passes them to the function v1, and returns the error of v1, if any.
// Remove returns fault.Exists if the node is a group.
func (n *Node) Remove(ctx context.Context, v1 func(Set) error) error {
	all := n.At(n.Path)
	all.Cfg.Format, all.expect = 0, anyFormat // a .zattrs without a node counts too
	suffix := ""
	for {
		docs, err := all.Find(ctx, Any)
		if err != nil {
			return err
		}
		if d, ok := docs.Docs[ZarrJSON]; ok {
			if m, err := n.Plain().V3(n.Key(ZarrJSON), d.Bytes); err == nil {
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
	ctx, s := n.Begin(ctx)
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

// Contents is a summary of the objects stored below a node, including the node's own documents.
type Contents struct {
	Objects   int64
	Bytes     int64    // total size of the objects whose size the listing reports
	Unsized   int64    // objects whose size the listing does not report
	Links     int64    // objects that are symbolic links
	Documents []string // keys of metadata documents, ordered by depth and then by key
}

// Contents lists the objects below the node and calls every function in seen for each object. Like
// [Node.Clear], it does not follow symbolic links.
func (n *Node) Contents(ctx context.Context, seen ...func(store.Entry)) (c Contents, err error) {
	ctx, s := n.Begin(ctx)
	for e, err := range store.ListAll(ctx, s, n.Path, store.ListOptions{NoFollow: true}) {
		if err != nil {
			return Contents{}, err
		}
		if e.Key == n.Key(removing) {
			continue
		}
		for _, f := range seen {
			f(e)
		}
		c.Objects++
		if e.Link != "" {
			c.Links++
		}
		if e.Size < 0 {
			c.Unsized++
		} else {
			c.Bytes += e.Size
		}
		switch e.Key[strings.LastIndexByte(e.Key, '/')+1:] {
		case ZarrJSON, ZArray, ZGroup, ZAttrs, ZMetadata, V1Array, V1Attrs:
			c.Documents = append(c.Documents, e.Key)
		}
	}
	slices.SortFunc(c.Documents, func(x, y string) int {
		return cmp.Or(cmp.Compare(strings.Count(x, "/"), strings.Count(y, "/")), cmp.Compare(x, y))
	})
	return c, nil
}

// OwnDocuments returns how many of the documents are the node's own. documents is a [Contents].Documents, which
// begins with the node's own documents.
func (n *Node) OwnDocuments(documents []string) (own int) {
	for own < len(documents) && !strings.Contains(n.below(documents[own]), "/") {
		own++
	}
	return own
}

// removing is the name of an object that marks a node whose removal is in progress or was
// interrupted. Names with the prefix "__" are reserved, so it is never a node or a chunk.
const removing = "__zargo_rm"

// Removing reports whether a removal of the node was interrupted after it deleted the documents.
func (n *Node) Removing(ctx context.Context) (bool, error) {
	ctx, s := n.Begin(ctx)
	_, err := s.Get(ctx, n.Key(removing), store.GetOptions{Max: 1}, nil)
	if errors.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// Clear deletes every object below the node: first the node's own documents, then the other
// documents, and then the remaining objects. Thus no reader finds metadata whose chunks are
// deleted. documents is the [Contents].Documents of the node. Deletes are not conditional on versions.
//
// If mark is set, Clear first puts an object that marks the removal, and deletes it last, so that
// an interrupted removal can be told from other objects; see Removing. A failure to put it is
// ignored: a full disk, or permissions only to delete, must not prevent the removal.
func (n *Node) Clear(ctx context.Context, documents []string, mark bool) error {
	ctx, s := n.Begin(ctx)
	if mark {
		_, err := s.Put(ctx, n.Key(removing), nil, store.PutOptions{})
		mark = err == nil
	}
	own := n.OwnDocuments(documents)
	for _, keys := range [][]string{documents[:own], documents[own:]} {
		if len(keys) > 0 {
			if err := store.DeleteAll(ctx, s, keys); err != nil {
				return err
			}
		}
	}
	marked := false
	err := store.DeleteSeq(ctx, s, func(yield func(string, error) bool) {
		for e, err := range store.ListAll(ctx, s, n.Path, store.ListOptions{NoFollow: true}) {
			if err == nil && e.Key == n.Key(removing) {
				marked = true
				continue
			}
			if !yield(e.Key, err) {
				return
			}
		}
	})
	if err == nil && (mark || marked) {
		err = s.Delete(ctx, n.Key(removing), store.DeleteOptions{})
	}
	return err
}

// betweenChecks is the number of keys that DeleteHeld deletes between two checks of the claim.
const betweenChecks = 1000

// DeleteHeld lists the objects below the node and, during the listing, deletes each object if
// chosen returns true. Before every 1000 deletes it checks that h still holds its claim. If this
// check fails, DeleteHeld returns the error of the check.
func (n *Node) DeleteHeld(ctx context.Context, h *Held, chosen func(e store.Entry, key string) bool) error {
	ctx, s := n.Begin(ctx)
	deleted := 0
	return store.DeleteSeq(ctx, s, func(yield func(string, error) bool) {
		for e, err := range store.ListAll(ctx, s, n.Path, store.ListOptions{}) {
			if err == nil && !chosen(e, n.below(e.Key)) {
				continue
			}
			if err == nil && deleted%betweenChecks == 0 {
				err = h.Check(ctx)
			}
			if deleted++; !yield(e.Key, err) || err != nil {
				return
			}
		}
	})
}
