package main

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/summary"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// storedInfo counts the stored objects of a node. The objects of a group include the objects of all
// nodes below it.
type storedInfo struct {
	Objects int64    `json:"objects"`
	Bytes   int64    `json:"bytes"`
	Unsized int64    `json:"objects_of_unknown_size,omitempty"`
	Chunks  *int64   `json:"chunks,omitempty"` // number of stored chunks or shards of an array
	Ratio   *float64 `json:"ratio,omitempty"`  // bytes of all elements / bytes of the stored chunks
}

// count lists and counts the objects of a node.
func (i *nodeInfo) count(ctx context.Context, s *session, p *place, n zarr.Node) error {
	s.far.begin(work{unit: "objects"})
	of := &storedInfo{}
	all, chunks := &usage{}, &usage{}
	a, isArray := n.(*zarr.Array)
	prefix := n.Path()
	if prefix != "" {
		prefix += "/"
	}
	err := eachOf(store.ListAll(ctx, p.Store, n.Path(), store.ListOptions{}), func(e store.Entry) {
		s.far.add(1)
		all.add(e)
		if isArray && isChunk(a, strings.TrimPrefix(e.Key, prefix)) {
			chunks.add(e)
		}
	})
	if err != nil {
		return err
	}
	of.Objects, of.Bytes, of.Unsized = all.Objects, all.Bytes, all.Unsized
	if isArray {
		of.Chunks = &chunks.Objects
		if i.Bytes != nil && chunks.Bytes > 0 && chunks.Unsized == 0 {
			elements, _ := new(big.Float).SetInt(i.Bytes).Float64()
			ratio := elements / float64(chunks.Bytes)
			of.Ratio = &ratio
		}
	}
	i.Storage = of
	return nil
}

// isChunk reports whether a key, relative to the array, is the key of a chunk or shard in its grid.
func isChunk(a *zarr.Array, key string) bool {
	grid := a.GridShape()
	coord, ok := a.Metadata().Keys.Parse(key, len(grid))
	for k := range coord {
		ok = ok && coord[k] < grid[k]
	}
	return ok
}

// text describes the stored objects on one line.
func (of *storedInfo) text(i *nodeInfo) string {
	text := fmt.Sprintf("%s in %s", render.Size(big.NewInt(of.Bytes)), render.Plural(int(of.Objects), "object"))
	if of.Unsized > 0 {
		text += fmt.Sprintf(" and %s of unknown size", render.Plural(int(of.Unsized), "object"))
	}
	if of.Chunks == nil {
		return text
	}
	total, unit := i.NumChunks, "chunk"
	if i.NumShards != nil {
		total, unit = i.NumShards, "shard"
	}
	text += fmt.Sprintf(", %d of %s", *of.Chunks, amount(total, unit))
	if of.Ratio != nil {
		text += fmt.Sprintf(", %.1f to 1", *of.Ratio)
	}
	return text
}

// setFillMissing sets i.FillMissing, which reports whether xarray treats elements equal to the fill
// value as missing. It leaves the field nil if the elements are not numbers or the array has no
// fill value.
func (i *nodeInfo) setFillMissing(ctx context.Context, a *zarr.Array) {
	fill := a.Fill()
	if fill == nil {
		return
	}
	c, err := cf.New(cf.Variable{Name: a.Name(), Type: a.DType(), Fill: fill, V2: a.Format() == 2, Attrs: a.Attrs()}, cf.Options{})
	if err != nil {
		return
	}
	sum, err := summary.New(a.DType(), c)
	if err != nil || sum.Add(ctx, fill) != nil {
		return
	}
	r, err := sum.Result()
	if err != nil {
		return
	}
	missing := r.Missing == 1
	i.FillMissing, i.fillNaN = &missing, r.NaN == 1
}

// fillNote returns a note if elements equal to the fill value are missing. It returns "" for NaN,
// which is always missing.
func (i *nodeInfo) fillNote() string {
	if i.FillMissing == nil || !*i.FillMissing || i.fillNaN {
		return ""
	}
	return " (elements equal to it are missing)"
}
