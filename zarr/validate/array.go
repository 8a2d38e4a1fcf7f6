package validate

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
)

// maxProbe is how many chunks of an array are asked for one by one where the store cannot list. 2^20: a request each, hours.
const maxProbe = 1 << 20

// chunks is what is at an array's keys.
type chunks struct {
	r    *run
	a    *zarr.Array
	told *few
	layout

	err   error           // of the listing
	asked map[string]bool // keys of chunks in whose way others lie
}

// array looks at an array's keys, and with Options.Data at what they hold.
func (r *run) array(ctx context.Context, a *zarr.Array, told *few) error {
	c := &chunks{r: r, a: a, told: told, layout: layoutOf(a)}
	// What chunks break is taken from the errors of the strict view, which say which chunk it is.
	plain, err := a.With(zarr.Findings(func(rule.Finding) {}))
	if err != nil {
		return r.fail(ctx, a.Path(), err)
	}
	strict, err := plain.With(zarr.Strict())
	if err != nil {
		return r.fail(ctx, a.Path(), err)
	}
	read := &reader{chunks: c, strict: strict, plain: plain}
	err = concurrency.Each(ctx, r.tuning.Requests, c.list(ctx), read.chunk)
	if err == nil {
		err = c.err
	}
	if err != nil {
		return r.fail(ctx, a.Path(), err)
	}
	return nil
}

// list yields the positions of chunks that are to be decoded, and tells of keys that are no chunks.
func (c *chunks) list(ctx context.Context) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		docs, path, m := documents{}, c.a.Path(), c.a.Metadata()
		for e, err := range store.ListAll(ctx, c.r.st, path, store.ListOptions{}) {
			if errors.Is(err, errors.ErrUnsupported) {
				c.r.cannotList(path)
				c.every(yield)
				return
			}
			if err != nil {
				c.err = err
				return
			}
			part := name(path, e.Key)
			coord, ok := m.Keys.Parse(part, len(c.grid))
			switch {
			case ok && c.inside(coord):
				c.r.count(func(x *Result) { x.Chunks++ })
				if c.r.opts.Data && !yield(coord) {
					return
				}
			case ok:
				c.told.tell(rule.Finding{Rule: rule.BeyondShape, Key: e.Key, Text: fmt.Sprintf("chunk %v of a grid of %v", coord, c.grid)})
			case isDocument(part), m.Format == 1 && (part == docArrayV1 || part == docAttrsV1):
				docs[part] = true
			case inArray(part):
				c.told.tell(rule.Finding{Rule: rule.NodeInArray, Key: e.Key})
			case m.Format > 1 && otherwise(part, m.Format, len(c.grid)):
				c.told.tell(rule.Finding{Rule: rule.OtherLayout, Key: e.Key})
			default:
				c.told.tell(rule.Finding{Rule: rule.StrayKey, Key: e.Key})
				if c.err = c.misplaced(ctx, part); c.err != nil {
					return
				}
			}
		}
		docs.check(c.told.tell, path)
	}
}

// otherwise reports whether a key, which is no chunk's of an array, would be one's in another layout of its format.
func otherwise(key string, format, rank int) bool {
	names := []string{"v2", "default"}
	for _, name := range names[:format-1] {
		for _, sep := range []string{".", "/"} {
			if _, ok := (meta.KeyEncoding{Name: name, Separator: sep}).Parse(key, rank); ok {
				return true
			}
		}
	}
	return false
}

// every yields all positions of the grid, as many as are worth asking for.
func (c *chunks) every(yield func([]int) bool) {
	if !c.r.opts.Data {
		return
	}
	total := 1
	for _, n := range c.grid {
		if n == 0 {
			return
		}
		if total > maxProbe/n {
			c.told.tell(rule.Finding{Rule: rule.Limit, Text: fmt.Sprintf("a grid of %v chunks, more than %d, is not asked for one by one", c.grid, maxProbe)})
			return
		}
		total *= n
	}
	for i := range total {
		coord := make([]int, len(c.grid))
		for k := len(coord) - 1; k >= 0; k-- {
			coord[k], i = i%c.grid[k], i/c.grid[k]
		}
		c.r.count(func(x *Result) { x.Chunks++ })
		if !yield(coord) {
			return
		}
	}
}
