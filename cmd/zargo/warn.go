package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr/rule"
)

func (w *warnings) warn(format string, args ...any) {
	for i, a := range args {
		if text, ok := a.(string); ok {
			args[i] = render.OneLine(text) // it may be a name that begins with white space
		}
	}
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

// warnings collects the warnings of a run, without duplicates.
type warnings struct {
	mu    sync.Mutex
	whole bool // the command handles all nodes of a group, see handlesAll
	lines []string
	more  int
}

// maxWarnings is the maximum number of warnings that a run prints.
const maxWarnings = 20

// found prints a warning if consolidated metadata is unreadable or out of date, because the command
// then reads the documents of the nodes instead, or if only it names the nodes. If the command
// copies or changes all nodes of a group, found also prints a warning for everything in the group
// that is not a node, because the command leaves it out. It ignores all other findings; zargo
// validate reports them.
func (w *warnings) found(f rule.Finding) {
	switch {
	case f.Rule == rule.BadConsolidated:
		w.warn("%s: %s", f.Key, f.Message())
	case f.Rule == rule.Stale:
		w.warn("%s: consolidated metadata is out of date: %s", f.Key, f.Text)
	case f.Rule == rule.Unlisted:
		w.warn("%s: the store cannot list: %s", f.Key, f.Text)
	case f.Rule == rule.NoNode && w.whole:
		w.warn("%s: left out: the directory is not a node", f.Path)
	case f.Rule == rule.StrayKey && w.whole:
		w.warn("%s: left out: the object is not part of the hierarchy", f.Key)
	}
}

// handlesAll reports whether a command handles all nodes of a group, so that a user expects the
// same of everything in it.
func handlesAll(command string) bool {
	name, rest, _ := strings.Cut(command, " ")
	return slices.Contains([]string{"copy", "migrate"}, name) || name == "transfer" && strings.HasPrefix(rest, "plan")
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

// dropped warns that a node lost an attribute.
func (s *session) dropped(path, what string) { s.warn("%s: %s", cmp.Or(path, "the copy"), what) }
