package transfer

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/internal/copying/alike"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// Check checks that the plan can be run:
//
//   - every object of every target array belongs to exactly one task, which writes all of it;
//   - regions are within the arrays;
//   - temporary arrays are complete before they are read;
//   - each task fits in Memory.
//
// Check sends no request. [NewPlan], [Decode], [Open] and [RunTask] call it. Check opens the arrays
// with opts, for example with zarr.Extensions.
//
// Check returns fault.Metadata if the plan is inconsistent. It returns fault.Limit if a task needs
// more than Memory, or if the plan has too many tasks.
func (p *Plan) Check(opts ...zarr.Option) error {
	if err := p.check(opts); err != nil {
		return fmt.Errorf("transfer: plan: %w", err)
	}
	return nil
}

func bad(format string, args ...any) error { return fault.Newf(fault.Metadata, format, args...) }

func (p *Plan) check(opts []zarr.Option) error {
	if err := p.checkVersion(); err != nil {
		return err
	}
	for _, at := range []Place{p.Source, p.Target} {
		if err := store.CheckPrefix(at.Path); err != nil {
			return err
		}
	}
	if p.Memory < 1 {
		return bad("memory is %d bytes", p.Memory)
	}
	for _, docs := range []map[string]string{p.Documents.Source, p.Documents.Target, p.Documents.Temporary} {
		for key := range docs {
			if err := store.CheckKey(key); err != nil {
				return err
			}
		}
	}
	if err := p.count(); err != nil {
		return err
	}
	none := account.Uncounted(mem.New())
	c := &checker{p: p, arrays: newArrays(p, none, none, none, opts), written: map[Array]int{}}
	for k := range p.Stages {
		for s := range p.Stages[k].Steps {
			if err := c.step(k, &p.Stages[k].Steps[s]); err != nil {
				return fmt.Errorf("stage %d, step %d: %w", k+1, s+1, err)
			}
		}
	}
	if n := len(p.Stages); n == 0 || len(p.Stages[n-1].Steps) != 1 || p.Stages[n-1].Steps[0].Kind != Finish {
		return bad("the last stage must have one step, of kind %q", Finish)
	}
	return c.covered()
}

func (p *Plan) checkVersion() error {
	if p.Version != Version {
		return fault.Newf(errors.ErrUnsupported, "transfer: the plan has version %d, this program supports only version %d", p.Version, Version)
	}
	return nil
}

type checker struct {
	p       *Plan
	arrays  *arrays
	written map[Array]int // number of the stage that writes the array
}

func (c *checker) step(stage int, s *Step) error {
	switch s.Kind {
	case Finish:
		if stage != len(c.p.Stages)-1 || s.From != nil || s.To != nil || s.Start != nil || len(s.Grid) > 0 {
			return bad("a step of kind %q must be the last and have no arrays", Finish)
		}
		return nil
	case Encoded, Blocks:
	case Objects:
		if err := c.checkObjects(s); err != nil {
			return err
		}
		if _, twice := c.written[*s.To]; twice {
			return bad("%v is written by two steps", s.To)
		}
		c.written[*s.To] = stage
		return nil
	default:
		return bad("step has the unknown kind %q", s.Kind)
	}
	if s.From == nil || s.To == nil || s.From.In != Source && s.From.In != Temporary || s.To.In != Target && s.To.In != Temporary {
		return bad("a step must read the source or a temporary array, and write the target or a temporary array")
	}
	ctx := context.Background() // all documents are in memory
	from, to, err := c.arrays.both(ctx, s)
	if err != nil {
		return err
	}
	if s.From.In == Temporary {
		if before, ok := c.written[*s.From]; !ok || before >= stage {
			return bad("%v is read before it is complete", s.From)
		}
	}
	bare := *s.To
	bare.Separator = ""
	if _, twice := c.written[bare]; twice || s.To.Separator != "" {
		return bad("%v is written by two steps, or with another separator of chunk keys", s.To)
	}
	c.written[bare] = stage
	if err := s.checkShape(from, to); err != nil {
		return fmt.Errorf("%v to %v: %w", s.From, s.To, err)
	}
	if least := needOf(s, from, to).memory(); least > c.p.Memory {
		return fault.Newf(fault.Limit, "%v: a task takes %d bytes of memory, more than the %d of the plan", s.To, least, c.p.Memory)
	}
	return nil
}

