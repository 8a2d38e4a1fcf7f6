package claimed_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/internal/copying/claimed"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestRetry changes a record that a rival changes during the first attempts.
func TestRetry(t *testing.T) {
	for _, c := range []struct {
		name                   string
		rivals, attempts, want int
		err                    error
	}{{"no rival", 0, 1, 10, nil}, {"two rivals", 2, 3, 12, nil}, {"a rival in each attempt", 9, 4, 4, fault.Conflict}} {
		r, attempts, sum, text := claimed.Record{Store: mem.New(), Key: "a", Max: 8, Turns: 4}, 0, 0, ""
		_, created := r.Put(t.Context(), 0, store.PutOptions{IfAbsent: true})
		_, twice := r.Put(t.Context(), 0, store.PutOptions{IfAbsent: true})
		err := r.Retry(func() error {
			at, found, err := r.Read(t.Context(), &sum)
			if attempts++; attempts <= c.rivals {
				_, err = r.Put(t.Context(), sum+1, store.PutOptions{IfVersion: at})
			}
			_, lost := r.Put(t.Context(), sum+10, store.PutOptions{IfVersion: at})
			if err != nil || !found {
				t.Error(c.name, err, found)
			}
			return lost
		})
		_, _, bad := r.Read(t.Context(), &text)
		_, _, read := r.Read(t.Context(), &sum)
		if sum != c.want || attempts != c.attempts || !errors.Is(err, c.err) || created != nil || read != nil || !errors.Is(twice, claimed.ErrChanged) || !errors.Is(bad, fault.Metadata) {
			t.Error(c.name, sum, attempts, err, created, read, twice, bad)
		}
	}
}

// plain is a store without conditional puts.
type plain struct{ store.Store }

func (p plain) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	if o != (store.PutOptions{}) {
		return "", errors.ErrUnsupported
	}
	return p.Store.Put(ctx, key, value, o)
}

// free is a node of which no object is stored.
type free struct{ *claimed.Documents }

func (free) Look(context.Context) (bool, error) { return true, nil }

// entered returns two processes of a plan that have claimed its target in a store.
func entered(t *testing.T, st store.Store) (first, second *claimed.Holder, c *claimed.Claim) {
	d := &claimed.Documents{Store: st, Target: "t", Texts: map[string]string{"t/zarr.json": "{}"}}
	first = &claimed.Holder{Store: st, Target: "t", Plan: "p", Node: free{d}}
	second = &claimed.Holder{Store: st, Target: "t", Plan: "p", Node: free{d}}
	_, err1 := first.Enter(t.Context())
	c, err2 := second.Enter(t.Context())
	if err := errors.Join(err1, err2); err != nil || c.State != claimed.Copying {
		t.Fatal(c, err)
	}
	return first, second, c
}

// TestUnconditional has a process publish in a store without conditional puts, and another process
// of the plan change the claim that it has read before. The state must not go back.
func TestUnconditional(t *testing.T) {
	first, second, was := entered(t, plain{mem.New()})
	now := was
	for _, to := range []claimed.State{claimed.Publishing, claimed.Published} {
		var err1 error
		now, err1 = second.Advance(t.Context(), now, to)
		late, err2 := first.Advance(t.Context(), was, claimed.Publishing)
		if err := errors.Join(err1, err2); err != nil || late.State != to || late.Run != now.Run {
			t.Errorf("%v, want %s: %v", late, to, err)
		}
	}
}

// TestRetreat has two processes store the documents, and the first one meet another node. If the
// second one has published the target, both have succeeded. Otherwise the second one must not.
func TestRetreat(t *testing.T) {
	for _, published := range []bool{true, false} {
		first, second, c := entered(t, mem.New())
		a, err1 := first.Advance(t.Context(), c, claimed.Publishing)
		b, err2 := second.Advance(t.Context(), c, claimed.Publishing)
		if published {
			_, err2 = second.Advance(t.Context(), b, claimed.Published)
		}
		if met := first.Retreat(t.Context(), a, fault.Exists); err1 != nil || err2 != nil || (met == nil) != published {
			t.Fatal(err1, err2, met)
		}
		_, err := second.Advance(t.Context(), b, claimed.Published)
		if c := first.Known(); published && (err != nil || c.State != claimed.Published) || !published && (!errors.Is(err, claimed.ErrRemoved) || c.State != claimed.Copying || c.Turn != 1) {
			t.Error(published, err, c)
		}
	}
}

// TestWithdraw checks that the group is withdrawn before its members, which are published first.
func TestWithdraw(t *testing.T) {
	var order []string
	st := store.Observe(mem.New(), func(_ context.Context, e store.Event) {
		if e.Op != store.OpGet {
			order = append(order, string(e.Op)+e.Key)
		}
	})
	d := claimed.Documents{Store: st, Target: "t", Texts: map[string]string{"t/zarr.json": "{}", "t/a/zarr.json": "{}"}}
	var err error
	for _, key := range d.Ordered() {
		err = errors.Join(err, d.Put(t.Context(), key))
	}
	if err = errors.Join(err, d.Withdraw(t.Context())); err != nil || !slices.Equal(order, []string{"putt/a/zarr.json", "putt/zarr.json", "deletet/zarr.json", "deletet/a/zarr.json"}) {
		t.Error(order, err)
	}
}

// TestCleanUnfinished checks that Clean changes the state of unfinished work before it deletes.
func TestCleanUnfinished(t *testing.T) {
	var order []store.Op
	first, _, c := entered(t, store.Observe(mem.New(), func(_ context.Context, e store.Event) {
		if e.Op != store.OpGet && e.Op != store.OpList {
			order = append(order, e.Op)
		}
	}))
	marked := first.Mark(t.Context(), c, first.Marker(c, 0, 0))
	order = nil
	if err := errors.Join(marked, first.Clean(t.Context(), false)); err != nil || len(order) < 3 || order[0] != store.OpPut || slices.Contains(order[1:], store.OpPut) {
		t.Error(order, err)
	}
}
