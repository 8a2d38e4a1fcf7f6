package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// oddNames are names that zarr-python 3.4.2 creates in a directory, in both formats.
var oddNames = []string{
	"__xarray_dataarray_variable__", "__x", "...", "..a", " lead", "trail ", "a\tb", "a\nb", "\x1b[31mred", "\x7f", "\u009b0m", "\u202eabc",
	"a\u200bb", "\ufeffx", "\ue000", "é", "e\u0301", "-rf", "*", "%41", "c", "0", "0.0", "meta", "attrs", strings.Repeat("n", 200),
}

// oddTree writes a group with an array of the values 1 and 2 below each of the names, and below a
// group with a reserved name.
func oddTree(t *testing.T, root string, format int, names []string) {
	t.Helper()
	group, array := map[string]string{"zarr.json": `{"zarr_format":3,"node_type":"group","attributes":{}}`}, map[string]string{
		"zarr.json": `{"zarr_format":3,"node_type":"array","shape":[2],"data_type":"int8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},` +
			`"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},"fill_value":0,"codecs":[{"name":"bytes"}],"attributes":{}}`,
		"c/0": "\x01\x02",
	}
	if format == 2 {
		group, array = map[string]string{".zgroup": `{"zarr_format":2}`}, map[string]string{
			".zarray": `{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"|i1","compressor":null,"fill_value":0,"order":"C","filters":null}`,
			"0":       "\x01\x02",
		}
	}
	put := func(dir string, files map[string]string) {
		for name, text := range files {
			write(t, filepath.Join(root, dir, filepath.FromSlash(name)), []byte(text))
		}
	}
	put("", group)
	put("sub", group)
	put("sub/__group", group)
	for _, name := range append(slices.Clone(names), "sub/__group/z") {
		put(name, array)
	}
}

// TestWalksOddNames checks that every walk includes the nodes whose names v3 reserves and those
// with control characters.
func TestWalksOddNames(t *testing.T) {
	for _, format := range []int{2, 3} {
		t.Run(fmt.Sprint("v", format), func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			oddTree(t, "a", format, oddNames)
			arrays := len(oddNames) + 1
			all := func(where string) {
				t.Helper()
				p := newProgram()
				var nodes []struct{ Name, Kind string }
				doJSON(t, p, "ls --json "+where, &nodes)
				var names []string
				for _, n := range nodes {
					names = append(names, n.Name)
				}
				var listed []string
				doJSON(t, p, "ls --names --json "+where, &listed)
				want := append(slices.Clone(oddNames), "sub")
				for _, got := range [][]string{names, listed} {
					slices.Sort(want)
					slices.Sort(got)
					if !slices.Equal(got, want) {
						t.Errorf("%s: %q, want %q", where, got, want)
					}
				}
				if out := do(t, p, "validate --data "+where); !strings.Contains(out, fmt.Sprintf("%d nodes, %d arrays, %d chunks", arrays+3, arrays, arrays)) {
					t.Errorf("validate %s: %s", where, out)
				}
				if out := do(t, p, "ls "+where); !strings.Contains(out, "\n lead") || !strings.Contains(out, "\ntrail  ") {
					t.Errorf("the white space of names: %q", out)
				}
			}
			all("a")
			p := newProgram()
			if out := do(t, p, "copy a b"); !strings.HasPrefix(out, fmt.Sprintf("copied %d arrays", arrays)) {
				t.Error(out)
			}
			all("b")
			if out := do(t, p, "diff a b"); !strings.Contains(out, fmt.Sprintf("compared %d nodes", arrays+3)) {
				t.Error(out)
			}
			succeed(t, os.RemoveAll("b/__x"))
			if r := zargo(t, p, "diff a b"); r.code != 14 || !strings.Contains(r.out, "__x: only in the first") {
				t.Error(r)
			}
			if out := do(t, p, "copy a z.zip|zip:"); !strings.HasPrefix(out, fmt.Sprintf("copied %d arrays", arrays)) {
				t.Error(out)
			}
			all("z.zip|zip:")
			if out := do(t, p, "du --json a"); strings.Count(out, `"kind": "array"`) != arrays {
				t.Error(out)
			}
			if out := do(t, p, "census --json a"); strings.Count(out, `"path"`) < arrays {
				t.Error(out)
			}
			do(t, p, "consolidate a")
			all("a")
			do(t, p, "consolidate --check a")
			if format == 2 {
				if out := do(t, p, "migrate a --remove"); strings.Count(out, "\n") != arrays+3 {
					t.Error(out)
				}
				all("a")
			}
			if out := zargoArgs(t, p, nil, "cat", "a/a\tb"); out.out != "[1 2]\n" {
				t.Error(out)
			}
			do(t, p, "rm a --force")
			if left, _ := filepath.Glob("a/*"); len(left) > 0 {
				t.Errorf("%q", left)
			}
		})
	}
}

