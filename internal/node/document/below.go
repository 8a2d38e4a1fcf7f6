package document

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Below is a summary of the objects stored below a node, including the node's own documents.
type Below struct {
	Objects   int64
	Bytes     int64    // total size of the objects whose size the listing reports
	Unsized   int64    // objects whose size the listing does not report
	Links     int64    // objects that are symbolic links
	Documents []string // keys of metadata documents, ordered by depth and then by key
}

// Below lists the objects below the node and calls every function in seen for each object. Like
// [Node.Clear], it does not follow symbolic links.
func (n *Node) Below(ctx context.Context, seen ...func(store.Entry)) (b Below, err error) {
	ctx, s := n.begin(ctx)
	for e, err := range store.ListAll(ctx, s, n.Path, store.ListOptions{NoFollow: true}) {
		if err != nil {
			return Below{}, err
		}
		if e.Key == n.Key(removing) {
			continue
		}
		for _, f := range seen {
			f(e)
		}
		b.Objects++
		if e.Link != "" {
			b.Links++
		}
		if e.Size < 0 {
			b.Unsized++
		} else {
			b.Bytes += e.Size
		}
		switch e.Key[strings.LastIndexByte(e.Key, '/')+1:] {
		case ZarrJSON, ZArray, ZGroup, ZAttrs, ZMetadata, V1Array, V1Attrs:
			b.Documents = append(b.Documents, e.Key)
		}
	}
	slices.SortFunc(b.Documents, func(x, y string) int {
		return cmp.Or(cmp.Compare(strings.Count(x, "/"), strings.Count(y, "/")), cmp.Compare(x, y))
	})
	return b, nil
}

// Own returns how many of the documents are the node's own. documents is a [Below].Documents, which
// begins with the node's own documents.
func (n *Node) Own(documents []string) (own int) {
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
	ctx, s := n.begin(ctx)
	_, err := s.Get(ctx, n.Key(removing), store.GetOptions{Max: 1}, nil)
	if errors.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// Clear deletes every object below the node: first the node's own documents, then the other
// documents, and then the remaining objects. Thus no reader finds metadata whose chunks are
// deleted. documents is the [Below].Documents of the node. Deletes are not conditional on versions.
//
// If mark is set, Clear first puts an object that marks the removal, and deletes it last, so that
// an interrupted removal can be told from other objects; see Removing. A failure to put it is
// ignored: a full disk, or permissions only to delete, must not prevent the removal.
func (n *Node) Clear(ctx context.Context, documents []string, mark bool) error {
	ctx, s := n.begin(ctx)
	if mark {
		_, err := s.Put(ctx, n.Key(removing), nil, store.PutOptions{})
		mark = err == nil
	}
	own := n.Own(documents)
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
