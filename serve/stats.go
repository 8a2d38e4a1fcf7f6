package serve

import (
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/internal/compute"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

// stats sends statistics of the selected elements of one variable, and a histogram with the
// parameter bins.
func stats(c *call) error {
	s, err := c.selected("bins", "range")
	if err != nil {
		return err
	}
	v, err := s.one()
	if err != nil {
		return err
	}
	bins, err := strconv.Atoi(s.params.Get("bins"))
	if s.params.Has("bins") && (err != nil || bins < 1 || bins > maxBins) {
		return refuse(http.StatusBadRequest, "the parameter bins must be from 1 to %d", maxBins)
	}
	limits, ok := parseRange(s.params.Get("range"))
	if s.params.Has("range") && (!ok || limits.Percent || bins == 0) {
		return refuse(http.StatusBadRequest, "the parameter range must be two numbers, such as -10:10, and needs the parameter bins")
	}
	if _, numbers := v.Coding(); !numbers && v.Array().DType() != dtype.Bool {
		return refuse(http.StatusBadRequest, "the elements of variable %q are not numbers", v.Name())
	}
	var need store.Amount
	for range 1 + min(bins, 1) { // the histogram reads the elements again
		if err := addNeed(&need, v); err != nil {
			return err
		}
	}
	if err := c.o.Limits.admit(need); err != nil || c.Method == http.MethodHead {
		return err
	}
	source := sourceOf(v)
	hold, err := c.o.Memory.Acquire(c.ctx(), concurrency.Block, source.Memory())
	if err != nil {
		return err
	}
	defer hold.Release()
	r, err := compute.Summarize(c.ctx(), source)
	if err != nil {
		return err
	}
	out := statistics{v.Name(), v.Attrs()["units"], r.Elements, r.Missing, r.NaN, r.Infinite, r.Count,
		finiteValue(r.Min), finiteValue(r.Max), finiteValue(r.Mean), finiteValue(r.Std), nil}
	if bins == 0 || r.Count == 0 {
		return c.sendJSON(out)
	}
	if !s.params.Has("range") {
		limits.Low, limits.High = number(r.Min), number(r.Max)
	}
	h, err := compute.NewHistogram(limits.Low, limits.High, bins)
	if err == nil {
		err = h.Count(c.ctx(), source)
	}
	if err != nil {
		return err
	}
	out.Histogram = &histogram{h.Edges, h.Counts, h.Below, h.Above}
	return c.sendJSON(out)
}

// maxBins is the maximum number of bins of a histogram.
const maxBins = 1000

// statistics is the response of stats. Min, Max, Mean and Std are null if Count is 0.
type statistics struct {
	Var       string     `json:"var"`
	Units     any        `json:"units,omitempty"`
	Elements  int64      `json:"elements"`
	Missing   int64      `json:"missing"`
	NaN       int64      `json:"nan"`
	Infinite  int64      `json:"infinite"`
	Count     int64      `json:"count"`
	Min       any        `json:"min"`
	Max       any        `json:"max"`
	Mean      any        `json:"mean"`
	Std       any        `json:"std"`
	Histogram *histogram `json:"histogram,omitempty"`
}

type histogram struct {
	Edges  []float64 `json:"edges"`
	Counts []int64   `json:"counts"`
	Below  int64     `json:"below"`
	Above  int64     `json:"above"`
}

// number returns the minimum or maximum of a summary.
func number(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}

// tileBytes is the approximate size of a tile of small chunks. Reading it takes longer than the
// constant work for each tile.
const tileBytes = 8 << 20

// sourceOf returns the elements of a variable in tiles of whole stored objects, so that each object
// is requested once. Tiles need no memory for their elements, except those of a list, which may
// alternate between chunks.
func sourceOf(v *dataset.Variable) compute.Source {
	coding, _ := v.Coding()
	each := int64(v.Array().DType().Size())
	s := compute.Source{Array: v.Array(), Coding: coding, Select: func(b walk.Box) []zarr.Selection {
		of, _ := part(v, b) // the box is in the variable
		return of.Selection()
	}}
	axes := axesOf(v, walk.Objects)
	s.Tiles = walk.Tiles(axes, int(tileBytes/each), math.MaxInt)
	if slices.ContainsFunc(axes, func(x walk.Axis) bool { return x.List }) {
		bands := walk.Bands{Axes: axesOf(v, walk.Chunks), Each: each, Target: walk.Always(bandBytes), Limit: walk.Always(bandBytes)}
		s.Tiles = bands.Of(bands.Whole())
	}
	return s
}
