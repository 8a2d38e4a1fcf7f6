package main

import (
	"strings"
	"testing"
)

// TestLikeRoundTrip creates datasets from a header that ncdump printed, and dumps them. It also
// creates a dataset from the dump and dumps it. Both dumps must equal the header.
func TestLikeRoundTrip(t *testing.T) {
	want := golden(t, "testdata/cdl/header.cdl")
	for _, format := range []string{"2", "3"} {
		t.Run("v"+format, func(t *testing.T) {
			p, st := newProgram(), "mem://"+t.Name()
			do(t, p, "create "+st+" --like testdata/cdl/header.cdl --format "+format)
			sameText(t, do(t, p, "dump --name data "+st), want)
			r := zargoArgs(t, p, []byte(want), "create", st+"-2", "--like", "-", "--format", format)
			if r.code != 0 {
				t.Fatal(r.err)
			}
			sameText(t, do(t, p, "dump --name data "+st+"-2"), want)
			do(t, p, "create "+st+"-3 --like "+st)
			sameText(t, do(t, p, "dump --name data "+st+"-3"), want)
			if got := do(t, p, "diff "+st+" "+st+"-3 --metadata"); !strings.HasSuffix(got, ": equal\n") {
				t.Error(got)
			}
		})
	}
}

// TestLikeSpecial checks that create --like keeps the shape of chunks from a dump with special
// attributes.
func TestLikeSpecial(t *testing.T) {
	p := newProgram()
	header := do(t, p, "dump -s --name data testdata/cdl/data.v3.zip|zip:")
	if r := zargoArgs(t, p, []byte(header), "create", "mem://a", "--like", "-"); r.code != 0 {
		t.Fatal(r.err)
	}
	sameText(t, do(t, p, "dump -s --name data mem://a"), header)
	fails(t, zargoArgs(t, p, []byte(header), "create", "mem://a", "--like", "-"), 10, "mem://a", "exists")
	if r := zargoArgs(t, p, []byte(header), "create", "mem://a", "--like", "-", "--exist-ok"); r.code != 0 {
		t.Error(r.err)
	}
}

// TestLikeNaN checks that the fill value NaN has the bits that other writers store as "NaN".
func TestLikeNaN(t *testing.T) {
	p := newProgram()
	header := "netcdf n {\ndimensions:\n\tx = 2 ;\nvariables:\n\tdouble a(x) ;\n\t\ta:_FillValue = NaN ;\n\tfloat b(x) ;\n\t\tb:_FillValue = NaNf ;\n}\n"
	if r := zargoArgs(t, p, []byte(header), "create", "mem://n", "--like", "-"); r.code != 0 {
		t.Fatal(r.err)
	}
	for _, name := range []string{"a", "b"} {
		if got := do(t, p, "info mem://n/"+name); !strings.Contains(got, "\"NaN\"\n") {
			t.Error(got)
		}
	}
}

// TestLikeXarray creates datasets from descriptions that xarray wrote, and compares them with the
// dataset that xarray wrote. Its group lists the coordinates in the attribute coordinates of
// variables, and xarray does not keep a _FillValue of None.
func TestLikeXarray(t *testing.T) {
	p := newProgram()
	do(t, p, "create mem://a --like testdata/xarray/described.json")
	r := zargo(t, p, "diff --metadata testdata/xarray/described.zip|zip: mem://a")
	sameText(t, r.out, `.: attributes/coordinates: none, "area"
flag: attributes/coordinates: "area", none
land: attributes/coordinates: "area", none
rain: fill_value: "NaN", 1e+20
rain: attributes/coordinates: "area", none
ratio: attributes/_FillValue: none, "AAAAAAAA+H8="
t2m: fill_value: 0, -9999
t2m: attributes/coordinates: "area", none
compared 15 nodes, 0 elements: 6 nodes not equal
`)
	do(t, p, "create mem://b --like testdata/xarray/described.json --format 2")
	sameText(t, do(t, p, "dump --name a mem://b"), do(t, p, "dump --name a mem://a"))

	// Without encodings, variables have the types of xarray, and times the units of their type.
	r = zargoArgs(t, p, []byte(golden(t, "testdata/xarray/plain.json")), "create", "mem://c", "--like", "-", "--codec", "gzip:1")
	if r.code != 0 {
		t.Fatal(r.err)
	}
	dump := do(t, p, "dump mem://c")
	for _, want := range []string{"double t2m(time, lat, lon)", "int64 time(time)", "time:units = \"nanoseconds since 1970-01-01\"", "lead:units = \"nanoseconds\"", "lead:dtype = \"timedelta64[ns]\"", "rain:_FillValue = NaNf"} {
		if !strings.Contains(dump, want) {
			t.Errorf("no %s in\n%s", want, dump)
		}
	}
}

