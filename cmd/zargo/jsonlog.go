package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/zargo-io/zargo/zarr"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
)

// jsonLog is a writer that converts the messages on standard error to JSON, one object for each
// message. It is safe for concurrent use.
type jsonLog struct {
	log *slog.Logger

	mu   sync.Mutex
	text []byte // of an incomplete message
}

func newJSONLog(w io.Writer) *jsonLog {
	return &jsonLog{log: slog.New(slog.NewJSONHandler(w, nil))}
}

// Write adds to a message, which ends with a line feed.
func (j *jsonLog) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.text = append(j.text, b...); bytes.HasSuffix(b, []byte("\n")) {
		j.flush()
	}
	return len(b), nil
}

// flush logs the message.
func (j *jsonLog) flush() {
	text, level := strings.TrimPrefix(strings.Trim(string(j.text), "\r\n"), "zargo: "), slog.LevelInfo
	j.text = j.text[:0]
	if warning, ok := strings.CutPrefix(text, "warning: "); ok {
		text, level = warning, slog.LevelWarn
	}
	if text != "" {
		j.log.Log(context.Background(), level, text)
	}
}

// end logs the end of a run: the command, its exit code, its time in seconds, its requests, and its
// error if it failed.
func (j *jsonLog) end(report *zarr.Report, name string, took time.Duration, err error) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flush()
	code, level := 0, slog.LevelInfo
	args := []any{"command", name, "seconds", took.Seconds(), "report", report}
	if err != nil {
		code, level = exitCode(err), slog.LevelError
		args = append(args, "error", render.Message(err.Error()))
	}
	j.log.Log(context.Background(), level, "end", append(args, "code", code)...)
	return code
}
