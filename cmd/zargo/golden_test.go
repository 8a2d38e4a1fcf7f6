package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/npy"
	"github.com/zargo-io/zargo/zarr/dtype"
)

var update = flag.Bool("update", false, "write what the sessions in testdata print into them")

// TestSessions runs the sessions in testdata. A session contains commands, after "$ ", and their
// output: standard output, standard error, and "exit N" unless N is 0. Besides zargo, the commands
// are
//
//	copy FROM TO        copies a file that numpy wrote
//	npy FILE N…         creates a .npy file of float64 numbers
//	write FILE TEXT     creates a file
//	remove FILE         deletes a file
//	files               lists all files
//	silent zargo …      runs zargo without its standard output, which contains sizes of documents with
//	                    times and temporary paths
func TestSessions(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatal("no sessions", err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			file := filepath.Join(here, name)
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(string(b), "\r\n", "\n")
			t.Chdir(sameLength(t, t.TempDir()))
			got := playSession(t, want, filepath.Join(here, "../../npy/testdata/numpy"))
			if *update {
				succeed(t, os.WriteFile(file, []byte(got), 0o666))
			} else if got != want {
				g, w := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
				for i := 0; ; i++ {
					if i == min(len(g), len(w)) || g[i] != w[i] {
						t.Errorf("from line %d on it printed\n%s\nwant\n%s", i+1, strings.Join(g[i:], ""), strings.Join(w[i:], ""))
						break
					}
				}
			}
		})
	}
}

func playSession(t *testing.T, text, numpy string) string {
	t.Helper()
	work := must(os.Getwd())
	work = filepath.ToSlash(work)
	p := newProgram()
	var b strings.Builder
	for line := range strings.Lines(text) {
		command, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "$ ")
		if !ok {
			if strings.HasPrefix(line, "#") {
				b.WriteString(line)
			}
			continue
		}
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n\n") && !strings.HasPrefix(lastLine(b.String()), "#") {
			b.WriteString("\n")
		}
		b.WriteString("$ " + command + "\n")
		out := play(t, p, words(command), numpy)
		b.WriteString(strings.ReplaceAll(out, work, "$WORK"))
	}
	return b.String()
}

func lastLine(s string) string {
	s = strings.TrimSuffix(s, "\n")
	return s[strings.LastIndexByte(s, '\n')+1:]
}

func play(t *testing.T, p *program, args []string, numpy string) string {
	t.Helper()
	switch args[0] {
	case "zargo", "silent":
		silent := args[0] == "silent"
		if silent {
			args = args[1:]
		}
		r := zargoArgs(t, p, nil, args[1:]...)
		s := r.out + r.err
		if silent {
			s = r.err
		}
		if r.code != 0 {
			s += fmt.Sprintf("exit %d\n", r.code)
		}
		return s
	case "copy":
		b, err := os.ReadFile(filepath.Join(numpy, args[1]))
		if err != nil {
			t.Fatal(err)
		}
		write(t, args[2], b)
		return ""
	case "npy":
		write(t, args[1], npyOf(t, args[2:]...))
		return ""
	case "write":
		write(t, args[1], []byte(args[2]))
		return ""
	case "remove":
		succeed(t, os.Remove(args[1]))
		return ""
	case "files":
		var b strings.Builder
		for _, name := range files(t) {
			b.WriteString(name + "\n")
		}
		return b.String()
	}
	t.Fatalf("no such command: %q", args)
	return ""
}

// npyOf returns a .npy file of float64 numbers.
func npyOf(t *testing.T, numbers ...string) []byte {
	t.Helper()
	b, err := npy.AppendHeader(nil, npy.Header{Type: dtype.Float64, Order: dtype.Little, Shape: []int{len(numbers)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range numbers {
		f, err := strconv.ParseFloat(n, 64)
		if err != nil {
			t.Fatal(err)
		}
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
	}
	return b
}

// files returns the names of all files below the working directory.
func files(t testing.TB) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// words splits a command at spaces outside of single quotes.
func words(command string) []string {
	var list []string
	word, quoted, any := "", false, false
	for _, r := range command {
		switch {
		case r == '\'':
			quoted, any = !quoted, true
		case r == ' ' && !quoted:
			if any {
				list = append(list, word)
			}
			word, any = "", false
		default:
			word, any = word+string(r), true
		}
	}
	if any {
		list = append(list, word)
	}
	return list
}

// sameLength returns a new directory below dir whose path has 160 characters, or more if dir has. A
// plan contains absolute paths, so the bytes that a copy writes depend on their length.
func sameLength(t *testing.T, dir string) string {
	t.Helper()
	dir = filepath.Join(dir, strings.Repeat("d", max(1, 160-len(dir)-1)))
	succeed(t, os.Mkdir(dir, 0o777))
	return dir
}

func succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
