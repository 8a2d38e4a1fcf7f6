package meta

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path"
	"strings"
	"testing"
)

// seeds adds every golden document of a name, and those of the tables, to a fuzz target.
func seeds(f *testing.F, name string, more ...string) {
	f.Helper()
	dirs, err := os.ReadDir("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, w := range dirs {
		cases, _ := os.ReadDir(path.Join("testdata", w.Name())) // MANIFEST and MODELS are not directories
		for _, c := range cases {
			if doc, err := os.ReadFile(path.Join("testdata", w.Name(), c.Name(), name)); err == nil {
				f.Add(doc)
			}
		}
	}
	for _, doc := range more {
		f.Add([]byte(doc))
	}
}

// stable checks that an encoded node parses to the same node, except for the bits of a v2 NaN,
// which are lost the first time.
func stable(t *testing.T, write func() ([]byte, error), read func([]byte) (func() ([]byte, error), string, error), was string) {
	t.Helper()
	doc, err := write()
	if err != nil {
		t.Fatalf("cannot be written: %v\n%s", err, was)
	}
	rewrite, is, err := read(doc)
	if err != nil {
		t.Fatalf("cannot be read again: %v\n%s", err, doc)
	}
	if is != was && !bytes.Contains(doc, []byte(`"NaN"`)) {
		t.Fatalf("was %s\nis  %s", was, is)
	}
	again, err := rewrite()
	if err != nil || !bytes.Equal(doc, again) {
		t.Fatalf("%s\nbecame %s, %v", doc, again, err)
	}
}

func FuzzParseV3(f *testing.F) {
	seeds(f, "zarr.json", valid3, strings.Replace(valid3, `{"a":1}`, `{"a":NaN,"b":[-Infinity,"\ud800"]}`, 1),
		strings.Replace(valid3, regular3, `{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[3,[1,[2,9],2]]}}`, 1), `{"zarr_format":3,"node_type":"group","consolidated_metadata":null}`)
	f.Fuzz(func(t *testing.T, doc []byte) {
		n, err := ParseV3("k", doc)
		if (n == nil) == (err == nil) {
			t.Fatalf("%v, %v", n, err)
		}
		if err != nil {
			return
		}
		writer := func(n Node) func() ([]byte, error) {
			return func() ([]byte, error) { return writeV3(n) }
		}
		if g, ok := n.(*Group); ok {
			for path := range g.Consolidated.Paths() {
				if _, bad := g.Consolidated.Node(path).(*Bad); bad {
					return // it has no document
				}
			}
		}
		stable(t, writer(n), func(doc []byte) (func() ([]byte, error), string, error) {
			n, err := ParseV3("k", doc)
			if err != nil {
				return nil, "", err
			}
			return writer(n), describe(n), nil
		}, describe(n))
		changed, err := SetAttrs("k", doc, Attrs{"fuzz": true})
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseV3("k", changed)
		if err != nil {
			t.Fatalf("%v in %s", err, changed)
		}
		set := func(n Node) string {
			switch n := n.(type) {
			case *Array:
				n.Attrs = Attrs{"fuzz": true}
			case *Group:
				n.Attrs = Attrs{"fuzz": true}
			}
			return describe(n)
		}
		if got, want := describe(again), set(n); got != want {
			t.Fatalf("got %s\nwant %s", got, want)
		}
	})
}

func FuzzParseV2(f *testing.F) {
	seeds(f, ".zarray", valid2, strings.Replace(valid2, `"fill_value":0`, `"fill_value":NaN`, 1), `{"zarr_format":2}`)
	f.Fuzz(func(t *testing.T, doc []byte) {
		_, _ = Parser{}.GroupV2("k", doc, "k", doc)
		_, _ = Parser{}.ArrayV2("k", []byte(valid2), "k", doc)
		a, err := Parser{}.ArrayV2("k", doc, "k", nil)
		if (a == nil) == (err == nil) {
			t.Fatalf("%v, %v", a, err)
		}
		if err != nil {
			return
		}
		write := func(a *Array) func() ([]byte, error) {
			return func() ([]byte, error) { doc, _, err := a.EncodeV2(); return doc, err }
		}
		if a.NoSeparator {
			nested, err := SetSeparator("k", doc, "/")
			if err != nil {
				t.Fatal(err)
			}
			b, err := Parser{}.ArrayV2("k", nested, "k", nil)
			if err != nil || b.NoSeparator || describe(b) != strings.Replace(describe(a), "keys v2.", "keys v2/", 1) {
				t.Fatalf("%s: %v", nested, err)
			}
		}
		was := *a
		was.AllFilters = false // the last filter may become the compressor, with the same effect
		stable(t, write(a), func(doc []byte) (func() ([]byte, error), string, error) {
			a, err := Parser{}.ArrayV2("k", doc, "k", nil)
			if err != nil {
				return nil, "", err
			}
			is := *a
			is.AllFilters = false
			return write(a), describe(&is), nil
		}, describe(&was))
	})
}

