package transfer

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/attributes/derived"
	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/internal/copying/claimed"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// maxMemory is the upper bound of the default for Options.Memory. 1 GiB is also the default of
// rechunker.
const maxMemory = 1 << 30

// NewPlan returns a plan that copies an array, or a group with all nodes below it. It reads only
// metadata: the own documents of all nodes, even if the source was opened from consolidated
// metadata (see [zarr.Group.Stored]). If target is not nil, NewPlan checks that no value is stored
// at the target, and omits existing groups above the target from the plan. The [store.Tuning] of
// both stores determines the cost of requests relative to bytes. NewPlan assumes the costs of a
// cloud store for a store without Tuning.
//
// NewPlan returns fault.Exists if the target has values that tasks of the same plan did not store.
// It returns fault.Limit if a task does not fit in memory; the error contains the smallest
// sufficient Memory. Other errors are those of zarr.Create for the nodes of the target.
func NewPlan(ctx context.Context, source zarr.Node, target store.Store, o Options) (*Plan, error) {
	p, err := newPlan(ctx, source, target, o)
	return p.onFree(ctx, target, o, err)
}

// onFree returns the plan p, or an error if the target has values of others or if err is not nil.
func (p *Plan) onFree(ctx context.Context, target store.Store, o Options, err error) (*Plan, error) {
	if err == nil && target != nil {
		err = p.free(ctx, account.CountedBy(target, o.Zarr))
	}
	if err != nil {
		return nil, fmt.Errorf("transfer: %w", err)
	}
	return p, nil
}

// NewPlanAt returns the plan of [NewPlan] for the node at path in the store source. NewPlanAt opens
// the node with Options.Zarr. If this version does not support the metadata of the node, for
// example because of an unknown codec, the plan copies its documents and all objects below it as
// they are stored, as NewPlan does for the nodes below a group. NewPlanAt then returns
// errors.ErrUnsupported if the options change the format, the codecs, the grid or the shape.
func NewPlanAt(ctx context.Context, source store.Store, path string, target store.Store, o Options) (*Plan, error) {
	source = account.CountedBy(source, o.Zarr)
	n, failed := zarr.Open(ctx, source, path, o.Zarr...)
	if failed == nil {
		return NewPlan(ctx, n, target, o)
	}
	if !errors.Is(failed, errors.ErrUnsupported) {
		return nil, failed
	}
	o.Source.Path = strings.Trim(path, "/")
	p, err := planOf(ctx, source, target, o, func(m *maker) error { return m.single(ctx, source, failed) })
	return p.onFree(ctx, target, o, err)
}

func newPlan(ctx context.Context, source zarr.Node, target store.Store, o Options) (*Plan, error) {
	o.Source.Path = source.Path()
	return planOf(ctx, source.(interface{ Store() store.Store }).Store(), target, o, func(m *maker) error {
		n, err := source.Stored(ctx)
		if err != nil {
			return err
		}
		return m.tree(ctx, n)
	})
}

// planOf makes a plan. fill adds the nodes.
func planOf(ctx context.Context, source, target store.Store, o Options, fill func(m *maker) error) (*Plan, error) {
	if o.Format != 0 && o.Format != 2 && o.Format != 3 {
		return nil, fault.Newf(fault.Selection, "format %d is not 2 or 3", o.Format)
	}
	if o.Memory == 0 {
		o.Memory = min(concurrency.Memory()/2, maxMemory)
	}
	source = account.CountedBy(source, o.Zarr)
	m := &maker{
		o: &o, unread: map[string]map[string][]byte{}, new: documentStore{mem.New(), o.Target.Store}, tmp: documentStore{mem.New(), o.Target.Store}, get: requestCost(source), request: requestCost(target),
		p: &Plan{Version: Version, Source: o.Source, Target: o.Target, Memory: o.Memory, Documents: Documents{
			Source: map[string]string{}, Target: map[string]string{}, Temporary: map[string]string{},
		}},
	}
	if err := fill(m); err != nil {
		return nil, err
	}
	if m.least > 0 {
		return nil, fault.Newf(fault.Limit, "the copy takes %d bytes of memory, for the array %q, more than the maximum of %d", m.least, m.largest, m.o.Memory)
	}
	if err := m.documents(ctx); err != nil {
		return nil, err
	}
	for key := range m.p.Documents.Target {
		if node.IsAbove(node.PathOf(key), o.Root) {
			delete(m.p.Documents.Target, key)
		}
	}
	m.p.Stages = append(slices.DeleteFunc(m.stages, func(s Stage) bool { return len(s.Steps) == 0 }), Stage{Steps: []Step{{Kind: Finish}}})
	return m.p, m.p.Check(o.Zarr...)
}

