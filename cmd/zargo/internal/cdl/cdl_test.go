package cdl_test

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/cdl"
	"github.com/zargo-io/zargo/zarr/fault"
)

func printed(t testing.TB, f *cdl.File) string {
	t.Helper()
	var b strings.Builder
	if err := cdl.Write(&b, f, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRoundTrip parses a header that ncdump printed, and prints it again.
func TestRoundTrip(t *testing.T) {
	want, err := os.ReadFile("../../testdata/cdl/header.cdl")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(want), "\r\n", "\n")
	f, err := cdl.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := printed(t, f); got != text {
		t.Errorf("got\n%s", got)
	}
}

// TestParse parses CDL that ncdump does not print.
func TestParse(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"lists", "netcdf x { dimensions: a = 3, b = unlimited; variables: int v(a,b), w; }",
			"netcdf x {\ndimensions:\n\ta = 3 ;\n\tb = UNLIMITED ; // (0 currently)\nvariables:\n\tint v(a, b) ;\n\tint w ;\n}\n"},
		{"declared types", "netcdf x { variables: real r; float r:f = 1; double :g = 2; string :s = \"a\"; }",
			"netcdf x {\nvariables:\n\tfloat r ;\n\t\tr:f = 1.f ;\n\n// global attributes:\n\t\t:g = 2. ;\n\t\tstring :s = \"a\" ;\n}\n"},
		{"suffixes", "netcdf x { :a = 0x1FU; :b = 1L; :c = 1.5e3; :d = 3f; :e = -1S; :f = +7 ; :g = 1d ; :h = 5000000000; }",
			"netcdf x {\n\n// global attributes:\n\t\t:a = 31U ;\n\t\t:b = 1 ;\n\t\t:c = 1500. ;\n\t\t:d = 3.f ;\n\t\t:e = -1s ;\n\t\t:f = 7 ;\n\t\t:g = 1. ;\n\t\t:h = 5000000000LL ;\n}\n"},
		{"joined texts", "netcdf x { :a = \"b\\n\",\n\"c\\x41\\101\"; }", "netcdf x {\n\n// global attributes:\n\t\t:a = \"b\\ncAA\" ;\n}\n"},
		{"names of keywords", "netcdf x { variables: int data; data:a = 1; string string; string:b = 2; string string:c = \"d\"; }",
			"netcdf x {\nvariables:\n\tint data ;\n\t\tdata:a = 1 ;\n\tstring string ;\n\t\tstring:b = 2 ;\n\t\tstring string:c = \"d\" ;\n}\n"},
		{"comments", "// first\nnetcdf x { // second\n}//", "netcdf x {\n}\n"},
		{"escapes", "netcdf \\1\\ x { variables: int \\%0a\\{; }", "netcdf \\1\\ x {\nvariables:\n\tint \\%0a\\{ ;\n}\n"},
		{"outer dimension", "netcdf x { dimensions: a = 1; group: g { variables: int v(a); } }",
			"netcdf x {\ndimensions:\n\ta = 1 ;\n\ngroup: g {\n  variables:\n  \tint v(a) ;\n  } // group g\n}\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := cdl.Parse(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := printed(t, f); got != tt.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestMalformed checks that errors are of the right kind and contain the number of the line.
func TestMalformed(t *testing.T) {
	deep := "netcdf x {\n" + strings.Repeat("group: g {\n", cdl.MaxDepth+1)
	for _, tt := range []struct {
		name, text string
		kind       error
		line       string
	}{
		{"empty", "", fault.Metadata, "line 1"},
		{"no brace", "netcdf x", fault.Metadata, "line 1"},
		{"no end", "netcdf x {\n", fault.Metadata, "line 2"},
		{"text after the end", "netcdf x {}\nmore", fault.Metadata, "line 2"},
		{"data", "netcdf x {\nvariables: int v;\ndata:\n\n v = 1 ;\n}", errors.ErrUnsupported, "line 3"},
		{"types", "netcdf x {\ntypes:\n compound c {}\n}", errors.ErrUnsupported, "line 2"},
		{"unknown type", "netcdf x {\nvariables: thing v;\n}", errors.ErrUnsupported, "line 2"},
		{"undeclared dimension", "netcdf x {\nvariables: int v(y);\n}", fault.Metadata, "line 2"},
		{"undeclared variable", "netcdf x {\nvariables: v:a = 1;\n}", fault.Metadata, "line 2"},
		{"repeated dimension", "netcdf x {\ndimensions: a = 1, a = 2;\n}", fault.Metadata, "line 2"},
		{"repeated variable", "netcdf x { variables: int a;\nint a;\n}", fault.Metadata, "line 2"},
		{"repeated group", "netcdf x { group: a {}\ngroup: a {}\n}", fault.Metadata, "line 2"},
		{"negative length", "netcdf x {\ndimensions: a = -1;\n}", fault.Metadata, "line 2"},
		{"huge length", "netcdf x {\ndimensions: a = 99999999999999999999;\n}", fault.Metadata, "line 2"},
		{"range", "netcdf x {\n:a = 300b;\n}", fault.Metadata, "line 2"},
		{"range of a declared type", "netcdf x {\nbyte :a = 300;\n}", fault.Metadata, "line 2"},
		{"mixed", "netcdf x {\n:a = 1, 2.;\n}", fault.Metadata, "line 2"},
		{"not a number", "netcdf x {\n:a = 1_0;\n}", fault.Metadata, "line 2"},
		{"open text", "netcdf x {\n:a = \"b;\n}", fault.Metadata, "line 2"},
		{"deep groups", deep, fault.Metadata, "line"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := cdl.Parse(tt.text)
			if !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.line) {
				t.Error(err)
			}
		})
	}
}

