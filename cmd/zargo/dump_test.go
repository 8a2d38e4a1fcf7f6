package main

import (
	"os"
	"strings"
	"testing"
)

// golden returns a file that another implementation wrote.
func golden(t testing.TB, name string) string {
	t.Helper()
	b := must(os.ReadFile(name))
	return strings.ReplaceAll(string(b), "\r\n", "\n")
}

// sameText compares two texts and reports the first lines that differ.
func sameText(t testing.TB, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			t.Fatalf("from line %d:\n%s\nwant\n%s", i+1, strings.Join(g[min(i, len(g)):], "\n"), strings.Join(w[min(i, len(w)):], "\n"))
		}
	}
}

// TestDump compares the output with the output of ncdump for a netCDF file of the same content
// (testdata/cdl/make.py).
func TestDump(t *testing.T) {
	p := newProgram()
	for _, format := range []string{"v2", "v3"} {
		url := "testdata/cdl/data." + format + ".zip|zip:"
		t.Run(format+" header", func(t *testing.T) {
			sameText(t, do(t, p, "dump --name data "+url), golden(t, "testdata/cdl/header.cdl"))
		})
		t.Run(format+" values", func(t *testing.T) {
			sameText(t, do(t, p, "dump --name data --values "+url), golden(t, "testdata/cdl/values.cdl"))
		})
	}
}

// TestDumpSome checks which values the flags select.
func TestDumpSome(t *testing.T) {
	p := newProgram()
	const url = "testdata/cdl/data.v3.zip|zip:"
	for _, tt := range []struct{ name, flags, want string }{
		{"coordinates", "--coords", "lat time z"},
		{"names", "--vars int,sub/inner", "int inner"},
		{"both", "-c --vars sub/inner", "lat time inner z"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			in := false
			for line := range strings.Lines(do(t, p, "dump "+tt.flags+" "+url)) {
				switch {
				case strings.TrimSpace(line) == "data:":
					in = true
				case strings.HasPrefix(line, "group:"):
					in = false
				case in && strings.Contains(line, " ="):
					got = append(got, strings.TrimSpace(line[:strings.Index(line, " =")]))
				}
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("%s, want %s", s, tt.want)
			}
		})
	}
	fails(t, zargo(t, p, "dump --vars none "+url), 3, "none")
}
