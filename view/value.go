package view

import (
	"sync/atomic"

	"github.com/zargo-io/zargo/zarr/store"
)

// value is a computed value, with the state of the source that it was computed from. Without a
// version, the chunk is absent.
type value struct {
	key     string
	bytes   []byte
	version store.Version
	inputs  inputs
	checked atomic.Int64 // when the inputs were last known to be current, in nanoseconds since 1970
}

// ID and Bytes are the methods that a cache needs. An entry of the map of inputs takes about 200
// bytes.
func (v *value) ID() string { return v.key }

func (v *value) Bytes() int { return 512 + len(v.key) + cap(v.bytes) + 200*len(v.inputs.objects) }
