package zarr_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestWriterWritesOnce writes 1,000 rows one by one into shards of 8 rows, and checks that each
// shard is put once, that nothing is read, and that the document is put once for each row of
// shards.
func TestWriterWritesOnce(t *testing.T) {
	const rows, width = 1000, 1024
	st := mem.New()
	a := create(t, st, zarr.Spec{Shape: []int{0, width}, Chunks: []int{1, 512}, Shards: []int{8, 1024}, DType: dtype.Float64, Codecs: []codec.Spec{}})
	var report zarr.Report
	a, err := a.With(zarr.WithReport(&report))
	if err != nil {
		t.Fatal(err)
	}
	w, err := zarr.NewWriter[float64](t.Context(), a, 0, zarr.AppendOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		row := make([]float64, width)
		for k := range row {
			row[k] = float64(i*width + k + 1)
		}
		succeed(t, w.Write(t.Context(), row))
	}
	succeed(t, second(w.Close(t.Context())))
	var size int64
	for e, err := range st.List(t.Context(), "a/c", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		size += e.Size
	}
	if puts, gets := report.Puts.Load(), report.Gets.Load(); puts != rows/8+rows/8+2 || gets != 0 {
		t.Errorf("%d puts and %d gets", puts, gets)
	}
	if written := report.BytesWritten.Load(); written > size*11/10 {
		t.Errorf("%d bytes written for %d", written, size)
	}
	if n := report.Rewritten.Load(); n != 0 {
		t.Errorf("%d shards were read and written again", n)
	}
}

// TestRewrittenIsReported checks that an append reads and writes again a chunk in which the
// previous rows end.
func TestRewrittenIsReported(t *testing.T) {
	st := mem.New()
	a := create(t, st, zarr.Spec{Shape: []int{0, 4}, Chunks: []int{4, 2}, DType: dtype.Int32})
	var report zarr.Report
	a, err := a.With(zarr.WithReport(&report))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		if a, err = zarr.Append(t.Context(), a, 0, []int32{1, 2, 3, int32(i)}, zarr.AppendOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if n := report.Rewritten.Load(); n != 2*(3+3) {
		t.Errorf("%d, want 12: %v", n, &report)
	}
}

// TestWriterKilled checks that the readable rows of a killed writer remain, and that another writer
// continues after them.
func TestWriterKilled(t *testing.T) {
	for left := range 14 {
		t.Run(fmt.Sprint(left), func(t *testing.T) {
			st := mem.New()
			a := create(t, st, zarr.Spec{Shape: []int{0}, Chunks: []int{2}, Shards: []int{4}, DType: dtype.Int32})
			k := &killed{Store: st, left: left}
			readable := 0
			w, err := zarr.NewWriter[int32](t.Context(), onStore(t, a, k), 0, zarr.AppendOptions{})
			for i := 0; err == nil && i < 18; i++ {
				if err = w.Write(t.Context(), []int32{int32(i)}); err == nil && i%5 == 2 {
					if err = w.Flush(t.Context()); err == nil {
						readable = i + 1
					}
				}
			}
			if !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			if left > 0 {
				if _, err := zarr.NewWriter[int32](t.Context(), a, 0, zarr.AppendOptions{}); !errors.Is(err, zarr.ErrConflict) {
					t.Fatalf("%v, want ErrConflict", err)
				}
			}
			over, err := a.Refresh(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			next, err := zarr.NewWriter[int32](t.Context(), over, 0, zarr.AppendOptions{TakeOver: -1})
			if err != nil {
				t.Fatal(err)
			}
			if next.Next() < readable {
				t.Fatalf("%d rows are left of %d", next.Next(), readable)
			}
			var want []int32
			for i := range 40 {
				want = append(want, int32(i))
				if i < next.Next() {
					continue
				}
				k.arrive()
				succeed(t, next.Write(t.Context(), []int32{int32(i)}))
			}
			b, err := next.Close(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			k.arrive()
			wantValues(t, b, want...)
			wantValues(t, onStore(t, a, st), want...)
			if w != nil { // the killed writer, as if it were still running
				k.mu.Lock()
				k.left = 1000
				k.mu.Unlock()
				if _, err := w.Close(t.Context()); err == nil {
					t.Error("Close of a Writer that failed gives no error")
				}
				wantValues(t, onStore(t, a, st), want...)
			}
		})
	}
}

// TestWriterTakenOver checks that a writer whose append was taken over writes nothing more.
func TestWriterTakenOver(t *testing.T) {
	st := mem.New()
	a := create(t, st, zarr.Spec{Shape: []int{0}, Chunks: []int{2}, DType: dtype.Int32})
	first, err := zarr.NewWriter[int32](t.Context(), a, 0, zarr.AppendOptions{})
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, first.Write(t.Context(), []int32{1, 2, 3}))
	second, err := zarr.NewWriter[int32](t.Context(), onStore(t, a, st), 0, zarr.AppendOptions{TakeOver: -1})
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, second.Write(t.Context(), []int32{4, 5, 6, 0}))
	if err := first.Write(t.Context(), []int32{-1, -2, -3}); !errors.Is(err, zarr.ErrConflict) {
		t.Fatalf("%v, want ErrConflict", err)
	}
	if _, err := first.Close(t.Context()); !errors.Is(err, zarr.ErrConflict) {
		t.Fatalf("%v, want ErrConflict", err)
	}
	b, err := second.Close(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantValues(t, b, 1, 2, 4, 5, 6, 0)
	if _, err := second.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := second.Write(t.Context(), []int32{1}); err == nil {
		t.Error("a closed Writer takes rows")
	}
}

// TestWriterOfStrings writes elements that vary in length, and structures.
func TestWriterOfStrings(t *testing.T) {
	st := mem.New()
	a := create(t, st, zarr.Spec{Shape: []int{0}, Chunks: []int{3}, DType: dtype.String})
	w, err := zarr.NewWriter[string](t.Context(), a, 0, zarr.AppendOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range 11 {
		want = append(want, fmt.Sprint("row ", i))
		succeed(t, w.Write(t.Context(), want[i:]))
	}
	succeed(t, w.Write(t.Context(), nil))
	if a, err = w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := zarr.Read[string](t.Context(), a)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := zarr.NewWriter[int](t.Context(), a, 0, zarr.AppendOptions{}); !errors.Is(err, fault.Type) {
		t.Errorf("%v, want ErrType", err)
	}
}

// TestWriterBeyondTheGrid checks that rows beyond a rectilinear grid are refused, and that those
// before its end are readable.
func TestWriterBeyondTheGrid(t *testing.T) {
	st := mem.New()
	a := create(t, st, zarr.Spec{Shape: []int{0}, ChunkEdges: [][]int{{2, 3}}, DType: dtype.Int32})
	w, err := zarr.NewWriter[int32](t.Context(), a, 0, zarr.AppendOptions{})
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, w.Write(t.Context(), []int32{1, 2, 3, 4, 5}))
	if err := w.Write(t.Context(), []int32{6}); !errors.Is(err, fault.Selection) {
		t.Fatalf("%v, want ErrSelection", err)
	}
	if _, err := w.Close(t.Context()); !errors.Is(err, fault.Selection) {
		t.Fatalf("%v, want ErrSelection", err)
	}
	wantValues(t, onStore(t, a, st), 1, 2, 3, 4, 5)
	if n := claims(t, st); n != 0 {
		t.Errorf("%d claims are left", n)
	}
}
