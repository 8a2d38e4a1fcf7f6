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

// finish stores the target's documents on condition that they are absent. It stores the innermost
// nodes first and the outermost last, so a reader that finds a node finds all nodes below it.
//
// In the states taken and copying, no document of the plan may exist, because it would belong to
// another node. In state publishing, a document with the same bytes was stored by another attempt
// of this task. After the documents it looks for nodes that others have created at the same paths
// meanwhile; see publish.
func (w *Worker) finish(ctx context.Context, c *claim) error {
	if err := w.unchanged(ctx); err != nil {
		return err
	}
	if c.State.open() {
		next, err := w.farther(ctx, c, w.alone(ctx, c))
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
	err := w.publish(ctx)
	if err == nil {
		c, err = w.advance(ctx, c, published)
	} else if errors.Is(err, fault.Exists) && !w.archive {
		err = w.retreat(ctx, c, err)
	}
	if err == nil && c != nil && c.State != published && c.State != publishing {
		err = removed()
	}
	return err
}

// ordered returns the keys of the target's documents in the order that finish stores them.
func (p *Plan) ordered() []string {
	rank := func(key string) int { return slices.Index([]string{".zattrs", ".zmetadata"}, path.Base(key)) }
	return slices.SortedFunc(maps.Keys(p.Documents.Target), func(a, b string) int {
		// .zarray and .zgroup come after the other documents of a node, because they create the
		// node.
		return cmp.Or(cmp.Compare(strings.Count(b, "/"), strings.Count(a, "/")), -cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
}

// put stores a document on condition that it is absent. An existing document is not an error if it
// has the same bytes or belongs to a group above the target.
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
			return fault.Newf(fault.Exists, "another document was stored at %q during the transfer", key)
		case !unconditional:
			return err
		}
		_, err = w.dst.Put(ctx, key, doc, store.PutOptions{})
	}
	return err
}

// holds reads the document at key. found reports whether the document exists, and equal whether it
// equals doc.
func (w *Worker) holds(ctx context.Context, key string, doc []byte) (equal, found bool, err error) {
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

// last returns the key of the last document that finish stores at or below the target.
func (w *Worker) last() (last string) {
	for _, key := range w.p.ordered() {
		if !above(nodeOf(key), w.p.Target.Path) {
			last = key
		}
	}
	return last
}
