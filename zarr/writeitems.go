package zarr

import (
	"context"
	"unicode/utf8"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// WriteItems writes elements of a data type whose elements vary in length. It is the counterpart of
// [Array.ReadItems]. src contains the selected elements in C order, each in memory form (see
// package dtype): UTF-8 text, bytes, the text of JSON, or the consecutive elements of an array. A
// nil item is empty. len(src) must be the number of selected elements (ErrSelection otherwise).
//
// WriteItems does not change the items, and does not keep them after it returns. It validates them
// before it writes. It returns ErrType for an item that is not an element of the data type, or if
// the data type has a fixed size. It returns ErrLimit for an item longer than [Limits.Chunk].
// Chunks are written as by [Write].
func (a *Array) WriteItems(ctx context.Context, src [][]byte, sel ...Selection) error {
	if a.of.Meta.DType.Size() > 0 {
		return a.errf(a.areItems(nil))
	}
	r, err := a.region(sel)
	if err != nil {
		return err
	}
	if err := a.wantLen(r, len(src), "elements", 1); err != nil {
		return err
	}
	if err := a.areItems(src); err != nil {
		return a.errf(err)
	}
	if a, err = a.keeping(r); err != nil {
		return err
	}
	return writeItems(ctx, a, src, r)
}

// areItems returns an error if an item is not an element of the array's data type.
func (a *Array) areItems(src [][]byte) error {
	t := a.of.Meta.DType
	if t.Size() > 0 {
		return fault.Newf(fault.Type, "elements must vary in length; those of %v have %d bytes each", t, t.Size())
	}
	for i, item := range src {
		if err := a.isItem(item); err != nil {
			return fault.Newf(err, "element %d is not a valid %v: %.40q (%d bytes)", i, t, item, len(item))
		}
	}
	return nil
}

// isItem returns an error if item is not an element, but does not validate JSON.
func (a *Array) isItem(item []byte) error {
	switch t := a.of.Meta.DType.(type) {
	case dtype.VarLen:
		if t == dtype.String && !utf8.Valid(item) {
			return fault.Type
		}
	case dtype.Ragged:
		if len(item)%t.Elem.Size() != 0 {
			return fault.Type
		}
	}
	if int64(len(item)) > a.cfg.Chunks.ChunkLimit {
		return fault.Limit
	}
	return nil
}
