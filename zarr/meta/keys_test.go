package meta

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

func TestKeys(t *testing.T) {
	tests := []struct {
		k     KeyEncoding
		coord []int
		key   string
	}{
		{KeyEncoding{"default", "/", ""}, []int{1, 0, 23}, "c/1/0/23"},
		{KeyEncoding{"default", ".", ""}, []int{1, 0}, "c.1.0"},
		{KeyEncoding{"default", "/", ""}, []int{7}, "c/7"},
		{KeyEncoding{"default", "/", ""}, []int{}, "c"},
		{KeyEncoding{"v2", ".", ""}, []int{1, 0, 23}, "1.0.23"},
		{KeyEncoding{"v2", "/", ""}, []int{1, 0}, "1/0"},
		{KeyEncoding{"v2", ".", ""}, []int{7}, "7"},
		{KeyEncoding{"v2", ".", ""}, []int{}, "0"},
		{KeyEncoding{"default", "/", ".tiff"}, []int{1, 2}, "c/1/2.tiff"},
		{KeyEncoding{"default", ".", ".b.a"}, []int{}, "c.b.a"},
		{KeyEncoding{"v2", ".", "/data"}, []int{3}, "3/data"},
	}
	for _, tt := range tests {
		t.Run(tt.key, func(t *testing.T) {
			if got := tt.k.Key(tt.coord); got != tt.key {
				t.Errorf("key %q", got)
			}
			if got := string(tt.k.AppendKey([]byte("a/"), tt.coord)); got != "a/"+tt.key {
				t.Errorf("appended %q", got)
			}
			got, ok := tt.k.Parse(tt.key, len(tt.coord))
			if !ok || !slices.Equal(got, tt.coord) {
				t.Errorf("parsed %v, %v", got, ok)
			}
			for _, bad := range []string{"", "x", tt.key + "/", tt.key + ".", tt.key + "x", "-" + tt.key, "+" + tt.key, "0" + tt.key, "c" + tt.key, "c/00", "c/-1", "zarr.json", tt.key + "99999999999999999999"} {
				if got, ok := tt.k.Parse(bad, len(tt.coord)); ok {
					t.Errorf("%q parsed as %v", bad, got)
				}
			}
		})
	}
	if got, ok := (KeyEncoding{"default", "/", ""}).Parse("c/1", 2); ok {
		t.Errorf("too few parsed as %v", got)
	}
}

func TestPaths(t *testing.T) {
	for in, want := range map[string]string{"": "", "/": "", "///": "", "a": "a", "/a/": "a", "a//b///c": "a/b/c", "..a/b..": "..a/b..", "a b/é": "a b/é", "...": "..."} {
		if got, err := NormalizePath(in); err != nil || got != want {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	for _, in := range []string{"..", "a/../b", "./a", "a/.", `a\b`, `\`, "a\x00b", "\xff"} {
		if got, err := NormalizePath(in); !errors.Is(err, fault.Path) {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	tests := []struct {
		name   string
		v2, v3 bool
	}{
		{"a", true, true}, {"A.b-c_1", true, true}, {"é", true, true}, {".a", true, true}, {"_a", true, true}, {"c", true, true},
		{"", false, false}, {".", false, false}, {"..", false, false}, {"a/b", false, false}, {`a\b`, false, false}, {"a\x01", false, false},
		{"...", true, false}, {"__a", true, false}, {"zarr.json", true, false},
		{".zarray", false, true}, {".zgroup", false, true}, {".zattrs", false, true}, {".zmetadata", false, true},
	}
	for _, tt := range tests {
		for format, ok := range map[int]bool{2: tt.v2, 3: tt.v3} {
			if err := CheckName(tt.name, format); (err == nil) != ok || err != nil && !errors.Is(err, fault.Path) {
				t.Errorf("%q in v%d: %v", tt.name, format, err)
			}
		}
	}
}

// TestCost checks that documents that are made to be expensive take memory in proportion to their
// length.
func TestCost(t *testing.T) {
	const n = 1 << 16
	for name, doc := range map[string]string{
		"long list of lengths":   strings.Replace(valid3, "[4,6]", "[1"+strings.Repeat(",1", n)+"]", 1),
		"many members":           strings.Replace(valid3, `{"a":1}`, `{"a":1`+strings.Repeat(`,"a":1`, n)+`}`, 1),
		"many consolidated":      `{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","metadata":{"` + strings.Repeat("x", 1000) + `":{"zarr_format":3,"node_type":"array","shape":[1` + strings.Repeat(",1", n) + `]}}}}`,
		"consolidated in itself": strings.Repeat(`{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","metadata":{"a":`, 300) + `{"x":"` + strings.Repeat("x", n) + `"}` + strings.Repeat("}}}", 300),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _ = ParseV3("k", []byte(doc))
			runtime.ReadMemStats(&after)
			if got, most := after.TotalAlloc-before.TotalAlloc, uint64(150*len(doc)); got > most {
				t.Errorf("%d bytes for a document of %d", got, len(doc))
			}
		})
	}
}

func TestSuffix(t *testing.T) {
	for in, want := range map[string]KeyEncoding{
		`{"name":"suffix","configuration":{"suffix":".tiff","base-encoding":{"name":"default"}}}`:                                                                                             {"default", "/", ".tiff"},
		`{"name":"suffix","configuration":{"suffix":".shard.zip","base_encoding":"v2"}}`:                                                                                                      {"v2", ".", ".shard.zip"},
		`{"name":"suffix","configuration":{"suffix":".a","base_encoding":{"name":"suffix","configuration":{"suffix":".b","base_encoding":{"name":"v2","configuration":{"separator":"/"}}}}}}`: {"v2", "/", ".b.a"},
	} {
		n, err := ParseV3("k", []byte(strings.Replace(valid3, `{"name":"default"}`, in, 1)))
		if err != nil {
			t.Fatal(err)
		}
		a := n.(*Array)
		if a.Keys != want {
			t.Errorf("%s: %+v", in, a.Keys)
		}
		doc, err := a.EncodeV3()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := ParseV3("k", doc); err != nil || again.(*Array).Keys != want {
			t.Errorf("%s: written again %+v, %v", in, again, err)
		}
	}
}
