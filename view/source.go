package view

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// source is the store of the source's arrays. It adds the version of each value that is read to the
// inputs of the context.
type source struct{ store.Forward }

// inputs are the objects that a value was computed from.
type inputs struct {
	mu      sync.Mutex
	objects map[string]store.Version // by key; "" for an absent object
	unknown bool                     // some versions are unknown, or changed during the computation
}

type inputsKey struct{}

func (i *inputs) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, inputsKey{}, i)
}

// add adds an object. known reports whether its version is known; that of an absent object is "".
func (i *inputs) add(key string, version store.Version, known bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	was, again := i.objects[key]
	i.unknown = i.unknown || !known || again && was != version
	if i.objects == nil {
		i.objects = map[string]store.Version{}
	}
	i.objects[key] = version
}

// complete marks the inputs as unknown if an object of a plan is not among them, because a cache
// had it, or a call of another context requested it.
func (i *inputs) complete(p *zarr.Plan) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for r := range p.Requests() {
		if _, ok := i.objects[r.Key]; !ok {
			i.unknown = true
			return
		}
	}
}

// Get implements [store.Store].
func (s *source) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	v, err := s.Forward.Get(ctx, key, o, buf)
	if in, ok := ctx.Value(inputsKey{}).(*inputs); ok {
		absent, unchanged := errors.Is(err, fault.NotFound), errors.Is(err, fault.Unchanged)
		switch {
		case unchanged:
			in.add(key, o.IfNotVersion, true)
		case err == nil, absent:
			in.add(key, v.Version, absent || v.Version != "")
		}
	}
	return v, err
}

// unchanged reports whether all objects have the versions that they had. An error of the source,
// other than one that proves a change, is returned.
func (i *inputs) unchanged(ctx context.Context, st store.Store) (bool, error) {
	if i.unknown {
		return false, nil
	}
	changed, keys := errors.New("changed"), slices.Collect(maps.Keys(i.objects))
	err := concurrency.EachN(ctx, store.TuningOf(st).Requests, len(keys), func(ctx context.Context, k int) error {
		was := i.objects[keys[k]]
		_, err := st.Get(ctx, keys[k], store.GetOptions{Range: store.Within(0, 1), IfNotVersion: was}, nil)
		switch {
		case errors.Is(err, fault.NotFound) && was == "", errors.Is(err, fault.Unchanged):
			return nil
		case err == nil, errors.Is(err, fault.NotFound), errors.Is(err, fault.Corrupt), errors.Is(err, errors.ErrUnsupported):
			return changed
		}
		return err
	})
	if errors.Is(err, changed) {
		return false, nil
	}
	return err == nil, err
}
