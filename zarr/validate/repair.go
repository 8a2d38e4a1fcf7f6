package validate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/written"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// RepairOptions say what a repair may do. The zero value writes consolidated metadata anew and
// corrects metadata that says the wrong keys.
type RepairOptions struct {
	Options
	DryRun        bool          // change nothing: only say what would be done
	DeleteOrphans bool          // delete chunks that no read looks for, see upkeep.FindOrphans
	DropClaims    bool          // drop records of appends and resizes that are at least ClaimAge old, see upkeep.DropClaim
	ClaimAge      time.Duration // 0: of any age

	// From is another copy of the hierarchy, from which is taken what nothing else repairs: chunks
	// and shards that are corrupt, or missing under a null fill value, and documents that are
	// missing or cannot be parsed. nil: there is none.
	From *Copy
	// Limits are what the repair draws on beside its nodes: Bytes has the memory of objects that are
	// put back. nil is concurrency.Default.
	Limits *concurrency.Limits
	// Keep takes what From's objects replace: under the key, "~" and 16 digits of a digest of the
	// version. nil: it is not kept.
	Keep store.Store
}

// State is what became of findings in a repair.
type State string

// The states.
const (
	Repaired State = "repaired"
	Planned  State = "planned" // it would be repaired, were it no dry run
	Left     State = "left"    // it is as it was
)

// Step is what a repair did about the findings of one rule at one node, or with RepairOptions.From
// about one object; Findings is 0 for one that no finding names.
type Step struct {
	State    State
	Rule     rule.Rule
	Path     string // of the node
	Key      string // of the first of the findings
	Findings int
	Text     string // what is done, or why nothing is
	Err      error  // why it failed; nil where nothing was tried
	Unseen   string // in a dry run: what was not looked at, as that takes the repair, so that there may be more to do than is planned; "" where all was
}

// MarshalJSON gives an object with state, code (of the rule), path, key where there is one,
// findings, message, and unseen where there is something.
func (s Step) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		State    State     `json:"state"`
		Code     rule.Rule `json:"code"`
		Path     string    `json:"path"`
		Key      string    `json:"key,omitempty"`
		Findings int       `json:"findings"`
		Message  string    `json:"message"`
		Unseen   string    `json:"unseen,omitempty"`
	}{s.State, s.Rule, s.Path, s.Key, s.Findings, s.Text, s.Unseen})
}

// Repairs are what a repair found and did.
type Repairs struct {
	Found *Result // before the repair
	Left  *Result // after it: without the findings that were repaired. In a dry run all are left
	Steps []Step  // by path
}

// Repair looks at a hierarchy as [Run] does and repairs what can be repaired without inventing
// data, each thing by conditional writes: consolidated metadata that is stale or cannot be read is
// written anew, metadata under whose keys no chunk lies is corrected (see [upkeep.CorrectKeys]),
// and, where the options ask for it, orphan chunks are deleted and left-over claims are dropped.
// Everything else is left as it is, and a Step says so: a chunk that is corrupt or missing can only
// come from another copy of the data.
//
// With From such chunks and shards are put back, each on condition that what is there is still what
// was found damaged. An array's object is taken as it is stored where the copy's array encodes the
// same, else it is encoded of the copy's values, where shape, data type and fill value agree.
// Before that the object is decoded once more here, and is to fail; all of it is decoded there, and
// is not to; and inner chunks of a damaged shard that can be read must have the values that the
// copy has, since else it is one of other data, and they would be lost. An object that the copy
// does not have is left, and a missing one whose fill value is not null is no damage. Documents are
// put back byte for byte where the node's cannot be parsed or is missing, and the copy has one of
// the same name that can; one with what is not supported here is left, as it may be right for
// others. The hierarchy is then looked at once more, and what that finds is in Steps and Left
// alone; a dry run cannot, and Step.Unseen says so. Each object has its own Step. Eight objects are
// restored at once; one of more than 4 MiB alone, in parts.
//
// Progress goes on from one look at the hierarchy to the next, and counts each object that is
// restored, or cannot be, as one more chunk.
//
// report is called for each finding as by Run, before anything is changed. What keeps one thing
// from being repaired, such as another writer's ErrConflict, is in its Step, and the others are
// repaired all the same. An error means what it means from Run, and that not all was tried.
func Repair(ctx context.Context, st store.Store, path string, o RepairOptions, report func(rule.Finding)) (*Repairs, error) {
	p := &repair{ctx: ctx, st: written.Around(st), opts: o, root: path, changed: map[string]bool{}, claimed: map[string]bool{}}
	if root, err := meta.NormalizePath(path); err == nil { // else it is a finding
		p.root = root
	}
	if p.opts.Limits == nil {
		p.opts.Limits = concurrency.Default()
	}
	p.tally.report = o.Progress
	p.restorer.pairs = map[string]func() *pair{}
	out := &Repairs{}
	issues, err := p.look(out, report)
	if err != nil {
		return out, err
	}
	r := out.Left
	objects := int64(0)
	for _, is := range issues {
		if is.object != nil {
			objects++
		}
	}
	tried := p.tally.objects(objects)
	steps := make([]*Step, len(issues))
	for i := 0; i < len(issues); {
		n := 1
		if issues[i].object != nil {
			for i+n < len(issues) && issues[i+n].object != nil {
				n++
			}
		}
		err := concurrency.EachN(ctx, restoring, n, func(ctx context.Context, k int) error {
			step, ok, err := p.step(ctx, issues[i+k])
			if issues[i+k].object != nil {
				tried()
			}
			if ok {
				steps[i+k], issues[i+k].repaired = &step, step.State == Repaired
			}
			return err
		})
		for _, s := range steps[i : i+n] {
			if s != nil {
				out.Steps = append(out.Steps, *s)
			}
		}
		if err != nil {
			return out, err
		}
		i += n
	}
	settle(issues)
	failed, err := p.updateAbove()
	if err != nil {
		return out, err
	}
	out.Steps = append(out.Steps, failed...)
	slices.SortStableFunc(out.Steps, func(a, b Step) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Rule, b.Rule))
	})
	out.Left = leftOf(r, issues)
	return out, nil
}

