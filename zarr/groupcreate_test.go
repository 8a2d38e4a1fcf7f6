package zarr_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// dataset returns the group of these tests: empty arrays along time, one of them in a subgroup, and
// an array that does not grow.
func dataset(format int) (zarr.Spec, map[string]zarr.Spec) {
	of := func(shape []int, dims ...string) zarr.Spec {
		return zarr.Spec{Shape: shape, DType: dtype.Uint8, Codecs: []codec.Spec{}, Chunks: slices.Repeat([]int{3}, len(shape)),
			Attrs: map[string]any{"_ARRAY_DIMENSIONS": dims}}
	}
	return zarr.Spec{Format: format, Attrs: map[string]any{"title": "maps"}}, map[string]zarr.Spec{
		"t2m": of([]int{0, 2}, "time", "lat"), "time": of([]int{0}, "time"), "sub/lat": of([]int{2}, "lat"),
	}
}

func createDataset(t *testing.T, st store.Store, format int) (*zarr.Group, error) {
	spec, arrays := dataset(format)
	return zarr.OpenOrCreateGroup(t.Context(), st, "g", spec, arrays, own(1<<20))
}

// complete checks a dataset in its consolidated metadata and in its documents.
func complete(t *testing.T, st store.Store, format, length int) {
	t.Helper()
	g, err := zarr.OpenGroup(t.Context(), st, "g", zarr.Format(format))
	if err != nil {
		t.Fatal(err)
	}
	if title, _, _ := zarr.Attr[string](g, "title"); title != "maps" {
		t.Errorf("title %q", title)
	}
	for path, shape := range map[string][]int{"t2m": {length, 2}, "time": {length}, "sub/lat": {2}} {
		a, err := g.OpenArray(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.Shape(), shape) || a.Attrs()["_ARRAY_DIMENSIONS"] == nil {
			t.Errorf("%v has the attributes %v", a, a.Attrs())
		}
	}
	agrees(t, st, format)
}