// TestReservedNames checks that a new node cannot have a reserved name, but the copy of an existing
// node can.
func TestReservedNames(t *testing.T) {
	t.Chdir(t.TempDir())
	oddTree(t, "a", 3, oddNames)
	p := newProgram()
	do(t, p, "create b --group")
	do(t, p, "copy a/__x b/__x")
	do(t, p, "diff a/__x b/__x")
	fails(t, zargo(t, p, "copy a/__x b/__y"), 4, "__y")
	fails(t, zargo(t, p, "create b/__new --group"), 4, "__new")
	fails(t, zargoArgs(t, p, nil, "create", "b/a\tb", "--group"), 4, `a\tb`)
	do(t, p, "ls b/__x")
}

// TestSafeText checks that no command prints a character that a terminal interprets or that changes
// the direction of text, and that JSON and CDL keep the meaning of the text.
func TestSafeText(t *testing.T) {
	t.Chdir(t.TempDir())
	const evil = "\u009b31m\u202e\u2066\u0085\ufeff\U000e0041"
	text, _ := json.Marshal(evil + "\x1b]0;\x07")
	for _, format := range []int{2, 3} {
		root := fmt.Sprint("v", format)
		oddTree(t, root, format, []string{"plain", "a" + evil, "b\x1b[31m"})
		for _, sub := range []string{"plain", "a" + evil} {
			name := filepath.Join(root, sub, map[int]string{2: ".zarray", 3: "zarr.json"}[format])
			doc, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if format == 2 {
				write(t, filepath.Join(root, sub, ".zattrs"), fmt.Appendf(nil, `{%s:%s,"units":%s,"_ARRAY_DIMENSIONS":[%s]}`, text, text, text, text))
				continue
			}
			doc = []byte(strings.Replace(string(doc), `"attributes":{}`, fmt.Sprintf(`"attributes":{%s:%s,"units":%s,"list":[%s]},"dimension_names":[%s]`, text, text, text, text, text), 1))
			write(t, name, doc)
		}
		write(t, filepath.Join(root, "evil"+evil), nil)
	}
	bad := filepath.Join("bad"+evil, "x")
	oddTree(t, "bad"+evil, 3, []string{"x"})
	write(t, filepath.Join(bad, "zarr.json"), []byte(strings.Replace(`{"zarr_format":3,"node_type":"array","shape":[2],"data_type":NAME}`, "NAME", string(text), 1)))
	p := newProgram()
	for _, root := range []string{"v2", "v3", "bad" + evil} {
		for _, line := range []string{
			"info", "info --json", "ls", "ls -l", "ls -r", "ls -r -l", "ls --json", "ls --names", "ls --names --json", "dump", "dump --values", "dump -s", "attrs",
			"du", "du --json", "validate", "validate --json", "census", "census --json", "consolidate --check", "rm --dry-run", "hash --check=m", "stats", "hist", "copy --dry-run X out",
		} {
			args := strings.Fields(line)
			for _, target := range []string{root, root + "/plain", root + "/a" + evil, root + "/x", root + "/none" + evil} {
				full := slices.Clone(args)
				if i := slices.Index(full, "X"); i >= 0 {
					full[i] = target
				} else {
					full = append(full, target)
				}
				r := zargoArgs(t, p, nil, full...)
				checkSafe(t, fmt.Sprintf("%q", full), r.out)
				checkSafe(t, fmt.Sprintf("%q", full), r.err)
				if strings.Contains(line, "json") && r.code == 0 && !json.Valid([]byte(r.out)) {
					t.Errorf("%q: not JSON: %s", full, r.out)
				}
			}
		}
	}
	for _, line := range []string{"diff v2 v3", "diff --json v2 v3", "copy v2 c --format 3", "copy v3 d", "migrate v2", "consolidate v3"} {
		r := zargo(t, p, line)
		checkSafe(t, line, r.out)
		checkSafe(t, line, r.err)
	}
	var attrs map[string]any
	if err := json.Unmarshal([]byte(do(t, p, "attrs v3/plain")), &attrs); err != nil || attrs["units"] != evil+"\x1b]0;\x07" {
		t.Errorf("%q, %v", attrs, err)
	}
	write(t, "d.cdl", []byte(do(t, p, "dump v3/plain")))
	do(t, p, "create again.zarr --like d.cdl")
	attrs = nil
	r := zargo(t, p, "attrs again.zarr/plain")
	if err := json.Unmarshal([]byte(r.out), &attrs); err != nil || attrs["units"] != evil+"\x1b]0;\x07" || attrs[evil+"\x1b]0;\x07"] != attrs["units"] {
		t.Errorf("through CDL: %q, %v, %v", attrs, err, r)
	}
}

