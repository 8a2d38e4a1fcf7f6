package upkeep

import (
	"context"

	"github.com/zargo-io/zargo/internal/chunk/written"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/meta"
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
	// Requests counts the delete requests, without retries. Run sends these requests, puts at most
	// one object, and lists the objects again.
	Requests int64
	// Links counts symbolic links in a directory. Run removes the links and keeps their targets.
	Links int64

	at        *node.Node
	documents []string
	mark      bool // the removal takes several requests, or continues one that was interrupted
	format    int  // format of the node when it was opened, or 0
}

// RemoveOptions configures [PlanRemove].
type RemoveOptions struct {
	// Seen is called for each object, one call at a time and in no particular order. The entry's
	// key is relative to the root of the store. The default is nil.
	Seen func(store.Entry)
}

// PlanRemove lists the objects that the removal of an array, or of a group with everything below
// it, would delete. Objects below the node's path that belong to no node are included. It returns
// ErrConflict if n was opened as v2 and was migrated to v3 since.
func PlanRemove(ctx context.Context, n zarr.Node, o RemoveOptions) (*Removal, error) {
	var seen []func(store.Entry)
	if o.Seen != nil {
		seen = append(seen, o.Seen)
	}
	at := node.Of(n)
	at = at.At(n.Path())
	if err := (&Removal{at: at, format: node.Of(n).Format}).current(ctx); err != nil {
		return nil, at.Errorf(err)
	}
	r, err := planRemove(ctx, at, seen)
	if err == nil {
		r.format = node.Of(n).Format
	}
	return r, err
}

// PlanRest lists the objects that an interrupted removal, or an unfinished transfer, has left at a
// path without a node. [Removal.Run] marks a removal in progress by an object. PlanRest returns
// fault.NotFound if neither has left objects, because the objects may then be of any kind.
func PlanRest(ctx context.Context, st store.Store, path string, o RemoveOptions) (*Removal, error) {
	p, err := meta.NormalizePath(path)
	if err != nil {
		return nil, err
	}
	at := &node.Node{Store: written.Around(st), Path: p, Cfg: node.Options{MaxMetadata: maxClaim}}
	left, err := at.Removing(ctx)
	if err == nil && !left {
		_, err = at.Get(ctx, transferClaim)
	}
	if err != nil {
		return nil, at.Errorf(err)
	}
	var seen []func(store.Entry)
	if o.Seen != nil {
		seen = append(seen, o.Seen)
	}
	r, err := planRemove(ctx, at, seen)
	if err != nil {
		return nil, err
	}
	if left && !r.mark { // the mark of the interrupted removal
		r.mark = true
		r.Requests++
	}
	return r, nil
}

// transferClaim is the key, below the target of a transfer, of the object that package transfer
// stores until the copy is complete.
const transferClaim = "__zargo_transfer/claim"

// maxClaim is the maximum size in bytes of the claim of a transfer, which has at most 64 KiB.
const maxClaim = 1 << 20

func planRemove(ctx context.Context, at *node.Node, seen []func(store.Entry)) (*Removal, error) {
	b, err := at.Contents(ctx, seen...)
	if err != nil {
		return nil, at.Errorf(err)
	}
	r := &Removal{Objects: b.Objects, Bytes: b.Bytes, Unsized: b.Unsized, Links: b.Links, at: at, documents: b.Documents}
	documents, own := int64(len(b.Documents)), int64(at.OwnDocuments(b.Documents))
	for _, keys := range []int64{own, documents - own, b.Objects - documents} { // Clear deletes in these three batches
		r.Requests += store.DeleteRequests(at.Store, keys)
	}
	if r.Requests > 1 {
		r.mark = true
		r.Requests++
	}
	return r, nil
}

// Run deletes everything below the node's path. It deletes the node's own metadata first, then the
// metadata of the nodes below it, so that no reader sees metadata whose chunks are gone. It then
// lists the remaining objects and deletes them. In a store in a directory, Run finally removes the
// empty directories. It follows no symbolic links.
//
// Run ignores versions: it also deletes objects that other writers changed or added meanwhile. Keys
// written while Run is in progress may remain. If the removal takes several requests, Run first
// puts an object that marks it, and deletes this object last. If the process is killed, objects
// without metadata may remain; [PlanRest] finds them by the mark. Afterwards, call [UpdateParents]
// to update the consolidated metadata of the groups above.
//
// Run returns fault.Refused if the node's path leads through a symbolic link.
func (r *Removal) Run(ctx context.Context) error {
	err := r.current(ctx)
	if err == nil {
		err = r.at.Clear(ctx, r.documents, r.mark)
	}
	if err == nil && r.at.Path != "" {
		err = store.RemoveFolders(ctx, r.at.Store, r.at.Path)
	}
	if err != nil {
		return r.at.Errorf(err)
	}
	return nil
}

// current returns fault.Conflict if the node was opened as v2 and was migrated to v3 since.
func (r *Removal) current(ctx context.Context) error {
	if r.format != 2 {
		return nil
	}
	return r.at.Superseded(ctx)
}
