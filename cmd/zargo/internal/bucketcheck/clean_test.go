package bucketcheck_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/bucketcheck"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// uploads is a store that records unfinished uploads.
type uploads struct {
	*mem.Store
	under map[string]bool
}

func (u *uploads) PutParts(ctx context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	p, err := u.Store.PutParts(ctx, key, o)
	if err != nil {
		return nil, err
	}
	u.under[p.Token()] = true
	return upload{p, u}, nil
}

type upload struct {
	store.Parts
	u *uploads
}

func (p upload) Commit(ctx context.Context, o store.PutOptions) (store.Version, error) {
	v, err := p.Parts.Commit(ctx, o)
	if err == nil {
		delete(p.u.under, p.Token())
	}
	return v, err
}

func (p upload) Abort(ctx context.Context) error {
	delete(p.u.under, p.Token())
	return p.Parts.Abort(ctx)
}

// TestInterruptedAnywhere checks that a run that is interrupted at any request deletes its objects.
func TestInterruptedAnywhere(t *testing.T) {
	for _, at := range []int64{1, 2, 7, 30, 60, 90, 120, 150, 200, 230, 260, 270, 280, 290, 340} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			stopped := errors.New("stopped")
			var calls atomic.Int64
			m := mem.New()
			u := &uploads{Store: m, under: map[string]bool{}}
			s := store.Around(u, store.Hooks{Before: func(ctx context.Context, _ store.Call) (context.Context, error) {
				if calls.Add(1) == at {
					cancel(stopped)
				}
				return ctx, nil
			}})
			r, err := bucketcheck.Run(ctx, on(func() store.Store { return s }))
			switch {
			case calls.Load() < at:
				t.Fatalf("only %d calls", calls.Load())
			case at > 2 && at < 300 && (!errors.Is(err, stopped) || r.Complete), at >= 300 && err != nil: // from request 300 on, Run deletes
				t.Errorf("%+v, %v", r, err)
			}
			if got := left(t, m); len(got) > 0 {
				t.Errorf("left: %q", got)
			}
			if len(u.under) > 0 {
				t.Errorf("values in parts are left: %v", u.under)
			}
		})
	}
}

func TestWhatCannotBeDeletedIsSaid(t *testing.T) {
	t.Run("a delete that lies", func(t *testing.T) {
		b := &broken{Store: mem.New()}
		b.delete = func(ctx context.Context, key string, o store.DeleteOptions) error {
			if strings.HasSuffix(key, "/value") {
				return nil
			}
			return b.Store.Delete(ctx, key, o)
		}
		r, err := bucketcheck.Run(t.Context(), on(func() store.Store { return single{b} }))
		var e *bucketcheck.LeftError
		if !errors.As(err, &e) || !slices.Equal(e.Keys, left(t, b.Store)) || !slices.Equal(r.Left, e.Keys) || len(e.Keys) != 1 || e.Err != nil {
			t.Errorf("%v, left %q", err, left(t, b.Store))
		}
		if !strings.Contains(err.Error(), e.Place) {
			t.Error(err)
		}
	})
	t.Run("a delete that lies and a listing that hides", func(t *testing.T) {
		b := &broken{Store: mem.New(), list: func(e store.Entry) bool { return !strings.HasSuffix(e.Key, "/empty") }}
		b.delete = func(ctx context.Context, key string, o store.DeleteOptions) error {
			if strings.HasSuffix(key, "/empty") {
				return nil
			}
			return b.Store.Delete(ctx, key, o)
		}
		_, err := bucketcheck.Run(t.Context(), on(func() store.Store { return single{b} }))
		var e *bucketcheck.LeftError
		if !errors.As(err, &e) || len(e.Keys) != 1 || !strings.HasSuffix(e.Keys[0], "/empty") {
			t.Errorf("%v, left %q", err, left(t, b.Store))
		}
	})
	t.Run("no permission to delete", func(t *testing.T) {
		b := &broken{Store: mem.New()}
		b.delete = func(_ context.Context, key string, _ store.DeleteOptions) error { return refused("delete", key) }
		r, err := bucketcheck.Run(t.Context(), on(func() store.Store { return single{b} }))
		var e *bucketcheck.LeftError
		if !errors.As(err, &e) || !errors.Is(err, fault.Refused) || !slices.Equal(e.Keys, left(t, b.Store)) || r.Count(bucketcheck.Refused) != 4 {
			t.Errorf("%v, %d refused", err, r.Count(bucketcheck.Refused))
		}
	})
	t.Run("a batch that fails", func(t *testing.T) {
		b := &broken{Store: mem.New()}
		r, err := bucketcheck.Run(t.Context(), on(func() store.Store { return batch{b} }))
		if err != nil || len(left(t, b.Store)) > 0 {
			t.Errorf("%v, left %q", err, left(t, b.Store))
		}
		i := slices.IndexFunc(r.Checks, func(f bucketcheck.Finding) bool { return f.Name == "delete many" })
		if f := r.Checks[i]; f.Verdict != bucketcheck.Unknown {
			t.Errorf("%+v", f)
		}
	})
}

