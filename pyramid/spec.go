package pyramid

import (
	"context"
	"errors"
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/internal/copying/claimed"
	"github.com/zargo-io/zargo/internal/copying/overlay"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// resized returns the spec of array a with another shape. It keeps the shapes of chunks and shards,
// but shortens them if the new shape is smaller.
func resized(a *zarr.Array, shape []int) (zarr.Spec, error) {
	spec := a.Spec()
	spec.Shape = shape
	if spec.Chunks == nil || a.Sharded() && spec.Shards == nil && !ownSharding(spec) {
		return spec, fault.Newf(errors.ErrUnsupported, "the chunks of %q differ in shape", a.Path())
	}
	if ownSharding(spec) { // spec.Chunks is the shape of a shard; the codec fixes its inner chunks
		return spec, nil
	}
	spec.Chunks, spec.Shards = slices.Clone(spec.Chunks), slices.Clone(spec.Shards)
	for d, n := range shape {
		spec.Chunks[d] = max(min(spec.Chunks[d], n), 1)
		if spec.Shards != nil {
			c := spec.Chunks[d]
			spec.Shards[d] = min(spec.Shards[d]/c, max(ceil(n, c), 1)) * c
		}
	}
	return spec, nil
}

// ownSharding reports whether the spec describes shards by the codec sharding_indexed in Codecs
// instead of by Shards.
func ownSharding(spec zarr.Spec) bool {
	return slices.ContainsFunc(spec.Codecs, func(c codec.Spec) bool { return c.Name == "sharding_indexed" })
}

// unpublished is an array whose documents are not stored yet.
type unpublished struct {
	array *zarr.Array
	docs  claimed.Documents
}

// prepare returns an array whose chunks can be written before its documents are stored.
func prepare(ctx context.Context, st store.Store, path string, spec zarr.Spec, opts []zarr.Option) (unpublished, error) {
	memory := account.Uncounted(mem.New())
	if _, err := zarr.Create(ctx, memory, path, spec, opts...); err != nil {
		return unpublished{}, err
	}
	a, err := zarr.OpenArray(ctx, memory, path, opts...)
	if err != nil {
		return unpublished{}, err
	}
	made, err := a.Documents()
	if err != nil {
		return unpublished{}, err
	}
	docs := claimed.Documents{Store: st, Target: path, Texts: map[string]string{}}
	for key, doc := range made {
		docs.Texts[key] = string(doc)
	}
	a, err = zarr.OpenArray(ctx, overlay.New(st, docs.Texts), path, opts...)
	return unpublished{a, docs}, err
}

// stored reports whether an array with the same documents is stored. It returns fault.Exists if a
// node with other documents is stored at the path.
func (u unpublished) stored(ctx context.Context, st store.Store, opts []zarr.Option) (bool, error) {
	n, err := zarr.Open(ctx, st, u.array.Path(), append(slices.Clone(opts), zarr.IgnoreConsolidated())...)
	switch {
	case errors.Is(err, fault.NotFound):
		return false, nil
	case err != nil:
		return false, err
	}
	docs, err := n.Documents()
	if err != nil {
		return false, err
	}
	for key, doc := range u.docs.Texts {
		if string(docs[key]) != doc {
			return false, fault.Newf(fault.Exists, "another node is stored at %q: remove it first", u.array.Path())
		}
	}
	return true, nil
}

// maxDocument is the maximum size in bytes of the objects that this package reads without package
// zarr.
const maxDocument = 64 << 20
