package account_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

func begin(t *testing.T, s store.Store, o account.Options) (context.Context, store.Store, *account.Account) {
	t.Helper()
	return account.Begin(t.Context(), s, o)
}

func put(t *testing.T, s store.Store, key string, n int) {
	t.Helper()
	if _, err := s.Put(t.Context(), key, make([]byte, n), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

func list(ctx context.Context, s store.Store) error {
	for _, err := range store.Pages(ctx, s, "", store.ListOptions{}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// admit admits requests without sending them.
func admit(a *account.Account, s store.Store, requests int, bytes int64) error {
	_, err := a.AdmitAll(s, requests, bytes)
	return err
}

// bare is a store without optional methods.
type bare struct{ store.Store }

// busy fails the first requests with fault.Unavailable.
type busy struct {
	store.Store
	mu    sync.Mutex
	fails int
}

func (b *busy) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	b.mu.Lock()
	fail := b.fails > 0
	b.fails--
	b.mu.Unlock()
	if fail {
		return store.Value{}, &fault.KeyError{Op: "get", Key: key, Kind: fault.Unavailable}
	}
	return b.Store.Get(ctx, key, o, buf)
}

// TestRequestsAreCounted checks that the store from Begin counts every kind of request, and counts
// a request that falls back to others as those.
func TestRequestsAreCounted(t *testing.T) {
	use := func(ctx context.Context, s store.Store) error {
		_, err := s.Put(ctx, "a", make([]byte, 10), store.PutOptions{})
		_, get := s.Get(ctx, "a", store.GetOptions{Range: store.Within(2, 3)}, make([]byte, 7))
		_, none := s.Get(ctx, "none", store.GetOptions{}, nil)
		if !errors.Is(none, fault.NotFound) {
			err = errors.Join(err, none)
		}
		err = errors.Join(err, get, list(ctx, s))
		if p, begun := store.PutParts(ctx, s, "p", store.PartsOptions{}); begun == nil {
			part := p.Part(ctx, 0, make([]byte, 5))
			_, commit := p.Commit(ctx, store.PutOptions{})
			err = errors.Join(err, part, commit)
		}
		return errors.Join(err, store.DeleteAll(ctx, s, []string{"a", "b", "c"}))
	}
	for _, tt := range []struct {
		name string
		s    store.Store
		want string
	}{
		{"every verb", mem.New(), "0 chunks (0 missing), 2 gets of 3 bytes, 1 puts of 15 bytes, 1 deletes, 0 conflicts, 1 listings, 3 parts"},
		{"four verbs", bare{mem.New()}, "0 chunks (0 missing), 2 gets of 3 bytes, 1 puts of 10 bytes, 3 deletes, 0 conflicts, 1 listings"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := account.NewReport(new(account.Counts))
			ctx, s, _ := begin(t, tt.s, account.Options{Report: r})
			if err := use(ctx, s); err != nil {
				t.Fatal(err)
			}
			if got := r.String(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if err := use(t.Context(), tt.s); err != nil {
				t.Fatal(err)
			}
			if got := r.String(); got != tt.want {
				t.Errorf("another call was counted: %s", got)
			}
		})
	}
}

// TestRetriesAreCounted checks that retries below the call are not requests of the call, and that
// they are counted with the time that they waited.
func TestRetriesAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		below := &busy{Store: mem.New(), fails: 2}
		put(t, below.Store, "a", 10)
		user, err := retry.New(below)
		if err != nil {
			t.Fatal(err)
		}
		r := account.NewReport(new(account.Counts))
		ctx, s, _ := begin(t, user, account.Options{Report: r})
		start := time.Now()
		if _, err := s.Get(ctx, "a", store.GetOptions{}, nil); err != nil {
			t.Fatal(err)
		}
		if r.Gets.Load() != 1 || r.Retries.Load() != 2 || r.BytesRead.Load() != 10 || time.Duration(r.RetryWait.Load()) != time.Since(start) {
			t.Errorf("%v, waited %d of %d", &r, r.RetryWait.Load(), time.Since(start))
		}
	})
}

