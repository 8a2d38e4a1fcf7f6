package document

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/store"
)

// Below is what is stored below a node, its own documents among it.
type Below struct {
	Objects   int64
	Bytes     int64    // without those whose size the listing does not say
	Unsized   int64    // objects
	Links     int64    // objects that are symbolic links, which are not followed
	Documents []string // keys of metadata documents; those of outer nodes come first
}

// Below lists what is stored below the node, and calls each of seen for each object. Symbolic links
// are not followed, as Clear does not follow them.
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

// Own is how many of the documents that Below found are the node's own, which come first.
func (n *Node) Own(documents []string) (own int) {
	for own < len(documents) && !strings.Contains(n.below(documents[own]), "/") {
		own++
	}
	return own
}

// Clear deletes everything below the node: its own documents first, then the others of those that
// Below found, and then the rest, so that no reader sees metadata over chunks that are gone.
// Nothing is asked about versions.
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