func appendDay(t *testing.T, st store.Store) {
	t.Helper()
	g, err := zarr.OpenGroup(t.Context(), st, "g")
	if err == nil {
		_, err = g.Append(t.Context(), "time", zarr.AppendOptions{}, zarr.RowsOf("t2m", []uint8{1, 2, 3, 4}), zarr.RowsOf("time", []uint8{5, 6}))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestCreateGroupAtOnce checks that concurrent callers all succeed, with the same group.
func TestCreateGroupAtOnce(t *testing.T) {
	for _, format := range []int{2, 3} {
		t.Run(fmt.Sprint("v", format), func(t *testing.T) {
			someOrders(t, uint64(format), 60, func(t *testing.T, schedule []int) []int {
				backing := mem.New()
				at := newTurns(backing, 3)
				var errs [3]error
				var do [3]func()
				for i := range do {
					do[i] = func() {
						g, err := createDataset(t, at.actors[i], format)
						if err == nil {
							_, err = g.OpenArray(t.Context(), "sub/lat")
						}
						errs[i] = err
					}
				}
				choices := at.run(schedule, do[:]...)
				succeed(t, errors.Join(errs[:]...))
				complete(t, backing, format, 0)
				return choices
			})
		})
	}
}

// TestCreateGroupKilled kills a caller at each request, and checks that the next caller completes
// the group.
func TestCreateGroupKilled(t *testing.T) {
	for _, format := range []int{2, 3} {
		for n := 0; ; n++ {
			backing := mem.New()
			at := newTurns(backing, 1)
			at.running.Store(true)
			at.actors[0].left = n
			at.actors[0].free()
			_, err := createDataset(t, at.actors[0], format)
			if err == nil {
				if n < 10 {
					t.Errorf("v%d: %d requests", format, n)
				}
				break
			}
			if !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			if _, err := createDataset(t, backing, format); err != nil {
				t.Fatalf("v%d after %d requests: %v", format, n, err)
			}
			complete(t, backing, format, 0)
			if t.Failed() {
				t.Fatalf("v%d after %d requests", format, n)
			}
		}
	}
}

// TestCreateGroupLate executes puts of a caller that was assumed dead after others have created the
// group, appended to it and changed attributes. They change nothing, and the next caller opens the
// group.
func TestCreateGroupLate(t *testing.T) {
	for _, format := range []int{2, 3} {
		for n := 0; ; n++ {
			backing := mem.New()
			dead := &killed{Store: backing, left: n}
			_, err := createDataset(t, dead, format)
			if err == nil {
				if n < 5 {
					t.Errorf("v%d: %d puts", format, n)
				}
				break
			}
			succeed(t, second(createDataset(t, backing, format)))
			appendDay(t, backing)
			g, err := zarr.OpenGroup(t.Context(), backing, "g")
			if err == nil {
				g, err = g.SetAttrs(t.Context(), map[string]any{"title": "maps", "history": "appended"})
			}
			if err == nil {
				_, err = g.Consolidate(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
			dead.arrive()
			complete(t, backing, format, 2)
			if g, err = createDataset(t, backing, format); err != nil {
				t.Fatal(err)
			}
			if h, _, _ := zarr.Attr[string](g, "history"); h != "appended" {
				t.Errorf("v%d, put %d: history %q", format, n, h)
			}
		}
	}
}

// TestCreateGroupExists checks that the error names a node that differs, and the difference.
func TestCreateGroupExists(t *testing.T) {
	for _, format := range []int{2, 3} {
		for want, change := range map[string]func(*zarr.Spec, map[string]zarr.Spec){
			"format":     func(s *zarr.Spec, _ map[string]zarr.Spec) { s.Format = 5 - format },
			"data type":  func(_ *zarr.Spec, a map[string]zarr.Spec) { s := a["time"]; s.DType = dtype.Int16; a["time"] = s },
			"shape":      func(_ *zarr.Spec, a map[string]zarr.Spec) { s := a["sub/lat"]; s.Shape = []int{3}; a["sub/lat"] = s },
			"fill value": func(_ *zarr.Spec, a map[string]zarr.Spec) { s := a["t2m"]; s.Fill = 7; a["t2m"] = s },
		} {
			backing := mem.New()
			succeed(t, second(createDataset(t, backing, format)))
			before := fmt.Sprint(keys(t, backing))
			spec, arrays := dataset(format)
			change(&spec, arrays)
			_, err := zarr.OpenOrCreateGroup(t.Context(), backing, "g", spec, arrays)
			if !errors.Is(err, zarr.ErrExists) || !strings.Contains(err.Error(), want) {
				t.Errorf("v%d: %v, want %q", format, err, want)
			}
			if now := fmt.Sprint(keys(t, backing)); now != before {
				t.Errorf("stored are %s, before %s", now, before)
			}
		}
		// An array replaces the group, and a group replaces an array.
		backing := mem.New()
		mustCreate(t, backing, "g", zarr.Spec{Format: format, Shape: []int{1}, DType: dtype.Uint8})
		if _, err := createDataset(t, backing, format); !errors.Is(err, zarr.ErrExists) {
			t.Errorf("v%d: an array is there: %v", format, err)
		}
		backing = mem.New()
		succeed(t, second(zarr.CreateGroup(t.Context(), backing, "g/time", zarr.Spec{Format: format})))
		if _, err := createDataset(t, backing, format); !errors.Is(err, zarr.ErrExists) {
			t.Errorf("v%d: a group is there: %v", format, err)
		}
	}
}

// TestOpenOrCreateGroupCost checks that an existing dataset takes only the requests of opening it.
func TestOpenOrCreateGroupCost(t *testing.T) {
	for _, format := range []int{2, 3} {
		var tr transcript
		backing := mem.New()
		succeed(t, second(createDataset(t, backing, format)))
		st := store.Observe(backing, tr.Record)
		succeed(t, second(zarr.OpenGroup(t.Context(), st, "g")))
		open := strings.Count(tr.Requests(), ",")
		succeed(t, second(createDataset(t, st, format)))
		if got := tr.Requests(); strings.Count(got, ",") > open+3-format || strings.Contains(got, "put") {
			t.Errorf("v%d: %s", format, got)
		}
	}
}
