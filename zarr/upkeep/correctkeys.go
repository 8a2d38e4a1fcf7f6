package upkeep

import (
	"context"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/internal/hierarchy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// CorrectKeys makes the metadata of an array say under which keys its chunks are:
// dimension_separator in v2, chunk_key_encoding in v3. It does so only where the array has no chunk
// under the keys that its metadata says, and all that it has are of one other layout, and returns
// that layout; the zero KeyEncoding where there is nothing to correct. No chunk is touched.
// [RecordSeparator] is for metadata that says nothing.
//
// ErrConflict: there are chunks of several layouts, so that one of them would not be read; or the
// document was changed since the array was opened, or a change of its shape is under way. It costs
// a listing of the array's keys, and the write, which is conditional. Consolidated metadata above
// the array has the old keys until [UpdateAbove]. The array must have been opened from its
// documents, not from consolidated metadata.
func CorrectKeys(ctx context.Context, a *zarr.Array) (meta.KeyEncoding, error) {
	e, err := correctKeys(ctx, a)
	if err != nil {
		return meta.KeyEncoding{}, errorf(hierarchy.SourceOf(a).At, err)
	}
	return e, nil
}

func correctKeys(ctx context.Context, a *zarr.Array) (meta.KeyEncoding, error) {
	of := hierarchy.SourceOf(a)
	c, err := document.ClaimIn(of.Claimed())
	if err != nil {
		return meta.KeyEncoding{}, err
	}
	if c.Under() {
		return meta.KeyEncoding{}, fault.Newf(fault.Conflict, "%v is under way", c)
	}
	s, err := scan(ctx, a)
	switch {
	case err != nil:
		return meta.KeyEncoding{}, err
	case !s.inside:
		return meta.KeyEncoding{}, nil
	case s.own || s.mixed:
		return meta.KeyEncoding{}, fault.Newf(fault.Conflict, "there are chunks under keys of several layouts")
	}
	doc, err := meta.Edit(of.Doc.Key, of.Doc.Bytes, keyEncodingEdits(of.Format(), s.other))
	if err != nil {
		return meta.KeyEncoding{}, err
	}
	_, err = of.At.Swap(ctx, of.Doc, doc, "metadata cannot be changed")
	return s.other, err
}

// keyEncodingEdits change where the document of an array says that its chunks are.
func keyEncodingEdits(format int, e meta.KeyEncoding) document.Edits {
	if format == 2 {
		return document.Edits{"dimension_separator": []byte(`"` + e.Separator + `"`)}
	}
	return document.Edits{"chunk_key_encoding": []byte(`{"name":"` + e.Name + `","configuration":{"separator":"` + e.Separator + `"}}`)}
}
