package validate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
)

// Options say how thorough a run is. The zero value looks at documents and keys.
type Options struct {
	Data bool          // decode every chunk
	Open []zarr.Option // how nodes are opened: with which codecs, which data types, which separator

	// Progress is called when an array is found, and after each chunk or shard that was looked at,
	// one call at a time: how many were, and how many there are at most in the arrays that were
	// found so far.
	Progress func(done, total int64)
}

// Result is what a run looked at and what it found.
type Result struct {
	Nodes  int   // groups and arrays, those included that cannot be opened
	Arrays int   // arrays that could be opened
	Chunks int64 // chunks and shards that were seen, whether they were decoded or not; asked for, where the store cannot list
	Counts map[rule.Severity]int
	worst  [rule.Fault + 1]rule.Finding // by severity, where Counts is not 0
}

// Worst gives the worst finding of at least a severity, and whether there is one. Of findings of
// the highest severity that came up, that is the first, by its place, that is corrupt, else one of
// metadata, a path, a limit, what is not supported, what is not there.
func (r *Result) Worst(least rule.Severity) (rule.Finding, bool) {
	for s := rule.Fault; ; s-- {
		switch {
		case s < least:
			return rule.Finding{}, false
		case r.Counts[s] > 0:
			return r.worst[s], true
		case s == 0:
			return rule.Finding{}, false
		}
	}
}

// rank orders kinds, the worst first.
func rank(f rule.Finding) int {
	kind := f.Rule.Kind()
	order := []error{fault.Corrupt, fault.Metadata, fault.Path, fault.Limit, errors.ErrUnsupported, fault.NotFound}
	if i := slices.Index(order, kind); i >= 0 {
		return i
	}
	return len(order)
}

// compare orders findings of one severity, the worst first, and those as bad as each other by where
// they are, so that it does not matter which was found first.
func compare(a, b rule.Finding) int {
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Text, b.Text))
}

// Run looks at the node at path and all below it, and calls tell for each finding, one at a time
// and in no promised order. Of one rule it tells at most 100 times for one node, and then how many
// more there were.
//
// What is wrong with the hierarchy is a finding and no error. An error means that it could not be
// looked at to the end: the store is throttling or unavailable after its retries, or ctx ended; the
// result tells what there was until then.
func Run(ctx context.Context, st store.Store, path string, o Options, tell func(rule.Finding)) (*Result, error) {
	return look(ctx, st, path, o, tell, nil)
}

// look is Run. broken, where it is not nil, is called for each object that is corrupt or missing,
// however many there are, several at a time and more than once for a shard.
func look(ctx context.Context, st store.Store, path string, o Options, tell func(rule.Finding), broken func(damaged)) (*Result, error) {
	r := &run{st: st, opts: o, tuning: store.TuningOf(st), result: Result{Counts: map[rule.Severity]int{}}, out: tell, damaged: broken}
	root, err := meta.NormalizePath(path)
	if err != nil {
		r.tell(rule.FromError(path, err))
		return &r.result, nil
	}
	for level := []place{{root, due}}; len(level) > 0; {
		below := make([][]place, len(level))
		err := concurrency.EachN(ctx, r.tuning.ListFanout, len(level), func(ctx context.Context, i int) (err error) {
			below[i], err = r.node(ctx, level[i])
			return err
		})
		if err != nil {
			return &r.result, err
		}
		level = slices.Concat(below...)
	}
	return &r.result, nil
}

// run is one call of Run.
type run struct {
	st     store.Store
	opts   Options
	tuning store.Tuning

	known atomic.Pointer[document.Node] // one that was opened
	large concurrency.Keyed             // held while a node with large documents is looked at

	damaged func(damaged) // may be nil

	mu       sync.Mutex
	out      func(rule.Finding)
	result   Result
	unlisted bool // it was told that the store cannot list

	done, total int64 // chunks and shards
}

// begin begins the account of requests that no node makes, with the options that nodes are opened
// with. Those of a root that cannot be opened are not counted.
func (r *run) begin(ctx context.Context) (context.Context, store.Store) {
	if n := r.known.Load(); n != nil {
		return n.Begin(ctx)
	}
	return ctx, r.st
}

// tell passes on a finding.
func (r *run) tell(f rule.Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.note(f)
	r.out(f)
}

// note counts a finding.
func (r *Result) note(f rule.Finding) {
	s := f.Severity()
	if r.Counts[s]++; r.Counts[s] == 1 || compare(f, r.worst[s]) < 0 {
		r.worst[s] = f
	}
}

// count changes the result.
func (r *run) count(change func(*Result)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.result)
}

// fail makes a finding of what reading a node gave. What says nothing about the node is returned,
// to end the run.
func (r *run) fail(ctx context.Context, path string, err error) error {
	if fatal(ctx, err) {
		return err
	}
	f := rule.FromError(path, err)
	f.Text = strings.TrimPrefix(f.Text, fmt.Sprintf("zarr: %q in %s: ", path, store.Name(r.st))) // the finding says where
	if first, others, ok := strings.Cut(f.Text, "\nget "); ok {                                  // every document was refused for one reason
		f.Text = fmt.Sprintf("%s (and so for %d more)", first, strings.Count(others, "\nget ")+1)
	}
	r.tell(f)
	return nil
}

// fatal reports whether an error is about the way to the store and not about what is stored. When
// ctx is done nothing is known of what is stored, whatever the error is: it may be the cause that
// ctx was given.
func fatal(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, fault.Unavailable) || errors.Is(err, fault.Throttled) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// cannotList tells once that the store has no listing, and whether it did now.
func (r *run) cannotList(path string) bool {
	r.mu.Lock()
	told := r.unlisted
	r.unlisted = true
	r.mu.Unlock()
	if !told {
		r.tell(rule.Finding{Rule: rule.Unlisted, Path: path})
	}
	return !told
}

// few tells of one rule and one node a bounded number of times.
type few struct {
	r    *run
	path string
	mu   sync.Mutex
	n    map[rule.Rule]int
}

// maxFew is that number. 100: more than anybody reads, and enough to see a pattern.
const maxFew = 100

func (r *run) few(path string) *few { return &few{r: r, path: path, n: map[rule.Rule]int{}} }

func (f *few) tell(x rule.Finding) {
	f.mu.Lock()
	f.n[x.Rule]++
	n := f.n[x.Rule]
	f.mu.Unlock()
	if n <= maxFew {
		x.Path = f.path
		f.r.tell(x)
	}
}

// full reports whether no more is reported of a rule.
func (f *few) full(code rule.Rule) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n[code] >= maxFew
}

// leave counts breaches that are left out.
func (f *few) leave(code rule.Rule, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n > 0 {
		f.n[code] += min(n, math.MaxInt-f.n[code])
	}
}

// done tells what was left out.
func (f *few) done() {
	for _, code := range rule.All() {
		if n := f.n[code]; n > maxFew {
			f.r.tell(rule.Finding{Rule: code, Path: f.path, Text: more(n - maxFew)})
		}
	}
}
