package multiscale_test

import (
	"encoding/json"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/multiscale"
)

// image returns the attributes of an OME-Zarr image with three levels.
func image() map[string]any {
	const doc = `{"ome": {"version": "0.5", "multiscales": [{
		"axes": [{"name": "c", "type": "channel"}, {"name": "y", "type": "space", "unit": "micrometer"}, {"name": "x", "type": "space", "unit": "micrometer"}],
		"datasets": [
			{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 0.25, 0.25]}]},
			{"path": "1", "coordinateTransformations": [{"type": "scale", "scale": [1, 0.5, 0.5]}, {"type": "translation", "translation": [0, 0.125, 0.125]}]},
			{"path": "../2", "coordinateTransformations": [{"type": "scale", "scale": [1, 1, 1]}]}
		]}]}}`
	var attrs map[string]any
	if err := json.Unmarshal([]byte(doc), &attrs); err != nil {
		log.Fatal(err)
	}
	return attrs
}

func ExampleRead() {
	pyramids, findings := multiscale.Read(image())
	for _, l := range pyramids[0].Levels {
		fmt.Println(l.Path, l.Scale, l.Translation)
	}
	fmt.Println(findings[0])
	// Output:
	// 0 [1 0.25 0.25] [0 0 0]
	// 1 [1 0.5 0.5] [0 0.125 0.125]
	// /ome/multiscales/0/datasets/2/path: must be a relative path without empty segments, "." and "..", is "../2"
}

func ExampleValidate() {
	for _, f := range multiscale.Validate(map[string]any{"multiscales": map[string]any{"layout": []any{map[string]any{"asset": "0", "derived_from": "full"}}}}) {
		fmt.Println(f)
	}
	// Output:
	// /multiscales: zarr_conventions must declare the convention multiscales
	// /multiscales/layout/0: must have the member transform, because it has derived_from; the scale of the level is unknown
	// /multiscales/layout/0/derived_from: "full" is not a level; the scale of the level is unknown
}

func ExamplePyramid_Coarsest() {
	pyramids, _ := multiscale.Read(image())
	for _, micrometers := range []float64{2, 0.4, 0.1} {
		l, ok := pyramids[0].Coarsest(micrometers)
		fmt.Println(l.Path, ok)
	}
	// Output:
	// 1 true
	// 0 true
	// 0 false
}

func ExampleAttributes() {
	attrs := multiscale.Attributes(multiscale.Pyramid{Levels: []multiscale.Level{
		{Path: "0", Scale: []float64{1, 1}},
		{Path: "1", Scale: []float64{2, 2}, Translation: []float64{0.5, 0.5}, DerivedFrom: "0", Method: "average"},
	}})
	b, err := json.Marshal(attrs["multiscales"])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(b))
	// Output: {"layout":[{"asset":"0","transform":{"scale":[1,1],"translation":[0,0]}},{"asset":"1","derived_from":"0","resampling_method":"average","transform":{"scale":[2,2],"translation":[0.5,0.5]}}]}
}
