package upkeep

import (
	"context"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// Removal describes the objects that the removal of a node deletes. [PlanRemove] counts the objects
// in one listing; Run deletes them.
type Removal struct {
	// Objects counts all objects below the node's path, including those that belong to no node.
	Objects int64
	// Bytes is the total size of the objects whose size the listing includes.
	Bytes int64
	// Unsized counts objects whose size the listing does not include.
	Unsized int64
	// Requests counts the delete requests, without retries. Run sends these requests and lists the
	// objects again.
	Requests int64
	// Links counts symbolic links in a directory. Run removes the links and keeps their targets.
	Links int64

	at        *document.Node
	documents []string
}

// RemoveOptions configures [PlanRemove].
type RemoveOptions struct {
	// Seen is called for each object, one call at a time and in no particular order. The entry's
	// key is relative to the root of the store. The default is nil.
	Seen func(store.Entry)
}

// PlanRemove lists the objects that the removal of an array, or of a group with everything below
// it, would delete. Objects below the node's path that belong to no node are included.
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
	for _, keys := range []int64{own, documents - own, b.Objects - documents} { // Clear deletes in these three batches
		r.Requests += store.DeleteRequests(at.Store, keys)
	}
	return r, nil
}

// Run deletes everything below the node's path. It deletes the node's own metadata first, then the
// metadata of the nodes below it, so that no reader sees metadata whose chunks are gone. It then
// lists the remaining objects and deletes them. In a store in a directory, Run finally removes the
// empty directories. It follows no symbolic links.
//
// Run ignores versions: it also deletes objects that other writers changed or added meanwhile. Keys
// written while Run is in progress may remain. If the process is killed, objects without metadata
// may remain; [store.DeleteBelow] deletes these. Afterwards, call [UpdateAbove] to update the
// consolidated metadata of the groups above.
//
// Run returns fault.Refused if the node's path leads through a symbolic link.
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
