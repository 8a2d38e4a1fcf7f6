package zarr

import (
	"reflect"
	"sync"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// structPlans caches conversions between structures and Go types. The zero value is an empty cache.
type structPlans struct {
	mu    sync.Mutex
	plans map[structPlan][]dtype.Move
}

type structPlan struct {
	of *dtype.Struct
	to reflect.Type
}

// maxStructPlans is the maximum number of cached conversions. An array is usually read as one or
// two Go types, and a conversion may take 1.5 MiB.
const maxStructPlans = 8

// moves returns t.Moves(to) from the cache, and adds it to the cache if necessary.
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