// documentStore is a store for the documents of a plan. In errors it has the name of the target's
// store.
type documentStore struct {
	*mem.Store
	name string
}

func (p documentStore) String() string { return p.name }

// Provide keeps the store out of reports.
func (p documentStore) Provide(target any) bool { return account.Own(target) }

// tree plans the copies of a node and of all nodes below it.
func (m *maker) tree(ctx context.Context, n zarr.Node) error {
	if path.Base(node.Join(m.o.Source.Store, m.o.Source.Path)) == path.Base(m.o.Target.Path) {
		ctx = node.Copying(ctx) // the copy keeps the name
	}
	g, ok := n.(*zarr.Group)
	if !ok {
		if err := m.array(ctx, n.(*zarr.Array), m.o.Target.Path); err != nil {
			return err
		}
		return m.derive(ctx)
	}
	made, err := m.group(ctx, g, m.o.Target.Path)
	if err != nil {
		return err
	}
	ctx = node.Copying(ctx) // the members keep their names
	for sub, err := range g.Walk(ctx) {
		if err != nil {
			if err = m.asStored(ctx, g.Store(), max(g.Format(), 2), err); err != nil {
				return err
			}
			continue
		}
		to := node.Join(m.o.Target.Path, strings.TrimPrefix(strings.TrimPrefix(sub.Path(), g.Path()), "/"))
		if a, ok := sub.(*zarr.Array); ok {
			err = m.array(ctx, a, to)
		} else {
			_, err = m.group(ctx, sub.(*zarr.Group), to)
		}
		if err != nil {
			return err
		}
	}
	if err := m.derive(ctx); err != nil {
		return err
	}
	has, err := consolidated(g)
	if err == nil && (has || m.o.Consolidate) {
		if _, err = made.Consolidate(ctx); err == nil {
			err = m.spliced(ctx, made.Format())
		}
	}
	return err
}

// consolidated reports whether a group has consolidated metadata. For a v2 group, it must be called
// after the members were read.
func consolidated(g *zarr.Group) (bool, error) {
	if g.Metadata().Consolidated != nil {
		return true, nil
	}
	docs, err := g.Documents()
	return docs[node.Join(g.Path(), ".zmetadata")] != nil, err
}

func (m *maker) group(ctx context.Context, g *zarr.Group, to string) (*zarr.Group, error) {
	format := max(g.Format(), 2)
	if m.o.Format != 0 {
		format = m.o.Format
	}
	m.nodes = append(m.nodes, derived.Node{Path: to})
	made, err := zarr.CreateGroup(ctx, m.new, to, zarr.Spec{Format: format, Attrs: g.Attrs()}, m.o.Zarr...)
	if err != nil || !m.extends(to, g.Metadata().Unknown, g.Format(), format) {
		return made, err
	}
	model := *made.Metadata()
	model.Unknown = g.Metadata().Unknown
	docs, err := node.OfGroup(&model)
	if err == nil {
		err = m.replace(ctx, to, docs)
	}
	if err != nil {
		return nil, err
	}
	return zarr.OpenGroup(ctx, m.new, to, m.o.Zarr...)
}

// array plans the copy of one array.
func (m *maker) array(ctx context.Context, a *zarr.Array, to string) error {
	shape, start := a.Shape(), []int(nil)
	if m.o.Ranges != nil {
		ranges, err := m.o.Ranges(a)
		if err != nil {
			return err
		}
		if ranges != nil {
			if start, shape, err = partOf(a, ranges); err != nil {
				return err
			}
		}
	}
	spec, err := m.o.specOf(a, shape)
	if err == nil {
		_, err = zarr.Create(ctx, m.new, to, spec, m.o.Zarr...)
	}
	if err != nil {
		return fmt.Errorf("copy of %q: %w", a.Path(), err)
	}
	made, err := zarr.OpenArray(ctx, m.new, to, m.o.Zarr...)
	if err != nil {
		return err
	}
	if m.extends(to, a.Metadata().Unknown, a.Format(), made.Format()) {
		model := *made.Metadata()
		model.Unknown = a.Metadata().Unknown
		docs, err := node.OfArray(&model)
		if err == nil {
			err = m.replace(ctx, to, docs)
		}
		if err != nil {
			return err
		}
		if made, err = zarr.OpenArray(ctx, m.new, to, m.o.Zarr...); err != nil {
			return err
		}
	}
	if err := m.emptyNames(ctx, a, to); err != nil {
		return err
	}
	m.note(a, to, start, shape)
	if slices.Contains(made.GridShape(), 0) {
		return nil
	}
	docs, err := a.Documents()
	if err != nil {
		return err
	}
	for key, doc := range docs {
		if !strings.HasSuffix(key, ".zmetadata") {
			m.p.Documents.Source[key] = string(doc)
		}
	}
	from := &Array{In: Source, Path: a.Path()}
	if a.Metadata().NoSeparator && len(shape) > 1 {
		from.Separator = a.Metadata().Keys.Separator
	}
	return m.steps(ctx, &Step{From: from, To: &Array{In: Target, Path: to}, Start: start, Grid: made.GridShape()}, a, made)
}

