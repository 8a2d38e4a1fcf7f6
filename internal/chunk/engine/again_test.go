package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/internal/chunk/engine"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// changing changes the stored value after each Get to after(n), n counting Gets from 1. nil leaves
// the value unchanged, and an empty slice deletes it.
type changing struct {
	store.Store
	mute  bool // the length of a value that is too long is not announced
	after func(n int) []byte
	mu    sync.Mutex
	n     int
}

func (s *changing) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	v, err := s.Store.Get(ctx, key, o, buf)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	if s.after != nil {
		if b := s.after(s.n); len(b) > 0 {
			_, _ = s.Put(ctx, key, b, store.PutOptions{})
		} else if b != nil {
			_ = s.Delete(ctx, key, store.DeleteOptions{})
		}
	}
	if long := (*store.TooLong)(nil); s.mute && errors.As(err, &long) {
		err = &fault.KeyError{Op: "get", Key: key, Kind: fault.Limit}
	}
	return v, err
}

// chunk returns the stored form of a chunk whose elements have one value, with padding.
func chunk(value byte, padding int) []byte {
	return append(slices.Repeat([]byte{value}, 16), make([]byte, padding)...)
}

// TestAskAgain reads stored chunks of 16 bytes, typically at most 20, and at most 1024. A chunk
// longer than 20 bytes is requested a second time, for the length that the store announced, or for
// eight times as much if it announced none. A refused Get transfers nothing.
func TestAskAgain(t *testing.T) {
	seven := slices.Repeat([]byte{7}, 16)
	eight := slices.Repeat([]byte{8}, 16)
	for _, tt := range []struct {
		name   string
		stored []byte
		mute   bool
		after  func(n int) []byte
		gets   int
		again  int64
		want   []byte // nil for an error
		err    error
	}{
		{"no longer than the elements", chunk(7, 0), false, nil, 1, 0, seven, nil},
		{"typical", chunk(7, 4), false, nil, 1, 0, seven, nil},
		{"longer", chunk(7, 5), false, nil, 2, 1, seven, nil},
		{"as long as one may be", chunk(7, 1008), false, nil, 2, 1, seven, nil},
		{"too long", chunk(7, 1009), false, nil, 1, 0, nil, fault.Corrupt},
		{"longer, length not announced", chunk(7, 140), true, nil, 2, 1, seven, nil},
		{"longer than that, not announced", chunk(7, 200), true, nil, 3, 2, seven, nil},
		{"too long, not announced", chunk(7, 1009), true, nil, 3, 2, nil, fault.Corrupt},
		{"grows in between", chunk(7, 5), false, func(n int) []byte { return chunk(8, 5+50*min(n, 1)) }, 3, 2, eight, nil},
		{"grows at each Get", chunk(7, 5), false, func(n int) []byte { return chunk(8, 5+100*n) }, 5, 4, eight, nil},
		{"grows by a byte at each Get", chunk(7, 5), false, func(n int) []byte { return chunk(8, 5+n) }, 3, 2, eight, nil},
		{"grows for ever", chunk(7, 5), false, func(n int) []byte { return chunk(8, 5<<(2*n)) }, 5, 4, nil, fault.Corrupt},
		{"is shorter in between", chunk(7, 500), false, func(int) []byte { return chunk(8, 0) }, 2, 1, eight, nil},
		{"is cut off in between", chunk(7, 500), false, func(int) []byte { return []byte{8} }, 2, 1, nil, fault.Corrupt},
		{"is deleted in between", chunk(7, 500), false, func(int) []byte { return []byte{} }, 2, 1, make([]byte, 16), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			backing := &changing{Store: mem.New(), mute: tt.mute, after: tt.after}
			if _, err := backing.Put(t.Context(), "c/0", tt.stored, store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
			var seen requests
			report := account.NewReport(new(account.Counts))
			a := array(t, store.Observe(backing, seen.record), 16)
			a.Options.Account.Report = report
			got := slices.Repeat([]byte{9}, 16)
			err := a.Read(t.Context(), memory(got), grid.Whole(a.Layout.Shape))
			if !errors.Is(err, tt.err) || tt.want != nil && !slices.Equal(got, tt.want) {
				t.Errorf("%v, %v", got, err)
			}
			if len(seen.seen) != tt.gets || report.AskedAgain.Load() != tt.again || report.Gets.Load() != int64(tt.gets) {
				t.Errorf("%q, %d asked again", seen.seen, report.AskedAgain.Load())
			}
			free(t, a)
		})
	}
}

