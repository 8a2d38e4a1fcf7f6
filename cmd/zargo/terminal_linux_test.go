package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
)

// openTerminal opens a pseudo terminal with the given number of columns.
func openTerminal(t *testing.T, columns uint16) (keyboard, terminal *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keyboard.Close() }) // usually closed earlier
	fd := int(keyboard.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns})
	}
	if err == nil {
		terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return keyboard, terminal
}

// TestColumnsOf checks that a plot has the width of the terminal.
func TestColumnsOf(t *testing.T) {
	keyboard, terminal := openTerminal(t, 123)
	defer func() { _ = terminal.Close() }() // nothing is written to it
	if got := progress.ColumnsOf(terminal); got != 123 {
		t.Errorf("%d columns, want 123", got)
	}
	if got := progress.ColumnsOf(keyboard); got != 123 {
		t.Errorf("%d columns, want 123", got)
	}
	if got := progress.ColumnsOf(new(bytes.Buffer)); got != progress.DefaultColumns {
		t.Errorf("%d columns, want %d", got, progress.DefaultColumns)
	}
}

// onTerminal is a command whose controlling terminal is its standard error.
type onTerminal struct {
	*exec.Cmd
	keyboard *os.File
	out      bytes.Buffer
	shown    lockedBuffer
	read     chan struct{} // closed when the terminal has been closed
}

func startOnTerminal(t *testing.T, columns uint16, kind string, args ...string) *onTerminal {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	keyboard, terminal := openTerminal(t, columns)
	c := &onTerminal{Cmd: exec.Command(exe, args...), keyboard: keyboard, read: make(chan struct{})}
	c.Env = append(os.Environ(), actAsZargo+"=1", "TERM="+kind)
	c.Stdin, c.Stdout, c.Stderr = terminal, &c.out, terminal
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	succeed(t, c.Start())
	_ = terminal.Close() // the process has its own descriptor
	go func() {
		defer close(c.read)
		buf := make([]byte, 4096)
		for {
			n, err := keyboard.Read(buf)
			_, _ = c.shown.Write(buf[:n])
			if err != nil {
				return // EIO: the process has exited
			}
		}
	}()
	t.Cleanup(func() {
		if c.ProcessState == nil {
			_ = c.Process.Kill() // the test has failed
			_ = c.Wait()
		}
		<-c.read
	})
	return c
}

// until waits until the terminal shows text that matches the pattern.
func (c *onTerminal) until(t *testing.T, pattern string) {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for deadline := time.Now().Add(30 * time.Second); !re.MatchString(c.shown.String()); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it does not show %s: %q", pattern, c.shown.String())
		}
	}
}

// code waits for the process and returns its exit code.
func (c *onTerminal) code(t *testing.T) int {
	t.Helper()
	var exit *exec.ExitError
	if err := c.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	<-c.read
	return c.ProcessState.ExitCode()
}

// slowly serves the files of the working directory. Before release is called, it serves only the
// first chunks.
func slowly(t *testing.T, chunks int64) (url string, release func()) {
	t.Helper()
	var served atomic.Int64
	free := make(chan struct{})
	files := http.FileServer(http.Dir("."))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/c/") && served.Add(1) > chunks {
			select {
			case <-free:
			case <-r.Context().Done():
				return
			}
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, func() { close(free) }
}

// makeSource creates an array of 400 chunks.
func makeSource(t *testing.T) {
	t.Helper()
	p := newProgram()
	write(t, "src.npy", []byte(head("(400,)")+strings.Repeat("\x01", 400)))
	do(t, p, "put src src.npy --create --chunks 1")
}

// TestTerminal checks that a terminal shows the progress of a read while it runs, and nothing
// afterwards.
func TestTerminal(t *testing.T) {
	t.Chdir(t.TempDir())
	makeSource(t)
	url, release := slowly(t, 100)
	c := startOnTerminal(t, 80, "xterm", "cat", url+"/src", "-o", "out", "--format", "raw")
	c.until(t, `zargo: [1-9][0-9]* B of 400 B read, 0\.0 MiB/s, \d`)
	release()
	if code := c.code(t); code != 0 || c.out.Len() > 0 {
		t.Errorf("exit %d, standard output %q", code, c.out.String())
	}
	if s := screenOf(t, c.shown.String()); len(s) != 0 {
		t.Errorf("the terminal shows %q", s)
	}
	if b, err := os.ReadFile("out"); err != nil || string(b) != strings.Repeat("\x01", 400) {
		t.Errorf("%q, %v", b, err)
	}
}

// TestNarrowTerminal checks that the line is no longer than the terminal's width, and that an
// unknown width counts as 80.
func TestNarrowTerminal(t *testing.T) {
	t.Chdir(t.TempDir())
	makeSource(t)
	for _, columns := range []uint16{30, 0} {
		url, release := slowly(t, 100)
		c := startOnTerminal(t, columns, "xterm", "cat", url+"/src", "-o", "out", "--format", "raw")
		c.until(t, `zargo: [1-9][0-9]* B of 400 B read`)
		release()
		if code := c.code(t); code != 0 {
			t.Errorf("exit %d", code)
		}
		for line := range strings.SplitSeq(c.shown.String(), "\n") {
			line = regexp.MustCompile("\r|\x1b\\[[0-9]*[A-Z]").ReplaceAllString(line, "")
			if columns > 0 && len(line) >= int(columns) {
				t.Errorf("%d columns: %q", columns, line)
			}
		}
		if s := screenOf(t, c.shown.String()); len(s) != 0 {
			t.Errorf("the terminal shows %q", s)
		}
	}
}

// TestTerminalInterrupted checks that ^C removes the line, and that the remaining message says how
// to resume.
func TestTerminalInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	makeSource(t)
	url, release := slowly(t, 200)
	defer release()
	c := startOnTerminal(t, 80, "xterm", "copy", url+"/src", "dst")
	c.until(t, `zargo: \d+ (of \d+ )?tasks`)
	if _, err := c.keyboard.Write([]byte{3}); err != nil {
		t.Fatal(err)
	}
	if code := c.code(t); code != 130 || c.out.Len() > 0 {
		t.Errorf("exit %d, standard output %q", code, c.out.String())
	}
	if s := screenOf(t, c.shown.String()); !slices.Equal(s, []string{"zargo: interrupted; the copied data is kept: continue with --resume"}) {
		t.Errorf("the terminal shows %q", s)
	}
}

// TestTerminalWithout checks that no line is shown if the terminal cannot draw one or the flags
// disable it.
func TestTerminalWithout(t *testing.T) {
	_, terminal := openTerminal(t, 80)
	defer terminal.Close()
	for _, tt := range []struct {
		flag progress.Flag
		term string
		want progress.Showing
	}{
		{"", "xterm", progress.Live}, {"auto", "screen-256color", progress.Live}, {"always", "xterm", progress.Live}, {"never", "xterm", progress.NotShown},
		{"", "dumb", progress.NotShown}, {"always", "dumb", progress.InLines}, {"never", "dumb", progress.NotShown}, {"", "", progress.NotShown}, {"always", "", progress.InLines},
	} {
		if got := tt.flag.Shown(terminal, func(name string) string { return map[string]string{"TERM": tt.term}[name] }); got != tt.want {
			t.Errorf("%q with TERM=%q: %v, want %v", tt.flag, tt.term, got, tt.want)
		}
	}
}