// partOf converts ranges to the start and shape of the copied part of an array. start is nil if the
// part starts at the first element. partOf returns fault.Selection if the ranges do not fit the
// array.
func partOf(a *zarr.Array, ranges [][2]int) (start, shape []int, err error) {
	in := a.Shape()
	if len(ranges) != len(in) {
		return nil, nil, fault.Newf(fault.Selection, "Ranges returned %d ranges for %q, which has %d dimensions", len(ranges), a.Path(), len(in))
	}
	moved := false
	for d, r := range ranges {
		if r[0] < 0 || r[1] < r[0] || r[1] > in[d] {
			return nil, nil, fault.Newf(fault.Selection, "range [%d, %d) is not within dimension %d of %q, which has length %d", r[0], r[1], d, a.Path(), in[d])
		}
		start, shape, moved = append(start, r[0]), append(shape, r[1]-r[0]), moved || r[0] > 0
	}
	if !moved {
		start = nil
	}
	return start, append([]int{}, shape...), nil
}

// documents adds the target's documents to the plan.
func (m *maker) documents(ctx context.Context) error {
	for e, err := range store.ListAll(ctx, m.new, "", store.ListOptions{}) {
		if err != nil {
			return err
		}
		v, err := m.new.Get(ctx, e.Key, store.GetOptions{}, nil)
		if err != nil {
			return err
		}
		m.p.Documents.Target[e.Key] = string(v.Bytes)
	}
	return nil
}

// free checks that the target contains only values that a transfer of this plan stored. Otherwise,
// or if another plan has claimed the target, it returns fault.Exists. It removes existing groups
// above the target from the plan.
func (p *Plan) free(ctx context.Context, target store.Store) error {
	for key := range p.Documents.Target {
		if path.Base(key) == node.ZarrJSON {
			ctx = node.Expecting(ctx, 3)
			break
		}
	}
	for key := range p.Documents.Target {
		at := node.PathOf(key)
		if !node.IsAbove(at, p.Target.Path) {
			continue
		}
		switch n, err := zarr.Open(ctx, target, at, zarr.IgnoreConsolidated()); {
		case errors.Is(err, fault.NotFound), errors.Is(err, fault.Refused):
		case err != nil:
			return err
		default:
			if _, ok := n.(*zarr.Group); !ok {
				return fault.Newf(fault.Exists, "the path of the target passes through the array %q", at)
			}
			delete(p.Documents.Target, key)
		}
	}
	other, some, err := claimed.Besides(ctx, target, p.Target.Path)
	unlisted := errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fault.Refused)
	if err != nil && !unlisted {
		return err
	}
	if !unlisted && other == "" {
		// After the claim, look requests the plan's own documents.
		if err := p.norivals(ctx, target); err != nil {
			return err
		}
	} else {
		switch _, err := zarr.Open(ctx, target, p.Target.Path, zarr.IgnoreConsolidated()); {
		case errors.Is(err, fault.NotFound), errors.Is(err, fault.Refused):
		case err != nil && !errors.As(err, new(*fault.MetaError)):
			return err
		default:
			return fault.Newf(fault.Exists, "a node already exists at the target")
		}
	}
	if p.vacant = !unlisted && !some; p.vacant || unlisted {
		return nil // without a listing, other values cannot be found
	}
	b, err := claimed.Begun(ctx, target, p.Target.Path)
	switch id := p.ID(); {
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fault.Refused):
		return nil
	case err != nil:
		return err
	case b.Claim != nil && b.Claim.Plan != id:
		return claimed.ErrOtherPlan
	case b.Claim == nil && slices.ContainsFunc(b.IDs, func(other string) bool { return other != id }):
		return claimed.ErrOtherPlan
	case b.Other != "" && len(b.IDs) == 0 && b.Claim == nil:
		return fault.Newf(fault.Exists, "the target contains other objects, such as %q", b.Other)
	}
	return nil
}

// norivals checks that the target has no document of a node of another format or kind.
func (p *Plan) norivals(ctx context.Context, target store.Store) error {
	if store.ListingsOf(target).Complete {
		return nil // a listing has shown it
	}
	t := newWorker(p, target, target).target
	err := t.Absent(ctx, slices.DeleteFunc(t.All(), func(key string) bool {
		_, own := p.Documents.Target[key]
		return own || node.PathOf(key) != p.Target.Path
	}))
	if errors.Is(err, fault.Refused) {
		return nil
	}
	return err
}
