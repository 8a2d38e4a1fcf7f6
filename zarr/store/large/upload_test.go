package large_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/large"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// cutAt returns a mem store with an unfinished upload of parts 0 to 2 of 40 bytes, and its token.
func cutAt(t *testing.T, value []byte) (f *failing, token string) {
	t.Helper()
	f = &failing{Store: mem.New(), fail: func(_ context.Context, c store.Call) error {
		if c.Op == store.OpPart && c.Part == 3 {
			return &fault.KeyError{Op: "put", Key: "k", Err: fault.Unavailable}
		}
		return nil
	}}
	_, err := large.Upload(t.Context(), f.store(), "k", bytes.NewReader(value), int64(len(value)), large.UploadOptions{
		Piece: 40, InFlight: 1, Began: func(s string) { token = s },
	})
	if !errors.Is(err, fault.Unavailable) || token == "" || f.aborted.Load() != 0 {
		t.Fatalf("token %q, aborted %d times, %v", token, f.aborted.Load(), err)
	}
	f.fail = func(context.Context, store.Call) error { return nil }
	return f, token
}

func TestUploadResumes(t *testing.T) {
	value := random(200)
	f, token := cutAt(t, value)
	l := &log{}
	o := large.UploadOptions{Piece: 40, Resume: token, Put: store.PutOptions{IfAbsent: true}}
	version, err := large.Upload(t.Context(), l.around(f.store()), "k", bytes.NewReader(value), 200, o)
	if err != nil {
		t.Fatal(err)
	}
	if got := l.take(); !slices.Equal(got, []string{"commit", "part 3: 40", "part 4: 40", "parts", "sent"}) {
		t.Errorf("%q", got)
	}
	v, err := f.Get(t.Context(), "k", store.GetOptions{}, nil)
	if err != nil || !bytes.Equal(v.Bytes, value) || v.Version != version {
		t.Error(err)
	}
	if _, err := large.Upload(t.Context(), f.store(), "k", bytes.NewReader(value), 200, o); !errors.Is(err, fault.Conflict) {
		t.Errorf("of what was committed: %v", err)
	}
}

// TestUploadOfAChangedSource checks that parts that differ from the source are sent again.
func TestUploadOfAChangedSource(t *testing.T) {
	value := random(200)
	f, token := cutAt(t, value)
	value = slices.Clone(value)
	value[50]++
	l := &log{}
	if _, err := large.Upload(t.Context(), l.around(f.store()), "k", bytes.NewReader(value), 200, large.UploadOptions{Piece: 40, Resume: token}); err != nil {
		t.Fatal(err)
	}
	if got := l.take(); !slices.Equal(got, []string{"commit", "part 1: 40", "part 3: 40", "part 4: 40", "parts", "sent"}) {
		t.Errorf("%q", got)
	}
	if v, err := f.Get(t.Context(), "k", store.GetOptions{}, nil); err != nil || !bytes.Equal(v.Bytes, value) {
		t.Error(err)
	}
	f, token = cutAt(t, value)
	if _, err := large.Upload(t.Context(), f.store(), "k", bytes.NewReader(value), 70, large.UploadOptions{Piece: 40, Resume: token}); !errors.Is(err, fault.Conflict) {
		t.Errorf("of a source with fewer parts: %v", err)
	}
}

func TestUploadByCondition(t *testing.T) {
	f := &failing{Store: mem.New(), fail: func(context.Context, store.Call) error { return nil }}
	began := func(string) {}
	up := func(value string, o store.PutOptions) error {
		_, err := large.Upload(t.Context(), f.store(), "k", bytes.NewReader([]byte(value)), int64(len(value)), large.UploadOptions{Put: o, Piece: 2, Began: began})
		return err
	}
	if err := up("", store.PutOptions{IfAbsent: true}); err != nil {
		t.Error(err)
	}
	if err := up("two", store.PutOptions{IfAbsent: true}); !errors.Is(err, fault.Exists) || f.aborted.Load() != 1 {
		t.Errorf("aborted %d times, %v", f.aborted.Load(), err)
	}
	if err := up("two", store.PutOptions{IfVersion: "none"}); !errors.Is(err, fault.Conflict) || f.aborted.Load() != 2 {
		t.Errorf("aborted %d times, %v", f.aborted.Load(), err)
	}
	if err := up("two", store.PutOptions{IfVersion: "1", IfAbsent: true}); !errors.Is(err, fault.Selection) {
		t.Error(err)
	}
	if v, err := f.Get(t.Context(), "k", store.GetOptions{}, nil); err != nil || len(v.Bytes) != 0 {
		t.Error(v, err)
	}
	if _, err := large.Upload(t.Context(), f.store(), "k", bytes.NewReader(nil), 5, large.UploadOptions{}); err == nil || f.aborted.Load() != 3 {
		t.Errorf("of a source that ends early: aborted %d times, %v", f.aborted.Load(), err)
	}
	if _, err := large.Upload(t.Context(), struct{ store.Store }{mem.New()}, "k", bytes.NewReader(nil), 5, large.UploadOptions{}); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}

// TestUploadMemory uploads two values concurrently with a budget for one part of each. It checks
// that the parts fit in the budget, that the budget is free afterwards, and that an upload is
// aborted if its context ends while it waits for memory.
func TestUploadMemory(t *testing.T) {
	const piece = 1 << 20
	value := random(5 * piece)
	memory := concurrency.NewBudget(2 * concurrency.Need(piece))
	st := mem.New()
	o := large.UploadOptions{Piece: piece, InFlight: 4, Memory: memory}
	err := concurrency.EachN(t.Context(), 2, 2, func(ctx context.Context, i int) error {
		_, err := large.Upload(ctx, st, fmt.Sprint("k", i), bytes.NewReader(value), int64(len(value)), o)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if now, peak := memory.Used(); now != 0 || peak == 0 || peak > memory.Size() {
		t.Errorf("%d bytes are reserved, at most %d were, of %d", now, peak, memory.Size())
	}
	for i := range 2 {
		v, err := st.Get(t.Context(), fmt.Sprint("k", i), store.GetOptions{}, nil)
		if err != nil || !bytes.Equal(v.Bytes, value) {
			t.Errorf("value %d: %v", i, err)
		}
	}
}

// TestUploadWaits checks that an upload is aborted if its context ends while it waits for memory.
func TestUploadWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := concurrency.NewBudget(1 << 10)
		hold, err := memory.Acquire(t.Context(), concurrency.Task, memory.Size())
		if err != nil {
			t.Fatal(err)
		}
		defer hold.Release()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		f := &failing{Store: mem.New(), fail: func(context.Context, store.Call) error { return nil }}
		_, err = large.Upload(ctx, f.store(), "k", bytes.NewReader(random(200)), 200, large.UploadOptions{Piece: 40, Memory: memory})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("an upload that waited: %v", err)
		}
		if f.aborted.Load() != 1 {
			t.Errorf("%d values were aborted, want 1", f.aborted.Load())
		}
	})
}
