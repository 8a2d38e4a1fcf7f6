package meta

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// describe returns all fields of a node in one line.
func describe(n Node) string {
	var b strings.Builder
	switch n := n.(type) {
	case *Bad:
		fmt.Fprintf(&b, "bad: %v", n.Err)
	case *Group:
		fmt.Fprintf(&b, "v%d group", n.Format)
		writeRest(&b, n.Attrs, n.Unknown)
	case *Array:
		fill := fmt.Sprintf("%x", n.Fill)
		if n.Fill == nil {
			fill = "none"
		}
		chunks := fmt.Sprint(n.Grid.Shape)
		if n.Grid.Edges != nil {
			chunks = string(n.Grid.encode())
		}
		fmt.Fprintf(&b, "v%d %v%v chunks %s fill %s keys %s%s codecs", n.Format, n.DType, n.Shape, chunks, fill, n.Keys.Name, n.Keys.Separator)
		for _, c := range n.Codecs {
			fmt.Fprintf(&b, " %s%s", c.Name, c.Config)
			if c.Optional {
				b.WriteByte('?')
			}
		}
		if n.AllFilters {
			b.WriteString(" (all filters)")
		}
		if n.Dims != nil {
			fmt.Fprintf(&b, " dims %q", n.Dims)
		}
		writeRest(&b, n.Attrs, n.Unknown)
	}
	return b.String()
}

func writeRest(b *strings.Builder, attrs Attrs, unknown map[string]json.RawMessage) {
	if len(attrs) > 0 {
		doc, err := attributes(attrs)
		fmt.Fprintf(b, " attrs %s", doc)
		if err != nil {
			b.WriteString(err.Error())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		fmt.Fprintf(b, " and %s %s", name, unknown[name])
	}
}

// golden parses the documents of one directory and describes the nodes: one line, or several for
// consolidated metadata.
func golden(t *testing.T, dir string) (Node, []string) {
	t.Helper()
	read := func(name string) []byte {
		b, err := os.ReadFile(path.Join("testdata", dir, name))
		if err != nil {
			return nil
		}
		return b
	}
	var n Node
	var err error
	var below *Copies
	if doc := read("zarr.json"); doc != nil {
		n, err = ParseV3("zarr.json", doc)
		if g, ok := n.(*Group); ok {
			below = g.Consolidated
		}
	} else if doc := read(".zarray"); doc != nil {
		n, err = Parser{}.ArrayV2(".zarray", doc, ".zattrs", read(".zattrs"))
	} else {
		n, err = Parser{}.GroupV2(".zgroup", read(".zgroup"), ".zattrs", read(".zattrs"))
		if doc := read(".zmetadata"); doc != nil && err == nil {
			below, err = Parser{}.ConsolidatedV2(".zmetadata", doc)
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	lines := []string{dir + ": " + describe(n)}
	for _, p := range slices.SortedFunc(below.Paths(), treeOrder) {
		lines = append(lines, dir+" "+p+": "+describe(below.Node(p)))
	}
	return n, lines
}

func goldenDirs(t *testing.T) []string {
	t.Helper()
	dirs, err := fs.Glob(os.DirFS("testdata"), "*-*/*")
	if err != nil || len(dirs) < 40 {
		t.Fatalf("%d folders, %v", len(dirs), err)
	}
	return dirs
}

// TestGolden compares the models of other implementations' documents with testdata/MODELS, which
// was checked by hand.
func TestGolden(t *testing.T) {
	want, err := os.ReadFile("testdata/MODELS")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, dir := range goldenDirs(t) {
		_, lines := golden(t, dir)
		got = append(got, lines...)
	}
	wanted := strings.Split(strings.TrimSuffix(string(want), "\n"), "\n")
	for i := range max(len(got), len(wanted)) {
		if i >= len(got) || i >= len(wanted) || got[i] != wanted[i] {
			t.Fatalf("line %d is %q, want %q", i+1, slices.Concat(got, make([]string, 99))[i], slices.Concat(wanted, make([]string, 99))[i])
		}
	}
}

// writeV3 encodes a v3 node: its document, and for a group with consolidated metadata those of the
// nodes below it.
func writeV3(n Node) ([]byte, error) {
	a, ok := n.(*Array)
	if ok {
		return a.EncodeV3()
	}
	g, ok := n.(*Group)
	if !ok {
		return nil, n.(*Bad).Err
	}
	doc, err := g.EncodeV3()
	if err != nil || g.Consolidated == nil {
		return doc, err
	}
	below := map[string][]byte{}
	for path := range g.Consolidated.Paths() {
		n := g.Consolidated.Node(path)
		if sub, ok := n.(*Group); ok {
			below[path], err = sub.EncodeV3()
		} else {
			below[path], err = writeV3(n)
		}
		if err != nil {
			return nil, err
		}
	}
	return ConsolidateV3("zarr.json", doc, below)
}

// TestGoldenRewritten encodes every document again. The model must be the same, and documents of
// zarr-python must be the same JSON or differ as listed.
func TestGoldenRewritten(t *testing.T) {
	differ := map[string]string{
		"zarr-python-2.18.7/empty_filters_list":     "filters",    // [], but zargo writes null
		"zarr-python-2.18.7/bool_fill_0":            "fill_value", // 0, but zargo writes false
		"zarr-python-2.18.7/f4_third":               "fill_value", // all digits of a float64, but zargo writes the shortest form
		"zarr-python-3.1.6/optional_keys_absent":    "attributes", // absent, but zargo writes {}
		"zarr-python-3.1.6/short_hand_codec_string": "codecs",     // "bytes", but zargo writes an object
	}
	for _, dir := range goldenDirs(t) {
		t.Run(dir, func(t *testing.T) {
			n, lines := golden(t, dir)
			var doc, attrs []byte
			var err error
			var again Node
			name := "zarr.json"
			switch n := n.(type) {
			case *Group:
				if n.Format == 3 {
					doc, err = writeV3(n)
				} else if doc, attrs, err = n.EncodeV2(); err == nil {
					name = ".zgroup"
					again, err = Parser{}.GroupV2(name, doc, "", attrs)
				}
			case *Array:
				if n.Format == 3 {
					doc, err = n.EncodeV3()
				} else if doc, attrs, err = n.EncodeV2(); err == nil {
					name = ".zarray"
					again, err = Parser{}.ArrayV2(name, doc, "", attrs)
				}
			}
			if name == "zarr.json" && err == nil {
				again, err = ParseV3(name, doc)
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := dir + ": " + describe(again); got != lines[0] {
				t.Errorf("became %s\nwas    %s", got, lines[0])
			}
			if !strings.HasPrefix(dir, "zarr-python") {
				return
			}
			was, err := os.ReadFile(path.Join("testdata", dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := difference(t, was, doc), differ[dir]; got != want {
				t.Errorf("differs in %q, want %q", got, want)
			}
		})
	}
}

// difference returns the first member in which two JSON objects differ. An absent list of storage
// transformers equals an empty one.
func difference(t *testing.T, a, b []byte) string {
	t.Helper()
	var x, y map[string]any
	for doc, v := range map[*map[string]any][]byte{&x: a, &y: b} {
		d := json.NewDecoder(bytes.NewReader(v))
		if err := d.Decode(doc); err != nil {
			t.Fatal(err)
		}
		if _, ok := (*doc)["storage_transformers"]; !ok {
			(*doc)["storage_transformers"] = []any{}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(y)) {
		if !reflect.DeepEqual(x[name], y[name]) {
			return name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(x)) {
		if _, ok := y[name]; !ok {
			return name
		}
	}
	return ""
}
