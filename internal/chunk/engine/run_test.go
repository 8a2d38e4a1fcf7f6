package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// steps is a store in which each request takes a second. It records the keys of each second.
type steps struct {
	store.Store
	tuning store.Tuning
	fails  string // key whose requests fail
	mu     sync.Mutex
	start  time.Time
	keys   [][]string
}

func (s *steps) wait(key string) error {
	s.mu.Lock()
	i := int(time.Since(s.start) / time.Second)
	for len(s.keys) <= i {
		s.keys = append(s.keys, nil)
	}
	s.keys[i] = append(s.keys[i], key)
	s.mu.Unlock()
	if time.Sleep(time.Second); key == s.fails {
		return errFails
	}
	return nil
}

var errFails = errors.New("the store fails")

func (s *steps) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if err := s.wait(key); err != nil {
		return store.Value{}, err
	}
	return s.Store.Get(ctx, key, o, buf)
}

func (s *steps) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	if err := s.wait(key); err != nil {
		return "", err
	}
	return s.Store.Put(ctx, key, b, o)
}

// Provide sets the tuning.
func (s *steps) Provide(target any) bool {
	t, ok := target.(*store.Tuning)
	if ok {
		*t = s.tuning
	}
	return ok
}

// number returns the number of a chunk.
func number(key string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(key, "c/"))
	return n
}

// TestRuns checks how far apart the objects of two goroutines are. Chunks are read in runs if they
// are many and short and the store is local. Both goroutines end in the same second.
func TestRuns(t *testing.T) {
	bucket := store.Local()
	bucket.RangeGap = 1 << 20
	for _, tt := range []struct {
		name          string
		tuning        store.Tuning
		chunks, bytes int
		runs          bool
	}{
		{"few", store.Local(), 63, 16, false},
		{"enough for runs of two", store.Local(), 64, 16, true},
		{"many", store.Local(), 1024, 16, true},
		{"long", store.Local(), 64, 64<<10 + 1, false},
		{"in a bucket", bucket, 1024, 16, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := &steps{Store: mem.New(), tuning: tt.tuning}
				a := arrayOf(t, st, tt.chunks*tt.bytes, tt.bytes, codec.Bytes(dtype.NoOrder))
				a.Options.InFlight = 2
				src := noise(tt.chunks * tt.bytes)
				dst := make([]byte, len(src))
				for _, op := range []string{"write", "read"} {
					st.start, st.keys = time.Now(), nil
					call, m := a.Write, src
					if op == "read" {
						call, m = a.Read, dst
					}
					succeed(t, call(t.Context(), memory(m), grid.Whole(a.Layout.Shape)))
					all := slices.Concat(st.keys...)
					for _, keys := range st.keys {
						if slices.Sort(keys); len(keys) > 2 {
							t.Fatalf("%s: %d requests in flight", op, len(keys))
						}
					}
					if slices.Sort(all); len(slices.Compact(all)) != tt.chunks {
						t.Errorf("%s: %d requests, %d of them different", op, len(all), len(slices.Compact(all)))
					}
					longest := 0
					for _, two := range st.keys {
						if len(two) == 2 {
							longest = max(longest, number(two[1])-number(two[0]), number(two[0])-number(two[1]))
						}
					}
					if longest > 1 != (tt.runs && op == "read") || longest > 16 {
						t.Errorf("%s: requests of one second are up to %d chunks apart", op, longest)
					}
					if most := (tt.chunks + 1) / 2; len(st.keys) != most {
						t.Errorf("%s: %d seconds, want %d", op, len(st.keys), most)
					}
				}
				if !bytes.Equal(dst, src) {
					t.Error("the elements differ")
				}
				free(t, a)
			})
		})
	}
}

// TestRunsAgainstOracle reads selections of an array with absent chunks and with chunks that are
// longer than usual, in budgets that have room for runs, for one chunk, and for none.
func TestRunsAgainstOracle(t *testing.T) {
	t.Run("padded", func(t *testing.T) { runsAgainstOracle(t, codec.Bytes(dtype.NoOrder), codec.Spec{Name: "padded"}) })
	t.Run("raw", func(t *testing.T) { runsAgainstOracle(t, codec.Bytes(dtype.NoOrder)) })
}

