package dataset_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// TestAppendOpensOnce checks that an append uses the documents and labels that the dataset was
// opened from, and that it returns the dataset that a reader opens.
func TestAppendOpensOnce(t *testing.T) {
	for name, g := range map[string]*zarr.Group{"stored": unconsolidated(t), "consolidated": daily(t).Group()} {
		t.Run(name, func(t *testing.T) {
			var r zarr.Report
			g, err := zarr.OpenGroup(t.Context(), g.Store(), "", zarr.WithReport(&r))
			if err != nil {
				t.Fatal(err)
			}
			d := open(t, g)
			documents := int64(0)
			if name == "consolidated" {
				documents = 2 // those of the arrays, whose copies are not used for writes
			}
			for i, want := range []int64{documents, documents + 2} { // the last chunk of t, and the claim after it
				gets, lists := r.Gets.Load(), r.Lists.Load()
				if d, err = d.Append(t.Context(), "time", dataset.AppendOptions{}, day(i, 0.5)...); err != nil {
					t.Fatal(err)
				}
				if gets, lists = r.Gets.Load()-gets, r.Lists.Load()-lists; gets != want || lists != 0 {
					t.Errorf("append %d: %d gets and %d listings, want %d gets", i, gets, lists, want)
				}
			}
			alike(t, d)
		})
	}
}

// TestAppendReadsLossyLabels checks that labels are read again that are stored with less precision.
func TestAppendReadsLossyLabels(t *testing.T) {
	g := root(t)
	put(t, g, "x", zarr.Spec{Shape: []int{1}, DType: dtype.Float64, Dims: []string{"x"}, Codecs: []codec.Spec{codec.Quantize(1, dtype.Float64, dtype.Float64)}}, []float64{0})
	d, err := open(t, g).Append(t.Context(), "x", dataset.AppendOptions{}, dataset.Floats("x", []float64{1.3333}))
	if err != nil {
		t.Fatal(err)
	}
	alike(t, d)
}

// alike checks that a dataset prints as the dataset that a reader opens, and has the same labels.
func alike(t *testing.T, d *dataset.Dataset) {
	t.Helper()
	g, err := zarr.OpenGroup(t.Context(), d.Group().Store(), "")
	if err != nil {
		t.Fatal(err)
	}
	var got, want bytes.Buffer
	for to, d := range map[*bytes.Buffer]*dataset.Dataset{&got: d, &want: open(t, g)} {
		succeed(t, d.Print(to))
	}
	if got.String() != want.String() {
		t.Errorf("the append returned\n%s\na reader opens\n%s", &got, &want)
	}
}

// TestIndexes checks that only the labels of some dimensions are read.
func TestIndexes(t *testing.T) {
	g := weather(t, 3)
	var r zarr.Report
	d, err := dataset.Open(t.Context(), g.Store(), "", dataset.Options{Indexes: []string{"time"}}, zarr.WithReport(&r))
	if err != nil {
		t.Fatal(err)
	}
	var all zarr.Report
	if _, err := dataset.Open(t.Context(), g.Store(), "", dataset.Options{}, zarr.WithReport(&all)); err != nil {
		t.Fatal(err)
	}
	if n := all.Gets.Load() - r.Gets.Load(); n != 2 {
		t.Errorf("it saves %d gets, want those of lat and lon", n)
	}
	if _, err := d.Sel(dataset.Label("lat", 50)); !errors.Is(err, fault.Selection) {
		t.Errorf("a label of lat: %v", err)
	}
	if _, err := d.Sel(dataset.At("lat", 0), dataset.Label("time", "2020-02-01")); err != nil || len(d.Findings()) > 0 {
		t.Error(err, d.Findings())
	}
}
