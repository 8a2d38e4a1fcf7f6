package main

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr/rule"
)

// maxWarnings is the maximum number of warnings that a run prints.
const maxWarnings = 20

// warnings collects the warnings of a run, without duplicates.
type warnings struct {
	mu    sync.Mutex
	lines []string
	more  int
}

func (w *warnings) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case slices.Contains(w.lines, text):
	case len(w.lines) == maxWarnings:
		w.more++
	default:
		w.lines = append(w.lines, text)
	}
}

// found prints a warning if consolidated metadata is unreadable or out of date, because the command
// then reads the documents of the nodes instead, or if a store cannot list. It ignores all other
// findings; zargo validate reports them.
func (w *warnings) found(f rule.Finding) {
	switch f.Rule {
	case rule.BadConsolidated:
		w.warn("%s: %s", f.Key, f.Message())
	case rule.Stale:
		w.warn("%s: consolidated metadata is out of date: %s", f.Key, f.Text)
	case rule.Unlisted:
		w.warn("%s: the store cannot list: %s", f.Key, f.Text)
	}
}

func (w *warnings) printWarnings(out io.Writer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range w.lines {
		fmt.Fprintf(out, "zargo: warning: %s\n", render.Message(line))
	}
	if w.more > 0 {
		fmt.Fprintf(out, "zargo: warning: and %d more\n", w.more)
	}
}
