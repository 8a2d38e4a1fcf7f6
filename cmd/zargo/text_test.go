package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/npy"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// counted returns a .npy file of the given shape with the elements 0, 1, 2, and so on.
func counted(t testing.TB, shape []int) []byte {
	t.Helper()
	b, err := npy.AppendHeader(nil, npy.Header{Type: dtype.Int64, Order: dtype.Little, Shape: shape})
	if err != nil {
		t.Fatal(err)
	}
	n := 1
	for _, d := range shape {
		n *= d
	}
	for i := range n {
		b = binary.LittleEndian.AppendUint64(b, uint64(i))
	}
	return b
}

// TestTextAsNumpy checks that integers are printed as by NumPy.
func TestTextAsNumpy(t *testing.T) {
	names, err := filepath.Glob("testdata/numpy/*.str")
	if err != nil || len(names) != 10 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		shapeText := strings.TrimSuffix(filepath.Base(name), ".str")
		t.Run(shapeText, func(t *testing.T) {
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			shape := []int{}
			for s := range strings.SplitSeq(shapeText, "x") {
				if n, err := strconv.Atoi(s); err == nil {
					shape = append(shape, n)
				}
			}
			p := newProgram()
			chunks := strings.TrimSuffix(strings.Repeat("4,", len(shape)), ",")
			if r := zargoArgs(t, p, counted(t, shape), "put", "mem://m/x", "-", "--create", "--chunks", chunks, "--codec", "none"); r.code != 0 {
				t.Fatal(r.err)
			}
			got := do(t, p, "cat mem://m/x")
			if want := strings.ReplaceAll(string(want), "\r\n", "\n"); got != want {
				t.Errorf("\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestTextOfSelection checks that dropped axes and steps do not change which elements are the
// corners.
func TestTextOfSelection(t *testing.T) {
	p := newProgram()
	if r := zargoArgs(t, p, counted(t, []int{3, 60, 50}), "put", "mem://m/x", "-", "--create"); r.code != 0 {
		t.Fatal(r.err)
	}
	// A row has 50 elements: element (1, 2i, j) is 3000 + 100 i + j.
	want := `[[3000 3001 3002 ... 3047 3048 3049]
 [3100 3101 3102 ... 3147 3148 3149]
 [3200 3201 3202 ... 3247 3248 3249]
 ...
 [5700 5701 5702 ... 5747 5748 5749]
 [5800 5801 5802 ... 5847 5848 5849]
 [5900 5901 5902 ... 5947 5948 5949]]
`
	if got := do(t, p, "cat mem://m/x --sel 1,::2"); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

// TestTextOfManyAxes checks that fewer elements of an array with many axes are printed, and that an
// array with too many axes is refused.
func TestTextOfManyAxes(t *testing.T) {
	p := newProgram()
	ten := strings.TrimSuffix(strings.Repeat("4,", 10), ",")
	do(t, p, "create mem://m/x --dtype int8 --shape "+ten)
	if got := do(t, p, "cat mem://m/x"); strings.Count(got, "0") != 1<<10 {
		t.Errorf("%d elements", strings.Count(got, "0"))
	}
	twenty := strings.TrimSuffix(strings.Repeat("4,", 20), ",")
	ones := strings.TrimSuffix(strings.Repeat("1,", 20), ",")
	do(t, p, "create mem://m/y --dtype int8 --shape "+twenty+" --chunks "+ones)
	fails(t, zargo(t, p, "cat mem://m/y"), 7, "20 axes", "mem://m/y")
}

func TestHelpOfEveryCommand(t *testing.T) {
	for _, line := range []string{"--help", "help", "help cat", "info --help", "ls --help", "attrs --help", "create --help", "put --help", "cat -h",
		"version --help"} {
		if got := do(t, newProgram(), line); !strings.HasPrefix(got, "Usage: zargo ") {
			t.Errorf("%s: %q", line, got)
		}
	}
	if got := do(t, newProgram(), "version"); !strings.HasPrefix(got, "zargo ") || strings.Count(got, "\n") != 1 {
		t.Errorf("%q", got)
	}
}

// TestVerbose checks that -v reports the requests on standard error.
func TestVerbose(t *testing.T) {
	p := newProgram()
	do(t, p, "create mem://m/x --dtype int8 --shape 4 --chunks 2")
	r := zargo(t, p, "cat mem://m/x -v --format raw")
	if r.code != 0 || r.out != string(bytes.Repeat([]byte{0}, 4)) || !strings.Contains(r.err, "2 chunks (2 missing)") {
		t.Errorf("%+v", r)
	}
}

// TestLogJSON checks that every line on standard error is a JSON object, and that the last
// describes the run.
func TestLogJSON(t *testing.T) {
	p := newProgram()
	do(t, p, "create mem://log/a --shape 4 --chunks 2 --dtype int8")
	for _, c := range []struct {
		line, level, command, err string
		code                      int
	}{
		{"cat mem://log/a --format raw", "INFO", "cat", "", 0},
		{"cat mem://log/none", "ERROR", "cat", "not found", 3},
		{"copy mem://log/a mem://log/b -v", "INFO", "copy", "", 0},
	} {
		r := zargo(t, p, c.line+" --log-json")
		lines := strings.Split(strings.TrimSuffix(r.err, "\n"), "\n")
		var last struct {
			Level, Msg, Command, Error string
			Code                       int
			Seconds                    *float64
			Report                     map[string]int64
		}
		for _, line := range lines {
			if err := json.Unmarshal([]byte(line), &last); err != nil {
				t.Errorf("%s: %q: %v", c.line, line, err)
			}
		}
		if r.code != c.code || last.Code != c.code || last.Level != c.level || last.Msg != "end" || last.Command != c.command || last.Seconds == nil || last.Report["Gets"] == 0 ||
			!strings.Contains(last.Error, c.err) {
			t.Errorf("%s: code %d, %+v", c.line, r.code, last)
		}
	}
}
