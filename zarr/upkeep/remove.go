package upkeep

import (
	"context"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// Removal is what removing a node deletes. [PlanRemove] makes it by one listing, and nothing is
// deleted before Run.
type Removal struct {
	Objects  int64 // below the node's path, whatever they are
	Bytes    int64 // of them
	Unsized  int64 // objects whose size the listing does not say
	Requests int64 // that delete, if none is repeated; Run lists once more besides
	Links    int64 // objects that are symbolic links in a directory: Run removes them, and what they lead to stays

	at        *document.Node
	documents []string
}

// RemoveOptions say what [PlanRemove] does besides.
type RemoveOptions struct {
	// Seen is called for each object, one call at a time and in no promised order. The key of the
	// entry is below the root of the store.
	Seen func(store.Entry)
}

// PlanRemove finds what there is to remove of an array, or of a group with all that is below it,
// keys that belong to no node among it.
func PlanRemove(ctx context.Context, n zarr.Node, o RemoveOptions) (*Removal, error) {
	var seen []func(store.Entry)
	if o.Seen != nil {
		seen = append(seen, o.Seen)
	}
	at := source(n).At
	at = at.At(n.Path())
	b, err := at.Below(ctx, seen...)
	if err != nil {
		return nil, errorf(at, err)
	}
	r := &Removal{Objects: b.Objects, Bytes: b.Bytes, Unsized: b.Unsized, Links: b.Links, at: at, documents: b.Documents}
	documents, own := int64(len(b.Documents)), int64(at.Own(b.Documents))
	for _, keys := range []int64{own, documents - own, b.Objects - documents} { // as Clear deletes them
		r.Requests += store.DeleteRequests(at.Store, keys)
	}
	return r, nil
}

// Run deletes everything below the node's path: the node's own metadata first, then that of the
// nodes below it, then the chunks and all else while these are listed, so that no reader sees
// metadata over chunks that are gone. In a directory it then removes the empty folders, and it
// follows no symbolic link. A process that is killed in between leaves objects without a node,
// which [store.DeleteBelow] deletes. It ignores versions: what others have changed or written
// meanwhile is deleted too. Keys that are written while it runs may stay. [UpdateAbove] then
// updates consolidated metadata of groups above.
//
// fault.Refused: the node's path leads through a symbolic link.
func (r *Removal) Run(ctx context.Context) error {
	err := r.at.Clear(ctx, r.documents)
	if err == nil && r.at.Path != "" {
		err = store.RemoveFolders(ctx, r.at.Store, r.at.Path)
	}
	if err != nil {
		return errorf(r.at, err)
	}
	return nil
}
