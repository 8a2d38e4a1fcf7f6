package upkeep

import (
	"cmp"
	"context"
	"fmt"

	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// Consolidate is the command consolidate.
type Consolidate struct {
	URL   string `arg:"" name:"url" help:"The group."`
	Check bool   `help:"Only compare the existing consolidated metadata with the nodes."`
}

// Run writes consolidated metadata for a hierarchy, or with --check prints the differences between
// the stored copy and the nodes.
func (c *Consolidate) Run(ctx context.Context, s *session.Session) error {
	p, n, err := s.OpenNode(ctx, c.URL)
	if err != nil {
		return err
	}
	defer p.Release()
	s.Far.Begin(progress.Work{Unit: "documents", Ahead: s.Far.Values.Load})
	g, ok := n.(*zarr.Group)
	if !ok {
		return p.Fail(fault.Newf(fault.NotFound, "the URL must be that of a group, but is an array"))
	}
	if !c.Check {
		_, err := g.Consolidate(s.Slow.Waiting(ctx, p.Where, p.Path))
		return p.Fail(err)
	}
	stale, err := upkeep.CheckConsolidated(ctx, g)
	for _, d := range stale {
		if _, err := fmt.Fprintf(s.Out, "%s\t%s\n", d.Why, render.OneLine(cmp.Or(d.Path, "."))); err != nil {
			return err
		}
	}
	if err != nil {
		return p.Fail(err)
	}
	if len(stale) > 0 {
		return p.Fail(fault.Newf(fault.Conflict, "the consolidated metadata is out of date: %s", differ(len(stale))))
	}
	return nil
}

func differ(n int) string {
	if n == 1 {
		return "1 node differs"
	}
	return render.Plural(n, "node") + " differ"
}
