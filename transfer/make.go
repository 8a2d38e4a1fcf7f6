package transfer

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// Options say what a plan is to do. The zero value copies everything as it is.
type Options struct {
	Source Place // what the plan calls the source; its Path is that of the node, which is set
	Target Place // where the copy is made
	// Root is the path of the outermost group above the target that is created if it is missing; ""
	// is the root of the store.
	Root string

	// Format is the Zarr format of the target, 2 or 3; 0 is that of the source, and 2 for v1.
	Format int
	// NoFillAttribute leaves the fill values and attributes of arrays with names of dimensions as
	// they are when Format changes. xarray then has other missing values in the copy: in v2 it
	// takes the fill value for missing, in v3 the attribute _FillValue.
	NoFillAttribute bool
	// Masked is called with the path of each array whose fill value or attribute _FillValue is
	// another one therefore, and what it is; nil is not called.
	Masked func(path, what string)
	// Codecs encode the chunks of all arrays; nil are those that each has, empty are none. See
	// [zarr.Spec].
	Codecs []codec.Spec
	// Grid returns the shape of the chunks and shards of the copy of an array; nil leaves them as
	// they are, and empty shards store each chunk as an object.
	Grid func(a *zarr.Array) (chunks, shards []int, err error)
	// Ranges returns the part of an array that is copied: the first element and the one after the
	// last along each dimension. nil is all of it.
	Ranges func(a *zarr.Array) ([][2]int, error)
	// Consolidate gives the target consolidated metadata also where the source has none.
	Consolidate bool
	// Memory is how many bytes each process that runs the plan may take; 0 is half of
	// concurrency.Memory, at most 1 GiB.
	Memory int64
	// OneStage reads each region of the source again for every region of the target that needs it,
	// also where intermediate arrays would take fewer requests.
	OneStage bool
	// Zarr are options of the nodes that are made, such as zarr.Extensions.
	Zarr []zarr.Option
}

// maxMemory is the default memory where there is plenty. 1 GiB: rechunker's.
const maxMemory = 1 << 30

// NewPlan plans to copy an array, or a group with all that is below it. It reads metadata alone,
// and looks into the store that target opens, if that is not nil, whether something is there. What
// a request costs is known by the [store.Tuning] of both stores; where they have none it is taken
// to cost what it does in a cloud.
//
// fault.Exists: there is, other than what tasks of this very plan stored. fault.Limit: no task fits
// in the memory; the error says the smallest that would do. Other errors are those of zarr.Create
// for what cannot be stored as the options say.
func NewPlan(ctx context.Context, source zarr.Node, target store.Store, o Options) (*Plan, error) {
	p, err := newPlan(ctx, source, target, o)
	if err == nil && target != nil {
		err = p.free(ctx, target)
	}
	if err != nil {
		return nil, fmt.Errorf("transfer: %w", err)
	}
	return p, nil
}

func newPlan(ctx context.Context, source zarr.Node, target store.Store, o Options) (*Plan, error) {
	o.Source.Path = source.Path()
	if o.Format != 0 && o.Format != 2 && o.Format != 3 {
		return nil, fault.Newf(fault.Selection, "format %d is not 2 or 3", o.Format)
	}
	if o.Memory == 0 {
		o.Memory = min(concurrency.Memory()/2, maxMemory)
	}
	m := &maker{
		o: &o, new: mem.New(), tmp: mem.New(), get: requestCost(source.(interface{ Store() store.Store }).Store()), request: requestCost(target),
		p: &Plan{Version: Version, Source: o.Source, Target: o.Target, Memory: o.Memory, Documents: Documents{
			Source: map[string]string{}, Target: map[string]string{}, Temporary: map[string]string{},
		}},
	}
	if err := m.tree(ctx, source); err != nil {
		return nil, err
	}
	if err := m.documents(ctx); err != nil {
		return nil, err
	}
	for key := range m.p.Documents.Target {
		if above(nodeOf(key), o.Root) {
			delete(m.p.Documents.Target, key)
		}
	}
	m.p.Stages = append(slices.DeleteFunc(m.stages, func(s Stage) bool { return len(s.Steps) == 0 }), Stage{Steps: []Step{{Kind: Finish}}})
	return m.p, m.p.Check(o.Zarr...)
}

// maker makes a plan.
type maker struct {
	o       *Options
	p       *Plan
	new     store.Store // the target's documents, without chunks
	tmp     store.Store // those of temporary arrays
	made    int         // temporary arrays
	get     int64       // what a request of the source costs, see requestCost
	request int64       // the same of the target
	stages  []Stage
}