func runsAgainstOracle(t *testing.T, codecs ...codec.Spec) {
	const chunks = 300
	st := mem.New()
	all := noise(chunks * 16)
	for i := range chunks {
		stored := slices.Clone(all[i*16 : (i+1)*16])
		switch i % 7 {
		case 3:
			clear(all[i*16 : (i+1)*16])
			continue
		case 5:
			stored = append(stored, make([]byte, 30*(len(codecs)-1))...)
		}
		if _, err := st.Put(t.Context(), fmt.Sprint("c/", i), stored, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	n := chunks * 16
	list := rand.New(rand.NewPCG(1, 2)).Perm(n)
	for name, sel := range map[string]grid.Selection{
		"all":       grid.Whole([]int{n}),
		"part":      grid.Region{{Start: 5, Step: 1, Count: n - 9}},
		"steps":     grid.Region{{Start: 2, Step: 3, Count: n / 3}},
		"backwards": grid.Region{{Start: n - 1, Step: -2, Count: n / 2}},
		"list":      grid.Region{{Index: list, Count: n}},
		"points":    grid.NewPoints([][]int{list}, n, grid.Even([]int{16})),
	} {
		for _, budget := range []int64{1 << 20, 1000, 100, 0} {
			a := arrayOf(t, st, n, 16, codecs...)
			a.Options.InFlight, a.Options.Limits.Bytes = 2, concurrency.NewBudget(budget)
			report := account.NewReport(new(account.Counts))
			a.Options.Account.Report = report
			got := make([]byte, sel.Shape()[0])
			if err := a.Read(t.Context(), memory(got), sel); err != nil {
				t.Fatalf("%s in %d bytes: %v", name, budget, err)
			}
			for i, b := range got {
				at := list[i%len(list)]
				if r, ok := sel.(grid.Region); ok && r[0].Index == nil {
					at = r[0].Start + i*r[0].Step
				}
				if b != all[at] {
					t.Fatalf("%s in %d bytes: element %d is %d, want %d", name, budget, i, b, all[at])
				}
			}
			if now, peak := a.Options.Limits.Bytes.Used(); now != 0 || peak > max(budget, 1<<10) {
				t.Errorf("%s in %d bytes: %d are held, %d at most", name, budget, now, peak)
			}
			if c, m := report.Chunks.Load(), report.Missing.Load(); c != chunks || m != (chunks+3)/7 {
				t.Errorf("%s in %d bytes: %d chunks, %d missing", name, budget, c, m)
			}
			free(t, a)
		}
	}
}

// TestRunsTakeFewAllocations checks that a read in runs allocates a box and an object for each
// chunk, besides its key, and little for each run.
func TestRunsTakeFewAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget at random, so allocations cannot be counted")
	}
	st := mem.New()
	a := arrayOf(t, st, 4000*16, 16, codec.Bytes(dtype.NoOrder))
	a.Options.InFlight, a.Layout.Key = 2, func([]int) string { return "c" }
	dst := noise(4000 * 16)
	succeed(t, a.Write(t.Context(), memory(dst), grid.Whole(a.Layout.Shape)))
	got := testing.AllocsPerRun(5, func() {
		succeed(t, a.Read(t.Context(), memory(dst), grid.Whole(a.Layout.Shape)))
	})
	if got > 3.5*4000 {
		t.Errorf("%v allocations for 4000 chunks", got)
	}
}

// TestRunEndsAtFirstError checks that an error ends all runs, and that it names its chunk, of the
// first chunk and of one within a run.
func TestRunEndsAtFirstError(t *testing.T) {
	for _, fails := range []string{"c/0", "c/500"} {
		synctest.Test(t, func(t *testing.T) {
			st := &steps{Store: mem.New(), tuning: store.Local(), fails: fails, start: time.Now()}
			a := array(t, st, 1024*16)
			a.Options.InFlight = 2
			err := a.Read(t.Context(), memory(make([]byte, 1024*16)), grid.Whole(a.Layout.Shape))
			var of *fault.ChunkError
			if !errors.Is(err, errFails) || !errors.As(err, &of) || of.Key != fails {
				t.Errorf("%v", err)
			}
			at := slices.IndexFunc(st.keys, func(keys []string) bool { return slices.Contains(keys, fails) })
			if len(st.keys) > at+2 {
				t.Errorf("requests after the error: %v", st.keys[at+1:])
			}
			free(t, a)
		})
	}
}
