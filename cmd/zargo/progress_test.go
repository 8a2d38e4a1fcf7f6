package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
)

// lockedBuffer is a buffer that can be read during writes.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestLine checks that the line on a terminal appears after a second, changes, and is removed at
// the end.
func TestLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out lockedBuffer
		p := progress.New(progress.Live, &out)
		p.Begin(progress.Work{Unit: "chunks", Total: 4})
		time.Sleep(time.Second - time.Millisecond)
		synctest.Wait()
		if s := out.String(); s != "" {
			t.Errorf("at once: %q", s)
		}
		time.Sleep(time.Second)
		p.Add(1)
		time.Sleep(time.Second + time.Millisecond)
		synctest.Wait()
		if s := screenOf(t, out.String()); len(s) != 1 || !strings.HasPrefix(s[0], "zargo: 1 of 4 chunks, ") || !strings.HasSuffix(s[0], " left") {
			t.Errorf("after three seconds: %q", s)
		}
		fmt.Fprintln(p, "zargo: beside it")
		p.Add(2)
		time.Sleep(time.Second)
		synctest.Wait()
		if s := screenOf(t, out.String()); len(s) != 2 || s[0] != "zargo: beside it" || !strings.HasPrefix(s[1], "zargo: 3 of 4 chunks, ") {
			t.Errorf("with another line: %q", s)
		}
		fmt.Fprintln(p, "zargo: just before the end")
		p.End()
		p.End()
		fmt.Fprintln(p, "zargo: after it")
		if s := screenOf(t, out.String()); !slices.Equal(s, []string{"zargo: beside it", "zargo: just before the end", "zargo: after it"}) {
			t.Errorf("in the end: %q", s)
		}
	})
}

// TestLineAfterKey checks that the ^C that a terminal prints within the line is removed.
func TestLineAfterKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out lockedBuffer
		p := progress.New(progress.Live, &out)
		p.Begin(progress.Work{Unit: "chunks", Total: 4})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if len(screenOf(t, out.String())) != 1 {
			t.Fatal("no line")
		}
		fmt.Fprint(&out, "^C")
		p.End()
		fmt.Fprintln(p, "zargo: interrupted")
		if s := screenOf(t, out.String()); !slices.Equal(s, []string{"zargo: interrupted"}) {
			t.Errorf("%q", s)
		}
	})
}

// TestQuickWork checks that quick work shows no line, and that no line is shown with NotShown.
func TestQuickWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out lockedBuffer
		for _, how := range []progress.Showing{progress.Live, progress.NotShown} {
			p := progress.New(how, &out)
			p.Begin(progress.Work{Unit: "chunks", Total: 4})
			p.Add(4)
			if how == progress.Live {
				time.Sleep(time.Second / 2)
			} else {
				time.Sleep(time.Hour)
			}
			p.End()
			time.Sleep(time.Minute)
			synctest.Wait()
			if s := out.String(); s != "" {
				t.Errorf("%q", s)
			}
		}
	})
}

// TestLines checks that without a terminal a line is printed every few seconds, and one at the end.
func TestLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out lockedBuffer
		p := progress.New(progress.InLines, &out)
		p.Begin(progress.Work{Unit: "chunks"})
		p.Expect(10)
		p.Add(2)
		time.Sleep(2*time.Second + time.Millisecond)
		synctest.Wait()
		p.Add(3)
		p.Tries.Add(1)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		p.Add(5)
		time.Sleep(time.Second)
		p.End()
		want := "zargo: 2 of 10 chunks, 1/s, 8s left\nzargo: 5 of 10 chunks, 1/s, 4s left, 1 retry\nzargo: 10 of 10 chunks, 2/s, 1 retry\n"
		if got := out.String(); got != want {
			t.Errorf("got\n%s", got)
		}
	})
}

// TestOutputAfterLine checks that output on standard output removes the line.
func TestOutputAfterLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var terminal lockedBuffer // standard output and standard error
		p := progress.New(progress.Live, &terminal)
		p.Begin(progress.Work{Unit: "objects"})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if _, err := io.WriteString(progress.NewOutput(&terminal, p), "3 objects\n"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if s := screenOf(t, terminal.String()); !slices.Equal(s, []string{"3 objects"}) || !strings.Contains(terminal.String(), "0 objects") {
			t.Errorf("%q", s)
		}
	})
}

