package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestWaits checks the line about what a command waits for, with two commands in a directory. The
// clock of the test begins at 2000-01-01T00:00:00Z.
func TestWaits(t *testing.T) {
	left := `{"id":"a1","what":"append","axis":0,"from":2,"to":4,"since":"2000-01-01T00:00:00Z"}`
	dims := map[int]string{2: `--format 2 --attrs {"_ARRAY_DIMENSIONS":["x"]}`, 3: "--dims x"}
	for _, r := range []struct {
		name  string
		other string        // command that reads its file from standard input
		holds time.Duration // until standard input has the file
		left  string        // claim of a killed process in g/v
		line  string
		code  int
		want  string
	}{
		{"append", "append g/v - --dim 0", 5 * time.Second, "", "append g/v f.npy --dim 0 --wait 10m", 0,
			"zargo: g/v: waiting until 2000-01-01T00:10:01Z: an append of axis 0 from 2 to 4, begun 2000-01-01T00:00:00Z, is in progress\n"},
		{"renewed", "append g/v - --dim 0", 5 * time.Minute, "", "append g/v f.npy --dim 0 --wait 10m --take-over 2m", 0,
			"zargo: g/v: waiting until 2000-01-01T00:10:01Z: an append of axis 0 from 2 to 4, begun 2000-01-01T00:00:00Z, is in progress; it is taken over at 2000-01-01T00:02:00Z unless its process renews it\n"},
		{"a moment", "append g/v - --dim 0", 2 * time.Second, "", "append g/v f.npy --dim 0 --wait 10m", 0, ""},
		{"too short", "append g/v - --dim 0", 10 * time.Second, "", "append g/v f.npy --dim 0 --wait 5s", 11,
			"zargo: g/v: waiting until 2000-01-01T00:00:06Z: an append of axis 0 from 2 to 4, begun 2000-01-01T00:00:00Z, is in progress\n"},
		{"missing rows", "", 0, "", "append g/v f.npy --dim 0 --at 4 --wait 5s", 11,
			"zargo: g/v: waiting until 2000-01-01T00:00:06Z: the append must begin at row 4, but the array has 2 rows\n"},
		{"resize", "append g/v - --dim 0", 5 * time.Second, "", "resize g/v --shape 9 --wait 10m", 11,
			"zargo: g/v: waiting until 2000-01-01T00:10:01Z: an append of axis 0 from 2 to 4, begun 2000-01-01T00:00:00Z, is in progress\n"},
		{"array of a group", "append g/v - --dim 0", 5 * time.Second, "", "append g --dim x v=f.npy w=f.npy --wait 10m", 11,
			"zargo: g: waiting until 2000-01-01T00:10:01Z: \"v\": an append of axis 0 from 2 to 4, begun 2000-01-01T00:00:00Z, is in progress\n"},
		{"group", "append g --dim x v=- w=f.npy", 5 * time.Second, "", "append g --dim x v=f.npy w=f.npy --wait 10m", 0,
			"zargo: g: waiting until 2000-01-01T00:10:01Z: an append of dimension \"x\" from 2 to 4, begun 2000-01-01T00:00:00Z, is in progress\n"},
		{"group over an array", "append g --dim x v=- w=f.npy", 5 * time.Second, "", "append g/v f.npy --dim 0 --wait 10m", 0,
			"zargo: g/v: waiting until 2000-01-01T00:10:01Z: an append of axis 0 from 2 to 4, begun 2000-01-01T00:00:00Z, is in progress\n"},
		{"killed", "", 0, left, "append g/v f.npy --dim 0 --wait 10m --take-over 2m", 0,
			"zargo: g/v: waiting until 2000-01-01T00:10:01Z: an append of axis 0 from 2 to 4, begun 2000-01-01T00:00:00Z, is in progress; it is taken over at 2000-01-01T00:02:00Z unless its process renews it\n"},
		{"killed, no take-over in time", "", 0, left, "append g/v f.npy --dim 0 --wait 1m --take-over 2m", 11,
			"zargo: g/v: waiting until 2000-01-01T00:01:01Z: an append of axis 0 from 2 to 4, begun 2000-01-01T00:00:00Z, is in progress\n"},
	} {
		for _, format := range []int{2, 3} {
			t.Run(fmt.Sprintf("%s/v%d", r.name, format), func(t *testing.T) {
				t.Chdir(t.TempDir())
				file := npyOf(t, "7", "8")
				write(t, "f.npy", file)
				p := newProgram()
				do(t, p, fmt.Sprintf("create g --group --format %d", format))
				for _, name := range []string{"v", "w"} {
					do(t, p, fmt.Sprintf("create g/%s --root g --shape 2 --chunks 2 --dtype float64 --codec none %s", name, dims[format]))
				}
				if r.left != "" {
					claimed(t, "g/v", format, r.left)
				}
				synctest.Test(t, func(t *testing.T) {
					done := make(chan int, 1)
					if r.other == "" {
						done <- 0
					} else {
						in, out := io.Pipe()
						go func() {
							_, _ = out.Write(file[:len(file)-16]) // the header, which is read before the claim
							time.Sleep(time.Second + r.holds)
							_, _ = out.Write(file[len(file)-16:])
							_ = out.Close()
						}()
						go func() { done <- p.run(t.Context(), strings.Fields(r.other), in, io.Discard, io.Discard) }()
					}
					time.Sleep(time.Second)
					var text bytes.Buffer
					code := p.run(context.WithoutCancel(t.Context()), strings.Fields(r.line), nil, io.Discard, &text)
					if other := <-done; code != r.code || other != 0 {
						t.Errorf("codes %d and %d: %s", code, other, &text)
					}
					got, _, _ := strings.Cut(text.String(), "zargo: g: conflict")
					got, _, _ = strings.Cut(got, "zargo: g/v: conflict")
					if got != r.want {
						t.Errorf("got %q\nwant %q", got, r.want)
					}
				})
			})
		}
	}
}

