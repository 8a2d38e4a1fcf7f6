package zarr_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// unset is a v2 data type and the stored form of an element that zarr-python 3.4.2 reads if the
// fill value is null and the chunk is missing. It is nil if zarr-python refuses the type.
var unset = []struct{ name, dtype, want string }{
	{"bool", `"|b1"`, "00"}, {"int8", `"|i1"`, "00"}, {"int16", `"<i2"`, "0000"}, {"int32", `">i4"`, "00000000"}, {"int64", `"<i8"`, "0000000000000000"},
	{"uint8", `"|u1"`, "00"}, {"uint64", `">u8"`, "0000000000000000"}, {"float16", `"<f2"`, "0000"}, {"float32", `"<f4"`, "00000000"}, {"float64", `">f8"`, "0000000000000000"},
	{"complex64", `"<c8"`, "0000000000000000"}, {"complex128", `">c16"`, "00000000000000000000000000000000"},
	{"datetime64[ns]", `"<M8[ns]"`, "0000000000000080"}, {"datetime64[D]", `">M8[D]"`, "0000000000000080"}, {"datetime64[10ms]", `"<M8[10ms]"`, "0000000000000080"}, {"datetime64", `"<M8"`, "0000000000000080"},
	{"timedelta64[ns]", `"<m8[ns]"`, "0000000000000080"}, {"timedelta64[s]", `">m8[s]"`, "0000000000000080"}, {"timedelta64", `"<m8"`, "0000000000000080"},
	{"S5", `"|S5"`, "0000000000"}, {"U2", `"<U2"`, "0000000000000000"}, {"big-endian U2", `">U2"`, "0000000000000000"}, {"V3", `"|V3"`, "000000"},
	{"struct", `[["a","<i4"],["b","<f8"]]`, "000000000000000000000000"},
	{"struct of times", `[["t","<M8[s]"],["d","<m8[ns]"]]`, "00000000000000000000000000000000"},
	{"nested times", `[["in",[["t","<M8[s]"],["n","|S2"]]]]`, "00000000000000000000"},
}

// TestUnsetFill reads missing chunks of v2 arrays whose fill value is null, also through a field
// and after migration and growth.
func TestUnsetFill(t *testing.T) {
	for _, test := range unset {
		t.Run(test.name, func(t *testing.T) {
			want, _ := hex.DecodeString(test.want)
			doc := fmt.Sprintf(`{"zarr_format":2,"shape":[3],"chunks":[2],"dtype":%s,"compressor":null,"filters":null,"order":"C","fill_value":null}`, test.dtype)
			st := mem.New()
			put(t, st, ".zarray", doc)
			a, err := zarr.OpenArray(t.Context(), st, "")
			if err != nil {
				t.Fatal(err)
			}
			read := func(a *zarr.Array, n int) {
				t.Helper()
				got := make([]byte, n*len(want))
				succeed(t, a.ReadBytes(t.Context(), got))
				if !bytes.Equal(got, bytes.Repeat(want, n)) {
					t.Errorf("%x", got)
				}
			}
			read(a, 3)
			if _, err := upkeep.Migrate(t.Context(), a, upkeep.MigrateOptions{Remove: true}); err != nil {
				t.Fatal(err)
			}
			if a, err = zarr.OpenArray(t.Context(), st, ""); err != nil {
				t.Fatal(err)
			}
			if a.Format() != 3 || !bytes.Equal(a.Fill(), want) {
				t.Errorf("v%d, fill %x", a.Format(), a.Fill())
			}
			read(a, 3)
			spec := zarr.Spec{Format: 3, Shape: []int{2}, Chunks: []int{2}, DType: a.DType()}
			if a, err = zarr.Create(t.Context(), mem.New(), "", spec); err != nil {
				t.Fatal(err)
			}
			read(a, 2) // the default of a new array is the same value
		})
	}
}

// TestUnsetField reads a field of missing structures.
func TestUnsetField(t *testing.T) {
	st := mem.New()
	put(t, st, ".zarray", `{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":[["t","<M8[s]"]],"compressor":null,"filters":null,"order":"C","fill_value":null}`)
	a := mustOpen(t, st, "")
	f, err := a.Field("t")
	if err != nil {
		t.Fatal(err)
	}
	got, err := zarr.Read[int64](t.Context(), f)
	if err != nil || len(got) != 2 || got[0] != 0 || got[1] != 0 {
		t.Error(got, err)
	}
}
