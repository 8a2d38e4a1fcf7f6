package model

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr/store"
)

var (
	first     = flag.Uint64("first", 0, "the number of the first history")
	histories = flag.Uint64("histories", 0, "how many histories of each family are run; 0: 22,750 of all together, and a tenth of that under the race detector")
	family    = flag.String("family", "", "the only family that is run: arrays, groups, copies, caches, daily, datasets, nodes or pyramids")
	without   = flag.String("without", "", "operations that are left out, such as write,consolidate")
	survey    = flag.Bool("survey", false, "run all histories, and count violations by their text")
	show      = flag.Bool("history", false, "print each history")
)

// families are the kinds of histories with the number of runs of each. In total there are 22,750
// runs, which take about 60 s on two cores.
var families = map[string]struct {
	play func(*history)
	n    uint64
}{
	"arrays":   {arrays, 8400},
	"groups":   {groups, 4000},
	"copies":   {copied, 3000},
	"caches":   {caches, 4000},
	"daily":    {daily, 1000},
	"datasets": {datasets, 600},
	"nodes":    {nodes, 1500},
	"pyramids": {pyramids, 250},
}

// run runs one history.
func run(t *testing.T, name string, seed uint64, record bool, plant func(store.Store) store.Store) (h *history) {
	synctest.Test(t, func(t *testing.T) {
		h = &history{seed: seed, rng: rand.New(rand.NewPCG(seed, 1)), record: record, ops: map[int]*op{}}
		m := newStore()
		h.raw, h.below = m, m
		if plant != nil {
			h.below = plant(m)
		}
		h.batches = h.rng.IntN(2) == 0
		h.switches = []float64{0.03, 0.1, 0.3, 1}[h.rng.IntN(4)]
		h.faults = []int{0, 0, 1, 1, 2, 4}[h.rng.IntN(6)]
		h.hale = h.faults == 0
		h.peaceful = h.rng.IntN(3) == 0
		families[name].play(h)
	})
	return h
}

// TestModel runs histories of each family.
func TestModel(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(families)) {
		if *family == "" || name == *family {
			t.Run(name, func(t *testing.T) { runAll(t, name) })
		}
	}
}

// runAll runs the histories of a family on all cores.
func runAll(t *testing.T, name string) {
	var next atomic.Uint64
	next.Store(*first)
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	n := *histories
	if n == 0 {
		if n = families[name].n; race.Enabled {
			n /= 10
		}
	}
	var found found
	t.Run("all", func(t *testing.T) {
		workers := runtime.GOMAXPROCS(0)
		if name == "copies" {
			workers = 1 // transfers share the process's CPU slots, which belong to one bubble at a time
		}
		for range workers {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				for {
					seed := next.Add(1) - 1
					if seed >= *first+n || found.enough() {
						return
					}
					h := run(t, name, seed, *show, nil)
					if *show {
						fmt.Printf("%s %d\n%s\n", name, seed, strings.Join(h.events, "\n"))
					}
					found.add(seed, h)
				}
			})
		}
	})
	found.report(t, name)
}

// found collects violations.
type found struct {
	mu    sync.Mutex
	bad   map[uint64]string
	steps map[uint64]int
	total map[string]int // of history.counts
}

func (f *found) add(seed uint64, h *history) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.total == nil {
		f.bad, f.steps, f.total = map[uint64]string{}, map[uint64]int{}, map[string]int{}
	}
	f.total["histories"]++
	for what, n := range h.counts {
		f.total[what] += n
	}
	if h.bad == "" {
		return
	}
	f.bad[seed], f.steps[seed] = h.bad, h.step
}

func (f *found) enough() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.bad) > 0 && !*survey
}

// report prints the first history with a violation and, for a survey, the number of violations of
// each kind.
func (f *found) report(t *testing.T, name string) {
	if *survey {
		t.Logf("%s: %v", name, f.total)
	}
	if len(f.bad) == 0 {
		return
	}
	seeds := slices.Sorted(maps.Keys(f.bad))
	if *survey {
		kinds := map[string][]uint64{}
		for _, s := range seeds {
			kind := strings.SplitN(f.bad[s], "\n", 2)[0]
			for _, e := range alike {
				kind = e.is.ReplaceAllString(kind, e.as)
			}
			kinds[kind] = append(kinds[kind], s)
		}
		for _, k := range slices.SortedFunc(maps.Keys(kinds), func(a, b string) int { return cmp.Compare(len(kinds[b]), len(kinds[a])) }) {
			short := slices.MinFunc(kinds[k], func(a, b uint64) int { return cmp.Compare(f.steps[a], f.steps[b]) })
			t.Errorf("%s: %d histories, the first %d, the shortest %d (%d steps): %s", name, len(kinds[k]), kinds[k][0], short, f.steps[short], k)
		}
		return
	}
	h := run(t, name, seeds[0], true, nil)
	t.Errorf("history %d of %s: %s\n%s", seeds[0], name, f.bad[seeds[0]], strings.Join(h.events, "\n"))
}

// alike groups violations that differ only in numbers, options and times.
var alike = []struct {
	is *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`[0-9][0-9, ]*`), "N"},
	{regexp.MustCompile(`\{N#N(cached read|[a-z]+)[^}]*\}`), "$1"},
	{regexp.MustCompile(`^after (Nput|cached read|read|.*set the shape)[^:]*:`), "between:"},
	{regexp.MustCompile(`( N\(fill\))+$`), " N(fill)"},
}
