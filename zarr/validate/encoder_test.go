package validate_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/validate"
)

// TestEncoderSettings checks that settings that only an encoder uses are notes, and that writes
// fail for the same reason.
func TestEncoderSettings(t *testing.T) {
	const doc = `{"zarr_format":2,"shape":[3],"chunks":[3],"dtype":"|u1","fill_value":0,"order":"C","filters":null,"compressor":`
	for _, tt := range []struct {
		name, compressor, want string
	}{
		{"zlib", `{"id":"zlib","level":1}`, ""},
		{"zlib level 99", `{"id":"zlib","level":99}`, `"level"`},
		{"blosc clevel 10", `{"id":"blosc","cname":"lz4","clevel":10,"shuffle":1,"blocksize":0}`, `"clevel"`},
		{"blosc cname", `{"id":"blosc","cname":"new","clevel":5,"shuffle":1,"blocksize":0}`, `"cname"`},
		{"lzma preset 99", `{"id":"lzma","format":1,"check":-1,"preset":99,"filters":null}`, "preset"},
		{"bz2 level 0", `{"id":"bz2","level":0}`, `"level"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := mem.New()
			if _, err := st.Put(t.Context(), ".zarray", []byte(doc+tt.compressor+"}"), store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
			var found []rule.Finding
			if _, err := validate.Run(t.Context(), st, "", validate.Options{}, func(f rule.Finding) { found = append(found, f) }); err != nil {
				t.Fatal(err)
			}
			a, err := zarr.OpenArray(t.Context(), st, "")
			if err != nil {
				t.Fatal(err)
			}
			err = zarr.Write(t.Context(), a, []uint8{1, 2, 3})
			if tt.want == "" {
				if len(found) != 0 || err != nil {
					t.Errorf("%v, %v", found, err)
				}
				return
			}
			if !errors.Is(err, fault.Metadata) || !errors.Is(err, a.CannotEncode()) {
				t.Errorf("write: %v", err)
			}
			if len(found) != 1 || found[0].Rule != rule.EncoderSetting || found[0].Severity() != rule.Note || !strings.Contains(found[0].Text, tt.want) {
				t.Errorf("found %v", found)
			}
		})
	}
}