// TestTraceEventsAreCounted checks that every event of a trace is counted, once for a call within a
// call, and that the user's own trace is still called.
func TestTraceEventsAreCounted(t *testing.T) {
	r := account.NewReport(new(account.Counts))
	heard := 0
	ctx := store.WithTrace(t.Context(), &store.Trace{Retry: func(context.Context, store.Retry) { heard++ }})
	ctx, _, _ = account.Begin(ctx, mem.New(), account.Options{Report: r})
	ctx, _, _ = account.Begin(ctx, mem.New(), account.Options{Report: r})
	tr := store.TraceOf(ctx)
	tr.Attempt(ctx, store.Attempt{Sent: 1, Received: 2})
	tr.Retry(ctx, store.Retry{Wait: 3})
	tr.Hedge(ctx, store.Hedge{})
	tr.Hedge(ctx, store.Hedge{Won: true})
	tr.Hit(ctx, store.Hit{})
	tr.Chunk(ctx, store.Chunk{Used: 5, Took: 7})
	for i, res := range []store.Resource{store.WaitSlot, store.WaitBytes, store.WaitCPU, store.WaitKey, store.WaitPause, store.WaitQuota} {
		tr.Wait(ctx, store.Wait{For: res, Took: time.Duration(10 + i)})
	}
	got := fmt.Sprint(r.Attempts.Load(), r.WireBytes.Load(), r.Retries.Load(), r.RetryWait.Load(), r.Hedges.Load(), r.HedgesWon.Load(), r.Hits.Load(),
		r.BytesUsed.Load(), r.CodecTime.Load(), r.SlotWait.Load(), r.MemoryWait.Load(), r.CPUWait.Load(), r.KeyWait.Load(), r.PauseWait.Load())
	if want := "1 3 1 18 2 1 1 5 7 10 11 12 13 14"; got != want || heard != 1 {
		t.Errorf("got %s, want %s; the user's trace heard %d", got, want, heard)
	}
	if got, want := r.String(), "0 chunks (0 missing), 0 gets of 0 bytes, 0 puts of 0 bytes, 0 deletes, 0 conflicts, 1 retries, 2 hedges, 1 cache hits, 1 attempts with 3 bytes"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestReportsAreNested checks that each of two reports counts an event once, if a store that is
// counted in one of them is counted in the other, and if a call below counts again.
func TestReportsAreNested(t *testing.T) {
	below, above := account.NewReport(new(account.Counts)), account.NewReport(new(account.Counts))
	ctx, _, _ := account.Begin(t.Context(), mem.New(), account.Options{Report: below})
	ctx, _, _ = account.Begin(ctx, mem.New(), account.Options{Report: above})
	ctx, _, _ = account.Begin(ctx, mem.New(), account.Options{Report: below})
	store.TraceOf(ctx).Attempt(ctx, store.Attempt{})
	if below.Attempts.Load() != 1 || above.Attempts.Load() != 1 {
		t.Errorf("counted %d and %d times", below.Attempts.Load(), above.Attempts.Load())
	}
}

func TestMethodsCount(t *testing.T) {
	r := account.NewReport(new(account.Counts))
	_, _, a := begin(t, mem.New(), account.Options{Report: r})
	a.Chunks(3, 1)
	a.Chunks(2, 0)
	a.Conflict()
	a.AskedAgain()
	if got, want := r.String(), "5 chunks (1 missing), 0 gets of 0 bytes, 0 puts of 0 bytes, 0 deletes, 1 conflicts, 1 asked again"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestZeroOptions checks that the zero Options return the context and the store of the user.
func TestZeroOptions(t *testing.T) {
	user := mem.New()
	ctx, s, a := begin(t, user, account.Options{})
	if ctx != t.Context() || s != store.Store(user) || a != nil {
		t.Errorf("%v, %v, %v", ctx, s, a)
	}
	a.Chunks(1, 1)
	a.Conflict()
	a.AskedAgain()
	if err := errors.Join(a.Fits(1<<30), admit(a, s, 1<<30, 1<<60)); err != nil {
		t.Error(err)
	}
	if _, s, a = begin(t, user, account.Options{MaxRequests: 1}); a == nil {
		t.Error("nothing is bounded")
	}
	for _, want := range []error{fault.NotFound, fault.Limit} {
		if _, err := s.Get(t.Context(), "a", store.GetOptions{}, nil); !errors.Is(err, want) || account.Refused(err) != (want == fault.Limit) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	a.Chunks(1, 1)
}

// TestMaxRequests checks that all requests of a list are admitted or none, and that refused
// requests do not count.
func TestMaxRequests(t *testing.T) {
	_, s, a := begin(t, mem.New(), account.Options{MaxRequests: 10})
	if err := a.Fits(10); err != nil {
		t.Error(err)
	}
	if err := a.Fits(11); !errors.Is(err, fault.Limit) {
		t.Errorf("fits: %v", err)
	}
	for _, tt := range []struct {
		n    int
		want error
	}{{4, nil}, {7, fault.Limit}, {6, nil}, {0, nil}, {1, fault.Limit}} {
		if err := admit(a, s, tt.n, 0); !errors.Is(err, tt.want) {
			t.Errorf("%d: %v", tt.n, err)
		}
	}
}

// TestUnadmitted checks that a refused request of any kind is not sent, that one which the store
// does not support does not count, and that an upload can always be aborted.
func TestUnadmitted(t *testing.T) {
	var sent []store.Op
	below := store.Observe(mem.New(), func(_ context.Context, e store.Event) { sent = append(sent, e.Op) })
	ctx, s, a := begin(t, below, account.Options{MaxRequests: 3})
	list, err := a.AdmitAll(s, 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := store.PutParts(ctx, s, "a", store.PartsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, put := s.Put(ctx, "b", nil, store.PutOptions{})
	_, commit := p.Commit(ctx, store.PutOptions{})
	for _, err := range []error{p.Part(ctx, 0, nil), put, commit, s.Delete(ctx, "a", store.DeleteOptions{}), list.Delete(ctx, "x", store.DeleteOptions{}),
		store.DeleteAll(ctx, list, []string{"a"}), list.Delete(ctx, "x", store.DeleteOptions{}), p.Abort(ctx)} {
		t.Log(err)
	}
	if want := []store.Op{store.OpBegin, store.OpDelete, store.OpDelete, store.OpAbort}; !slices.Equal(sent, want) {
		t.Errorf("sent %q, want %q", sent, want)
	}
	_, bounded, _ := begin(t, bare{mem.New()}, account.Options{MaxRequests: 1})
	if _, err := store.PutParts(ctx, bounded, "a", store.PartsOptions{}); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
	if _, err := bounded.Put(ctx, "a", nil, store.PutOptions{}); err != nil {
		t.Error(err)
	}
}

// TestMaxRequestsTogether checks that concurrent requests are admitted up to the limit exactly.
func TestMaxRequestsTogether(t *testing.T) {
	_, s, a := begin(t, mem.New(), account.Options{MaxRequests: 50})
	var wg sync.WaitGroup
	admitted := make(chan int, 100)
	for range 100 {
		wg.Go(func() {
			if admit(a, s, 1, 0) == nil {
				admitted <- 1
			}
		})
	}
	wg.Wait()
	if len(admitted) != 50 {
		t.Errorf("%d were admitted", len(admitted))
	}
}

// TestMaxBytes checks that requests of known length are refused before they exceed the limit, and
// others after it is exceeded.
func TestMaxBytes(t *testing.T) {
	user := mem.New()
	put(t, user, "a", 60)
	ctx, s, a := begin(t, user, account.Options{MaxBytes: 100, MaxRequests: 10})
	if err := admit(a, s, 1, 101); !errors.Is(err, fault.Limit) {
		t.Errorf("101 at once: %v", err)
	}
	list, err := a.AdmitAll(s, 10, 60)
	if err != nil {
		t.Fatalf("what was refused took requests: %v", err)
	}
	if err := admit(a, s, 0, 41); !errors.Is(err, fault.Limit) {
		t.Errorf("41 more: %v", err)
	}
	for i, want := range []error{nil, nil, fault.Limit} {
		if _, err := list.Get(ctx, "a", store.GetOptions{}, nil); !errors.Is(err, want) {
			t.Errorf("get %d: %v", i, err)
		}
	}
	if err := admit(a, s, 0, 1); !errors.Is(err, fault.Limit) {
		t.Errorf("after 120: %v", err)
	}
	if _, err := user.Get(ctx, "a", store.GetOptions{}, nil); err != nil {
		t.Errorf("another call: %v", err)
	}
}

// TestMaxBytesLetsAbort checks that a call which has transferred its bytes can still abort an
// upload.
func TestMaxBytesLetsAbort(t *testing.T) {
	ctx, s, _ := begin(t, mem.New(), account.Options{MaxBytes: 10})
	p, err := store.PutParts(ctx, s, "a", store.PartsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Part(ctx, 0, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if err := p.Part(ctx, 1, make([]byte, 1)); !errors.Is(err, fault.Limit) {
		t.Errorf("part: %v", err)
	}
	if err := p.Abort(ctx); err != nil {
		t.Errorf("abort: %v", err)
	}
}

// TestAllocations bounds the allocations of an account.
func TestAllocations(t *testing.T) {
	r := account.NewReport(new(account.Counts))
	ctx, user := t.Context(), mem.New()
	put(t, user, "a", 1)
	buf := make([]byte, 0, 8)
	call := func(o account.Options) float64 {
		return testing.AllocsPerRun(100, func() {
			ctx, s, a := account.Begin(ctx, user, o)
			if err := admit(a, s, 1, 0); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if _, err := s.Get(ctx, "a", store.GetOptions{}, buf); err != nil {
					t.Fatal(err)
				}
			}
			a.Chunks(3, 0)
		})
	}
	// Two contexts, the account, the store, and its two hooks.
	if got := call(account.Options{Report: r}); got > 6 {
		t.Errorf("%v allocations", got)
	}
	// The account, the list that it admitted, and for each a layer with two hooks.
	if got := call(account.Options{MaxRequests: 5}); got > 10 {
		t.Errorf("%v allocations for a bound", got)
	}
}
