package engine

import (
	"context"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
)

// wholeKey is what a context holds the runner of a call under whose reads are several.
type wholeKey struct{}

// InParts begins a call that reads what sel selects in several Reads. Those of the array, or of a
// view of it, that have the context which it returns are one call: they are counted together,
// within its limits, and share its slots.
func (a *Array) InParts(ctx context.Context, sel grid.Selection) (context.Context, error) {
	ctx, r, err := a.begin(ctx, pipeline.Memory{Shape: sel.Shape()}, sel, nil)
	if err != nil {
		return ctx, err
	}
	return context.WithValue(ctx, wholeKey{}, r), nil
}

// wholeOf is the call that a Read is a part of; nil where it is one by itself.
func (a *Array) wholeOf(ctx context.Context) *runner {
	if r, ok := ctx.Value(wholeKey{}).(*runner); ok && r.State == a.State {
		return r
	}
	return nil
}
