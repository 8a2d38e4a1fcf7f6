package transfer

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/copying/claimed"
	"github.com/zargo-io/zargo/internal/copying/overlay"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

func changed(path, what string) error {
	return fault.Newf(fault.Conflict, "%w", &ChangedError{path, what})
}

// ChangedError is the error of a task whose source array was changed since the plan was made. Its
// kind is fault.Conflict. The plan cannot be continued: delete the target, and make a new plan.
type ChangedError struct {
	Path string // of the array, relative to the root of the source's store
	What string // the difference
}

// Error describes the difference.
func (e *ChangedError) Error() string {
	path := ""
	if e.Path != "" {
		path = fmt.Sprintf(" %q", e.Path)
	}
	return fmt.Sprintf("the source%s was changed since the plan was made: %s; a new plan is needed", path, e.What)
}

// reads returns the steps that read the source.
func (p *Plan) reads() (steps []*Step) {
	for k := range p.Stages {
		for i := range p.Stages[k].Steps {
			if s := &p.Stages[k].Steps[i]; s.From != nil && s.From.In == Source {
				steps = append(steps, s)
			}
		}
	}
	return steps
}

// unchanged checks that no array of the source has changed. It compares all arrays, including those
// that were compared before.
func (w *watch) unchanged(ctx context.Context, all *arrays) error {
	steps := w.p.reads()
	again := newWatch(w.p, w.src, w.opts)
	return concurrency.EachN(ctx, store.TuningOf(w.src).Requests, len(steps), func(ctx context.Context, i int) error {
		if steps[i].Kind == Objects {
			return again.sameDocuments(ctx, steps[i].From.Path)
		}
		from, to, err := all.both(ctx, steps[i])
		if err != nil {
			return err
		}
		return again.check(ctx, steps[i], from, to)
	})
}

// check compares the plan with the current metadata of the array that step s reads. from is that
// array, opened with the plan's documents. It returns fault.Conflict if the array was changed or
// deleted.
func (w *watch) check(ctx context.Context, s *Step, from, to *zarr.Array) error {
	at := s.From.Path
	if w.late {
		return nil
	}
	return w.checked.Do(ctx, at, func(ctx context.Context) error {
		now, err := w.open(ctx, at)
		if err != nil || now == nil {
			return err
		}
		if what := difference(s, from, to, now); what != "" {
			return changed(at, what)
		}
		return nil
	})
}

func newWatch(p *Plan, src store.Store, opts []zarr.Option) *watch {
	return &watch{p: p, src: src, opts: opts}
}

// open opens the array at a path of the source with its current documents. It returns nil if these
// documents equal those in the plan.
func (w *watch) open(ctx context.Context, at string) (*zarr.Array, error) {
	docs, same, err := w.documents(ctx, at)
	if same || err != nil {
		return nil, err
	}
	a, err := zarr.OpenArray(ctx, overlay.New(w.src, docs), at, append([]zarr.Option{zarr.IgnoreConsolidated()}, w.opts...)...)
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	return a, nil
}

// watch detects changes of the source. It compares each array once with the metadata in the plan,
// which takes one or two requests for the documents of the array.
type watch struct {
	p    *Plan
	src  store.Store
	opts []zarr.Option

	checked claimed.Once // of check

	// late means that the plan has just been made from the only array, so that only unchanged
	// compares it, before the target is published.
	late bool
}

// documents reads those documents of an array that are in the plan. For a v2 array it also reads
// .zattrs if the plan has none. same reports whether all documents equal those in the plan.
// documents returns fault.Conflict if a document other than .zattrs was deleted.
func (w *watch) documents(ctx context.Context, at string) (docs map[string]string, same bool, err error) {
	docs, same = map[string]string{}, true
	for _, name := range []string{"zarr.json", ".zarray", ".zattrs", "meta", "attrs"} {
		key := node.Join(at, name)
		was, planned := w.p.Documents.Source[key]
		if _, v2 := w.p.Documents.Source[node.Join(at, ".zarray")]; !planned && (name != ".zattrs" || !v2) {
			continue
		}
		v, err := w.src.Get(ctx, key, store.GetOptions{Max: maxDocument}, nil)
		switch {
		case err == nil:
			if !planned || string(v.Bytes) != was { // no copy if they are equal
				was, same = string(v.Bytes), false
			}
			docs[key] = was
		case !planned && (errors.Is(err, fault.NotFound) || errors.Is(err, fault.Refused)):
		case errors.Is(err, fault.NotFound) && path.Base(key) == ".zattrs":
			same = false
		case errors.Is(err, fault.NotFound):
			return nil, false, changed(at, "it is gone")
		default:
			return nil, false, fmt.Errorf("source: %w", err)
		}
	}
	return docs, same, nil
}

// difference compares an array as described in the plan (from) with the current array (now). It
// describes the first difference that affects the step, or returns "" if there is none. An array
// that became longer does not differ, because the planned elements keep their indices. The
// exception is a step that copies encoded objects: a longer array differs if the last object of the
// planned shape now contains new elements.
func difference(s *Step, from, to, now *zarr.Array) string {
	was, like := from.Metadata(), *now.Metadata()
	if was.NoSeparator {
		like.Keys = was.Keys
	}
	if len(like.Shape) == len(was.Shape) && like.Grid.Edges == nil && was.Grid.Edges == nil {
		for d, n := range was.Shape {
			grown := like.Shape[d] > n
			if grown && s.Kind == Encoded {
				grown = (s.start(d)+to.Shape()[d])%was.Grid.Shape[d] == 0
			}
			if like.Shape[d] != n && !grown {
				return fmt.Sprintf("its shape was %v and is %v", was.Shape, like.Shape)
			}
		}
		like.Shape = was.Shape
	}
	if what := was.Difference(&like); what != "" {
		return "it has another " + what
	}
	if !meta.SameAttrs(from.Attrs(), now.Attrs()) {
		return "it has other attributes"
	}
	return ""
}

// sameDocuments returns fault.Conflict if the documents of an array differ from those in the plan.
func (w *watch) sameDocuments(ctx context.Context, at string) error {
	_, same, err := w.documents(ctx, at)
	if err == nil && !same {
		err = changed(at, "it has other metadata")
	}
	return err
}
