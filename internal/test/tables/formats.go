package tables

import (
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// formats generates the table of the versions of Zarr: those that can be created and read, and
// those that can only be read.
func formats() (string, error) {
	ctx := context.Background()
	var rows [][]string
	for v := 1; v <= 3; v++ {
		st := mem.New()
		_, err := zarr.Create(ctx, st, "", zarr.Spec{Format: v, Shape: []int{2}, Chunks: []int{2}, DType: dtype.Uint8})
		written := "yes"
		if err != nil {
			written = "no"
			doc, ok := arrays()[v]
			if !ok {
				return "", fmt.Errorf("v%d: %w", v, err)
			}
			if _, err := st.Put(ctx, doc[0], []byte(doc[1]), store.PutOptions{}); err != nil {
				return "", err
			}
		}
		a, err := zarr.OpenArray(ctx, st, "")
		if err != nil || a.Format() != v {
			return "", errors.Join(err, fmt.Errorf("the documents are not a v%d array", v))
		}
		if _, err := zarr.Read[uint8](ctx, a); err != nil {
			return "", err
		}
		_, err = zarr.CreateGroup(ctx, mem.New(), "", zarr.Spec{Format: v})
		groups := "yes"
		if err != nil {
			groups = "no"
		}
		rows = append(rows, []string{fmt.Sprintf("v%d", v), "yes", written, groups})
	}
	return table([]string{"format", "arrays read", "arrays written", "groups written"}, rows), nil
}

// arrays returns the key and the text of the metadata document of a small array, for each format
// that cannot be written.
func arrays() map[int][2]string {
	return map[int][2]string{
		1: {"meta", `{"zarr_format":1,"shape":[2],"chunks":[2],"dtype":"|u1","compression":null,"compression_opts":null,"fill_value":1,"order":"C"}`},
	}
}