// repair is one call of Repair.
type repair struct {
	ctx     context.Context
	st      store.Store
	opts    RepairOptions
	changed map[string]bool // arrays whose metadata was corrected
	claimed map[string]bool // nodes whose claim stays

	root     string // the path that is repaired
	restorer restorer
	tally    tally
}

// errLeft says why nothing is tried.
type errLeft string

func (e errLeft) Error() string { return string(e) }

// step repairs one thing. Not ok is a note that calls for nothing.
func (p *repair) step(ctx context.Context, is *issue) (Step, bool, error) {
	s := Step{State: Left, Rule: is.rule, Path: is.path, Findings: len(is.all)}
	switch {
	case is.done != nil:
		return *is.done, true, nil
	case is.object != nil:
		s.Key = is.object.key
	case is.all[0].Severity() == rule.Note && is.order != orderClaims && is.order != orderDocuments, is.rest:
		return s, false, nil
	default:
		s.Key = is.all[0].Key
	}
	text, err := p.do(ctx, is)
	var left errLeft
	switch {
	case errors.As(err, &left):
		s.Text = left.Error()
	case err != nil && fatal(ctx, err):
		return s, false, err
	case err != nil:
		s.Text, s.Err = err.Error(), err
	case p.opts.DryRun:
		s.State, s.Text, s.Unseen = Planned, text, is.unseen
	default:
		s.State, s.Text = Repaired, text
	}
	return s, true, nil
}

// do repairs one thing, unless it is a dry run, and says what was done.
func (p *repair) do(ctx context.Context, is *issue) (string, error) {
	switch is.order {
	case orderDocuments:
		return p.restoreDocuments(is)
	case orderObjects:
		text, err := p.restore(ctx, *is.object)
		if err == nil && len(is.all) > 0 {
			text += " (" + is.all[0].Message() + ")"
		}
		return text, err
	case orderClaims:
		return p.dropClaim(is)
	case orderKeys:
		return p.correctKeys(is)
	case orderOrphans:
		return p.deleteOrphans(is)
	case orderCopies:
		return p.consolidate(is)
	}
	switch is.rule {
	case rule.Corrupt, rule.MissingChunk:
		return "", errLeft("values are never invented: copy the objects from another copy of the data")
	case rule.TwoFormats:
		return "", errLeft("which of the two is right is not known: zargo migrate --remove deletes v2's where v3's says the same")
	}
	return "", errLeft("nothing is known that repairs it")
}

// open opens a node from its documents as they are now.
func (p *repair) open(path string) (zarr.Node, error) {
	quiet := zarr.Findings(func(rule.Finding) {})
	return zarr.Open(p.ctx, p.st, path, slices.Concat(p.opts.Open, []zarr.Option{zarr.IgnoreConsolidated(), quiet})...)
}

func openAs[N zarr.Node](p *repair, path string) (N, error) {
	var none N
	n, err := p.open(path)
	if err != nil {
		return none, err
	}
	if as, ok := n.(N); ok {
		return as, nil
	}
	return none, fault.Newf(fault.Conflict, "another node is there by now")
}

