package zarr

import (
	"context"
	"unicode/utf8"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// WriteItems is [Array.WriteBytes] for data types whose elements vary in length, and the
// counterpart of [Array.ReadItems]: src has the elements that sel selects, in C order, each in
// memory form (see package dtype): text in UTF-8, bytes, the text of JSON, or the elements of an
// array, one after another. nil is an item of no bytes. len(src) is the number of elements selected
// (ErrSelection otherwise).
//
// Items stay the caller's: they are read until WriteItems returns, and not changed. Before anything
// is written, what is no element of the data type is ErrType, as are all items where elements have
// one size, and an item of more bytes than [Limits.Chunk] is ErrLimit. Whole chunks and parts of
// chunks are written as by [Write].
func (a *Array) WriteItems(ctx context.Context, src [][]byte, sel ...Selection) error {
	if a.meta.DType.Size() > 0 {
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

// areItems refuses what are no elements of the array.
func (a *Array) areItems(src [][]byte) error {
	t := a.meta.DType
	if t.Size() > 0 {
		return fault.Newf(fault.Type, "elements of %v have %d bytes each", t, t.Size())
	}
	for i, item := range src {
		if err := a.isItem(item); err != nil {
			return fault.Newf(err, "element %d of %v: %.40q, of %d bytes", i, t, item, len(item))
		}
	}
	return nil
}

// isItem is the kind of error of an item that is no element. JSON is left to [dtype.VarLen.Items].
func (a *Array) isItem(item []byte) error {
	switch t := a.meta.DType.(type) {
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
