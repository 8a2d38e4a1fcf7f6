package zarr_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// failedAppend appends values along an axis and fails at the put of key. late executes that put.
// Puts of other keys succeed before.
func failedAppend(t *testing.T, st store.Store, axis int, key string, values ...int32) (late func()) {
	t.Helper()
	k := &killed{Store: st, left: -1}
	a := mustOpen(t, &dyingAt{killed: k, key: key}, "a", zarr.Limit(zarr.Limits{InFlight: 1}))
	if _, err := zarr.Append(t.Context(), a, axis, values, zarr.AppendOptions{}); !errors.Is(err, errKilled) {
		t.Fatalf("%v", err)
	}
	return k.arrive
}

// TestMetadataOnlyGrowth checks that rows of a failed append do not become values of an array that
// grows by MetadataOnly.
func TestMetadataOnlyGrowth(t *testing.T) {
	for format := 2; format <= 3; format++ {
		st := mem.New()
		spec := zarr.Spec{Format: format, Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int32}
		create(t, st, spec)
		late := failedAppend(t, st, 0, map[int]string{2: "a/3", 3: "a/c/3"}[format], 71, 72, 73, 74)
		a, err := zarr.OpenArray(t.Context(), st, "a")
		if err != nil {
			t.Fatal(err)
		}
		if a, err = a.Resize(t.Context(), []int{8}, zarr.ResizeOptions{MetadataOnly: true}); err != nil {
			t.Fatal(err)
		}
		late()
		wantValues(t, a, 0, 0, 0, 0, 0, 0, 0, 0)
		if n := claims(t, st); n != 0 {
			t.Errorf("%d claims are left", n)
		}
	}
}

// TestRecordAlongAnotherAxis checks that resizes along any axis respect the record of a failed
// append.
func TestRecordAlongAnotherAxis(t *testing.T) {
	st := mem.New()
	create(t, st, zarr.Spec{Shape: []int{4, 2}, Chunks: []int{2, 1}, DType: dtype.Int32})
	failedAppend(t, st, 1, "a/c/0/3", 1, 2, 3, 4, 5, 6, 7, 8)
	a, err := zarr.OpenArray(t.Context(), st, "a")
	for _, tt := range []struct {
		shape []int
		o     zarr.ResizeOptions
	}{{[]int{2, 2}, zarr.ResizeOptions{MetadataOnly: true}}, {[]int{2, 1}, zarr.ResizeOptions{}}, {[]int{4, 4}, zarr.ResizeOptions{}}} {
		if err == nil {
			a, err = a.Resize(t.Context(), tt.shape, tt.o)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	wantValues(t, a, make([]int32, 16)...)
}

// TestLatePutAfterResize resizes an array to the same, a smaller or a larger shape and appends fill
// values. Then a put of a failed append arrives. It must have no effect, even if the rows were
// deleted and appended again.
func TestLatePutAfterResize(t *testing.T) {
	for _, shapes := range [][][]int{{}, {{4}}, {{3}}, {{8}, {4}}, {{8}, {3}, {8}}, {{1}, {6}}} {
		for _, metadataOnly := range []bool{true, false} {
			t.Run(fmt.Sprint(shapes, metadataOnly), func(t *testing.T) {
				st := mem.New()
				create(t, st, zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int32})
				late := failedAppend(t, st, 0, "a/c/3", 71, 72, 73, 74)
				a, err := zarr.OpenArray(t.Context(), st, "a")
				for _, shape := range shapes {
					if err == nil {
						a, err = a.Resize(t.Context(), shape, zarr.ResizeOptions{MetadataOnly: metadataOnly})
					}
				}
				if err != nil {
					t.Fatal(err)
				}
				if n := 8 - a.Shape()[0]; n > 0 {
					if a, err = zarr.Append(t.Context(), a, 0, make([]int32, n), zarr.AppendOptions{}); err != nil {
						t.Fatal(err)
					}
				}
				// Writing the values again does not remove the key from the record either.
				succeed(t, zarr.Write(t.Context(), a, []int32{5, 5}, zarr.Range(6, 8)))
				succeed(t, zarr.Write(t.Context(), a, []int32{0, 0}, zarr.Range(6, 8)))
				late()
				wantValues(t, a, make([]int32, 8)...)
				if n := claims(t, st); n != 0 {
					t.Errorf("%d claims are left", n)
				}
			})
		}
	}
}

// TestRecordIsHostile checks that a record in a document takes no more time or memory than a shape,
// and that a malformed one is an error of the call that changes the shape.
func TestRecordIsHostile(t *testing.T) {
	for _, tt := range []struct {
		record string
		want   error
	}{
		{`{"left":[{"lo":[4],"hi":[9007199254740991]}]}`, zarr.ErrLimit},
		{`{"left":[{"lo":[0],"hi":[9]},{"lo":[2],"hi":[3]}],"kept":[{"lo":[1],"hi":[1]}],"taken":["x"]}`, nil},
		{`{"left":[{"lo":[4,1],"hi":[9,2]}]}`, zarr.ErrMetadata},
		{`{"left":[{"lo":[-4],"hi":[9]}]}`, zarr.ErrMetadata},
		{`{"kept":[{"lo":[4],"hi":[2]}]}`, zarr.ErrMetadata},
		{`{"past":[1,2]}`, zarr.ErrMetadata},
		{`{"past":[9007199254740991]}`, nil},
		{`[]`, zarr.ErrMetadata},
	} {
		st := mem.New()
		put(t, st, "a/.zarray", `{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"<i4","fill_value":0,"order":"C","filters":null,"compressor":null,"zargo_record":`+tt.record+`}`)
		a := mustOpen(t, st, "a")
		wantValues(t, a, 0, 0, 0, 0)
		to := 10
		if tt.want == zarr.ErrLimit {
			to = 1 << 30
		}
		if _, err := a.Resize(t.Context(), []int{to}, zarr.ResizeOptions{MetadataOnly: true}); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.record, err, tt.want)
		}
	}
}

