package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// series copies a dataset into chunks along time. It continues an interrupted copy.
func series(ctx context.Context, urls openurl.Mux, dataset, target string, out io.Writer) error {
	return with(ctx, urls, target, func(to store.Store) error {
		plan, err := transfer.Saved(ctx, to, "")
		if errors.Is(err, zarr.ErrNotFound) {
			plan, err = newPlan(ctx, urls, dataset, target, to)
		}
		if err != nil {
			return err
		}
		open := func(ctx context.Context, name string) (store.Store, error) { return urls.Open(ctx, name) }
		err = transfer.Run(ctx, plan, open, transfer.RunOptions{Progress: func(p transfer.Progress) {
			fmt.Fprintf(out, "stage %d of %d: %d of %d tasks\n", p.Stage, p.Stages, p.Done, p.Tasks)
		}})
		if err != nil {
			return fmt.Errorf("%w (run the command again to continue)", err)
		}
		if missing, err := transfer.Verify(ctx, plan, open); err != nil || len(missing) > 0 {
			return fmt.Errorf("%d tasks are not done: %w", len(missing), err)
		}
		return transfer.Clean(ctx, plan, open)
	})
}

// A chunk of time series contains up to a year of hours at side × side positions.
const (
	hours = 24 * 365
	side  = 10
)

func newPlan(ctx context.Context, urls openurl.Mux, dataset, target string, to store.Store) (plan *transfer.Plan, err error) {
	err = with(ctx, urls, dataset, func(from store.Store) error {
		g, err := zarr.OpenGroup(ctx, from, "")
		if err != nil {
			return err
		}
		plan, err = transfer.NewPlan(ctx, g, to, transfer.Options{
			Source:      transfer.Place{Store: dataset},
			Target:      transfer.Place{Store: target},
			Grid:        grid,
			Consolidate: true,
		})
		if err != nil {
			return err
		}
		return transfer.Save(ctx, to, plan)
	})
	return plan, err
}

// grid returns the shapes of the chunks and the shards of an array that is stored as time series.
// It returns nil if the array keeps its chunks.
func grid(a *zarr.Array) (chunks, shards []int, err error) {
	axis := slices.Index(a.Dims(), along)
	if axis < 0 || len(a.Shape()) < 2 {
		return nil, nil, nil
	}
	chunks = a.Shape()
	for i, n := range chunks {
		chunks[i] = max(1, min(n, side))
	}
	chunks[axis] = max(1, min(a.Shape()[axis], hours))
	return chunks, []int{}, nil
}
