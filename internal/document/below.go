package document

import (
	"cmp"
	"context"
	"slices"
	"strings"

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

// Clear deletes every object below the node: first the node's own documents, then the other
// documents, and then the remaining objects. Thus no reader finds metadata whose chunks are
// deleted. documents is the [Below].Documents of the node. Deletes are not conditional on versions.
func (n *Node) Clear(ctx context.Context, documents []string) error {
	ctx, s := n.begin(ctx)
	own := n.Own(documents)
	for _, keys := range [][]string{documents[:own], documents[own:]} {
		if len(keys) > 0 {
			if err := store.DeleteAll(ctx, s, keys); err != nil {
				return err
			}
		}
	}
	return store.DeleteBelow(ctx, s, n.Path)
}