// TestLikeBadJSON checks the errors of descriptions in JSON.
func TestLikeBadJSON(t *testing.T) {
	p := newProgram()
	of := func(v string) string { return `{"coords": {}, "data_vars": {"a": ` + v + `}}` }
	for text, want := range map[string]string{
		`{}`:                              "coords",
		` {"coords": {}`:                  "JSON",
		`{"coords": {}, "data_vars": []}`: "data_vars",
		of(`3`):                           `"dims"`,
		of(`{"dims": ["x"], "shape": [-1], "dtype": "int8"}`):                                 `"shape"`,
		of(`{"dims": ["x"], "shape": [1, 2], "dtype": "int8"}`):                               "as many",
		of(`{"dims": [1], "shape": [1], "dtype": "int8"}`):                                    "string",
		of(`{"dims": ["x"], "shape": [1], "dtype": "datetime64[generic]"}`):                   "unit",
		of(`{"dims": ["x"], "shape": [1], "dtype": "int8", "attrs": {"_FillValue": "1e99"}}`): "_FillValue",
		of(`{"dims": ["x"], "shape": [1], "dtype": "int8", "encoding": {"chunks": [0]}}`):     "chunk",
		of(`{"dims": ["x", "x"], "shape": [1, 2], "dtype": "int8"}`):                          "length",
		`{"coords": ` + strings.Repeat("[", 1<<20):                                            "nested",
	} {
		fails(t, zargoArgs(t, p, []byte(text), "create", "mem://a", "--like", "-"), 4, want)
	}
	fails(t, zargoArgs(t, p, []byte(of(`{"dims": [], "shape": [], "dtype": "int88"}`)), "create", "mem://a", "--like", "-"), 2, "int8")
	fails(t, zargoArgs(t, p, []byte(of(`{"dims": [], "shape": [], "dtype": "int8", "attrs": {"_FillValue": 300}}`)), "create", "mem://a", "--like", "-"), 1, "int8", "300")
	fails(t, zargo(t, p, "create mem://a --like none.json"), 1, "none.json")
}

// TestLikeKeepsEncoding checks that create --like keeps the members of xarray's encoding that
// xarray's to_zarr writes as attributes.
func TestLikeKeepsEncoding(t *testing.T) {
	p := newProgram()
	text := `{"attrs":{},"dims":{"x":2},"coords":{},"data_vars":{"v":{"dims":["x"],"attrs":{},"dtype":"uint8","shape":[2],"encoding":{"dtype":"int8","_Unsigned":"true","missing_value":-1}}}}`
	if r := zargoArgs(t, p, []byte(text), "create", "mem://a", "--like", "-"); r.code != 0 {
		t.Fatal(r.err)
	}
	got := strings.Join(strings.Fields(do(t, p, "attrs mem://a/v")), "")
	if !strings.Contains(got, `"_Unsigned":"true"`) || !strings.Contains(got, `"missing_value":-1`) {
		t.Error(got)
	}
}

// TestFlagsAtTheirDefault checks that a flag that has no effect is refused, also with its default
// value.
func TestFlagsAtTheirDefault(t *testing.T) {
	p := newProgram()
	do(t, p, "create mem://old --shape 2 --dtype int8 --format 2")
	fails(t, zargo(t, p, "create mem://new --like mem://old --format 3"), 2, "--format")
	fails(t, zargo(t, p, "create mem://new --like mem://old --order C"), 2, "order")
	fails(t, zargo(t, p, "create mem://new --group --order C"), 2, "order")
	fails(t, zargoArgs(t, p, nil, "put", "mem://old", "-", "--format", "3"), 2, "--create")
	fails(t, zargoArgs(t, p, nil, "put", "mem://old", "-", "--order", "C"), 2, "--create")
	do(t, p, "create mem://new --like mem://old")
}
