package zarr

import (
	"reflect"
	"sync"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// structPlans keeps how structures become Go structs and back, for the Go types that an opened
// array was read or written as. The zero structPlans is ready.
type structPlans struct {
	mu    sync.Mutex
	plans map[structPlan][]dtype.Move
}

type structPlan struct {
	of *dtype.Struct
	to reflect.Type
}

// maxStructPlans is how many are kept. One or two Go types are usual for an array; a plan may take
// 1.5 MiB.
const maxStructPlans = 8

// moves says where the bytes of elements of t lie in a Go struct; fault.Type where that does not
// fit.
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
