package dataset_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestZeroValues checks that zero values and nil arguments are errors.
func TestZeroValues(t *testing.T) {
	ctx := t.Context()
	for _, d := range []*dataset.Dataset{nil, {}} {
		d.Group()
		d.Attrs()
		d.Findings()
		d.Dims()
		d.Vars()
		d.Coords()
		d.Groups()
		for name, err := range map[string]error{
			"Var":     second(d.Var("v")),
			"Sel":     second(d.Sel(dataset.Label("x", 1))),
			"Child":   second(d.Child(ctx, "a")),
			"Refresh": second(d.Refresh(ctx)),
			"Append":  second(d.Append(ctx, "x", dataset.AppendOptions{})),
			"Write":   second(d.Write(ctx, dataset.Stored("v", []int8{1}))),
			"Print":   d.Print(&bytes.Buffer{}),
		} {
			if err == nil {
				t.Errorf("%s of %v has no error", name, d)
			}
		}
	}
	for _, v := range []*dataset.Variable{nil, {}} {
		v.Name()
		v.Array()
		v.Attrs()
		v.Coding()
		v.Dims()
		v.Shape()
		v.Len()
		v.Selection()
		v.CRS()
		v.Coord("x")
		v.Axis("x")
		_, _, masked := dataset.ReadMasked[int8](ctx, v)
		for name, err := range map[string]error{
			"Sel": second(v.Sel()), "Plan": second(v.Plan()), "Times": second(v.Times(ctx)), "Strings": second(v.Strings(ctx)),
			"Read": second(dataset.Read[float32](ctx, v)), "ReadMasked": masked,
		} {
			if err == nil {
				t.Errorf("%s of %v has no error", name, v)
			}
		}
	}
	for _, x := range []*dataset.Index{nil, {}} {
		if _, _, err := x.Positions(dataset.Label("x", 1)); !errors.Is(err, fault.Selection) || x.Len() != 0 || x.Label(0) != "" {
			t.Errorf("%v of an index without labels", err)
		}
	}
	for name, err := range map[string]error{
		"Open":      second(dataset.Open(ctx, nil, "", dataset.Options{})),
		"OpenGroup": second(dataset.OpenGroup(ctx, nil, dataset.Options{})),
		"OpenArray": second(dataset.OpenArray(nil, dataset.Options{})),
		"OpenIndex": second(dataset.OpenIndex(ctx, nil, dataset.Options{})),
		"FindIndex": second(dataset.FindIndex(ctx, nil, "x", 1, dataset.Options{})),
		"Create":    second(dataset.Create(ctx, nil, "", dataset.Spec{}, dataset.Options{})),
		"CreateVar": second(dataset.Create(ctx, mem.New(), "", dataset.Spec{Vars: []dataset.VarSpec{{}}}, dataset.Options{})),
	} {
		if err == nil {
			t.Errorf("%s without arguments has no error", name)
		}
	}

	g := root(t)
	a := put(t, g, "x", zarr.Spec{Shape: []int{2}, DType: dtype.Int8, Dims: []string{"x"}}, []int8{1, 2})
	d := open(t, g)
	for _, q := range []dataset.Query{
		{}, dataset.Label("x", nil), dataset.Label("x", struct{}{}), dataset.Label("x", []any{nil}), dataset.Label("x", nil).Nearest(), dataset.Between("x", nil, struct{}{}),
		dataset.Text("x", ""), dataset.Text("x", "::"), dataset.Text("x", ","), dataset.Text("", ""),
		dataset.Pointwise("p"), dataset.Pointwise("x", dataset.Query{}), dataset.Pointwise("p", dataset.Pointwise("q", dataset.At("x", []int{0}))),
		dataset.Label("x", 1).Wrap(math.NaN()), dataset.Label("x", 1).Wrap(math.Inf(1)), dataset.Label("x", 1).Wrap(-1), dataset.Label("x", math.Inf(1)).Wrap(360), dataset.Label("x", math.NaN()).Wrap(360),
		dataset.Between("x", math.Inf(-1), 1).Wrap(360), dataset.Label("x", 1).By(2), dataset.Slice("x", 0, 1).By(0), dataset.Slice("x", 0, 1).Within(1), dataset.At("x", 0).Wrap(360), dataset.At("x", []int{0}).Within(1), dataset.At("x", 0).Nearest(), dataset.Between("x", 1, 2).Pad(), dataset.Slice("x", 0, 1).Backfill(),
		dataset.Label("x", 1).Nearest().Within(math.NaN()), dataset.Label("x", 1).Nearest().Within(nil).Within("x"), dataset.Label("x", 1).Nearest().Within(struct{}{}),
	} {
		if _, err := d.Sel(q); !errors.Is(err, fault.Selection) {
			t.Errorf("%v: %v", q, err)
		}
	}
	if err := d.Print(nil); err == nil {
		t.Error("Print to nil")
	}
	if _, err := d.Write(ctx, dataset.Data{}); err == nil {
		t.Error("Write of the zero Data")
	}
	if _, err := d.Append(ctx, "x", dataset.AppendOptions{}, dataset.Data{}); err == nil {
		t.Error("Append of the zero Data")
	}
	if _, err := d.Append(ctx, "x", dataset.AppendOptions{}, dataset.Stored("x", []struct{}{{}})); err == nil {
		t.Error("Append of structs")
	}
	v, err := dataset.OpenArray(a, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v.CRS()
	if _, err := v.Sel(dataset.Label("x", "a")); err == nil {
		t.Error("a text as a position")
	}
}

func second[T any](_ T, err error) error { return err }
