package overlay

import (
	"context"
	"errors"
	"path"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// New returns a store that reads metadata documents only from docs, and all other keys from st. It
// forwards puts to st. The keys of docs are relative to the root of st. The caller must not change
// docs afterwards.
func New(st store.Store, docs map[string]string) store.Store {
	return &overlay{store.Forward{Store: st}, docs}
}

type overlay struct {
	store.Forward
	docs map[string]string
}

// isDocument reports whether key is the key of a v2 or v3 metadata document. It does not recognize
// v1 documents. Get reads a v1 document from docs if docs contains it, and otherwise from the store
// below.
func isDocument(key string) bool {
	switch path.Base(key) {
	case "zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata":
		return true
	}
	return false
}

// Get implements [store.Store].
func (o *overlay) Get(ctx context.Context, key string, opts store.GetOptions, buf []byte) (store.Value, error) {
	doc, ok := o.docs[key]
	switch {
	case !ok && !isDocument(key):
		return o.Store.Get(ctx, key, opts, buf)
	case !ok:
		return store.Value{}, &fault.KeyError{Op: "get", Store: o.String(), Key: key, Err: fault.NotFound}
	case opts.Max > 0 && int64(len(doc)) > opts.Max:
		return store.Value{}, &fault.KeyError{Op: "get", Store: o.String(), Key: key, Err: &store.TooLong{Announced: int64(len(doc)), Max: opts.Max}}
	case !opts.Range.IsWhole():
		return store.Value{}, &fault.KeyError{Op: "get", Store: o.String(), Key: key, Err: errors.ErrUnsupported}
	}
	return store.Value{Bytes: append(buf, doc...), Size: int64(len(doc))}, nil
}