func TestProgressFlag(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "err"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, w := range []io.Writer{file, &bytes.Buffer{}} {
		for f, want := range map[progress.Flag]progress.Showing{"": progress.NotShown, "auto": progress.NotShown, "never": progress.NotShown, "always": progress.InLines} {
			if got := f.Shown(w, func(string) string { return "xterm" }); got != want {
				t.Errorf("%T %q: %v", w, f, got)
			}
		}
	}
	fails(t, zargo(t, newProgram(), "du --progress=often"), 2, "auto, always or never", "often")
}

// TestProgressOfCommands checks that each command that may take long reports its progress, and that
// the last line reports all of its work.
func TestProgressOfCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	file := []byte(head("(400,)") + strings.Repeat("\x01", 400))
	write(t, "rows.npy", file)
	do(t, p, "create g --group")
	do(t, p, "create g/texts --shape 3 --dtype string --fill \"abc\"")
	for _, tt := range []struct{ command, want string }{
		{"put g/a rows.npy --create --chunks 100 --progress", `400 B of 400 B written`},
		{"append g/a rows.npy --dim 0 --progress", `400 B of 400 B written`},
		{"put g/b rows.npy --create --dims time --progress", `400 B of 400 B written`},
		{"append g --dim time b=rows.npy --progress", `400 B of 400 B written`},
		{"cat g/a -o out.npy --format npy --progress", `800 B of 800 B read`},
		{"cat g/a --format raw --progress=always", `800 B of 800 B read`},
		{"cat g/texts -o out.json --format json --progress", `3 of 3 elements`},
		{"validate g --data --progress", `10 of at most 11 chunks, .* read, .*`},
		{"validate g --progress", `10 of at most 11 chunks`},
		{"census g --data --progress", `10 of at most 10 chunks`},
		{"copy g h --progress", `(\d+) of (\d+) tasks, .* written`},
		{"diff g h --progress", `1603 of 1603 elements, .* read`},
		{"hash h -o sums --progress", `(.*) of (.*) read`},
		{"hash h --check sums --progress", `(.*) of (.*) read`},
		{"du h --progress", `\d+ objects`},
		{"copy h h.zip|zip: --progress", `.* written`},
		{"transfer plan h k -o plan.json", ``},
		{"transfer run plan.json --progress", `(\d+) of (\d+) tasks`},
		{"transfer resume plan.json --progress", `(\d+) of (\d+) tasks`},
		{"transfer verify plan.json --progress", `(\d+) of (\d+) tasks`},
		{"transfer clean plan.json --progress", `[1-9]\d* objects`},
		{"create old --group --format 2", ``},
		{"create old/a --shape 3 --dtype int8 --format 2", ``},
		{"migrate old --progress", `([4-9]|1[0-9]) documents`}, // at least two are read and two are written
		{"consolidate old --progress", `[3-9] documents`},
		{"consolidate old --check --progress", `[2-9] documents`},
		{"ls -r g --progress", `3 nodes`},
		{"rm k --progress --consolidate", `(\d+) of (\d+) objects`},
		{"rm h --dry-run --progress", `\d+ objects`},
		{"rm h --force --progress=never", ``},
	} {
		t.Run(tt.command, func(t *testing.T) {
			r := zargo(t, p, tt.command)
			if r.code != 0 {
				t.Fatalf("exit %d, %s", r.code, r.err)
			}
			if tt.want == "" {
				if strings.Contains(tt.command, "=never") && r.err != "" {
					t.Errorf("it says %s", r.err)
				}
				return
			}
			lines := strings.Split(strings.TrimSuffix(r.err, "\n"), "\n")
			last := lines[len(lines)-1]
			found := regexp.MustCompile(`^zargo: (?:` + tt.want + `)(?:, |$)`).FindStringSubmatch(last)
			if found == nil {
				t.Fatalf("it says %q, want %s", lines, tt.want)
			}
			if len(found) == 3 && found[1] != found[2] {
				t.Errorf("it ended after %s", last)
			}
			if strings.Contains(r.out, "zargo: ") {
				t.Errorf("standard output has it: %s", r.out)
			}
		})
	}
}
