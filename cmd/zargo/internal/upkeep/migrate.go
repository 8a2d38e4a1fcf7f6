package upkeep

import (
	"context"
	"fmt"

	"github.com/zargo-io/zargo/cmd/zargo/internal/cost"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// Migrate is the command migrate.
type Migrate struct {
	URL    string `arg:"" name:"url" help:"The array, or the group with all nodes below it."`
	DryRun bool   `name:"dry-run" help:"Print the changes, and the requests and the cost of making them, without making them."`
	Remove bool   `help:"Remove the old metadata after all new metadata is written."`
	cost.Prices
	session.FillAttributeFlag
}

// Run writes v3 metadata for v1 and v2 nodes and prints one line for each.
func (c *Migrate) Run(ctx context.Context, s *session.Session) error {
	return s.RunOrPlan(ctx, c.DryRun, c.Prices, c.run)
}

func (c *Migrate) run(ctx context.Context, s *session.Session) error {
	p, n, err := s.OpenStored(ctx, c.URL)
	if err != nil {
		return err
	}
	defer p.Release()
	s.Far.Begin(progress.Work{Unit: "documents", Ahead: s.Far.Values.Load})
	steps, err := upkeep.Migrate(ctx, n, upkeep.MigrateOptions{Remove: c.Remove, NoFillAttribute: c.NoFillAttribute})
	if err != nil {
		return p.Fail(err)
	}
	for _, m := range steps {
		if _, err := fmt.Fprintln(s.Out, render.OneLine(m.String())); err != nil {
			return err
		}
	}
	return nil
}
