package zarr

import "context"

// WriteBytes is like [Write], for elements in memory form (little-endian, packed; see package
// dtype). It accepts any data type of fixed size and returns ErrType for others.
func (a *Array) WriteBytes(ctx context.Context, src []byte, sel ...Selection) error {
	r, err := a.regionOfBytes(len(src), sel)
	if err != nil {
		return err
	}
	if a, err = a.keeping(r); err != nil {
		return err
	}
	return a.of.Write(ctx, src, r)
}
