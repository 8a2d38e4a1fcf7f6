package zarr

import (
	"context"
	"reflect"
	"sync"

	"github.com/zargo-io/zargo/internal/bytesview"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// structPlans keeps how structures become Go structs and back, for the Go types that an opened array was read or written
// as. The zero structPlans is ready.
type structPlans struct {
	mu    sync.Mutex
	plans map[structPlan][]dtype.Move
}

type structPlan struct {
	of *dtype.Struct
	to reflect.Type
}

// maxStructPlans is how many are kept. One or two Go types are usual for an array; a plan may take 1.5 MiB.
const maxStructPlans = 8

// moves tells where the bytes of elements of t lie in a Go struct; fault.Type where that does not fit.
func (p *structPlans) moves(t *dtype.Struct, to reflect.Type) ([]dtype.Move, error) {
	key := structPlan{t, to}
	p.mu.Lock()
	m, ok := p.plans[key]
	p.mu.Unlock()
	if ok {
		return m, nil
	}
	m, err := t.Moves(to)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.plans == nil || len(p.plans) == maxStructPlans {
		p.plans = make(map[structPlan][]dtype.Move, 1)
	}
	p.plans[key] = m
	return m, nil
}

// readStructs reads elements of a structured data type into Go structs, which were checked to fit.
func readStructs[T any](ctx context.Context, a *Array, t *dtype.Struct, dst []T, r grid.Selection) error {
	moves, err := a.shared.structs.moves(t, reflect.TypeFor[T]())
	if err != nil {
		return a.errf(err)
	}
	b, advice := room[byte](len(dst) * t.Size())
	defer advice.Undo()
	if err := a.read(ctx, b, r); err != nil {
		return err
	}
	if err := bytesview.TakeStructs(t, moves, dst, b); err != nil {
		return a.errf(err)
	}
	return nil
}

// writeStructs writes Go structs, which were checked to fit.
func writeStructs[T any](ctx context.Context, a *Array, t *dtype.Struct, src []T, r grid.Selection) error {
	moves, err := a.shared.structs.moves(t, reflect.TypeFor[T]())
	if err != nil {
		return a.errf(err)
	}
	b := make([]byte, len(src)*t.Size())
	if err := bytesview.PutStructs(t, moves, b, src); err != nil {
		return a.errf(err)
	}
	return a.write(ctx, b, r)
}
