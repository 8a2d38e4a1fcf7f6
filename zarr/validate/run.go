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
	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
)

// Options configures a run. With the zero value, the run checks documents and keys but decodes no
// chunks.
type Options struct {
	Data bool // decode every chunk
	// Plan, if not nil, is called with the bounds of the reads of each chunk or shard that Data
	// decodes, instead of decoding it. Calls are concurrent. The bounds do not include the reads
	// that find the cause of a violation.
	Plan func(least, most store.Amount)
	Open []zarr.Option // options to open nodes with, for example codecs, data types, separator

	// Progress is called, one call at a time, when an array was found and when a chunk or shard was
	// checked. done is the number of chunks and shards checked so far. total is an upper bound on
	// the number of those in the arrays found so far. The default is nil.
	Progress func(done, total int64)
}

// Result contains the numbers of nodes, chunks and findings of a run.
type Result struct {
	Nodes  int // groups and arrays, including those that cannot be opened
	Arrays int // arrays that were opened
	// Chunks counts the chunks and shards that were listed, decoded or not. If the store cannot
	// list, Chunks counts those that were requested.
	Chunks int64
	Counts map[rule.Severity]int
	worst  [rule.Fault + 1]rule.Finding // by severity; set if Counts is not 0
}

// Worst returns the worst finding with at least the given severity, and whether there is such a
// finding. Findings of the same severity are compared by the kinds of their rules: corrupt data is
// the worst, followed by metadata, path, limit, unsupported and not found. Of several findings of
// the worst kind, Worst returns the first by path, then by key.
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

// rank returns the position of the finding's kind in the order described at Worst. The worst kind
// has rank 0.
func rank(f rule.Finding) int {
	kind := f.Rule.Kind()
	order := []error{fault.Corrupt, fault.Metadata, fault.Path, fault.Limit, errors.ErrUnsupported, fault.NotFound}
	if i := slices.Index(order, kind); i >= 0 {
		return i
	}
	return len(order)
}

// compare orders findings of one severity, the worst first. It orders equally bad findings by
// location, so that Worst does not depend on the order of discovery.
func compare(a, b rule.Finding) int {
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Text, b.Text))
}

// Run checks the node at path and all nodes below it. It calls tell for each finding, one call at a
// time and in no particular order. For each node it reports at most 100 findings of a rule, and
// then one finding with the number of those omitted.
//
// Defects of the hierarchy are findings. Run returns an error only if it could not complete,
// because the store was still throttling or unavailable after all retries, or because ctx ended.
// The result then has the counts up to that point.
func Run(ctx context.Context, st store.Store, path string, o Options, tell func(rule.Finding)) (*Result, error) {
	return look(ctx, st, path, o, tell, nil)
}

// look implements Run. If the function broken is not nil, look calls it for each corrupt or missing
// object, however many there are. The calls may be concurrent, and there may be several for one
// shard.
func look(ctx context.Context, st store.Store, path string, o Options, tell func(rule.Finding), broken func(damaged)) (*Result, error) {
	r := &run{st: account.CountedBy(st, o.Open), opts: o, tuning: store.TuningOf(st), result: Result{Counts: map[rule.Severity]int{}}, out: tell, damaged: broken}
	root, err := meta.NormalizePath(path)
	if err != nil {
		r.report(rule.FromError(path, err))
		return &r.result, nil
	}
	for level := []place{{root, certain}}; len(level) > 0; {
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

	known atomic.Pointer[node.Node] // a node that was opened
	large concurrency.KeyedMutex    // held while a node with large documents is checked

	damaged func(damaged) // may be nil

	mu       sync.Mutex
	out      func(rule.Finding)
	result   Result
	unlisted bool // the finding that the store cannot list was reported

	done, total int64 // of Options.Progress
}

// begin starts the accounting of requests that belong to no node. It uses the options of a node
// that was opened before. If no node was opened yet, the requests are not counted.
func (r *run) begin(ctx context.Context) (context.Context, store.Store) {
	if n := r.known.Load(); n != nil {
		return n.Begin(ctx)
	}
	return ctx, r.st
}

// report counts a finding and passes it to the caller of Run.
func (r *run) report(f rule.Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.note(f)
	r.out(f)
}

// note adds a finding to the counts.
func (r *Result) note(f rule.Finding) {
	s := f.Severity()
	if r.Counts[s]++; r.Counts[s] == 1 || compare(f, r.worst[s]) < 0 {
		r.worst[s] = f
	}
}

// count calls change with the result while it holds the lock.
func (r *run) count(change func(*Result)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.result)
}

// fail reports the error of reading a node as a finding. Errors that do not concern the node end
// the run, so fail returns them.
func (r *run) fail(ctx context.Context, path string, err error) error {
	if fatal(ctx, err) {
		return err
	}
	f := rule.FromError(path, err)
	f.Text = strings.TrimPrefix(f.Text, fmt.Sprintf("zarr: %q in %s: ", path, store.Name(r.st))) // the finding has the location
	if first, others, ok := strings.Cut(f.Text, "\nget "); ok {                                  // all documents were refused for the same reason
		f.Text = fmt.Sprintf("%s (and %d more)", first, strings.Count(others, "\nget ")+1)
	}
	r.report(f)
	return nil
}

// fatal reports whether an error concerns the access to the store instead of the stored data. When
// ctx has ended, every error is fatal, since it may be the cause that ctx was canceled with.
func fatal(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, fault.Unavailable) || errors.Is(err, fault.Throttled) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// cannotList reports the finding that the store cannot list, but only once in a run. It returns
// true if it reported the finding now.
func (r *run) cannotList(path string) bool {
	r.mu.Lock()
	reported := r.unlisted
	r.unlisted = true
	r.mu.Unlock()
	if !reported {
		r.report(rule.Finding{Rule: rule.Unlisted, Path: path})
	}
	return !reported
}

// nodeFindings reports the findings of one node, at most maxPerRule of each rule.
type nodeFindings struct {
	r    *run
	path string
	mu   sync.Mutex
	n    map[rule.Rule]int
}

// maxPerRule is the maximum number of findings of one rule reported for a node. 100 findings are
// more than a person reads, and enough to show a pattern.
const maxPerRule = 100

func (r *run) findingsOf(path string) *nodeFindings {
	return &nodeFindings{r: r, path: path, n: map[rule.Rule]int{}}
}

func (f *nodeFindings) report(x rule.Finding) {
	f.mu.Lock()
	f.n[x.Rule]++
	n := f.n[x.Rule]
	f.mu.Unlock()
	if n <= maxPerRule {
		x.Path = f.path
		f.r.report(x)
	}
}

// full reports whether no more findings of a rule will be reported for the node.
func (f *nodeFindings) full(code rule.Rule) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n[code] >= maxPerRule
}

// omit counts n more findings of a rule without reporting them.
func (f *nodeFindings) omit(code rule.Rule, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n > 0 {
		f.n[code] += min(n, math.MaxInt-f.n[code])
	}
}

// reportOmitted reports how many findings of each rule were omitted.
func (f *nodeFindings) reportOmitted() {
	for _, code := range rule.All() {
		if n := f.n[code]; n > maxPerRule {
			f.r.report(rule.Finding{Rule: code, Path: f.path, Text: more(n - maxPerRule)})
		}
	}
}
