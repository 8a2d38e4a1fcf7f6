package main

import (
	"strings"
	"testing"
	"time"
)

func TestHowFar(t *testing.T) {
	const mib = 1 << 20
	for _, tt := range []struct {
		name string
		h    howFar
		want string
	}{
		{"begun", howFar{unit: "tasks", verb: "written"}, "0 tasks"},
		{"tasks", howFar{unit: "tasks", verb: "written", done: 10, total: 40, moved: 30 * mib, took: 10 * time.Second}, "10 of 40 tasks, 30.0 MiB written, 3.0 MiB/s, 30s left"},
		{"resumed: what was done before took no time", howFar{unit: "tasks", verb: "written", done: 30, before: 20, total: 40, took: 10 * time.Second}, "30 of 40 tasks, 1/s, 10s left"},
		{"all was done before", howFar{unit: "tasks", verb: "written", done: 40, before: 40, total: 40, took: time.Second}, "40 of 40 tasks"},
		{"bytes", howFar{verb: "read", done: 512 * mib, total: 2048 * mib, took: 64 * time.Second}, "512.0 MiB of 2.0 GiB read, 8.0 MiB/s, 3m12s left"},
		{"bytes of unknown number", howFar{verb: "written", done: 1023, took: time.Second}, "1023 B written, 0.0 MiB/s"},
		{"a bound", howFar{unit: "chunks", done: 1, total: 3, atMost: true, took: time.Minute}, "1 of at most 3 chunks, 0/s, at most 2m0s left"},
		{"of unknown number", howFar{unit: "objects", done: 3000, took: 2 * time.Second}, "3000 objects, 1500/s"},
		{"done", howFar{unit: "chunks", done: 3, total: 3, took: time.Second}, "3 of 3 chunks, 3/s"},
		{"what went wrong", howFar{unit: "chunks", done: 1, errors: 1, tries: 1}, "1 chunks, 1 error, 1 retry"},
		{"much went wrong", howFar{unit: "chunks", done: 3, errors: 2, tries: 3}, "3 chunks, 2 errors, 3 retries"},
		{"for ever", howFar{unit: "chunks", done: 1, total: 1 << 62, took: time.Hour}, "1 of 4611686018427387904 chunks, 0/s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.h.String(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// What does not fit in a narrow terminal is left out from the end, part by part.
func TestWithin(t *testing.T) {
	h := howFar{unit: "tasks", verb: "written", done: 10, total: 40, moved: 30 << 20, took: 10 * time.Second}
	whole := "zargo: 10 of 40 tasks, 30.0 MiB written, 3.0 MiB/s, 30s left"
	for columns := range 100 {
		got := h.within(columns)
		if len(got) > columns || !strings.HasPrefix(whole, got) {
			t.Errorf("%d columns: %q", columns, got)
		}
		if rest := whole[len(got):]; columns >= len("zargo: 10 of 40 tasks") && rest != "" && !strings.HasPrefix(rest, ", ") {
			t.Errorf("%d columns: a part is broken: %q", columns, got)
		}
	}
	if got := h.within(len(whole)); got != whole {
		t.Errorf("%q", got)
	}
}

func TestShortSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1<<20 - 52: "1023.9 KiB", 1<<20 - 51: "1.0 MiB", 1<<20 - 1: "1.0 MiB", 1<<40 - 1: "1.0 TiB", 3 << 19: "1.5 MiB", 5 << 40: "5.0 TiB", 1<<63 - 1: "8.0 EiB"} {
		if got := shortSize(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
