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
	"github.com/zargo-io/zargo/internal/chunk/written"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// RepairOptions configures a repair. With the zero value, the repair rewrites consolidated metadata
// and corrects metadata that declares the wrong chunk keys.
type RepairOptions struct {
	Options
	DryRun        bool          // change nothing and return the planned steps
	DeleteOrphans bool          // delete chunks that are never read; see upkeep.FindOrphans
	DropClaims    bool          // drop claims of appends and resizes that are at least ClaimAge old; see upkeep.DropClaim
	ClaimAge      time.Duration // minimum age of a claim to drop; the default, 0, is any age

	// From is another copy of the hierarchy. From it the repair restores objects that cannot be
	// repaired in another way. These are corrupt chunks and shards, missing ones if the fill value
	// is null, and documents that are missing or cannot be parsed. With nil, the default, no object
	// is restored.
	From *Copy
	// Limits bounds the memory of restored objects by its Bytes. It does not apply to the nodes,
	// which have their own limits. The default, nil, is concurrency.Default.
	Limits *concurrency.Limits
	// Keep receives the objects that are replaced by objects of From. Each is stored under its
	// original key, followed by "~" and 16 hexadecimal digits of a digest of its version. With nil,
	// the default, replaced objects are lost.
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

// Step describes the repair of all findings of one rule at one node. With RepairOptions.From, each
// damaged object has a Step of its own.
type Step struct {
	State    State
	Rule     rule.Rule
	Path     string // path of the node
	Key      string // key of the first finding, or of the object
	Findings int    // 0 for an object that no finding names
	Text     string // description of the repair, or the reason why it was not made
	Err      error  // error of a repair that failed; nil if none was tried
	// Unseen describes what a dry run could not check because this repair must be made first. More
	// repairs than planned may then be necessary. If everything was checked, Unseen is "".
	Unseen string
}

// MarshalJSON encodes the step as an object with the members "state", "code" (the rule), "path",
// "key", "findings", "message" and "unseen". It omits "key" and "unseen" if they are empty.
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
// data. All writes are conditional. Repair rewrites consolidated metadata that is stale or
// unreadable, and corrects metadata that declares other chunk keys than those stored (see
// [upkeep.CorrectKeys]). If the options allow it, Repair deletes orphan chunks and drops leftover
// claims. For everything else it returns a Step with the reason why nothing was changed. For
// example, a corrupt or missing chunk can be restored only from another copy of the data.
//
// With From, Repair also restores damaged chunks and shards. If both arrays encode alike, the
// replacement is the copy's stored object. Otherwise Repair encodes the copy's values, provided
// that shape, data type and fill value agree. Repair replaces an object only if decoding the object
// fails again and decoding the whole replacement succeeds. If a damaged shard has readable inner
// chunks, their values must be the same in the copy; otherwise the copy is of other data, and these
// values would be lost. The write fails if the damaged object has changed meanwhile. Objects that
// the copy lacks are not restored. A missing object counts as damaged only if the fill value is
// null.
//
// Repair restores a document byte for byte if the node's document is missing or cannot be parsed
// and the copy has a valid document of the same name. It does not replace a document with
// unsupported features, since that may be valid for other readers. After restoring documents,
// Repair checks the hierarchy again. New findings of that check are in Steps and Left but are not
// reported. A dry run cannot check again; Step.Unseen then describes the missing check.
//
// Each damaged object has its own Step. Up to eight objects are restored concurrently; objects of
// more than 4 MiB are restored one at a time, in parts. The counts passed to Options.Progress
// continue from one check to the next. Each object that Repair tries to restore counts as one more
// chunk.
//
// Before it changes anything, Repair calls report for each finding, as Run calls tell. An error
// that prevents one repair, such as ErrConflict caused by another writer, is returned in the Step
// of that repair, and the other repairs continue. Repair itself returns an error in the same cases
// as Run; some repairs may then not have been tried.
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

// errLeft is an error that contains the reason why a repair is not made.
type errLeft string

func (e errLeft) Error() string { return string(e) }

// step makes the repair of one issue. It returns false if the issue lacks a Step.
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

// do repairs one issue and returns a description of the repair. In a dry run it only checks whether
// the repair is possible.
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
	quiet := zarr.OnFinding(func(rule.Finding) {})
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

// updateAbove updates the consolidated metadata of the groups above arrays whose metadata was
// corrected. It returns a Step for each update that failed.
func (p *repair) updateAbove() (failed []Step, err error) {
	for _, path := range slices.Sorted(maps.Keys(p.changed)) {
		n, err := p.open(path)
		if err == nil {
			_, err = upkeep.UpdateParents(p.ctx, n)
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