// TestConvert converts numbers at the limits of the integer types.
func TestConvert(t *testing.T) {
	for _, tt := range []struct {
		name string
		kind cdl.Type
		v    any
		want any
	}{
		{"byte", cdl.Byte, int64(-128), int64(-128)},
		{"byte below", cdl.Byte, int64(-129), nil},
		{"byte above", cdl.Byte, int64(128), nil},
		{"ubyte", cdl.UByte, int64(255), uint64(255)},
		{"ubyte above", cdl.UByte, int64(256), nil},
		{"ubyte below", cdl.UByte, int64(-1), nil},
		{"int64", cdl.Int64, int64(math.MinInt64), int64(math.MinInt64)},
		{"int64 above", cdl.Int64, uint64(math.MaxInt64 + 1), nil},
		{"uint64", cdl.UInt64, uint64(math.MaxUint64), uint64(math.MaxUint64)},
		{"from float", cdl.Short, -3.0, int64(-3)},
		{"fraction", cdl.Short, 0.5, nil},
		{"float", cdl.Float, 0.1, float64(float32(0.1))},
		{"text", cdl.Int, "1", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := cdl.Convert(tt.kind, tt.v)
			if ok != (tt.want != nil) || ok && got != tt.want {
				t.Error(got, ok)
			}
		})
	}
}

// FuzzParse checks that Parse does not panic, and that printing and parsing a file again does not
// change it.
func FuzzParse(f *testing.F) {
	header, err := os.ReadFile("../../testdata/cdl/header.cdl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(header))
	for _, seed := range []string{"netcdf x { :a = 1b, 2b; }", "netcdf \\1 { group: g { variables: int data; data:a = \"\\n\\001\"; } }", "netcdf x { :a = NaNf, -Infinityf; :b = 0x1U; }"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := cdl.Parse(text)
		if err != nil {
			return
		}
		once := printed(t, file)
		again, err := cdl.Parse(once)
		if err != nil {
			t.Fatalf("%v\n%s", err, once)
		}
		if twice := printed(t, again); twice != once {
			t.Errorf("%q\n%q", once, twice)
		}
	})
}

// TestEmptyName checks that an attribute without a name, which JSON permits, is a comment.
func TestEmptyName(t *testing.T) {
	text := printed(t, &cdl.File{Name: "x", Root: cdl.Group{Attrs: []cdl.Attr{{Type: cdl.Int, Values: []any{int64(5)}}}}})
	if want := "netcdf x {\n\n// global attributes:\n//\t\t: = 5 ; // no name of CDL\n}\n"; text != want {
		t.Errorf("got %q, want %q", text, want)
	}
	if _, err := cdl.Parse(text); err != nil {
		t.Error(err)
	}
}
