package metamorphic

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr"
)

var (
	first     = flag.Uint64("first", 0, "the seed of the first sequence")
	sequences = flag.Uint64("sequences", 0, "how many sequences are run; 0: 2,000, and a tenth of that under the race detector")
	survey    = flag.Bool("survey", false, "continue after a sequence fails")
)

// length is the number of operations of a sequence.
const length = 15

// operations are the possible steps of a sequence, with the frequency of each.
var operations = []struct {
	often int
	run   func(*world, context.Context)
}{
	{3, (*world).create},
	{1, (*world).createGroup},
	{8, (*world).write},
	{5, (*world).append},
	{5, (*world).resize},
	{2, (*world).attrs},
	{1, (*world).consolidate},
	{1, (*world).migrate},
	{2, (*world).copyArray},
	{1, (*world).copyAll},
	{1, (*world).remove},
	{1, (*world).orphans},
	{1, func(w *world, _ context.Context) { w.note("reopen"); w.reopen() }},
}

// TestSequences runs sequences of random operations.
func TestSequences(t *testing.T) {
	n := *sequences
	if n == 0 {
		if n = 2000; race.Enabled {
			n /= 10
		}
	}
	for seed := *first; seed < *first+n && (*survey || !t.Failed()); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { run(t, seed) })
	}
}

// run runs the sequence of a seed.
func run(t *testing.T, seed uint64) {
	ctx := t.Context()
	w := &world{T: t, rng: rand.New(rand.NewPCG(seed, 1)), arrays: map[string]*array{}, groups: map[string]map[string]any{}}
	defer func() {
		if t.Failed() || testing.Verbose() && *sequences == 1 {
			t.Logf("%s\n%s", strings.Join(w.steps, "\n"), again(seed))
		}
	}()
	var err error
	w.st, err = newPlace(t, w.rng)
	w.must(err)
	w.format = 2 + w.rng.IntN(2)
	w.groups[""] = randomAttrs(w.rng)
	w.note("format %d in %s", w.format, w.st.name)
	_, err = zarr.CreateGroup(ctx, w.st, "", zarr.Spec{Format: w.format, Attrs: w.groups[""]})
	w.must(err)
	total := 0
	for _, o := range operations {
		total += o.often
	}
	for range length {
		k := w.rng.IntN(total)
		for _, o := range operations {
			if k -= o.often; k < 0 {
				o.run(w, ctx)
				break
			}
		}
		w.check(ctx)
	}
}

// again returns the command that repeats a sequence.
func again(seed uint64) string {
	return fmt.Sprintf("repeat with: go test ./integration/metamorphic -run TestSequences -first %d -sequences 1 -v", seed)
}
