package validate

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/keys"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
)

// array checks the keys of an array. With Options.Data it also decodes the chunks.
func (r *run) array(ctx context.Context, a *zarr.Array, findings *nodeFindings) error {
	c := &chunks{r: r, a: a, findings: findings, layout: layoutOf(a)}
	if err := a.CannotEncode(); err != nil {
		findings.report(rule.Finding{Rule: rule.EncoderSetting, Text: err.Error()})
	}
	if c.undefined() {
		c.present = keys.NewSet(c.keys.Grid)
	}
	// Violations in chunks are taken from the errors that strict reads return, because these errors
	// name the chunk.
	plain, err := a.With(zarr.OnFinding(func(rule.Finding) {}))
	if err != nil {
		return r.fail(ctx, a.Path(), err)
	}
	strict, err := plain.With(zarr.Strict())
	if err != nil {
		return r.fail(ctx, a.Path(), err)
	}
	read := &reader{chunks: c, strict: strict, plain: plain}
	r.expect(c.keys.Grid)
	err = concurrency.Each(ctx, r.tuning.Requests, c.list(ctx), func(ctx context.Context, coord []int) error {
		defer r.looked()
		if r.opts.Plan != nil {
			return read.plan(coord, r.opts.Plan)
		}
		return read.chunk(ctx, coord)
	})
	if err == nil {
		err = c.err
	}
	if err != nil {
		return r.fail(ctx, a.Path(), err)
	}
	return nil
}

// chunks checks the keys and chunks of an array.
type chunks struct {
	r        *run
	a        *zarr.Array
	findings *nodeFindings
	layout

	present   *keys.Set // the stored chunks; nil unless missing chunks have to be reported
	seen      bool      // a chunk of the grid is stored under the array's own layout
	elsewhere elsewhere // keys of another layout

	err    error           // error of the listing
	probed map[string]bool // keys of chunks that misplaced has requested
}

// maxProbe is the maximum number of chunks of an array that are requested one by one because the
// store cannot list. 2^20 requests already take hours.
const maxProbe = 1 << 20

// list yields the positions of the chunks to decode. It reports the keys that belong to no chunk of
// the grid.
func (c *chunks) list(ctx context.Context) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		docs, path := documents{}, c.a.Path()
		counted, st := c.r.begin(ctx)
		for e, err := range store.ListAll(counted, st, path, store.ListOptions{}) {
			if errors.Is(err, errors.ErrUnsupported) {
				c.r.cannotList(path)
				c.every(ctx, yield)
				return
			}
			if err != nil {
				c.err = err
				return
			}
			part := name(path, e.Key)
			switch f := c.keys.Find(part); {
			case f.Place == keys.Inside:
				c.r.count(func(x *Result) { x.Chunks++ })
				c.add(f.Coord)
				if !c.r.opts.Data {
					c.r.looked()
				} else if !yield(f.Coord) {
					return
				}
			case f.Place == keys.UnderWay:
			case f.Place == keys.Beyond:
				c.findings.report(rule.Finding{Rule: rule.BeyondShape, Key: e.Key, Text: fmt.Sprintf("chunk %v of a grid of %v", f.Coord, c.keys.Grid)})
			case isDocument(part), c.keys.Format == 1 && (part == docArrayV1 || part == docAttrsV1):
				docs[part] = true
			case inArray(part):
				c.findings.report(rule.Finding{Rule: rule.NodeInArray, Key: e.Key})
			case f.Place == keys.Elsewhere:
				c.elsewhere.add(e.Key, f, c.keys.In(f.Coord))
			default:
				c.findings.report(rule.Finding{Rule: rule.StrayKey, Key: e.Key})
				if c.err = c.misplaced(ctx, part); c.err != nil {
					return
				}
			}
		}
		docs.check(c.findings.report, path)
		c.reportElsewhere()
		c.reportMissing()
	}
}

// every yields all positions of the grid. If the grid has more than maxProbe chunks, it reports a
// finding instead.
func (c *chunks) every(ctx context.Context, yield func([]int) bool) {
	if !c.r.opts.Data {
		return
	}
	total := 1
	for _, n := range c.keys.Grid {
		if n == 0 {
			return
		}
		if total > maxProbe/n {
			c.findings.report(rule.Finding{Rule: rule.Limit, Text: fmt.Sprintf("the grid has %v chunks, more than the %d that are requested one by one", c.keys.Grid, maxProbe)})
			return
		}
		total *= n
	}
	for i := range total {
		coord := make([]int, len(c.keys.Grid))
		for k := len(coord) - 1; k >= 0; k-- {
			coord[k], i = i%c.keys.Grid[k], i/c.keys.Grid[k]
		}
		c.r.count(func(x *Result) { x.Chunks++ })
		if c.present != nil {
			if c.err = c.probe(ctx, coord); c.err != nil {
				return
			}
		}
		if !yield(coord) {
			return
		}
	}
}
