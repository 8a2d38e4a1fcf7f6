package zarrtest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Transcript records the requests to a store as text. Record and Requests are safe for concurrent
// use.
type Transcript struct {
	mu    sync.Mutex
	Lines []string // must not be accessed while requests are in flight
}

// Record adds a request to the Transcript. It can be passed to store.Observe.
func (tr *Transcript) Record(_ context.Context, e store.Event) {
	line := string(e.Op) + " " + e.Key
	if !e.Range.IsWhole() {
		line += " " + e.Range.String()
	}
	switch {
	case errors.Is(e.Err, fault.NotFound):
		line += " absent"
	case e.Err != nil:
		line += " " + e.Err.Error()
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.Lines = append(tr.Lines, line)
}

// Requests returns the requests since the previous call of Requests. They are sorted, because the
// order of concurrent requests varies.
func (tr *Transcript) Requests() string {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	slices.Sort(tr.Lines)
	text := strings.Join(tr.Lines, ", ")
	tr.Lines = nil
	return text
}