// tree plans a node and all below it.
func (m *maker) tree(ctx context.Context, n zarr.Node) error {
	g, ok := n.(*zarr.Group)
	if !ok {
		return m.array(ctx, n.(*zarr.Array), m.o.Target.Path)
	}
	made, err := m.group(ctx, g, m.o.Target.Path)
	if err != nil {
		return err
	}
	for sub, err := range g.Walk(ctx) {
		if err != nil {
			return err
		}
		to := join(m.o.Target.Path, strings.TrimPrefix(strings.TrimPrefix(sub.Path(), g.Path()), "/"))
		if a, ok := sub.(*zarr.Array); ok {
			err = m.array(ctx, a, to)
		} else {
			_, err = m.group(ctx, sub.(*zarr.Group), to)
		}
		if err != nil {
			return err
		}
	}
	has, err := consolidated(g)
	m.p.Documents.Consolidated = has
	if err == nil && (has || m.o.Consolidate) {
		_, err = made.Consolidate(ctx)
	}
	return err
}

// consolidated reports whether a group whose members were read has consolidated metadata.
func consolidated(g *zarr.Group) (bool, error) {
	if g.Metadata().Consolidated != nil {
		return true, nil
	}
	docs, err := g.Documents()
	return docs[join(g.Path(), ".zmetadata")] != nil, err
}

func (m *maker) group(ctx context.Context, g *zarr.Group, to string) (*zarr.Group, error) {
	format := max(g.Format(), 2)
	if m.o.Format != 0 {
		format = m.o.Format
	}
	return zarr.CreateGroup(ctx, m.new, to, zarr.Spec{Format: format, Attrs: g.Attrs()}, m.o.Zarr...)
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
			if start, shape, err = part(a, ranges); err != nil {
				return err
			}
		}
	}
	spec, err := m.o.specOf(a, shape)
	if err == nil {
		_, err = zarr.Create(ctx, m.new, to, spec, m.o.Zarr...)
	}
	if err != nil {
		return fmt.Errorf("the copy of %q: %w", a.Path(), err)
	}
	made, err := zarr.OpenArray(ctx, m.new, to, m.o.Zarr...)
	if err != nil {
		return err
	}
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

// part checks what is copied of an array.
func part(a *zarr.Array, ranges [][2]int) (start, shape []int, err error) {
	in := a.Shape()
	if len(ranges) != len(in) {
		return nil, nil, fault.Newf(fault.Selection, "%d ranges of %q, which has %d dimensions", len(ranges), a.Path(), len(in))
	}
	moved := false
	for d, r := range ranges {
		if r[0] < 0 || r[1] < r[0] || r[1] > in[d] {
			return nil, nil, fault.Newf(fault.Selection, "elements from %d to %d of %d along dimension %d of %q", r[0], r[1], in[d], d, a.Path())
		}
		start, shape, moved = append(start, r[0]), append(shape, r[1]-r[0]), moved || r[0] > 0
	}
	if !moved {
		start = nil
	}
	return start, append([]int{}, shape...), nil
}

// documents takes the documents that were made into the plan.
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

// free makes sure that nothing is where the target is to be, and leaves out of the plan the groups
// above it that are there.
func (p *Plan) free(ctx context.Context, target store.Store) error {
	for key := range p.Documents.Target {
		at := nodeOf(key)
		if !above(at, p.Target.Path) {
			continue
		}
		switch n, err := zarr.Open(ctx, target, at, zarr.IgnoreConsolidated()); {
		case errors.Is(err, fault.NotFound), errors.Is(err, fault.Refused):
		case err != nil:
			return err
		default:
			if _, ok := n.(*zarr.Group); !ok {
				return fault.Newf(fault.Exists, "an array is above the target: %q", at)
			}
			delete(p.Documents.Target, key)
		}
	}
	switch _, err := zarr.Open(ctx, target, p.Target.Path, zarr.IgnoreConsolidated()); {
	case errors.Is(err, fault.NotFound), errors.Is(err, fault.Refused):
	case err != nil && !errors.As(err, new(*fault.MetaError)):
		return err
	default:
		return fault.Newf(fault.Exists, "a node is at the target")
	}
	b, err := begun(ctx, target, p.Target.Path)
	switch id := p.ID(); {
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fault.Refused):
		return nil // what cannot be listed cannot be seen
	case err != nil:
		return err
	case b.claim != nil && b.claim.Plan != id:
		return claimed()
	case b.claim == nil && slices.ContainsFunc(b.ids, func(other string) bool { return other != id }):
		return claimed()
	case b.other != "" && len(b.ids) == 0 && b.claim == nil:
		return fault.Newf(fault.Exists, "something is stored below the target, such as %q", b.other)
	}
	return nil
}

// nodeOf is the path of the node that a document is of.
func nodeOf(key string) string { return strings.TrimPrefix(path.Dir("/"+key), "/") }

// above reports whether a path is strictly above another one.
func above(p, of string) bool { return p != of && (p == "" || strings.HasPrefix(of, p+"/")) }

func join(dir, name string) string {
	if dir == "" || name == "" {
		return dir + name
	}
	return dir + "/" + name
}
