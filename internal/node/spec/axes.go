package spec

import (
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Axes returns the chunk boundaries along each axis of an array.
func Axes(m *meta.Array) []grid.Axis {
	if m.Grid.Edges == nil {
		return grid.Even(m.Grid.Shape)
	}
	axes := make([]grid.Axis, len(m.Grid.Edges))
	for i, e := range m.Grid.Edges {
		if e.Every > 0 {
			axes[i] = grid.Uneven(1, []grid.Run{{Edge: e.Every, Count: 1}})
			continue
		}
		runs := make([]grid.Run, len(e.Runs))
		for k, r := range e.Runs {
			runs[k] = grid.Run(r)
		}
		axes[i] = grid.Uneven(m.Shape[i], runs)
	}
	return axes
}
