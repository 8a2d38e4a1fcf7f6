package transfer

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// finish stores the target's documents where there are none: those of nodes below first and the
// outermost one last, so that a reader who finds a node finds all of it.
//
// Before the claim says that documents are being stored, none of the plan may be at the target: one
// would be another node's. After that a document of the same bytes is that of another attempt at
// this task.
func (w *Worker) finish(ctx context.Context, c *claim) error {
	if err := w.unchanged(ctx); err != nil {
		return err
	}
	if c.State == copying {
		next, err := w.farther(ctx, c, w.alone(ctx))
		if err == nil && next == c {
			next, err = w.advance(ctx, c, publishing)
		}
		if err != nil {
			return err
		}
		c = next
	}
	if c.State == published {
		return nil
	}
	for _, key := range w.p.ordered() {
		if err := w.put(ctx, key, []byte(w.p.Documents.Target[key])); err != nil {
			return err
		}
	}
	_, err := w.advance(ctx, c, published)
	return err
}

// ordered are the keys of the target's documents in the order in which they are stored.
func (p *Plan) ordered() []string {
	rank := func(key string) int { return slices.Index([]string{".zattrs", ".zmetadata"}, path.Base(key)) }
	return slices.SortedFunc(maps.Keys(p.Documents.Target), func(a, b string) int {
		// Of one node what makes it one comes last, and .zattrs before .zmetadata does not matter.
		return cmp.Or(cmp.Compare(strings.Count(b, "/"), strings.Count(a, "/")), -cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
}

// put stores a document. One that is there is as good if it is the same, or that of a group above
// the target.
func (w *Worker) put(ctx context.Context, key string, doc []byte) error {
	_, err := w.dst.Put(ctx, key, doc, store.PutOptions{IfAbsent: true})
	switch unconditional := errors.Is(err, errors.ErrUnsupported); {
	case unconditional, errors.Is(err, fault.Exists):
		is, found, got := w.holds(ctx, key, doc)
		switch {
		case got != nil:
			return got
		case is || found && above(nodeOf(key), w.p.Target.Path):
			return nil
		case found:
			return fault.Newf(fault.Exists, "another document was stored at %q meanwhile", key)
		case !unconditional:
			return err
		}
		_, err = w.dst.Put(ctx, key, doc, store.PutOptions{})
	}
	return err
}

// holds reports whether a document is at a key, and whether that one is.
func (w *Worker) holds(ctx context.Context, key string, doc []byte) (is, found bool, err error) {
	v, err := w.dst.Get(ctx, key, store.GetOptions{Max: int64(len(doc)) + 1}, nil)
	switch {
	case errors.Is(err, fault.NotFound):
		return false, false, nil
	case errors.Is(err, fault.Limit):
		return false, true, nil
	case err != nil:
		return false, false, err
	}
	return string(v.Bytes) == string(doc), true, nil
}

// last is the key of the document that is stored last.
func (w *Worker) last() (last string) {
	for _, key := range w.p.ordered() {
		if !above(nodeOf(key), w.p.Target.Path) {
			last = key
		}
	}
	return last
}
