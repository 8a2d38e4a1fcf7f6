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

// RepairOptions configures a repair. The zero value rewrites consolidated metadata and corrects
// metadata that declares the wrong chunk keys.
type RepairOptions struct {
	Options
	DryRun        bool          // change nothing and return the planned steps
	DeleteOrphans bool          // delete chunks that are never read; see upkeep.FindOrphans
	DropClaims    bool          // drop claims of appends and resizes that are at least ClaimAge old; see upkeep.DropClaim
	ClaimAge      time.Duration // minimum age of a claim to drop; the default, 0, is any age

	// From is another copy of the hierarchy. The repair takes from it only objects that nothing
	// else repairs: chunks and shards that are corrupt, or missing under a null fill value, and
	// documents that are missing or cannot be parsed. With nil, the default, no object is restored.
	From *Copy
	// Limits bounds the repair itself, in addition to its nodes: Bytes accounts for the memory of
	// restored objects. The default, nil, is concurrency.Default.
	Limits *concurrency.Limits
	// Keep receives the objects that From's objects replace. Their key is the original key, "~",
	// and 16 hexadecimal digits of a digest of the version. With nil, the default, replaced objects
	// are lost.
	Keep store.Store
}

// State is the outcome of a repair step.
type State string

// The states of a step.
const (
	Repaired State = "repaired"
	Planned  State = "planned" // would be repaired without DryRun
	Left     State = "left"    // was not changed
)

// Step describes the repair of all findings of one rule at one node, or with RepairOptions.From of
// one damaged object.
type Step struct {
	State    State
	Rule     rule.Rule
	Path     string // path of the node
	Key      string // key of the first finding, or of the object
	Findings int    // 0 for an object that no finding names
	Text     string // description of the repair, or the reason why it was not made
	Err      error  // error of a repair that failed; nil if none was tried
	// Unseen describes what a dry run could not check, because that requires this repair first.
	// More may have to be repaired than is planned. It is "" if everything was checked.
	Unseen string
}

// MarshalJSON encodes the step as an object with state, code (of the rule), path, key, findings,
// message and unseen. An empty key or unseen is omitted.
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

// Repairs is the result of a repair.
type Repairs struct {
	Found *Result // findings before the repair
	Left  *Result // findings after the repair; in a dry run, all findings
	Steps []Step  // in order of path
}

// Repair checks a hierarchy as [Run] does, and then makes the repairs that do not require inventing
// data. All writes are conditional. It rewrites consolidated metadata that is stale or unreadable,
// and corrects metadata whose declared chunk keys are unused (see [upkeep.CorrectKeys]). If the
// options allow it, it deletes orphan chunks and drops leftover claims. It leaves everything else
// unchanged and returns a Step with the reason: for example, a corrupt or missing chunk can only
// come from another copy of the data.
//
// With From, Repair restores damaged chunks and shards on condition that the stored object is still
// the damaged one. If both arrays encode alike, it takes the copy's stored object. Otherwise it
// encodes the copy's values, provided that shape, data type and fill value agree. Before it
// replaces an object, it decodes the damaged object again, and all of the copy's object. The first
// must fail, and the second must succeed. The readable inner chunks of a damaged shard must have
// the same values in the copy; otherwise the copy is of other data, and those values would be lost.
// If the copy lacks the object, the object is left. A missing object is damage only if the fill
// value is null.
//
// Repair restores a document byte for byte if the node's document is missing or cannot be parsed
// and the copy has a valid document of the same name. If a document uses unsupported features, it
// is left, since it may be valid for other readers. After restoring documents it checks the
// hierarchy again; new findings are in Steps and Left but are not reported. A dry run cannot check
// again, which Step.Unseen states.
//
// Each object has its own Step. Up to eight objects are restored concurrently; those of more than 4
// MiB are restored one at a time, in parts. Options.Progress counts continue from one check to the
// next. Each object restored, or found impossible to restore, counts as one more chunk.
//
// Repair calls report for each finding as Run does, before it changes anything. An error that
// prevents one repair, such as ErrConflict caused by another writer, is in that Step, and the other
// repairs continue. Repair returns an error in the same cases as Run; some repairs may then not
// have been tried.
func Repair(ctx context.Context, st store.Store, path string, o RepairOptions, report func(rule.Finding)) (*Repairs, error) {
	p := &repair{ctx: ctx, st: written.Around(st), opts: o, root: path, changed: map[string]bool{}, claimed: map[string]bool{}}
	if root, err := meta.NormalizePath(path); err == nil { // an invalid path is a finding of look
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
	changed map[string]bool // paths of arrays whose metadata was corrected
	claimed map[string]bool // paths of nodes whose claim remains

	root     string // the path that is repaired
	restorer restorer
	tally    tally
}

// errLeft is the reason why a repair is not tried.
type errLeft string

func (e errLeft) Error() string { return string(e) }

// step makes the repair of one issue. It returns false if the issue needs no Step.
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

// do repairs one issue, or checks the repair in a dry run, and returns a description of the repair.
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
		return "", errLeft("values cannot be recovered: copy the objects from another copy of the data")
	case rule.TwoFormats:
		return "", errLeft("either of the two may be right: zargo migrate --remove deletes the v2 metadata if the v3 metadata agrees with it")
	}
	return "", errLeft("no repair is known")
}

// open opens a node from its current documents.
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
	return none, fault.Newf(fault.Conflict, "another node was created at the path concurrently")
}

func (p *repair) dropClaim(is *issue) (string, error) {
	p.claimed[is.path] = true
	if !p.opts.DropClaims {
		return "", errLeft("the change may still be in progress: --drop-claims AGE drops the claim if it is at least that old")
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
		o, err := upkeep.FindOrphans(p.ctx, a) // chunks of the dropped change, which were not findings while it had a claim
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
		return "", errLeft("a change of the shape is in progress")
	}
	if p.opts.DryRun {
		return "correct the metadata to the layout of the stored chunks", nil
	}
	e, err := upkeep.CorrectKeys(p.ctx, a)
	if err != nil {
		return "", err
	}
	if e == (meta.KeyEncoding{}) {
		return "", errLeft("the metadata no longer has to be corrected")
	}
	p.changed[is.path] = true
	return fmt.Sprintf("correct the metadata: keys are like %q", e.Key(make([]int, len(a.Shape())))), nil
}

func (p *repair) deleteOrphans(is *issue) (string, error) {
	if !p.opts.DeleteOrphans {
		return "", errLeft("chunks are deleted only with --delete-orphans")
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
		return "", errLeft(fmt.Sprintf("chunks that may be the only copy of their values are kept: %d", o.Kept))
	}
	n, links := o.Beyond, ""
	if is.rule == rule.OtherLayout {
		n = o.Elsewhere
	}
	if o.Linked > 0 {
		links = fmt.Sprintf("orphans behind symbolic links are kept: %d", o.Linked)
	}
	switch {
	case n == 0 && o.Linked > 0:
		return "", errLeft(links)
	case n == 0: // deleted with the orphans of the other rule
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
		return "", errLeft("an unfinished append to arrays of the group will write the copy itself")
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
	return "rewrite consolidated metadata", nil
}

// updateAbove updates consolidated metadata above the arrays whose metadata was corrected. It
// returns a Step for each update that failed.
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
