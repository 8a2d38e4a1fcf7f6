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

// along is the dimension that grows, and the name of its coordinate: int64, increasing.
const along = "time"

// Others who append are waited for; one that began an hour ago has died.
const (
	patience = 10 * time.Minute
	dead     = time.Hour
)

// appendDays appends days to a dataset, in order.
func appendDays(ctx context.Context, urls openurl.Mux, dataset string, days []string, out io.Writer) error {
	return with(ctx, urls, dataset, func(st store.Store) error {
		for _, url := range days {
			n := 0
			err := with(ctx, urls, url, func(day store.Store) (err error) {
				n, err = appendDay(ctx, st, day)
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

// appendDay appends a day, unless it is there, and returns how many times it added.
func appendDay(ctx context.Context, st, from store.Store) (int, error) {
	day, err := zarr.OpenGroup(ctx, from, "")
	if err != nil {
		return 0, err
	}
	arrays, err := arraysOf(ctx, day)
	if err != nil {
		return 0, err
	}
	times, err := times(ctx, day)
	if err != nil {
		return 0, err
	}
	if len(times) == 0 || !slices.IsSorted(times) {
		return 0, fmt.Errorf("%w: the times %v are not in order", zarr.ErrSelection, times)
	}
	g, err := zarr.OpenGroup(ctx, st, "", zarr.Wait(patience), zarr.TakeOver(dead))
	if errors.Is(err, zarr.ErrNotFound) {
		if g, err = begin(ctx, st, day, arrays); err == nil {
			g, err = g.With(zarr.Wait(patience), zarr.TakeOver(dead))
		}
	}
	if err != nil {
		return 0, err
	}
	if there, err := isThere(ctx, g, times); err != nil || there {
		return 0, err
	}
	var rows []zarr.Rows
	for _, a := range arrays {
		if slices.Contains(a.Dims(), along) {
			rows = append(rows, rowsOf(a, len(times)))
		}
	}
	_, err = g.Append(ctx, along, rows...)
	return len(times), err
}

// isThere reports whether a dataset has the times already; it is an error if it has some, or later ones.
func isThere(ctx context.Context, g *zarr.Group, day []int64) (bool, error) {
	old, err := times(ctx, g)
	if err != nil || len(old) == 0 || old[len(old)-1] < day[0] {
		return false, err
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

// rowsOf are all values of a day's array. They are read when they are due, and a day fits in memory.
func rowsOf(a *zarr.Array, n int) zarr.Rows {
	return zarr.RowsBy(a.Path(), n, func(ctx context.Context, to *zarr.Array, from int) error {
		values := make([]byte, a.Len()*a.DType().Size())
		if err := a.ReadBytes(ctx, values); err != nil {
			return err
		}
		return to.WriteBytes(ctx, values, zarr.Dim(along, zarr.Range(from, from+n)))
	})
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

// begin makes a dataset after its first day: without times, and with all that has no time. A shard has ten days of the maps.
func begin(ctx context.Context, st store.Store, day *zarr.Group, arrays []*zarr.Array) (*zarr.Group, error) {
	for _, a := range arrays {
		spec := a.Spec()
		axis := slices.Index(spec.Dims, along)
		if axis >= 0 {
			if spec.Chunks != nil && spec.Shards == nil && len(spec.Shape) > 1 {
				spec.Shards = slices.Clone(spec.Shape)
				for i, n := range spec.Shards {
					spec.Shards[i] = (n + spec.Chunks[i] - 1) / spec.Chunks[i] * spec.Chunks[i]
				}
				spec.Shards[axis] *= 10
			} else if spec.Chunks != nil && len(spec.Shape) == 1 && spec.DType == dtype.Int64 {
				spec.Chunks[0] = 24 * 365
			}
			spec.Shape[axis] = 0
		}
		b, err := zarr.OpenOrCreate(ctx, st, a.Path(), spec) // which an earlier try may have made
		if err != nil {
			return nil, err
		}
		if axis < 0 {
			if err := rowsOfAll(ctx, b, a); err != nil {
				return nil, err
			}
		}
	}
	g, err := zarr.OpenGroup(ctx, st, "")
	if err != nil {
		return nil, err
	}
	if g, err = g.SetAttrs(ctx, day.Attrs()); err != nil {
		return nil, err
	}
	return g.Consolidate(ctx)
}

// rowsOfAll copies an array that does not grow.
func rowsOfAll(ctx context.Context, to, from *zarr.Array) error {
	values := make([]byte, from.Len()*from.DType().Size())
	if err := from.ReadBytes(ctx, values); err != nil {
		return err
	}
	return to.WriteBytes(ctx, values)
}
