package processes

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/child"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

// width is the number of elements in a row of the data.
const width = 60

// create creates a group with data, a coordinate, and consolidated metadata.
func create(ctx context.Context, st store.Store, format int) error {
	g, err := zarr.CreateGroup(ctx, st, "g", zarr.Spec{Format: format})
	if err != nil {
		return err
	}
	dims := func(names ...any) (d []string, attrs map[string]any) {
		if format == 2 {
			return nil, map[string]any{"_ARRAY_DIMENSIONS": names}
		}
		for _, n := range names {
			d = append(d, n.(string))
		}
		return d, map[string]any{}
	}
	data := zarr.Spec{Shape: []int{0, width}, Chunks: []int{5, 7}, DType: dtype.Int32, Codecs: []codec.Spec{codec.Zstd(1)}}
	data.Dims, data.Attrs = dims("time", "x")
	hours := zarr.Spec{Shape: []int{0}, Chunks: []int{16}, DType: dtype.Int64}
	hours.Dims, hours.Attrs = dims("time")
	hours.Attrs["units"] = "hours since 2000-01-01"
	hours.Fill = -1
	for path, spec := range map[string]zarr.Spec{"t2m": data, "time": hours} {
		if _, err := g.CreateArray(ctx, path, spec); err != nil {
			return err
		}
	}
	_, err = g.Consolidate(ctx)
	return err
}

// value returns the element of the data at a time and a position. It is never 0.
func value(i, x int) int32 { return int32(1 + i*width + x) }

// appendDay appends the next rows to a group, or completes an append that was started, and returns
// the new number of rows.
func appendDay(ctx context.Context, g *zarr.Group) (int, error) {
	a, err := g.OpenArray(ctx, "time")
	if err != nil {
		return 0, err
	}
	from := a.Shape()[0]
	n := 1 + from*7%4 // the same for every process that starts at this row
	data := make([]int32, 0, n*width)
	hours := make([]int64, 0, n)
	for i := from; i < from+n; i++ {
		hours = append(hours, int64(i))
		for x := range width {
			data = append(data, value(i, x))
		}
	}
	_, err = g.Append(ctx, "time", zarr.AppendOptions{TakeOver: -1}, zarr.RowsOf("t2m", data), zarr.RowsOf("time", hours))
	return from + n, err
}

// check reads all data through consolidated metadata and returns the number of rows.
func check(ctx context.Context, st store.Store) (int, error) {
	g, err := zarr.OpenGroup(ctx, st, "g")
	if err != nil {
		return 0, err
	}
	t2m, err := g.OpenArray(ctx, "t2m")
	if err != nil {
		return 0, err
	}
	hours, err := g.OpenArray(ctx, "time")
	if err != nil {
		return 0, err
	}
	n := hours.Shape()[0]
	if t2m.Shape()[0] != n {
		return 0, fmt.Errorf("t2m has %v, time %v", t2m.Shape(), hours.Shape())
	}
	data, err := zarr.Read[int32](ctx, t2m)
	if err != nil {
		return 0, err
	}
	times, err := zarr.Read[int64](ctx, hours)
	if err != nil {
		return 0, err
	}
	for i := range n {
		if times[i] != int64(i) {
			return 0, fmt.Errorf("time %d is %d", i, times[i])
		}
		for x := range width {
			if v := data[i*width+x]; v != value(i, x) {
				return 0, fmt.Errorf("t2m at %d, %d of %d rows is %d, want %d", i, x, n, v, value(i, x))
			}
		}
	}
	return n, nil
}

// TestKill repeatedly kills a process that appends to a group, at random moments. After each kill
// the visible data must be complete and include all acknowledged rows, and the next process must
// continue. In a directory xarray also reads the group.
func TestKill(t *testing.T) {
	for _, format := range []int{2, 3} {
		t.Run(fmt.Sprintf("dir v%d", format), func(t *testing.T) {
			place := t.TempDir()
			looks := newXarray(t)
			kills(t, order{Place: place}, format, rounds(12), 60*time.Millisecond, func(n int) { looks.see(t, place+"/g", n) })
		})
	}
	for _, p := range bucket.All() {
		t.Run(p.Name, func(t *testing.T) {
			kills(t, order{Provider: p.Name, Place: p.URL(t)}, 3, rounds(8), 300*time.Millisecond, func(int) {})
		})
	}
}

// rounds returns 50 if ZARGO_TURNS is set, and n otherwise.
func rounds(n int) int {
	if os.Getenv("ZARGO_TURNS") != "" {
		return 50
	}
	return n
}

func kills(t *testing.T, o order, format, rounds int, within time.Duration, see func(int)) {
	o.Do = appendDays
	st, err := o.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	succeed(t, create(t.Context(), st, format))
	r := rand.New(rand.NewPCG(11, 7))
	acks, amid := 0, 0
	// On a busy machine kills happen later. The rounds continue until some kills happened during an
	// append and some after one.
	for round := 0; round < rounds || (acks == 0 || amid == 0) && round < 10*rounds; round++ {
		c := child.Start(t, o)
		ids, err := acknowledged(c, func() {
			time.AfterFunc(time.Duration(r.Int64N(int64(within))), c.Kill)
		})
		if err != nil {
			t.Fatalf("round %d: a child ended by itself: %v", round, err)
		}
		if acks += len(ids); len(ids) == 0 {
			within += within / 4
		}
		least := 0
		if len(ids) > 0 {
			least = int(ids[len(ids)-1])
		}
		n, err := check(t.Context(), st)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if n < least {
			t.Fatalf("round %d: %d rows, %d were acknowledged", round, n, least)
		}
		see(n)
		if claimed(t, st) {
			amid++
		}
	}
	t.Logf("%d appends acknowledged, %d kills came in the middle of one", acks, amid)
	if acks == 0 || amid == 0 {
		t.Error("no kill came in the middle of an append: the test shows nothing")
	}
	g, err := zarr.OpenGroup(t.Context(), st, "g")
	if err != nil {
		t.Fatal(err)
	}
	want, err := appendDay(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := check(t.Context(), st); n != want || err != nil {
		t.Fatalf("%d rows in the end, want %d: %v", n, want, err)
	}
	see(want)
	if claimed(t, st) {
		t.Error("a claim is left in the end")
	}
	for _, path := range []string{"g/t2m", "g/time"} {
		a, err := zarr.OpenArray(t.Context(), st, path)
		if err != nil {
			t.Fatal(err)
		}
		if a.Shape()[0] != want {
			t.Errorf("%s has %d rows by itself, want %d", path, a.Shape()[0], want)
		}
	}
}

// claimed reports whether a killed process left a claim.
func claimed(t *testing.T, st store.Store) bool {
	t.Helper()
	return anyClaim(t, st, "g", "g/t2m", "g/time")
}

// anyClaim reports whether a document of the nodes has a claim.
func anyClaim(t *testing.T, st store.Store, paths ...string) bool {
	t.Helper()
	for _, path := range paths {
		n, err := zarr.Open(t.Context(), st, path, zarr.IgnoreConsolidated())
		if err != nil {
			t.Fatal(err)
		}
		docs, err := n.Documents()
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range docs {
			if containsClaim(doc) {
				return true
			}
		}
	}
	return false
}
