package main

import (
	"context"
	"fmt"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

type migrateCmd struct {
	URL    string `arg:"" name:"url" help:"The array, or the group with all nodes below it."`
	DryRun bool   `name:"dry-run" help:"Print the changes, and the requests and the cost of making them, without making them."`
	Remove bool   `help:"Remove the old metadata after all new metadata is written."`
	priceFlags
	fillAttributeFlag
}

// Run writes v3 metadata for v1 and v2 nodes and prints one line for each.
func (c *migrateCmd) Run(ctx context.Context, s *session) error {
	return s.runOrPlan(ctx, c.DryRun, c.priceFlags, c.run)
}

func (c *migrateCmd) run(ctx context.Context, s *session) error {
	p, n, err := s.openStored(ctx, c.URL)
	if err != nil {
		return err
	}
	defer p.release()
	s.far.begin(work{unit: "documents", ahead: s.far.values.Load})
	steps, err := upkeep.Migrate(ctx, n, upkeep.MigrateOptions{Remove: c.Remove, NoFillAttribute: c.NoFillAttribute})
	if err != nil {
		return p.fail(err)
	}
	for _, m := range steps {
		if _, err := fmt.Fprintln(s.out, render.OneLine(m.String())); err != nil {
			return err
		}
	}
	return nil
}

// fillAttributeFlag keeps fill values and the attribute _FillValue unchanged. xarray may then see
// other missing values.
type fillAttributeFlag struct {
	NoFillAttribute bool `name:"no-fill-attribute" help:"Keep fill values and the attribute _FillValue when the format changes. By default an array with dimension names keeps the missing values that xarray sees: in v2 the fill value marks them, in v3 the attribute."`
}