func (p *repair) dropClaim(is *issue) (string, error) {
	p.claimed[is.path] = true
	if !p.opts.DropClaims {
		return "", errLeft("it may be at work: --drop-claims AGE drops it where it is as old")
	}
	n, err := p.open(is.path)
	if err != nil {
		return "", err
	}
	if !p.opts.DryRun {
		if _, err := upkeep.DropClaim(p.ctx, n, p.opts.ClaimAge); err != nil {
			return "", err
		}
	} else if err := upkeep.CheckClaim(p.ctx, n, p.opts.ClaimAge); err != nil {
		return "", err
	}
	delete(p.claimed, is.path)
	text := "drop the claim, keep the shape"
	if _, ok := n.(*zarr.Array); ok && p.opts.DeleteOrphans && !p.opts.DryRun {
		a, err := openAs[*zarr.Array](p, is.path)
		if err != nil {
			return "", err
		}
		o, err := upkeep.FindOrphans(p.ctx, a) // chunks that it left, which are no findings while it is there
		if err == nil && o.Beyond > 0 {
			text += fmt.Sprintf(", delete %d chunks that it left", o.Beyond)
			err = o.Delete(p.ctx)
		}
		if err != nil {
			return "", err
		}
	}
	return text, nil
}

func (p *repair) correctKeys(is *issue) (string, error) {
	a, err := openAs[*zarr.Array](p, is.path)
	if err != nil {
		return "", err
	}
	if p.claimed[is.path] {
		return "", errLeft("a change of the shape is under way")
	}
	if p.opts.DryRun {
		return "correct the metadata: say where the chunks are", nil
	}
	e, err := upkeep.CorrectKeys(p.ctx, a)
	if err != nil {
		return "", err
	}
	if e == (meta.KeyEncoding{}) {
		return "", errLeft("the chunks are under other keys by now")
	}
	p.changed[is.path] = true
	return fmt.Sprintf("correct the metadata: keys are like %q", e.Key(make([]int, len(a.Shape())))), nil
}

func (p *repair) deleteOrphans(is *issue) (string, error) {
	if !p.opts.DeleteOrphans {
		return "", errLeft("chunks are deleted with --delete-orphans alone")
	}
	a, err := openAs[*zarr.Array](p, is.path)
	if err != nil {
		return "", err
	}
	o, err := upkeep.FindOrphans(p.ctx, a)
	if err != nil {
		return "", err
	}
	if !p.opts.DryRun && o.Beyond+o.Elsewhere > 0 {
		if err := o.Delete(p.ctx); err != nil {
			return "", err
		}
	}
	if is.rule == rule.OtherLayout && o.Kept > 0 {
		return "", errLeft(fmt.Sprintf("%d are perhaps the only copy of their values, and stay", o.Kept))
	}
	n, links := o.Beyond, ""
	if is.rule == rule.OtherLayout {
		n = o.Elsewhere
	}
	if o.Linked > 0 {
		links = fmt.Sprintf("%d behind symbolic links, which are not followed, and stay", o.Linked)
	}
	switch {
	case n == 0 && o.Linked > 0:
		return "", errLeft(links)
	case n == 0: // deleted already with those of the other rule
		n = int64(len(is.all))
	}
	text := fmt.Sprintf("delete %d orphans", n)
	if n == 1 {
		text = "delete 1 orphan"
	}
	if links != "" {
		text += "; " + links
	}
	return text, nil
}

func (p *repair) consolidate(is *issue) (string, error) {
	if p.claimed[is.path] {
		return "", errLeft("an append to arrays of the group did not end, and writes the copy itself")
	}
	g, err := openAs[*zarr.Group](p, is.path)
	if err != nil {
		return "", err
	}
	if !p.opts.DryRun {
		if _, err := g.Consolidate(p.ctx); err != nil {
			return "", err
		}
	}
	return "write consolidated metadata anew", nil
}

// updateAbove brings consolidated metadata up to date about arrays whose metadata was corrected,
// and returns where that failed.
func (p *repair) updateAbove() (failed []Step, err error) {
	for _, path := range slices.Sorted(maps.Keys(p.changed)) {
		n, err := p.open(path)
		if err == nil {
			_, err = upkeep.UpdateAbove(p.ctx, n)
		}
		switch {
		case err != nil && fatal(p.ctx, err):
			return nil, err
		case err != nil:
			failed = append(failed, Step{State: Left, Rule: rule.Stale, Path: path, Text: err.Error(), Err: err})
		}
	}
	return failed, nil
}