func (s *Step) checkShape(from, to *zarr.Array) error {
	shape, in := to.Shape(), from.Shape()
	switch {
	case len(shape) != len(in) || s.Start != nil && len(s.Start) != len(shape):
		return bad("the arrays and the step differ in their number of dimensions")
	case !slices.Equal(s.Grid, to.GridShape()):
		return bad("the grid of the step is %v, that of the array is %v", s.Grid, to.GridShape())
	case !alike.Type(from.DType(), to.DType()):
		return bad("the data types %v and %v differ", from.DType(), to.DType())
	}
	for d, n := range shape {
		if at := s.start(d); at < 0 || at > in[d] || n > in[d]-at {
			return bad("elements [%d, %d) exceed the length %d of dimension %d", at, at+n, in[d], d)
		}
	}
	if err := s.checkInner(to); err != nil {
		return err
	}
	if s.Kind == Encoded && !sameObjects(s, from, to) {
		return bad("objects cannot be copied without decoding: the arrays differ in encoding or grid")
	}
	return nil
}

// checkInner checks that the boxes of a step are whole inner chunks of one shard.
func (s *Step) checkInner(to *zarr.Array) error {
	if s.Inner == nil {
		return nil
	}
	chunk := innerShape(to)
	if s.Kind != Blocks || chunk == nil || len(s.Inner) != len(chunk) {
		return bad("the target cannot be filled in boxes of %v inner chunks", s.Inner)
	}
	for d, n := range s.Inner {
		if n < 1 || s.Block[d] != 1 {
			return bad("boxes of %v inner chunks need blocks of one shard and at least one inner chunk, blocks have %v shards", s.Inner, s.Block)
		}
	}
	return nil
}

// inObjects reports whether a step of kind Objects writes the objects of a node above a path.
func (c *checker) inObjects(at string) bool {
	for _, stage := range c.p.Stages {
		for i := range stage.Steps {
			if s := &stage.Steps[i]; s.Kind == Objects && node.IsAbove(s.To.Path, at) {
				return true
			}
		}
	}
	return false
}

// covered checks that a step writes each array of the target that has objects.
func (c *checker) covered() error {
	for key := range c.p.Documents.Target {
		if name := path.Base(key); name != "zarr.json" && name != ".zarray" {
			continue
		}
		at := Array{In: Target, Path: node.PathOf(key)}
		if _, ok := c.written[at]; ok || c.inObjects(at.Path) {
			continue
		}
		n, err := zarr.Open(context.Background(), c.arrays.stores[Target], at.Path, c.arrays.opts...)
		if err != nil {
			return err
		}
		if a, ok := n.(*zarr.Array); ok && !slices.Contains(a.GridShape(), 0) {
			return bad("no step writes %v", &at)
		}
	}
	return nil
}

// checkObjects checks a step of kind Objects.
func (c *checker) checkObjects(s *Step) error {
	switch {
	case s.From == nil || s.To == nil || s.From.In != Source || s.To.In != Target || s.From.Separator != "" || s.To.Separator != "":
		return bad("a step of kind %q must read the source and write the target", Objects)
	case s.Start != nil || s.Inner != nil || len(s.Grid) > 0:
		return bad("a step of kind %q must have no grid", Objects)
	}
	from, to := documentsOf(c.p.Documents.Source, s.From.Path), documentsOf(c.p.Documents.Target, s.To.Path)
	if len(from) == 0 || len(from) != len(to) {
		return bad("a step of kind %q needs the documents of %v", Objects, s.To)
	}
	for i, key := range from {
		if path.Base(key) != path.Base(to[i]) || c.p.Documents.Source[key] != c.p.Documents.Target[to[i]] {
			return bad("the documents of %v and %v differ", s.From, s.To)
		}
	}
	return nil
}

// documentsOf returns the keys of the planned documents of an array.
func documentsOf(docs map[string]string, at string) (keys []string) {
	for _, name := range []string{"zarr.json", ".zarray", ".zattrs"} {
		if _, ok := docs[node.Join(at, name)]; ok {
			keys = append(keys, node.Join(at, name))
		}
	}
	return keys
}