// TestAskAgainIsBounded checks that repeated requests count for MaxRequests.
func TestAskAgainIsBounded(t *testing.T) {
	st := mem.New()
	if _, err := st.Put(t.Context(), "c/0", chunk(7, 5), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	var seen requests
	a := array(t, store.Observe(st, seen.record), 16)
	a.Options.Account.MaxRequests = 1
	if err := a.Check(t.Context(), grid.Whole(a.Layout.Shape)); !errors.Is(err, fault.Limit) || len(seen.seen) != 1 {
		t.Errorf("%v after %q", err, seen.seen)
	}
	free(t, a)
}

// TestAskAgainToWrite changes part of a chunk that is longer than typical, and checks that nothing
// remains held.
func TestAskAgainToWrite(t *testing.T) {
	st := mem.New()
	if _, err := st.Put(t.Context(), "c/0", chunk(7, 500), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	var seen requests
	a := array(t, store.Observe(st, seen.record), 16)
	succeed(t, a.Write(t.Context(), memory([]byte{1, 2}), grid.Region{{Start: 3, Step: 1, Count: 2}}))
	if got, want := strings.Join(seen.seen, ", "), "get c/0 failed, get c/0, put c/0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	want := chunk(7, 0)
	want[3], want[4] = 1, 2
	if v, err := st.Get(t.Context(), "c/0", store.GetOptions{}, nil); err != nil || !slices.Equal(v.Bytes, want) {
		t.Errorf("%v, %v", v.Bytes, err)
	}
	free(t, a)
}

// failing fails the n-th request of a kind with an error, or cancels the call.
type failing struct {
	store.Store
	op   store.Op
	n    int
	fail func() error
	mu   sync.Mutex
}

func (s *failing) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if err := s.at(store.OpGet); err != nil {
		return store.Value{}, err
	}
	return s.Store.Get(ctx, key, o, buf)
}

func (s *failing) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	if err := s.at(store.OpPut); err != nil {
		return "", err
	}
	return s.Store.Put(ctx, key, b, o)
}

func (s *failing) at(op store.Op) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.op != op {
		return nil
	}
	if s.n--; s.n != 0 {
		return nil
	}
	return s.fail()
}

// TestNothingIsHeldAfterErrors checks that memory, CPU slots and locks are free when a call
// returns, whichever of its requests fails or cancels it.
func TestNothingIsHeldAfterErrors(t *testing.T) {
	boom := errors.New("boom")
	const n = 128
	odd := grid.Region{{Start: 1, Step: 2, Count: n / 2}}
	for _, call := range []struct {
		name string
		op   store.Op
		do   func(context.Context, *engine.Array) error
	}{
		{"read", store.OpGet, func(ctx context.Context, a *engine.Array) error {
			return a.Read(ctx, memory(make([]byte, n)), grid.Whole(a.Layout.Shape))
		}},
		{"check", store.OpGet, func(ctx context.Context, a *engine.Array) error { return a.Check(ctx, odd) }},
		{"write", store.OpPut, func(ctx context.Context, a *engine.Array) error {
			return a.Write(ctx, memory(slices.Repeat([]byte{1}, n)), grid.Whole(a.Layout.Shape))
		}},
		{"write of parts, at a Get", store.OpGet, func(ctx context.Context, a *engine.Array) error {
			return a.Write(ctx, memory(slices.Repeat([]byte{1}, n/2)), odd)
		}},
		{"write of parts, at a Put", store.OpPut, func(ctx context.Context, a *engine.Array) error {
			return a.Write(ctx, memory(slices.Repeat([]byte{1}, n/2)), odd)
		}},
	} {
		for _, layout := range []struct {
			name string
			make func(*testing.T, store.Store, int) *engine.Array
		}{{"chunks", array}, {"shards", sharded}} {
			for at := 1; at <= 4; at++ {
				for _, cancels := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/%s/%d/cancels=%v", call.name, layout.name, at, cancels), func(t *testing.T) {
						st := mem.New()
						full := layout.make(t, st, n)
						succeed(t, full.Write(t.Context(), memory(slices.Repeat([]byte{7}, n)), grid.Whole(full.Layout.Shape)))
						ctx, cancel := context.WithCancelCause(t.Context())
						defer cancel(nil)
						bad := &failing{Store: st, op: call.op, n: at, fail: func() error {
							if !cancels {
								return boom
							}
							cancel(boom)
							return nil
						}}
						a := layout.make(t, bad, n)
						err := call.do(ctx, a)
						if !errors.Is(err, boom) && !(cancels && (err == nil || errors.Is(err, context.Canceled))) {
							t.Errorf("%v", err)
						}
						free(t, a)
						bad.op = ""
						// This would wait for anything that is still held.
						if err := call.do(t.Context(), a); err != nil {
							t.Errorf("once more: %v", err)
						}
						free(t, a)
					})
				}
			}
		}
	}
}
