package upkeep

import (
	"context"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// CorrectKeys changes an array's metadata so that it declares the chunk key layout of the stored
// chunks. It changes the member dimension_separator in v2 and chunk_key_encoding in v3. It does so
// only if no chunk is stored under the declared layout and all stored chunks have the same other
// layout. It returns the new layout, or the zero KeyEncoding if nothing has to be corrected.
// CorrectKeys reads and writes no chunks. For metadata that declares no separator, use
// [RecordSeparator].
//
// CorrectKeys returns ErrConflict if chunks of several layouts are stored, if the document changed
// since the array was opened, or if a change of the array's shape is in progress. It costs a
// listing of the array's keys and one conditional write. The consolidated metadata of groups above
// the array has the old layout until [UpdateParents] updates it. If the array was not opened from
// its own documents, CorrectKeys reads them (see [zarr.Array.Stored]).
func CorrectKeys(ctx context.Context, a *zarr.Array) (meta.KeyEncoding, error) {
	a, err := storedArray(ctx, a)
	if err != nil {
		return meta.KeyEncoding{}, err
	}
	e, err := correctKeys(ctx, a)
	if err != nil {
		return meta.KeyEncoding{}, node.Of(a).Errorf(err)
	}
	return e, nil
}

func correctKeys(ctx context.Context, a *zarr.Array) (meta.KeyEncoding, error) {
	of := node.Of(a)
	c, err := node.ClaimIn(of.Claimed())
	if err != nil {
		return meta.KeyEncoding{}, err
	}
	if c.Under() {
		return meta.KeyEncoding{}, fault.Newf(fault.Conflict, "%v is in progress", c)
	}
	s, err := scan(ctx, a)
	switch {
	case err != nil:
		return meta.KeyEncoding{}, err
	case !s.inside:
		return meta.KeyEncoding{}, nil
	case s.own || s.mixed:
		return meta.KeyEncoding{}, fault.Newf(fault.Conflict, "chunks are stored under keys of more than one layout")
	}
	doc, err := meta.Edit(of.Doc.Key, of.Doc.Bytes, keyEncodingEdits(of.Format, s.other))
	if err != nil {
		return meta.KeyEncoding{}, err
	}
	_, err = of.Swap(ctx, of.Doc, doc, "metadata cannot be changed")
	return s.other, err
}

// keyEncodingEdits returns the edits of an array's document that declare the chunk key layout e.
func keyEncodingEdits(format int, e meta.KeyEncoding) node.Edits {
	if format == 2 {
		return node.Edits{"dimension_separator": []byte(`"` + e.Separator + `"`)}
	}
	return node.Edits{"chunk_key_encoding": []byte(`{"name":"` + e.Name + `","configuration":{"separator":"` + e.Separator + `"}}`)}
}
