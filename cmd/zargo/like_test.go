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
