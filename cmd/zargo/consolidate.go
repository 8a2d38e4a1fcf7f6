package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

type consolidateCmd struct {
	URL   string `arg:"" name:"url" help:"The group."`
	Check bool   `help:"Only compare the existing consolidated metadata with the nodes."`
}

// Run writes consolidated metadata for a hierarchy, or with --check prints the differences between
// the stored copy and the nodes.
func (c *consolidateCmd) Run(ctx context.Context, s *session) error {
	p, n, err := s.openNode(ctx, c.URL)
	if err != nil {
		return err
	}
	defer p.release()
	s.far.begin(work{unit: "documents", ahead: s.far.values.Load})
	g, ok := n.(*zarr.Group)
	if !ok {
		return p.fail(fault.Newf(fault.NotFound, "the URL must be that of a group, but is an array"))
	}
	if !c.Check {
		_, err := g.Consolidate(s.slow.traced(ctx, p))
		return p.fail(err)
	}
	stale, err := upkeep.CheckConsolidated(ctx, g)
	for _, d := range stale {
		if _, err := fmt.Fprintf(s.out, "%s\t%s\n", d.Why, render.OneLine(cmp.Or(d.Path, "."))); err != nil {
			return err
		}
	}
	if err != nil {
		return p.fail(err)
	}
	if len(stale) > 0 {
		return p.fail(fault.Newf(fault.Conflict, "the consolidated metadata is out of date: %s", differ(len(stale))))
	}
	return nil
}

func differ(n int) string {
	if n == 1 {
		return "1 node differs"
	}
	return render.Plural(n, "node") + " differ"
}
