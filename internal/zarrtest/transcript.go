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

// Transcript records requests. Those of one step may be made in any order, so they are sorted.
type Transcript struct {
	mu    sync.Mutex
	Lines []string // to be looked at when no request is under way
}

// Record takes a request down.
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

// Requests are those since the last time, sorted.
func (tr *Transcript) Requests() string {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	slices.Sort(tr.Lines)
	text := strings.Join(tr.Lines, ", ")
	tr.Lines = nil
	return text
}
