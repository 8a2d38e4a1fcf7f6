package transfer

import (
	"context"
	"errors"
	"path"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// overlay is a store with the metadata documents of a plan in front of another store. Reads of
// metadata documents return only those of the plan. Arrays therefore open without a request, and
// can be written before their documents are stored. All other keys are read from and written to the
// other store.
type overlay struct {
	store.Forward
	docs map[string]string
}

// isDocument reports whether key is that of a metadata document of v2 or v3. A v1 document is
// recognized only if the plan contains it.
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
