package zarr_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// hourly makes a consolidated group of two arrays with four times each.
func hourly(t *testing.T, st store.Store, format int) {
	t.Helper()
	g, err := zarr.CreateGroup(t.Context(), st, "g", zarr.Spec{Format: format})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"t2m", "time"} {
		spec := zarr.Spec{Shape: []int{4}, Chunks: []int{3}, DType: dtype.Uint8, Codecs: []codec.Spec{}, Attrs: map[string]any{"_ARRAY_DIMENSIONS": []string{"time"}}}
		a, err := g.CreateArray(t.Context(), name, spec)
		if err == nil {
			err = zarr.Write(t.Context(), a, []uint8{1, 2, 3, 4})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	succeed(t, second(g.Consolidate(t.Context())))
}

// times returns the lengths of the group's arrays in its consolidated metadata.
func times(t *testing.T, st store.Store, format int) (lengths [2]int) {
	t.Helper()
	g, err := zarr.OpenGroup(t.Context(), st, "g", zarr.Format(format))
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"t2m", "time"} {
		a, err := g.OpenArray(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		lengths[i] = a.Shape()[0]
	}
	return lengths
}

// agrees checks that consolidated metadata equals the stored documents.
func agrees(t *testing.T, st store.Store, format int) {
	t.Helper()
	g, err := zarr.OpenGroup(t.Context(), st, "g", zarr.Format(format))
	if err != nil {
		t.Fatal(err)
	}
	if d, err := upkeep.CheckConsolidated(t.Context(), g); err != nil || d != nil {
		t.Errorf("consolidated metadata differs: %v, %v", d, err)
	}
}

func openHourly(t *testing.T, st store.Store, format int) *zarr.Group {
	t.Helper()
	g, err := zarr.OpenGroup(t.Context(), st, "g", zarr.Format(format), own(1<<20), zarr.Limit(zarr.Limits{InFlight: 1}))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestConsolidateDuringAppend checks that both calls succeed in whatever order their requests reach
// the store, that consolidated metadata always has arrays of equal length, and that in the end it
// equals the stored documents.
func TestConsolidateDuringAppend(t *testing.T) {
	for _, format := range []int{2, 3} {
		t.Run(fmt.Sprint("v", format), func(t *testing.T) {
			someOrders(t, uint64(format), 200, func(t *testing.T, schedule []int) []int {
				backing := mem.New()
				hourly(t, backing, format)
				at := newTurns(backing, 2)
				a, b := openHourly(t, at.actors[0], format), openHourly(t, at.actors[1], format)
				at.step = func() {
					if n := times(t, backing, format); n[0] != n[1] {
						t.Fatalf("lengths %v", n)
					}
				}
				var errs [2]error
				choices := at.run(schedule,
					func() { _, errs[0] = a.Consolidate(t.Context()) },
					func() {
						_, errs[1] = b.Append(t.Context(), "time", zarr.AppendOptions{}, zarr.RowsOf("t2m", []uint8{5, 6}), zarr.RowsOf("time", []uint8{5, 6}))
					},
				)
				succeed(t, errors.Join(errs[:]...))
				if n := times(t, backing, format); n != [2]int{6, 6} {
					t.Errorf("lengths %v", n)
				}
				agrees(t, backing, format)
				return choices
			})
		})
	}
}

// TestConsolidateFirstDuringAppend checks that the first consolidated metadata of a group equals
// the stored documents in the end.
func TestConsolidateFirstDuringAppend(t *testing.T) {
	for _, format := range []int{2, 3} {
		t.Run(fmt.Sprint("v", format), func(t *testing.T) {
			someOrders(t, uint64(format), 100, func(t *testing.T, schedule []int) []int {
				backing := mem.New()
				hourly(t, backing, format)
				var err error
				if format == 2 {
					err = backing.Delete(t.Context(), "g/.zmetadata", store.DeleteOptions{})
				} else {
					var doc []byte
					doc, err = meta.Edit("g/zarr.json", mustGet(t, backing, "g/zarr.json"), map[string]json.RawMessage{"consolidated_metadata": nil})
					if err == nil {
						_, err = backing.Put(t.Context(), "g/zarr.json", doc, store.PutOptions{})
					}
				}
				if err != nil {
					t.Fatal(err)
				}
				at := newTurns(backing, 2)
				a, b := openHourly(t, at.actors[0], format), openHourly(t, at.actors[1], format)
				var errs [2]error
				choices := at.run(schedule,
					func() { _, errs[0] = a.Consolidate(t.Context()) },
					func() {
						_, errs[1] = b.Append(t.Context(), "time", zarr.AppendOptions{}, zarr.RowsOf("t2m", []uint8{5, 6}), zarr.RowsOf("time", []uint8{5, 6}))
					},
				)
				succeed(t, errors.Join(errs[:]...))
				agrees(t, backing, format)
				return choices
			})
		})
	}
}

// TestConsolidateAtOnce checks that concurrent calls all succeed and that the result equals the
// stored documents. That includes nodes and attributes that changed meanwhile, if a call started
// after that.
func TestConsolidateAtOnce(t *testing.T) {
	for _, format := range []int{2, 3} {
		t.Run(fmt.Sprint("v", format), func(t *testing.T) {
			someOrders(t, uint64(format), 100, func(t *testing.T, schedule []int) []int {
				backing := mem.New()
				hourly(t, backing, format)
				at := newTurns(backing, 3)
				var errs [3]error
				var do [3]func()
				for i := range do {
					g := openHourly(t, at.actors[i], format)
					do[i] = func() {
						_, err := g.CreateArray(t.Context(), fmt.Sprint("new", i), zarr.Spec{Shape: []int{i}, DType: dtype.Uint8})
						if err == nil {
							_, err = g.Consolidate(t.Context())
						}
						errs[i] = err
					}
				}
				choices := at.run(schedule, do[:]...)
				succeed(t, errors.Join(errs[:]...))
				agrees(t, backing, format)
				return choices
			})
		})
	}
}

// TestConsolidateBesideDeadAppend checks that Consolidate succeeds despite the claim of an append
// that died halfway, and that the copy has the previous arrays.
func TestConsolidateBesideDeadAppend(t *testing.T) {
	for _, format := range []int{2, 3} {
		for puts := range 12 {
			backing := mem.New()
			hourly(t, backing, format)
			g := openHourly(t, &killed{Store: backing, left: puts}, format)
			_, err := g.Append(t.Context(), "time", zarr.AppendOptions{}, zarr.RowsOf("t2m", []uint8{5, 6}), zarr.RowsOf("time", []uint8{5, 6}))
			if err == nil {
				break
			}
			if _, err := openHourly(t, backing, format).Consolidate(t.Context()); err != nil {
				t.Fatalf("v%d after %d puts: %v", format, puts, err)
			}
			if n := times(t, backing, format); n[0] != n[1] {
				t.Errorf("v%d after %d puts: lengths %v", format, puts, n)
			}
		}
	}
}
