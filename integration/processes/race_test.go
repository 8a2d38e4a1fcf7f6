package processes

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/child"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// lot is the number of rows of one append. It is not a multiple of a chunk.
const lot = 3

func lotOf(id int64) []int64 { return slices.Repeat([]int64{id}, lot) }

// TestRace lets two processes append 25 lots each to one array while a reader reads the array.
func TestRace(t *testing.T) {
	t.Run("dir", func(t *testing.T) { race(t, order{Place: t.TempDir()}) })
	for _, p := range bucket.All() {
		t.Run(p.Name, func(t *testing.T) { race(t, order{Provider: p.Name, Place: p.URL(t)}) })
	}
}

func race(t *testing.T, o order) {
	st, err := o.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if _, err := zarr.Create(t.Context(), st, "a", zarr.Spec{Shape: []int{0}, Chunks: []int{2}, Shards: []int{8}, DType: dtype.Int64}); err != nil {
		t.Fatal(err)
	}
	const writers = 2
	o.Do, o.Count = appendLots, 25
	var acked [writers][]int64
	done := make(chan error, 1)
	go func() {
		done <- concurrency.EachN(t.Context(), writers, writers, func(_ context.Context, i int) (err error) {
			w := o
			w.First = int64(1000 * (i + 1))
			acked[i], err = acknowledged(child.Start(t, w), func() {})
			return err
		})
	}()
	var got []int64
	looks := 0
	for open := true; open; looks++ {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			open = false
		default:
		}
		a, err := zarr.OpenArray(t.Context(), st, "a")
		if err != nil {
			t.Fatal(err)
		}
		if got, err = zarr.Read[int64](t.Context(), a); err != nil {
			t.Fatal(err)
		}
		succeed(t, whole(got))
	}
	var want, is []int64
	for _, ids := range acked {
		want = append(want, ids...)
	}
	for i := 0; i < len(got); i += lot {
		is = append(is, got[i])
	}
	slices.Sort(want)
	slices.Sort(is)
	if !slices.Equal(is, want) || len(want) != writers*int(o.Count) {
		t.Errorf("%v are there, %v were acknowledged", is, want)
	}
	t.Logf("%d looks", looks)
}

// whole checks that rows are lots, without duplicates or gaps.
func whole(rows []int64) error {
	seen := map[int64]bool{}
	for i := 0; i < len(rows); i += lot {
		id := rows[i]
		if len(rows)-i < lot || id == 0 || seen[id] || !slices.Equal(rows[i:i+lot], lotOf(id)) {
			return fmt.Errorf("rows %d of %v", i, rows)
		}
		seen[id] = true
	}
	return nil
}
