package hierarchy

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Copies is the state of the checks of an array from consolidated metadata, which may describe an
// array that was deleted or replaced.
type Copies struct {
	Confirmed atomic.Bool // the array was written, after a comparison with its stored document
	Confirms  concurrency.SingleFlight[string, struct{}]
	fills     atomic.Bool // see current
	looks     concurrency.SingleFlight[string, struct{}]
}

// Read returns err, the error of reading an object of which missing chunks are absent, or the error
// of current. That of an array which was deleted or replaced explains why a chunk does not decode.
func (c *Copies) Read(ctx context.Context, at *Node, missing int, err error) error {
	var of *fault.KeyError
	switch {
	case err == nil && missing > 0:
		return c.current(ctx, at)
	case (errors.Is(err, fault.Corrupt) || errors.Is(err, errors.ErrUnsupported)) && !errors.As(err, &of):
		if now := c.current(ctx, at); errors.Is(now, fault.NotFound) || errors.Is(now, fault.Conflict) {
			return fmt.Errorf("%w (%w)", now, err)
		}
	}
	return err
}

// current checks, once and before the first absent chunk is read as fill values, that the store
// still has the array of an opened node, with the same fill values. Concurrent reads share one
// check. A check that failed is repeated.
func (c *Copies) current(ctx context.Context, at *Node) error {
	if c.fills.Load() || c.Confirmed.Load() {
		return nil
	}
	_, _, err := c.looks.Do(ctx, "", func(ctx context.Context) (struct{}, error) {
		if c.fills.Load() {
			return struct{}{}, nil
		}
		err := at.Current(ctx)
		c.fills.Store(err == nil)
		return struct{}{}, err
	})
	return err
}
