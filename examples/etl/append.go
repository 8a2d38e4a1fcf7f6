package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

// along is the name of the dimension that grows, and of its coordinate, an increasing int64 array.
const along = "time"

// shardHours is the number of times in a shard. It does not depend on the number of times in the
// first day.
const shardHours = 24 * 10

// patience is the maximum time to wait for other jobs that append. An append that has
// not renewed its claim for dead is assumed to be killed.
const (
	patience = 10 * time.Minute
	dead     = 2 * time.Minute
)

// appendDays appends days to a dataset, in the given order.
func appendDays(ctx context.Context, urls openurl.Mux, dataset string, days []string, out io.Writer) error {
	return with(ctx, urls, dataset, func(st store.Store) error {
		for _, url := range days {
			n := 0
			err := with(ctx, urls, url, func(day store.Store) (err error) {
				n, err = appendDay(ctx, st, day, dead)
				return err
			})
			if err != nil {
				return fmt.Errorf("%s: %w", url, err)
			}
			fmt.Fprintf(out, "%s: %d times appended\n", url, n)
		}
		return nil
	})
}

// appendDay appends a day, unless the dataset already contains the day. It returns the number of
// times that were added. It takes over an append that another job started at least dead ago.
func appendDay(ctx context.Context, st, from store.Store, dead time.Duration) (int, error) {
	day, err := zarr.OpenGroup(ctx, from, "")
	if err != nil {
		return 0, err
	}
	arrays, err := arraysOf(ctx, day)
	if err != nil {
		return 0, err
	}
	hours, err := times(ctx, day)
	if err != nil {
		return 0, err
	}
	if len(hours) == 0 || !slices.IsSorted(hours) {
		return 0, fmt.Errorf("%w: the times %v must be in ascending order", zarr.ErrSelection, hours)
	}
	g, err := begin(ctx, st, day, arrays)
	if err != nil {
		return 0, err
	}
	var rows []zarr.Rows
	for _, a := range arrays {
		if slices.Contains(a.Dims(), along) {
			rows = append(rows, rowsOf(a, len(hours)))
		}
	}
	for {
		old, err := times(ctx, g)
		if err != nil {
			return 0, err
		}
		if there, err := isThere(old, hours); err != nil || there {
			return 0, err
		}
		o := zarr.AppendOptions{At: new(len(old)), Wait: patience, TakeOver: dead}
		if _, err = g.Append(ctx, along, o, rows...); !errors.Is(err, zarr.ErrExists) {
			return len(hours), err
		}
		// Another job has appended since the check, possibly the same day. Check again.
		if g, err = zarr.OpenGroup(ctx, st, ""); err != nil {
			return 0, err
		}
	}
}

// isThere reports whether old, the times of a dataset, contain the times of a day. It returns
// ErrConflict if old contains only some times of the day, or later times.
func isThere(old, day []int64) (bool, error) {
	if len(old) == 0 || old[len(old)-1] < day[0] {
		return false, nil
	}
	if i, ok := slices.BinarySearch(old, day[0]); ok && len(old)-i >= len(day) && slices.Equal(old[i:i+len(day)], day) {
		return true, nil
	}
	return false, fmt.Errorf("%w: the times %d to %d do not follow %d", zarr.ErrConflict, day[0], day[len(day)-1], old[len(old)-1])
}

func times(ctx context.Context, g *zarr.Group) ([]int64, error) {
	a, err := g.OpenArray(ctx, along)
	if err != nil {
		return nil, err
	}
	return zarr.Read[int64](ctx, a)
}

// rowsOf returns rows with all values of an array of a day. The values are read when the rows are
// written. They must fit in memory.
func rowsOf(a *zarr.Array, n int) zarr.Rows {
	return zarr.Rows{Path: a.Path(), N: n, Write: func(ctx context.Context, to *zarr.Array, from int) error {
		values := make([]byte, a.Len()*a.DType().Size())
		if err := a.ReadBytes(ctx, values); err != nil {
			return err
		}
		return to.WriteBytes(ctx, values, zarr.Dim(along, zarr.Range(from, from+n)))
	}}
}

func arraysOf(ctx context.Context, g *zarr.Group) ([]*zarr.Array, error) {
	var all []*zarr.Array
	for n, err := range g.Walk(ctx) {
		if err != nil {
			return nil, err
		}
		if a, ok := n.(*zarr.Array); ok {
			if a.DType().Size() == 0 {
				return nil, fmt.Errorf("%w: elements of %s vary in length", errors.ErrUnsupported, a.Path())
			}
			all = append(all, a)
		}
	}
	return all, nil
}

// begin opens a dataset. If the dataset does not exist, begin creates it without times, from the
// first day, and copies all arrays without a time dimension. Since the consolidated metadata is
// written last, begin recognizes an interrupted creation, and completes it.
func begin(ctx context.Context, st store.Store, day *zarr.Group, arrays []*zarr.Array) (*zarr.Group, error) {
	g, err := zarr.OpenGroup(ctx, st, "")
	if errors.Is(err, zarr.ErrNotFound) || err == nil && !g.Metadata().Consolidated.Has(along) {
		specs := map[string]zarr.Spec{}
		for _, a := range arrays {
			specs[a.Path()] = specOf(a)
		}
		g, err = zarr.OpenOrCreateGroup(ctx, st, "", zarr.Spec{Attrs: day.Attrs()}, specs)
	}
	if err != nil {
		return nil, err
	}
	old, err := times(ctx, g)
	if err != nil || len(old) > 0 {
		return g, err
	}
	// The dataset has no times yet, so arrays without a time dimension may be incomplete.
	// Concurrent jobs write the same values.
	for _, a := range arrays {
		if slices.Contains(a.Dims(), along) {
			continue
		}
		to, err := g.OpenArray(ctx, a.Path())
		if err == nil {
			err = copyAll(ctx, to, a)
		}
		if err != nil {
			return nil, err
		}
	}
	return g, nil
}

// specOf returns the Spec for storing an array of the first day in a dataset. A shard contains ten
// days of maps.
func specOf(a *zarr.Array) zarr.Spec {
	spec := a.Spec()
	axis := slices.Index(spec.Dims, along)
	if axis < 0 {
		return spec
	}
	if spec.Chunks != nil && spec.Shards == nil && len(spec.Shape) > 1 {
		spec.Shards = slices.Clone(spec.Shape)
		for i, n := range spec.Shards {
			spec.Shards[i] = (n + spec.Chunks[i] - 1) / spec.Chunks[i] * spec.Chunks[i]
		}
		spec.Shards[axis] = max(shardHours/spec.Chunks[axis], 1) * spec.Chunks[axis]
	} else if spec.Chunks != nil && len(spec.Shape) == 1 && spec.DType == dtype.Int64 {
		spec.Chunks[0] = 24 * 365
	}
	spec.Shape[axis] = 0
	return spec
}

// copyAll copies an array without a time dimension.
func copyAll(ctx context.Context, to, from *zarr.Array) error {
	values := make([]byte, from.Len()*from.DType().Size())
	if err := from.ReadBytes(ctx, values); err != nil {
		return err
	}
	return to.WriteBytes(ctx, values)
}
