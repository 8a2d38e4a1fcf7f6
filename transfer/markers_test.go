package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestKilledBeforeMarkers kills a process at each of its requests, so that tasks may be done
// without a marker. Then single tasks run in other processes: the last one alone, which is refused
// unless the others are done, and then all that Verify returns.
func TestKilledBeforeMarkers(t *testing.T) {
	for _, k := range kinds() {
		refused, published := false, false
		for at := 1; ; at += race.Stride(5) {
			say := fmt.Sprintf("%s: killed at request %d", k.name, at)
			p := newPair(t, k, mem.New(), mem.New())
			first := newStepped(p.dst, at, killed)
			if err := p.run(0, first); err == nil {
				break
			}
			plan := p.plans[0]
			switch err := transfer.RunTask(t.Context(), plan, plan.Tasks()-1, p.open(p.dst)); {
			case err == nil:
				published = true
			case errors.Is(err, fault.Conflict):
				refused = true
			default:
				t.Fatalf("%s: the last task: %v", say, err)
			}
			for _, task := range must(transfer.Verify(t.Context(), plan, p.open(p.dst))) {
				if err := transfer.RunTask(t.Context(), plan, task, p.open(p.dst)); err != nil {
					t.Fatalf("%s: task %d: %v", say, task, err)
				}
			}
			p.holds(0, say)
			check(t, transfer.Clean(t.Context(), plan, p.open(p.dst)))
			p.left(say)
		}
		if !refused || !published && !race.Enabled {
			t.Errorf("%s: the last task was refused %v, has published %v", k.name, refused, published)
		}
	}
}

// TestMarkersInTime runs 30 tasks one after another. If a task takes 200 ms, each has a marker
// about a second later, also when the process is killed. If the transfer takes less than a second,
// no marker is put.
func TestMarkersInTime(t *testing.T) {
	for _, c := range []struct {
		name                 string
		each, life           time.Duration
		mostMissing, markers int64
	}{
		{"killed early", 200 * time.Millisecond, 1300 * time.Millisecond, 5, 0},
		{"killed", 200 * time.Millisecond, 4 * time.Second, 7, 10},
		{"slow", 200 * time.Millisecond, time.Hour, 7, 24},
		{"marked once", 45 * time.Millisecond, time.Hour, 29, 1},
		{"fast", time.Millisecond, time.Hour, 30, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, mem.New(), mem.New())
				a := must(zarr.Create(t.Context(), w.src, "in", zarr.Spec{Shape: []int{30}, Chunks: []int{1}, DType: dtype.Uint8, Fill: uint8(9), Codecs: []codec.Spec{}}))
				check(t, zarr.Write(t.Context(), a, make([]uint8, 30)))
				p := w.plan(a, transfer.Options{Target: transfer.Place{Path: "out"}})
				p.Stages[0].Steps[0].Block = []int{1}
				s := &slowPuts{Store: w.dst, each: c.each, dies: time.Now().Add(c.life)}
				o := transfer.RunOptions{Parallel: 1}
				one := must(transfer.Start(t.Context(), p, stores(map[string]store.Store{"src": w.src, "dst": s}), o))
				check(t, one.Save(t.Context()))
				err := one.Run(t.Context(), o)
				if err == nil {
					err = one.Clean(t.Context())
					for e, err := range store.ListAll(t.Context(), w.dst, "out/__zargo_transfer", store.ListOptions{}) {
						t.Error(e.Key, "remains", err)
					}
				}
				if (err == nil) != (c.life == time.Hour) {
					t.Error(err)
				}
				if missing := s.objects.Load() - s.markers.Load(); missing > c.mostMissing || s.markers.Load() < c.markers || c.markers == 0 && s.markers.Load() > 0 {
					t.Errorf("%d objects and %d markers were put", s.objects.Load(), s.markers.Load())
				}
			})
		})
	}
}

// slowPuts is a store whose puts take some time, and which fails from some time on.
type slowPuts struct {
	store.Store
	each             time.Duration
	dies             time.Time
	markers, objects atomic.Int64
}

func (s *slowPuts) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	time.Sleep(s.each)
	if time.Now().After(s.dies) {
		return "", fmt.Errorf("killed: %w", fault.Unavailable)
	}
	switch {
	case strings.Contains(key, "/done/"):
		s.markers.Add(1)
	case strings.Contains(key, "/c/"):
		s.objects.Add(1)
	}
	return s.Store.Put(ctx, key, value, o)
}

func (s *slowPuts) Close() error { return nil }
