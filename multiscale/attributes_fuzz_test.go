package multiscale_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/zargo-io/zargo/multiscale"
)

// FuzzAddLevels checks that AddLevels either refuses stored attributes or adds the entries of the
// levels.
func FuzzAddLevels(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `{"multiscales": []}`, `{"multiscales": [{"axes": []}]}`, `{"multiscales": {"layout": 1}}`,
		`{"multiscales": {"layout": [1, null, {}, {"asset": 1}, {"asset": "1/a", "transform": []}]}}`,
		`{"multiscales": {"layout": [{"asset": "a"}, {"asset": "1/a", "derived_from": "a", "resampling_method": "mode", "transform": {"scale": [1, 2, 2]}}], "x": 1}}`,
		`{"zarr_conventions": [1, {"uuid": "d35379db-88df-4056-af3a-620245f8e347"}]}`, `{"zarr_conventions": {}}`,
	} {
		f.Add([]byte(seed))
	}
	levels := []multiscale.Level{
		{Path: "a", Scale: []float64{1, 1, 1}},
		{Path: "1/a", Scale: []float64{1, 2, 2}, Translation: []float64{0, 0.5, 0.5}, DerivedFrom: "a", Method: "average"},
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		var attrs map[string]any
		d := json.NewDecoder(bytes.NewReader(doc))
		d.UseNumber()
		if d.Decode(&attrs) != nil {
			return
		}
		got, err := multiscale.AddLevels(attrs, levels)
		if err != nil {
			return
		}
		text, err := json.Marshal(got)
		var stored map[string]any
		if e := json.Unmarshal(text, &stored); err != nil || e != nil || !multiscale.HasLevel(stored, levels, 1) {
			t.Errorf("%s does not describe the level: %v", text, err)
		}
	})
}
