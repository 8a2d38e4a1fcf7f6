package zarr

import "context"

// Check reads and decodes what sel selects of the array, and forgets it: it takes no memory for the
// elements beyond the chunks that are being decoded. Of a chunk all is read, also of an
// uncompressed one of which a read takes a part. Errors are as for ReadBytes; it takes any data
// type.
func (a *Array) Check(ctx context.Context, sel ...Selection) error {
	r, err := a.region(sel)
	if err != nil {
		return err
	}
	if a.meta.DType.Size() == 0 {
		items, err := a.pipe.Forget()
		if err != nil {
			return a.errf(err)
		}
		a = a.numbered(items)
	}
	return a.read(ctx, nil, r)
}
