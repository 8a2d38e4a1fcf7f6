package validate

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/zargo-io/zargo/zarr/rule"
)

// look checks the hierarchy and restores damaged documents, and repeats both until no document was
// restored. It returns the issues of the last check. It sets out.Found to the result of the first
// check and out.Left to the result of the last.
func (p *repair) look(out *Repairs, report func(rule.Finding)) ([]*issue, error) {
	type of struct {
		path string
		rule rule.Rule
	}
	for tried := map[of]*issue{}; ; {
		var found []rule.Finding
		var mu sync.Mutex
		objects := map[[2]string]damaged{} // by path and key
		var broken func(damaged)
		if p.opts.From != nil {
			broken = func(d damaged) {
				mu.Lock()
				defer mu.Unlock()
				objects[[2]string{d.path, d.key}] = d
			}
		}
		opts := p.opts.Options
		opts.Progress = p.tally.next()
		r, err := look(p.ctx, p.st, p.root, opts, func(f rule.Finding) {
			found = append(found, f)
			if out.Found == nil {
				report(f)
			}
		}, broken)
		if out.Left = r; out.Found == nil {
			out.Found = r
		}
		if err != nil {
			return nil, err
		}
		issues, again := p.issuesOf(found, slices.Collect(maps.Values(objects))), false
		for _, is := range issues {
			at := of{is.path, is.rule}
			switch was := tried[at]; {
			case is.order != orderDocuments:
			case was != nil && was.done.State == Repaired:
				is.done = &Step{State: Left, Rule: is.rule, Path: is.path, Key: is.all[0].Key, Findings: len(is.all), Text: "it was restored, but is damaged again"}
			case was != nil:
				is.done = was.done
			default:
				step, _, err := p.step(p.ctx, is)
				if err != nil {
					return nil, err
				}
				tried[at], is.done = is, &step
				if again = again || step.State == Repaired; step.State == Repaired {
					out.Steps = append(out.Steps, step)
				}
			}
		}
		if !again {
			return issues, nil
		}
	}
}

// issue is a group of findings of one node that one repair handles.
type issue struct {
	order    int // repairs are made in ascending order
	path     string
	rule     rule.Rule
	all      []rule.Finding
	object   *damaged // with RepairOptions.From: the damaged object
	rest     bool     // the finding counts damaged objects without naming them
	done     *Step    // set if the repair was already tried
	repaired bool
	unseen   string // Step.Unseen
}

// The order of repairs. Documents come first, because nodes without them cannot be checked. Claims
// come next, because they prevent other repairs. Consolidated metadata comes last, because it
// copies the results of all other repairs.
const (
	orderDocuments = iota
	orderClaims
	orderKeys
	orderOrphans
	orderObjects
	orderOthers
	orderCopies
)

// issuesOf groups findings into issues, in the order of repair. Issues of inner groups'
// consolidated metadata come before those of outer groups. Each damaged object has its own issue,
// even if no finding names the object.
func (p *repair) issuesOf(found []rule.Finding, objects []damaged) []*issue {
	type group struct {
		order int
		path  string
		rule  rule.Rule
		key   string // key of a damaged object
	}
	groups := map[group]*issue{}
	for _, d := range objects {
		groups[group{orderObjects, d.path, d.rule, d.key}] = &issue{order: orderObjects, path: d.path, rule: d.rule, object: &d}
	}
	for _, f := range found {
		at := group{p.orderOf(f), f.Path, f.Rule, ""}
		if of := (group{orderObjects, f.Path, f.Rule, f.Key}); groups[of] != nil {
			at = of
		}
		if groups[at] == nil {
			groups[at] = &issue{order: at.order, path: f.Path, rule: f.Rule, rest: p.opts.From != nil && f.Key == "" && (f.Rule == rule.Corrupt || f.Rule == rule.MissingChunk)}
		}
		groups[at].all = append(groups[at].all, f)
	}
	all := slices.Collect(maps.Values(groups))
	for _, is := range all {
		slices.SortFunc(is.all, func(a, b rule.Finding) int {
			return cmp.Or(cmp.Compare(len(b.Key), 0)-cmp.Compare(len(a.Key), 0), cmp.Compare(a.Key, b.Key))
		})
	}
	slices.SortFunc(all, func(a, b *issue) int {
		paths := cmp.Compare(a.path, b.path)
		if a.order == orderCopies {
			paths = -paths
		}
		return cmp.Or(cmp.Compare(a.order, b.order), paths, cmp.Compare(a.rule, b.rule), cmp.Compare(a.at(), b.at()))
	})
	return all
}

// at returns the key of the damaged object, or "" if the issue is about no such object.
func (is *issue) at() string {
	if is.object == nil {
		return ""
	}
	return is.object.key
}

// settle completes the repair of findings that count damaged objects without naming them. It marks
// such a finding as repaired if all objects of its node and rule that no finding names were
// repaired.
func settle(issues []*issue) {
	type of struct {
		path string
		rule rule.Rule
	}
	left := map[of]bool{}
	for _, is := range issues {
		if is.object != nil && !is.repaired && len(is.all) == 0 {
			left[of{is.path, is.rule}] = true
		}
	}
	for _, is := range issues {
		if is.rest {
			is.repaired = is.object == nil && !left[of{is.path, is.rule}]
		}
	}
}

func (p *repair) orderOf(f rule.Finding) int {
	switch {
	case p.opts.From != nil && ofDocument(f):
		return orderDocuments
	case f.Rule == rule.LeftOverClaim:
		return orderClaims
	case f.Rule == rule.WrongSeparator:
		return orderKeys
	case f.Rule == rule.BeyondShape, f.Rule == rule.OtherLayout:
		return orderOrphans
	case f.Rule == rule.Stale, ofCopy(f):
		return orderCopies
	}
	return orderOthers
}

// ofCopy reports whether a finding is about consolidated metadata that is unreadable or declares no
// format version.
func ofCopy(f rule.Finding) bool {
	if f.Severity() < rule.Warning || f.Rule == rule.TwoFormats {
		return false
	}
	return f.Key[strings.LastIndexByte(f.Key, '/')+1:] == docConsolidated || strings.HasPrefix(f.Pointer, "/consolidated_metadata")
}

// leftOf returns the result r without the findings that were repaired.
func leftOf(r *Result, issues []*issue) *Result {
	left := &Result{Nodes: r.Nodes, Arrays: r.Arrays, Chunks: r.Chunks, Counts: map[rule.Severity]int{}}
	for _, is := range issues {
		if is.repaired {
			continue
		}
		for _, f := range is.all {
			left.note(f)
		}
	}
	return left
}
