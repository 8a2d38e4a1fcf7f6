package render

import (
	"strings"
	"testing"
	"time"
)

func TestHowFar(t *testing.T) {
	const mib = 1 << 20
	for _, tt := range []struct {
		name string
		h    HowFar
		want string
	}{
		{"begun", HowFar{Unit: "tasks", Verb: "written"}, "0 tasks"},
		{"tasks", HowFar{Unit: "tasks", Verb: "written", Done: 10, Total: 40, Moved: 30 * mib, Took: 10 * time.Second}, "10 of 40 tasks, 30.0 MiB written, 3.0 MiB/s, 30s left"},
		{"resumed: what was done before took no time", HowFar{Unit: "tasks", Verb: "written", Done: 30, Before: 20, Total: 40, Took: 10 * time.Second}, "30 of 40 tasks, 1/s, 10s left"},
		{"all was done before", HowFar{Unit: "tasks", Verb: "written", Done: 40, Before: 40, Total: 40, Took: time.Second}, "40 of 40 tasks"},
		{"bytes", HowFar{Verb: "read", Done: 512 * mib, Total: 2048 * mib, Took: 64 * time.Second}, "512.0 MiB of 2.0 GiB read, 8.0 MiB/s, 3m12s left"},
		{"bytes of unknown number", HowFar{Verb: "written", Done: 1023, Took: time.Second}, "1023 B written, 0.0 MiB/s"},
		{"a bound", HowFar{Unit: "chunks", Done: 1, Total: 3, AtMost: true, Took: time.Minute}, "1 of at most 3 chunks, 0/s, at most 2m0s left"},
		{"of unknown number", HowFar{Unit: "objects", Done: 3000, Took: 2 * time.Second}, "3000 objects, 1500/s"},
		{"done", HowFar{Unit: "chunks", Done: 3, Total: 3, Took: time.Second}, "3 of 3 chunks, 3/s"},
		{"what went wrong", HowFar{Unit: "chunks", Done: 1, Errors: 1, Tries: 1}, "1 chunks, 1 error, 1 retry"},
		{"much went wrong", HowFar{Unit: "chunks", Done: 3, Errors: 2, Tries: 3}, "3 chunks, 2 errors, 3 retries"},
		{"for ever", HowFar{Unit: "chunks", Done: 1, Total: 1 << 62, Took: time.Hour}, "1 of 4611686018427387904 chunks, 0/s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.h.String(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestWithin checks that whole parts are omitted from the end if the terminal is too narrow.
func TestWithin(t *testing.T) {
	h := HowFar{Unit: "tasks", Verb: "written", Done: 10, Total: 40, Moved: 30 << 20, Took: 10 * time.Second}
	whole := "zargo: 10 of 40 tasks, 30.0 MiB written, 3.0 MiB/s, 30s left"
	for columns := range 100 {
		got := h.Within(columns)
		if len(got) > columns || !strings.HasPrefix(whole, got) {
			t.Errorf("%d columns: %q", columns, got)
		}
		if rest := whole[len(got):]; columns >= len("zargo: 10 of 40 tasks") && rest != "" && !strings.HasPrefix(rest, ", ") {
			t.Errorf("%d columns: a part is broken: %q", columns, got)
		}
	}
	if got := h.Within(len(whole)); got != whole {
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