func checkSafe(t *testing.T, what, text string) {
	t.Helper()
	for i, r := range text {
		if r == '\n' || r == '\t' || unicode.IsGraphic(r) && r != utf8.RuneError {
			continue
		}
		t.Errorf("zargo %s prints %q: %.80q", what, r, text[max(i-40, 0):])
		return
	}
}

// TestWalksReportTheRest checks that commands name what a walk leaves out: links without a target,
// loops, special names, directories that are not nodes and other objects.
func TestWalksReportTheRest(t *testing.T) {
	for _, format := range []int{2, 3} {
		t.Chdir(t.TempDir())
		oddTree(t, "a", format, []string{"x"})
		oddTree(t, "far", format, []string{"y"})
		p := newProgram()
		if err := os.Symlink("../far", "a/link"); err != nil {
			t.Skip(err)
		}
		do(t, p, "copy a linked")
		if out := do(t, p, "diff a linked"); !strings.Contains(out, "compared 10 nodes") {
			t.Error(out)
		}
		write(t, "a/README.md", []byte("x"))
		write(t, "a/folder/file", []byte("x"))
		oddTree(t, "a/implied/sub", format, []string{"z"})
		write(t, "a/.DS_Store", []byte("x"))
		r := zargo(t, p, "copy a b")
		for _, name := range []string{"README.md", "folder", "implied"} {
			if !strings.Contains(r.err, "warning: "+name+": left out") || r.code != 0 {
				t.Errorf("%s: %+v", name, r)
			}
		}
		r = zargo(t, p, "diff a b")
		if r.code != 14 || !strings.Contains(r.out, "implied/sub: only in the first") {
			t.Errorf("%+v", r)
		}
		for name, target := range map[string]string{"dangling": "nowhere", "loop": ".", "sub/loop": "..", `back\slash`: "", "not\xffutf8": ""} {
			full := filepath.Join("a", name)
			if target == "" {
				oddTree(t, full, format, []string{"x"})
			} else if err := os.Symlink(target, full); err != nil {
				t.Fatal(err)
			}
			fails(t, zargo(t, p, "copy a c"), zargo(t, p, "copy a c").code, strings.Trim(fmt.Sprintf("%+q", filepath.Base(name)), `"`))
			for _, line := range []string{"copy a c", "diff a b", "consolidate a", "ls a", "ls -r a", "info a"} {
				if line != "copy a c" && strings.Contains(name, "/") && line != "ls -r a" {
					continue
				}
				if r := zargo(t, p, line); r.code == 0 {
					t.Errorf("%s with %q: %+v", line, name, r)
				}
			}
			if r := zargo(t, p, "validate a"); !strings.Contains(r.out, strings.Trim(fmt.Sprintf("%+q", filepath.Base(name)), `"`)) {
				t.Errorf("validate with %q: %+v", name, r)
			}
			succeed(t, os.RemoveAll(full))
		}
	}
}
