package session

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/rule"
)

func (w *warnings) Warn(format string, args ...any) {
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
	Whole bool // the command handles all nodes of a group, see handlesAll
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
		w.Warn("%s: %s", f.Key, f.Message())
	case f.Rule == rule.Stale:
		w.Warn("%s: consolidated metadata is out of date: %s", f.Key, f.Text)
	case f.Rule == rule.Unlisted:
		w.Warn("%s: the store cannot list: %s", f.Key, f.Text)
	case f.Rule == rule.NoNode && w.Whole:
		w.Warn("%s: left out: the directory is not a node", f.Path)
	case f.Rule == rule.StrayKey && w.Whole:
		w.Warn("%s: left out: the object is not part of the hierarchy", f.Key)
	}
}

func (w *warnings) PrintWarnings(out io.Writer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range w.lines {
		fmt.Fprintf(out, "zargo: warning: %s\n", render.Message(line))
	}
	if w.more > 0 {
		fmt.Fprintf(out, "zargo: warning: and %d more\n", w.more)
	}
}

// Dropped warns that a node lost an attribute.
func (s *Session) Dropped(path, what string) { s.Warn("%s: %s", cmp.Or(path, "the copy"), what) }

// JSONLog is a writer that converts the messages on standard error to JSON, one object for each
// message. It is safe for concurrent use.
type JSONLog struct {
	log *slog.Logger

	mu   sync.Mutex
	text []byte // of an incomplete message
}

// NewJSONLog returns a log that writes to w.
func NewJSONLog(w io.Writer) *JSONLog {
	return &JSONLog{log: slog.New(slog.NewJSONHandler(w, nil))}
}

// Logger returns a logger of records, beside the messages.
func (j *JSONLog) Logger() *slog.Logger { return j.log }

// Write adds to a message, which ends with a line feed.
func (j *JSONLog) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.text = append(j.text, b...); bytes.HasSuffix(b, []byte("\n")) {
		j.flush()
	}
	return len(b), nil
}

// flush logs the message.
func (j *JSONLog) flush() {
	text, level := strings.TrimPrefix(strings.Trim(string(j.text), "\r\n"), "zargo: "), slog.LevelInfo
	j.text = j.text[:0]
	if warning, ok := strings.CutPrefix(text, "warning: "); ok {
		text, level = warning, slog.LevelWarn
	}
	if text != "" {
		j.log.Log(context.Background(), level, text)
	}
}

// End logs the end of a run: the command, its exit code, its time in seconds, its requests, and its
// error if it failed.
func (j *JSONLog) End(report *zarr.Report, name string, took time.Duration, err error) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flush()
	code, level := 0, slog.LevelInfo
	args := []any{"command", name, "seconds", took.Seconds(), "report", report}
	if err != nil {
		code, level = exit.Code(err), slog.LevelError
		args = append(args, "error", render.Message(err.Error()))
	}
	j.log.Log(context.Background(), level, "end", append(args, "code", code)...)
	return code
}
