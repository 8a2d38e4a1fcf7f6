package archtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const top = "../../.."

func load(t *testing.T) []Package {
	t.Helper()
	pkgs, err := Load(t.Context(), top, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if len(pkgs) < 10 {
		t.Fatalf("only %d packages", len(pkgs))
	}
	return pkgs
}

func TestImports(t *testing.T) {
	for _, v := range Check(load(t), Table()) {
		t.Error(v)
	}
}

func TestSource(t *testing.T) {
	for _, p := range load(t) {
		bad, err := Source(p)
		if err != nil {
			t.Error(err)
		}
		for _, v := range bad {
			t.Error(v)
		}
	}
}

func TestTableHasNoCircle(t *testing.T) {
	if c := Circle(Table()); c != nil {
		t.Error(strings.Join(c, " -> "))
	}
}

func TestReach(t *testing.T) {
	tests := []struct {
		name string
		from string
		not  []string
	}{
		{"zarr reaches no cloud library", "./zarr/...", append(Cloud(), "blob", "s3", "cmd")},
		{"neither does what runs its tasks", "./concurrency", Cloud()},
		{"nor the quickstart", "./examples/quickstart", append(Cloud(), "blob", "s3")},
		{"s3 reaches no other provider", "./s3", []string{"cloud.google.com", "github.com/Azure", "gocloud.dev/blob/gcsblob", "gocloud.dev/blob/azureblob"}},
		{"nor does gcs", "./gcs", []string{"github.com/aws", "github.com/Azure", "gocloud.dev/blob/s3blob", "gocloud.dev/blob/azureblob"}},
		{"nor does azure", "./azure", []string{"github.com/aws", "cloud.google.com/go/storage", "gocloud.dev/blob/s3blob", "gocloud.dev/blob/gcsblob"}},
		{"nor does blob reach any", "./blob", []string{"cloud.google.com", "github.com/Azure", "github.com/aws", "gocloud.dev/blob/s3blob"}},
		{"openurl links no provider", "./openurl", append(Cloud(), "blob", "s3", "gcs", "azure")},
		{"the fault proxy is of the standard library", "./integration/faultproxy", append(Cloud(), "zarr", "blob", "s3", "golang.org", "github.com")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			reached, err := Reached(t.Context(), top, tt.from)
			if err != nil {
				t.Fatal(err)
			}
			if len(reached) < 2 {
				t.Fatalf("only %v", reached)
			}
			for _, p := range Forbidden(reached, tt.not) {
				t.Errorf("%s reaches %s", tt.from, p)
			}
		})
	}
}

func TestDrawing(t *testing.T) {
	got := Mermaid(load(t))
	for _, want := range []string{`internal_node["internal/node"] --> internal_node_spec["internal/node/spec"]`, `s3["s3"] --> blob["blob"]`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, `s3["s3"] --> zarr_store["zarr/store"]`) {
		t.Error("an import that another one implies is drawn")
	}
}

func TestCheckFinds(t *testing.T) {
	tests := []struct {
		name string
		pkg  Package
		want string
	}{
		{"upwards", Package{Path: "zarr/meta", Imports: []string{"zarr/store"}}, "zarr/meta may not import zarr/store"},
		{"unknown package", Package{Path: "zarr/new"}, "zarr/new is not in the table"},
		{"unknown own import", Package{Path: "zarr", Imports: []string{"internal/new"}}, "zarr may not import internal/new"},
		{"what users cannot import, in an example", Package{Path: "examples/means", Imports: []string{"internal/chunk/grid"}}, "examples/means may not import internal/chunk/grid"},
		{"a library", Package{Path: "zarr/dtype", Imports: []string{"golang.org/x/exp/maps"}}, "golang.org/x/exp/maps"},
		{"context", Package{Path: "zarr/dtype", Imports: []string{"context"}}, "context, being pure"},
		{"net/http", Package{Path: "zarr/codec/internal/zst", Imports: []string{"net/http"}}, "net/http, being pure"},
		{"a cloud library in a test", Package{Path: "zarr", TestImports: []string{"gocloud.dev/blob/memblob"}}, "tests of zarr may not import gocloud.dev"},
		{"a provider in a test", Package{Path: "zarr", TestImports: []string{"integration/bucket"}}, "tests of zarr may not import integration/bucket"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bad := Check([]Package{tt.pkg}, Table())
			if len(bad) != 1 || !strings.Contains(bad[0], tt.want) {
				t.Errorf("%q", bad)
			}
		})
	}
}

func TestCheckLetsPass(t *testing.T) {
	pkgs := []Package{
		{Path: "blob"},
		{Path: "zarr/meta", Imports: []string{"zarr/dtype", "zarr/fault", "encoding/json"}},
		{Path: "zarr/store", Imports: []string{"context", "zarr/fault"}, TestImports: []string{"zarr/store/mem", "zarr/store/storetest"}},
		{Path: "s3", Imports: []string{"blob", "gocloud.dev/blob/s3blob"}, TestImports: []string{"integration/faultproxy"}},
		{Path: "integration/crash", Imports: []string{"zarr", "s3", "os"}},
	}
	if bad := Check(pkgs, Table()); bad != nil {
		t.Errorf("%q", bad)
	}
}

func TestCircleIsFound(t *testing.T) {
	for _, table := range [][]Rule{
		{{Package: "a", Own: []string{"b"}}, {Package: "b", Own: []string{"c/..."}}, {Package: "c/d", Own: []string{"a"}}},
		{{Package: "a", Own: []string{"b"}}, {Package: "b", Own: []string{"c/d"}}, {Package: "c/...", Own: []string{"a"}}},
	} {
		if got := Circle(table); len(got) != 4 || got[0] != "a" || got[3] != "a" {
			t.Errorf("%q", got)
		}
	}
}

func TestSourceFinds(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"doc.go": "package p\n",
		"a.go":   "// Package p does it.\npackage p\n\nimport _ \"unsafe\"\n\nvar n, m = 1, map[int]int{}\n\nfunc init() {}\n",
		"b.go":   "package p\n\nfunc f() { n++; m[1] = 2 }\n\nfunc g(n int) { n++; m := m; m[1] = 2 }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bad, err := Source(Package{Path: "p", Dir: dir, Files: []string{"a.go", "b.go", "doc.go"}})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(bad, "\n")
	want := `p: a.go has a package comment, which belongs into doc.go
p: a.go has an init
p: a.go imports unsafe, which belongs into internal/bits/bytesview
p: b.go:3 assigns to the package variable m
p: b.go:3 assigns to the package variable n
p: doc.go has no package comment`
	if text != want {
		t.Errorf("got\n%s", text)
	}
	bad, err = Source(Package{Path: "p", Dir: dir, Files: []string{"b.go"}})
	if err != nil || len(bad) != 1 || !strings.Contains(bad[0], "no doc.go") {
		t.Errorf("%q, %v", bad, err)
	}
}