// single is a store without batch deletes.
type single struct{ *broken }

func (single) DeleteAll(context.Context, []string) error { return errors.ErrUnsupported }

// batch is a store whose batch deletes fail.
type batch struct{ *broken }

func (batch) DeleteAll(_ context.Context, keys []string) error {
	return &fault.KeyError{Op: "delete", Key: keys[0], Kind: fault.Unavailable}
}

func TestRefusedAtOnce(t *testing.T) {
	m := mem.New()
	if _, err := m.Put(t.Context(), "zargo-check-abcdefghijkl/x", []byte("mine"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	var calls atomic.Int64
	counted := store.Around(m, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
		if c.Op != store.OpList && c.Op != store.OpGet {
			calls.Add(1)
		}
		return ctx, nil
	}})
	tests := []struct {
		name string
		o    bucketcheck.Options
		kind error
	}{
		{"a place in use", bucketcheck.Options{Place: "zargo-check-abcdefghijkl"}, fault.Exists},
		{"a place of the caller's", bucketcheck.Options{Place: "data"}, fault.Path},
		{"a place in a folder", bucketcheck.Options{Place: "zargo-check-abcdefghijkl/../x"}, fault.Path},
		{"a short place", bucketcheck.Options{Place: "zargo-check-"}, fault.Path},
		{"no key", bucketcheck.Options{Key: "a//b"}, fault.Path},
		{"an absent key", bucketcheck.Options{Key: "absent"}, fault.NotFound},
		{"a negative length", bucketcheck.Options{Above: -1}, fault.Selection},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.o.Open = func(context.Context, int) (store.Store, error) { return counted, nil }
			if _, err := bucketcheck.Run(t.Context(), test.o); !errors.Is(err, test.kind) {
				t.Error(err)
			}
		})
	}
	if _, err := bucketcheck.Run(t.Context(), bucketcheck.Options{}); err == nil {
		t.Error("no Open is no error")
	}
	readOnly := on(func() store.Store { return store.ReadOnly(counted) })
	if _, err := bucketcheck.Run(t.Context(), readOnly); !errors.Is(err, fault.ReadOnly) {
		t.Error(err)
	}
	if n := calls.Load(); n > 0 {
		t.Errorf("%d writes", n)
	}
	b := &broken{Store: mem.New(), put: func(_ context.Context, key string, _ []byte, _ store.PutOptions) (store.Version, error) {
		return "", refused("put", key)
	}}
	r, err := bucketcheck.Run(t.Context(), on(func() store.Store { return b }))
	if !errors.Is(err, fault.Refused) || len(r.Checks) != 1 || r.Checks[0].Verdict != bucketcheck.Refused || r.Complete {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestReadOnly checks that Run with a Key does not write.
func TestReadOnly(t *testing.T) {
	m := mem.New()
	for key, n := range map[string]int{"a/chunk": 100_000, "a/chunk2": 1, "one": 1, "none": 0} {
		if _, err := m.Put(t.Context(), key, make([]byte, n), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"a/chunk", "a/chunk2", "one", "none"} {
		t.Run(key, func(t *testing.T) {
			o := on(func() store.Store { return store.ReadOnly(m) })
			o.Key, o.NoSpeed = key, false
			r, err := bucketcheck.Run(t.Context(), o)
			if err != nil || r.Place != "" || r.Key != key || r.Objects != 0 || r.Cost.Sent != 0 {
				t.Fatalf("%+v, %v", r, err)
			}
			for _, f := range r.Checks {
				if f.Verdict != bucketcheck.Holds && (key != "none" || f.Verdict == bucketcheck.Fails) {
					t.Errorf("%+v", f)
				}
			}
			if r.Speed.Get == nil || r.Speed.Put != nil || len(r.Speed.Reads) == 0 || r.Speed.Writes != nil {
				t.Errorf("%+v", r.Speed)
			}
			if p := o.Plan(); p.Objects != 0 || p.Sent != 0 || r.Cost.Requests > p.Requests || r.Cost.Received > p.Received {
				t.Errorf("%+v beyond %v", r.Cost, p)
			}
		})
	}
}
