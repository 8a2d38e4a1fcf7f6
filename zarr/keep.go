package zarr

import (
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/grow"
	"github.com/zargo-io/zargo/internal/node/hierarchy"
)

// keeping returns the array to use for a write of r. If a late request of an abandoned change may
// still write to r, according to the opened document, the result has the option StoreFill.
func (a *Array) keeping(r grid.Selection) (*Array, error) {
	if a.cfg.Chunks.StoreFill || a.shards != nil || a.at.From != hierarchy.FromStore {
		return a, nil
	}
	keeps, err := grow.KeepsKeys(a.at.Doc, a.engine, r)
	switch {
	case err != nil:
		return nil, a.errf(err)
	case keeps:
		return a.With(StoreFill())
	}
	return a, nil
}