// TestAppendAt checks that an append with At writes at that row or fails.
func TestAppendAt(t *testing.T) {
	st := mem.New()
	stale := create(t, st, zarr.Spec{Shape: []int{2}, Chunks: []int{2}, DType: dtype.Int32})
	at := func(n int, wait time.Duration) error {
		_, err := zarr.Append(t.Context(), stale, 0, []int32{1, 2}, zarr.AppendOptions{At: &n, Wait: wait})
		return err
	}
	for _, tt := range []struct {
		at   int
		wait time.Duration
		want error
	}{
		{3, 0, zarr.ErrConflict},
		{2, 0, nil},
		{2, 0, zarr.ErrConflict}, // stale differs from the stored array
		{2, time.Minute, zarr.ErrExists},
		{1, 0, zarr.ErrExists},
		{4, time.Minute, nil},
	} {
		if err := at(tt.at, tt.wait); !errors.Is(err, tt.want) {
			t.Errorf("at %d: %v, want %v", tt.at, err, tt.want)
		}
	}
	if a := onStore(t, stale, st); !slices.Equal(a.Shape(), []int{6}) {
		t.Errorf("%v", a.Shape())
	}
}

// TestGroupAppendAt lets two processes append the same day, one of them during any request of the
// other. After one reports that the day exists, a caller that opens the group sees it.
func TestGroupAppendAt(t *testing.T) {
	for _, p := range pairings() {
		meet(t, func(n, m int) (bool, bool) {
			st := p.create(t)
			first, second := outcome{v: 11, n: 2}, outcome{v: 21, n: 2}
			var exists error
			a, b := interleave(t.Context(), st, n, m, func(st store.Store) {
				first.err = appendPair(t.Context(), st, first.v, first.n, zarr.AppendOptions{At: new(3)})
			}, func(st store.Store) {
				second.err = appendPair(t.Context(), st, second.v, second.n, zarr.AppendOptions{At: new(3)})
				if errors.Is(second.err, zarr.ErrExists) {
					exists = p.check(st, outcome{v: first.v, n: first.n})
				}
			})
			if exists != nil {
				t.Fatalf("%v %d, %d: %v", p, n, m, exists)
			}
			for _, o := range []*outcome{&first, &second} {
				if errors.Is(o.err, zarr.ErrConflict) {
					o.err = appendPair(t.Context(), st, o.v, o.n, zarr.AppendOptions{At: new(3)})
				}
			}
			if err := p.check(st, first, second); err != nil {
				t.Fatalf("%v %d, %d: %v", p, n, m, err)
			}
			if first.err == nil && second.err == nil || first.err != nil && second.err != nil {
				t.Fatalf("%v %d, %d: %v, %v", p, n, m, first.err, second.err)
			}
			return a, b
		})
	}
}
