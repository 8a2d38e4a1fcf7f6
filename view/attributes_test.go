package view_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/view"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestIsCopy compares views with copies by package transfer that have the same options: each
// document and each chunk has the same bytes.
func TestIsCopy(t *testing.T) {
	for _, format := range []int{2, 3} {
		for _, to := range []int{2, 3} {
			for _, codecs := range [][]codec.Spec{nil, {codec.Zlib(1)}} {
				src, dst := mem.New(), mem.New()
				ds := sample(t, src, format)
				ranges := func(a *zarr.Array) ([][2]int, error) {
					out := make([][2]int, len(a.Shape()))
					for i, n := range a.Shape() {
						if out[i] = [2]int{0, n}; must(ds.Var(a.Name())).Dims()[i].Name == "lat" {
							out[i][0] = 1
						}
					}
					return out, nil
				}
				grid := func(a *zarr.Array) ([]int, []int, error) {
					if a.Name() == "t" {
						return []int{7, 2, 3}, nil, nil
					}
					return nil, nil, nil
				}
				must(transfer.Copy(t.Context(), ds.Group(), dst, transfer.Options{Format: to, Codecs: codecs, Ranges: ranges, Grid: grid, Consolidate: true}))
				var dropped []string
				v := must(view.New(t.Context(), ds, view.Options{
					Format: to, Codecs: codecs, Chunks: map[string]int{"t/time": 7}, Sel: []dataset.Query{dataset.Between("lat", 50, nil)},
					Dropped: func(name, what string) { dropped = append(dropped, name+": "+what) },
				}))
				for e, err := range store.ListAll(t.Context(), v, "", store.ListOptions{}) {
					succeed(t, err)
					got, gotErr := v.Get(t.Context(), e.Key, store.GetOptions{}, nil)
					want, wantErr := dst.Get(t.Context(), e.Key, store.GetOptions{}, nil)
					if kindOf(gotErr) != kindOf(wantErr) || string(got.Bytes) != string(want.Bytes) {
						t.Errorf("v%d to v%d: %s\n%.300s\nwant\n%.300s", format, to, e.Key, got.Bytes, want.Bytes)
					}
				}
				if !slices.ContainsFunc(dropped, func(s string) bool { return strings.HasPrefix(s, ": the attribute geospatial_lat_max") }) {
					t.Errorf("dropped: %q", dropped)
				}
			}
		}
	}
}

// TestDecodedAttributes checks the documents of decoded arrays, which have NaN for missing values.
func TestDecodedAttributes(t *testing.T) {
	for _, format := range []int{2, 3} {
		var dropped []string
		v := must(view.New(t.Context(), sample(t, mem.New(), 3), view.Options{Format: format, Decode: true, Vars: []string{"t", "f"}, Dropped: func(name, what string) { dropped = append(dropped, name+" "+what) }}))
		g := must(zarr.OpenGroup(t.Context(), v, ""))
		var got []string
		for n, err := range g.Members(t.Context()) {
			succeed(t, err)
			a := n.(*zarr.Array)
			attrs := a.Attrs()
			delete(attrs, "_ARRAY_DIMENSIONS")
			fill := "null"
			if a.Fill() != nil {
				fill = string(must(a.DType().FormatFill(a.Fill(), 3)))
			}
			got = append(got, fmt.Sprint(a.Name(), " ", a.DType(), " ", fill, " ", string(must(json.Marshal(attrs)))))
		}
		slices.Sort(got)
		fill, zero := "0.0", "0"
		if format == 2 { // no element is missing, so the fill value is undefined
			fill, zero = "null", "null"
		}
		want := []string{
			`f float32 "NaN" {}`, `lat float32 ` + fill + ` {"bounds":"lat_bnds"}`, `lat_bnds float32 ` + fill + ` {}`, `lon float64 ` + fill + ` {}`,
			`t float64 "NaN" {"actual_range":[1,2],"units":"K"}`, `time int32 ` + zero + ` {"units":"hours since 2020-01-31"}`,
		}
		if !slices.Equal(got, want) {
			t.Errorf("v%d:\n%s\nwant\n%s", format, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if !slices.Contains(dropped, "t the attribute valid_min was dropped: it describes packed values") {
			t.Errorf("dropped: %q", dropped)
		}
	}
}