// TestWaitsForLabels checks the line about an append of labels that an unfinished append has stored.
func TestWaitsForLabels(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "f.npy", npyOf(t, "7", "8"))
	p := newProgram()
	do(t, p, "create g --group")
	do(t, p, "create g/x --root g --shape 2 --chunks 2 --dtype float64 --codec none --dims x")
	do(t, p, "put g/x f.npy")
	claimed(t, "g", 3, `{"id":"a1","what":"append","dim":"x","from":0,"to":2,"since":"2000-01-01T00:00:00Z"}`)
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		code := p.run(t.Context(), strings.Fields("append g x=f.npy --dim x --if-absent --wait 10m --take-over 2m"), nil, io.Discard, &text)
		want := "zargo: g: waiting until 2000-01-01T00:10:00Z: an append of dimension \"x\" from 0 to 2, begun 2000-01-01T00:00:00Z, contains the rows from 0 on and has not ended; it is taken over at 2000-01-01T00:02:00Z unless its process renews it\n"
		if code != 0 || text.String() != want {
			t.Errorf("exit %d: %q\nwant %q", code, &text, want)
		}
	})
}

// TestWaitsForStage checks the line about tasks that other processes have not done.
func TestWaitsForStage(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	do(t, p, "create maps --shape 4096,64,64 --chunks 1,64,64 --dtype uint8 --codec none --dims time,lat,lon")
	do(t, p, "transfer plan maps series --chunks time=4096,lat=4,lon=4 --max-mem 65MiB -o plan.json")
	for i, want := range []string{"zargo: plan.json: waiting until 2000-01-01T00:00:10Z: 14 of the 28 tasks of stage 1 are not done\n", ""} {
		synctest.Test(t, func(t *testing.T) {
			var text bytes.Buffer
			code := p.run(t.Context(), strings.Fields(fmt.Sprintf("transfer run plan.json --task-index %d --task-count 2", i)), nil, io.Discard, &text)
			got, _, failed := strings.Cut(text.String(), "zargo: unavailable: ")
			if got != want || failed != (code == 75) || failed != (want != "") {
				t.Errorf("process %d: exit %d: %q\nwant %q", i, code, &text, want)
			}
		})
	}
}

// claimed puts a claim in the document of the node at path.
func claimed(t *testing.T, path string, format int, claim string) {
	t.Helper()
	name := path + "/zarr.json"
	if format == 2 {
		name = path + "/.zarray"
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	with := strings.Replace(text, `"attributes": {`, `"attributes": {"zargo_claim": `+claim, 1)
	if format == 2 {
		with = strings.Replace(text, "{", `{"zargo_claim":`+claim+",", 1)
	}
	if with == text {
		t.Fatalf("%s: %s", name, text)
	}
	write(t, name, []byte(with))
}
