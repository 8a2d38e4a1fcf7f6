package zarr

import (
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/internal/grid"
	plan "github.com/zargo-io/zargo/internal/shard/fetch"
	"github.com/zargo-io/zargo/zarr/store"
)

// conditional refuses, before anything is written, to write parts of chunks to a store that cannot do it safely. Without
// this the first part of an absent chunk would be written, and only the second refused.
func (a *Array) conditional(r grid.Selection) error {
	if c := store.ConditionsOf(a.st); a.cfg.singleWriter || c.IfAbsent && c.IfVersion {
		return nil
	}
	p := plan.Plan{Layout: a.layout(), Region: r}
	for f := range p.Fetches() {
		if a.field != nil || !f.Covers {
			return document.NoVersions(a.st, "part of a chunk cannot be written")
		}
	}
	return nil
}