func FuzzParseConsolidatedV2(f *testing.F) {
	seeds(f, ".zmetadata", `{"zarr_consolidated_format":1,"metadata":{".zgroup":{"zarr_format":2},"a/.zarray":`+valid2+`,"a/b/.zgroup":{}}}`)
	f.Fuzz(func(t *testing.T, doc []byte) {
		nodes, err := Parser{}.ConsolidatedV2("k", doc)
		if (nodes == nil) == (err == nil) {
			t.Fatalf("%v, %v", nodes, err)
		}
		for p := range nodes.Paths() {
			if norm, err := NormalizePath(p); err != nil || norm != p {
				t.Errorf("path %q: %v", p, err)
			}
			if nodes.Node(p) == nil || !nodes.Has(p) {
				t.Errorf("no node at %q", p)
			}
		}
	})
}

// FuzzJSON compares the scanner with encoding/json, which accepts the same texts if they are UTF-8
// without bare tokens.
func FuzzJSON(f *testing.F) {
	seeds(f, "zarr.json", `[1,-0.5e+3,"\u00e9\\",{"a":[]},null,true]`, `{"a":1,"a":2}`, `-Infinity`, `[,]`, `"\x"`, `01`, "\"\x7f\"")
	f.Fuzz(func(t *testing.T, doc []byte) {
		_, err := check(doc, false)
		if err == nil != (json.Valid(doc) && string(doc) == strings.ToValidUTF8(string(doc), "")) && !bytes.Contains(doc, bytes.Repeat([]byte("["), 300)) {
			t.Fatalf("%q: %v", doc, err)
		}
		if err != nil {
			return
		}
		got, err := (&scanner{b: doc}).decode()
		if err != nil {
			t.Fatal(err)
		}
		var want any
		d := json.NewDecoder(bytes.NewReader(doc))
		d.UseNumber()
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		a, err1 := json.Marshal(got)
		b, err2 := json.Marshal(want)
		if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Fatalf("%s, %v\n%s, %v", a, err1, b, err2)
		}
	})
}

// FuzzSplice checks that a spliced document has the new entry, and all others unchanged.
func FuzzSplice(f *testing.F) {
	seeds(f, ".zmetadata", `{"metadata":{"a/.zgroup":{},"z":[NaN]},"zarr_consolidated_format":1}`)
	seeds(f, "zarr.json", "{\n \"consolidated_metadata\": {\n  \"kind\": \"inline\", \"metadata\": {}}}",
		`{"zarr_format":3,"consolidated_metadata":{"kind":"inline","metadata":{"b":{},"a/b":{}}}}`)
	entry := []byte(`{"zarr_format":3,"node_type":"array"}`)
	f.Fuzz(func(t *testing.T, doc []byte) {
		for of, splice := range map[string]func(string, []byte, map[string][]byte) ([]byte, error){"metadata": SpliceV2, "consolidated_metadata.metadata": SpliceV3} {
			out, err := splice("k", doc, map[string][]byte{"a/b": entry, "a/.zgroup": nil})
			if err != nil {
				continue
			}
			before, after := entriesOf(t, doc, of), entriesOf(t, out, of)
			if after["a/b"] == "" || string(compact([]byte(after["a/b"]))) != string(entry) || after["a/.zgroup"] != "" {
				t.Fatalf("%s: %s became %s", of, doc, out)
			}
			for _, name := range []string{"a/b", "a/.zgroup"} {
				delete(before, name)
				delete(after, name)
			}
			if !maps.Equal(before, after) {
				t.Fatalf("%s: %v became %v", of, before, after)
			}
		}
	})
}

// entriesOf returns the entries of consolidated metadata, by name.
func entriesOf(t *testing.T, doc []byte, of string) map[string]string {
	o, err := document("k", doc, Parser{})
	for _, name := range strings.Split(of, ".") {
		if err == nil {
			o, err = o.member(name).object(o.get(name))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, m := range o.all {
		all[m.name] = string(m.raw)
	}
	return all
}
