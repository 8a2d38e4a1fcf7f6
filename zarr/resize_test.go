package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestResizeDeletes checks that the objects outside the new shape are deleted and all others
// remain, whether keys are computed or listed.
func TestResizeDeletes(t *testing.T) {
	for _, n := range []int{40, 200_000} {
		st := mem.New()
		a := create(t, st, zarr.Spec{Shape: []int{n, 2}, Chunks: []int{1, 1}, DType: dtype.Int32})
		ones := make([]int32, 20)
		for i := range ones {
			ones[i] = 1
		}
		succeed(t, zarr.Write(t.Context(), a, ones, zarr.Range(0, 10)))
		succeed(t, zarr.Write(t.Context(), a, ones, zarr.Range(n-10, n)))
		var r zarr.Report
		a, err := a.With(zarr.WithReport(&r))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = a.Resize(t.Context(), []int{5, 1}, zarr.ResizeOptions{}); err != nil {
			t.Fatal(err)
		}
		var keys []string
		for e, err := range st.List(t.Context(), "a/c", store.ListOptions{}) {
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, strings.TrimPrefix(e.Key, "a/c/"))
		}
		slices.Sort(keys)
		if want := []string{"0/0", "1/0", "2/0", "3/0", "4/0"}; !slices.Equal(keys, want) {
			t.Errorf("%d: %v are left, want %v", n, keys, want)
		}
		if listed := r.Lists.Load() > 0; listed != (n > 40) {
			t.Errorf("%d: %v", n, &r)
		}
	}
}

// TestResizeConflicts checks that a stale array is not resized, nor one during an append.
func TestResizeConflicts(t *testing.T) {
	st := mem.New()
	a := create(t, st, zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int32})
	succeed(t, zarr.Write(t.Context(), a, []int32{1, 2, 3, 4}))
	k := &killed{Store: st, left: 1}
	if _, err := zarr.Append(t.Context(), onStore(t, a, k), 0, []int32{5}, zarr.AppendOptions{}); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	for _, shape := range [][]int{{2}, {9}} {
		if _, err := a.Resize(t.Context(), shape, zarr.ResizeOptions{}); !errors.Is(err, zarr.ErrConflict) {
			t.Fatalf("%v, want ErrConflict", err)
		}
	}
	k.arrive()
	b, err := a.Resize(t.Context(), []int{6}, zarr.ResizeOptions{TakeOver: -1})
	if err != nil {
		t.Fatal(err)
	}
	wantValues(t, b, 1, 2, 3, 4, 0, 0) // the value 5 was never visible
	if _, err := a.Resize(t.Context(), []int{3}, zarr.ResizeOptions{}); !errors.Is(err, zarr.ErrConflict) {
		t.Fatalf("%v, want ErrConflict", err)
	}
}

// TestResizeKilled kills a process during its deletes, and checks that an append after a takeover
// shows none of the old elements.
func TestResizeKilled(t *testing.T) {
	for deletes := range 4 {
		t.Run(fmt.Sprint(deletes), func(t *testing.T) {
			st := dir.New(t.TempDir())
			a := create(t, st, zarr.Spec{Shape: []int{12}, Chunks: []int{2}, DType: dtype.Int32})
			succeed(t, zarr.Write(t.Context(), a, []int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}))
			dying := onStore(t, a, &noDeletes{Store: st, left: deletes})
			if _, err := dying.Resize(t.Context(), []int{3}, zarr.ResizeOptions{}); !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			b, err := zarr.OpenArray(t.Context(), st, "a")
			if err != nil {
				t.Fatal(err)
			}
			wantValues(t, b, 1, 2, 3)
			if b, err = zarr.Append(t.Context(), b, 0, []int32{0, 0, 0, 0}, zarr.AppendOptions{TakeOver: -1}); err != nil {
				t.Fatal(err)
			}
			wantValues(t, b, 1, 2, 3, 0, 0, 0, 0)
			if b, err = b.Resize(t.Context(), []int{12}, zarr.ResizeOptions{}); err != nil {
				t.Fatal(err)
			}
			wantValues(t, b, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0)
			if n := claims(t, st); n != 0 {
				t.Errorf("%d claims are left", n)
			}
		})
	}
}

// noDeletes is the store of a process that dies during its deletes.
type noDeletes struct {
	store.Store
	mu   sync.Mutex
	left int
}

// lives counts down to the death of the process, and reports whether the process is still alive.
func (k *noDeletes) lives(by int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.left -= by
	return k.left >= 0
}

func (k *noDeletes) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	if !k.lives(1) {
		return errKilled
	}
	return k.Store.Delete(ctx, key, o)
}

func (k *noDeletes) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	if !k.lives(0) {
		return "", errKilled
	}
	return k.Store.Put(ctx, key, b, o)
}

