package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/openurl/all"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

const lats, lons = 23, 15

// value returns the value at a place in the map of an hour.
func value(hour, place int) float32 { return float32(hour*1000 + place) }

// makeDay stores a day of maps, and returns the directory.
func makeDay(t *testing.T, first, n int) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), fmt.Sprintf("day%d.zarr", first))
	st := dir.New(folder)
	maps, hours := make([]float32, 0, n*lats*lons), make([]int64, 0, n)
	for h := first; h < first+n; h++ {
		hours = append(hours, int64(h))
		for p := range lats * lons {
			maps = append(maps, value(h, p))
		}
	}
	g, err := zarr.CreateGroup(t.Context(), st, "", zarr.Spec{Attrs: map[string]any{"title": "maps"}})
	if err != nil {
		t.Fatal(err)
	}
	put(t, g, "t2m", zarr.Spec{Shape: []int{n, lats, lons}, Chunks: []int{6, lats, lons}, DType: dtype.Float32, Dims: []string{"time", "lat", "lon"}}, maps)
	put(t, g, "time", zarr.Spec{Shape: []int{n}, DType: dtype.Int64, Dims: []string{"time"}, Attrs: map[string]any{"units": "hours since 1970-01-01"}}, hours)
	put(t, g, "lat", zarr.Spec{Shape: []int{lats}, DType: dtype.Float64, Dims: []string{"lat"}}, make([]float64, lats))
	return folder
}

func put[T any](t *testing.T, g *zarr.Group, path string, spec zarr.Spec, values []T) {
	t.Helper()
	a, err := g.CreateArray(t.Context(), path, spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := zarr.Write(t.Context(), a, values); err != nil {
		t.Fatal(err)
	}
}

// check opens a dataset by its consolidated metadata and reads all maps.
func check(t *testing.T, url string, first, n int) *zarr.Array {
	t.Helper()
	var a *zarr.Array
	err := with(t.Context(), all.Mux(), url, func(st store.Store) error {
		g, err := zarr.OpenGroup(t.Context(), st, "", zarr.Format(3))
		if err != nil {
			return err
		}
		if a, err = g.OpenArray(t.Context(), "t2m"); err != nil {
			return err
		}
		hours, err := times(t.Context(), g)
		if err != nil {
			return err
		}
		maps, err := zarr.Read[float32](t.Context(), a)
		if err != nil {
			return err
		}
		if len(hours) != n || len(maps) != n*lats*lons || a.Attrs() == nil || g.Attrs()["title"] != "maps" {
			return fmt.Errorf("%d hours and %d values, want %d; %v", len(hours), len(maps), n, g.Attrs())
		}
		for i, v := range maps {
			if h := i / (lats * lons); hours[h] != int64(first+h) || v != value(first+h, i%(lats*lons)) {
				return fmt.Errorf("hour %d, value %d: %v", hours[h], i, v)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// jobs runs both jobs more often than necessary, and interrupts the second job once.
func jobs(t *testing.T, dataset, target string) {
	t.Helper()
	const first = 494000
	days := []string{makeDay(t, first, 24), makeDay(t, first+24, 24), makeDay(t, first+48, 7)}
	for _, list := range [][]string{days[:1], days[:2], days, days[2:]} {
		if err := run(t.Context(), all.Mux(), append([]string{"append", dataset}, list...), &bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
	}
	check(t, dataset, first, 55)
	err := run(t.Context(), all.Mux(), []string{"append", dataset, makeDay(t, first+40, 24)}, &bytes.Buffer{})
	if !errors.Is(err, zarr.ErrConflict) {
		t.Errorf("a day that overlaps: %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	err = run(ctx, all.Mux(), []string{"series", dataset, target}, writer(func(string) { cancel() }))
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%v, want an interrupt", err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), all.Mux(), []string{"series", dataset, target}, &out); err != nil {
		t.Fatal(err)
	}
	a := check(t, target, first, 55)
	if got := fmt.Sprint(a.Chunks(), a.Shards()); got != "[55 10 10] []" {
		t.Errorf("chunks of series %s", got)
	}
	if err := run(t.Context(), all.Mux(), []string{"series", dataset, target}, &out); !errors.Is(err, zarr.ErrExists) {
		t.Errorf("a target that is complete: %v", err)
	}
}

// writer calls a function with the written text.
type writer func(string)

func (w writer) Write(b []byte) (int, error) {
	w(string(b))
	return len(b), nil
}

func TestDirectory(t *testing.T) {
	root := t.TempDir()
	jobs(t, filepath.Join(root, "maps.zarr"), filepath.Join(root, "series.zarr"))
}

// TestBuckets runs the jobs between a bucket and a directory. The buckets are on servers that "make
// test" starts.
func TestBuckets(t *testing.T) {
	for _, p := range bucket.All() {
		t.Run(p.Name, func(t *testing.T) {
			base, query, _ := strings.Cut(p.URL(t), "?")
			jobs(t, base+"/maps?"+query, base+"/series?"+query)
		})
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"append", "x"}, {"series", "x"}, {"other", "x", "y"}} {
		if err := run(t.Context(), all.Mux(), args, &bytes.Buffer{}); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
}
