package zarr

import "context"

// Check reads and decodes the selected elements and discards them. It accepts any data type, and
// needs no memory besides that of the chunks being decoded. It reads every chunk completely, even
// if an uncompressed chunk could be read in part. Errors are as for [Array.ReadBytes].
func (a *Array) Check(ctx context.Context, sel ...Selection) error {
	r, err := a.region(sel)
	if err != nil {
		return err
	}
	if a.of.Meta.DType.Size() == 0 {
		items, err := a.of.Pipe.Forget()
		if err != nil {
			return a.errf(err)
		}
		a = a.numbered(items)
	}
	return a.of.Read(ctx, nil, r)
}
