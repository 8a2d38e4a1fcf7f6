package array

import (
	"context"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Stored returns the array with its own stored documents. If it was opened from other documents,
// Stored reads them, and returns fault.Conflict if they differ. Errors do not name the array.
func (a *Array) Stored(ctx context.Context) (*Array, error) {
	if a.At.From == node.FromStore {
		return a, nil
	}
	at, err := a.At.Reload(ctx)
	if err != nil {
		return nil, err
	}
	return a.Changed(at, a.Meta), nil
}

// With returns a view of the array with other options.
func (a *Array) With(o Options) (*Array, error) {
	at, err := a.At.With(o.Options)
	if err != nil {
		return nil, err
	}
	return View(at, o, a.Shared), nil
}

// Refresh reads the documents again and returns the array that they describe.
func (a *Array) Refresh(ctx context.Context) (*Array, error) {
	at, err := a.At.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	b := New(at, a.Cfg)
	b.forgetReshaped(a)
	return b, nil
}

// Parse returns the array that doc, another version of its document, describes. Errors do not name
// the array.
func (a *Array) Parse(doc node.Stored) (*Array, error) {
	at, err := a.At.Reparsed(doc)
	switch {
	case err != nil:
		return nil, err
	case at.Array() == nil:
		return nil, fault.Newf(fault.Conflict, "the array was replaced by a group concurrently")
	}
	return New(at, a.Cfg), nil
}

// forgetReshaped drops cached chunks that are not completely inside the shapes of both a and prev,
// because another process may have deleted and rewritten them. Entries of chunks at the edge need
// no treatment, because the cache binds them to the shape that they were read with.
func (a *Array) forgetReshaped(prev *Array) {
	low, far := slices.Clone(a.Meta.Shape), slices.Clone(a.Meta.Shape)
	if a.Engine.Options.Cache == nil || len(prev.Meta.Shape) != len(low) || slices.Equal(low, prev.Meta.Shape) {
		return
	}
	for i, n := range prev.Meta.Shape {
		low[i], far[i] = min(low[i], n), max(far[i], n)
	}
	a.forgetOutside(low, far)
}

// maxForgotten is the maximum number of cache entries that are removed by their keys. To remove
// more, all entries of the array are searched.
const maxForgotten = 1000

// forgetOutside removes the objects that are not wholly inside shape from the cache. far is the
// largest shape that the array has had.
func (a *Array) forgetOutside(shape, far []int) {
	e := a.Engine
	for i, axis := range e.Layout.Axes {
		if shape[i] == 0 {
			continue
		}
		if start, n := axis.Chunk(axis.Count(shape[i]) - 1); shape[i] < start+n {
			shape[i] = start
		}
	}
	b := e.Layout
	if b.Shape = far; e.Layout.Pipe.Even() && b.CountOutside(shape) <= maxForgotten {
		for key, err := range b.Outside(shape) {
			if err == nil { // the keys have no errors
				e.Options.Cache.Forget(key)
			}
		}
		return
	}
	prefix := e.Path
	if prefix != "" {
		prefix += "/"
	}
	e.Options.Cache.ForgetEach(func(key string) bool {
		below, own := strings.CutPrefix(key, prefix)
		coord, ok := a.Position(below)
		return own && ok && e.Layout.IsOutside(coord, shape)
	})
}