// position returns the position of the i-th element in C order.
func position(shape []int, i int) []int {
	at := make([]int, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		at[k] = i % shape[k]
		i /= shape[k]
	}
	return at
}

// TestResizeRefuses checks that v1 arrays and views of fields are not resized, and that the rank
// cannot change.
func TestResizeRefuses(t *testing.T) {
	st := mem.New()
	const v1 = `{"zarr_format":1,"shape":[],"chunks":[],"dtype":"<i4","compression":"none","compression_opts":null,"fill_value":0,"order":"C"}`
	for key, doc := range map[string]string{"old/meta": v1, "old/attrs": "{}"} {
		succeed(t, second(st.Put(t.Context(), key, []byte(doc), store.PutOptions{})))
	}
	old := mustOpen(t, st, "old")
	typ, err := dtype.NewStruct(dtype.Field{Name: "x", Type: dtype.Int32})
	if err != nil {
		t.Fatal(err)
	}
	fields := create(t, st, zarr.Spec{Shape: []int{2}, DType: typ})
	x, err := fields.Field("x")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		a     *zarr.Array
		shape []int
		want  error
	}{
		{"v1", old, []int{}, errors.ErrUnsupported},
		{"a field", x, []int{3}, errors.ErrUnsupported},
		{"another rank", fields, []int{3, 1}, zarr.ErrSelection},
		{"a negative length", fields, []int{-1}, zarr.ErrSelection},
		{"too long for JSON", fields, []int{math.MaxInt}, zarr.ErrSelection},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := tt.a.Resize(t.Context(), tt.shape, zarr.ResizeOptions{}); !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
		})
	}
}

// TestResizeUnlisted checks that without permission to list, keys are deleted by computed names, up
// to a maximum number.
func TestResizeUnlisted(t *testing.T) {
	for _, tt := range []struct {
		chunks int
		want   error
	}{{3000, nil}, {math.MaxInt32, zarr.ErrRefused}} {
		st := mem.New()
		a := create(t, st, zarr.Spec{Shape: []int{tt.chunks}, Chunks: []int{1}, DType: dtype.Int32})
		succeed(t, zarr.Write(t.Context(), a, []int32{1, 2, 3}, zarr.Range(10, 13)))
		b, err := onStore(t, a, &noLists{st}).Resize(t.Context(), []int{11}, zarr.ResizeOptions{})
		if !errors.Is(err, tt.want) {
			t.Fatalf("%d chunks: %v, want %v", tt.chunks, err, tt.want)
		}
		if err != nil {
			continue
		}
		if b, err = b.Resize(t.Context(), []int{14}, zarr.ResizeOptions{}); err != nil {
			t.Fatal(err)
		}
		wantValues(t, b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0)
	}
}

// noLists refuses listings.
type noLists struct{ store.Store }

func (u *noLists) List(context.Context, string, store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) { yield(store.Entry{}, zarr.ErrRefused) }
}

// TestResizeWaits checks that Resize waits for a change in progress, and fails if that changes the
// shape.
func TestResizeWaits(t *testing.T) {
	for _, tt := range []struct {
		rows []int32
		want error
		then []int
	}{
		{nil, nil, []int{3}},
		{[]int32{5, 6}, zarr.ErrConflict, []int{6}},
	} {
		synctest.Test(t, func(t *testing.T) {
			var r zarr.Report
			st := mem.New()
			a := create(t, st, zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int32, Codecs: []codec.Spec{codec.Bytes(dtype.Little)}})
			w, err := zarr.NewWriter[int32](t.Context(), a, 0, zarr.AppendOptions{})
			if err != nil {
				t.Fatal(err)
			}
			patient, err := a.With(zarr.WithReport(&r))
			if err != nil {
				t.Fatal(err)
			}
			resized := make(chan error, 1)
			go func() {
				_, err := patient.Resize(t.Context(), []int{3}, zarr.ResizeOptions{Wait: time.Minute})
				resized <- err
			}()
			synctest.Wait()
			if r.Conflicts.Load() == 0 {
				t.Error("it does not wait for the writer")
			}
			err = w.Write(t.Context(), tt.rows)
			if _, bad := w.Close(t.Context()); err != nil || bad != nil {
				t.Fatal(err, bad)
			}
			if err := <-resized; !errors.Is(err, tt.want) {
				t.Errorf("after %d rows: %v, want %v", len(tt.rows), err, tt.want)
			}
			if a = onStore(t, a, st); !slices.Equal(a.Shape(), tt.then) || claims(t, st) != 0 {
				t.Errorf("after %d rows: shape %v, %d claims", len(tt.rows), a.Shape(), claims(t, st))
			}
		})
	}
}
