package peers

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// This file holds all that is known not to work, and nothing else is excused. Each entry is tried every time: one that
// has begun to work fails the test until it is taken out here.

// refusal is a kind of array that a peer does not do anywhere, with a part of what it says.
type refusal struct {
	peer string
	of   func(Row) bool
	says string
}

var refusals = []refusal{
	{"tensorstore", func(r Row) bool { return r.Format == 3 && hasCodec(r, "zlib") }, "numcodecs.zlib"},
}

func hasCodec(r Row, name string) bool {
	return slices.ContainsFunc(r.Codecs, func(c Codec) bool { return c.Name == name })
}

// lack is a thing that a peer cannot do at a place, with a pattern of what it says, and why it is so. The pattern has several
// branches where several requests are under way and any may be the first to fail.
type lack struct {
	place, peer, verb string
	says              string
	why               string
}

var lacks = []lack{
	{"gcs", "zarr-python/obstore", "write", "invalid uploadType", "obstore uploads by the XML API, which fake-gcs-server does not have"},
	{"gcs", "xarray/obstore", "write", "invalid uploadType", "as zarr-python/obstore"},
	{"azure", "tensorstore", "write", `"azure" is not a registered KvStore driver`, "TensorStore has no driver for Azure"},
	{"azure", "tensorstore", "read", `"azure" is not a registered KvStore driver`, "TensorStore has no driver for Azure"},
	{"http", "zarr-python/obstore", "write", "HttpStore|MKCOL", "a web server takes no writes"},
	{"http", "zarr-python/fsspec", "write", "ClientResponseError", "a web server takes no writes"},
	{"http", "tensorstore", "write", "does not support writing", "a web server takes no writes"},
	{"http", "xarray/obstore", "write", "HttpStore|MKCOL", "a web server takes no writes"},
	{"http", "xarray/fsspec", "write", "ClientResponseError", "a web server takes no writes"},
	{"http", "xarray/obstore", "read without consolidated metadata", "has no variable", "a web server has no listing"},
	{"http", "xarray/fsspec", "read without consolidated metadata", "has no variable", "a web server has no listing"},
}

func lackOf(place, peer, verb string) *lack {
	i := slices.IndexFunc(lacks, func(l lack) bool { return l.place == place && l.peer == peer && l.verb == verb })
	if i < 0 {
		return nil
	}
	return &lacks[i]
}

// check judges what the peer said when it was asked nevertheless.
func (l lack) check(t *testing.T, s said) {
	t.Helper()
	switch {
	case s.done():
		t.Errorf("%s at %s: %s works now: take it out of lacks and of docs/status.md", l.peer, l.place, l.verb)
	case !regexp.MustCompile(l.says).MatchString(s.Error):
		t.Errorf("%s at %s: %s says %q %q, want %q", l.peer, l.place, l.verb, s.Error, s.Differs, l.says)
	default:
		t.Logf("cannot: %s at %s: %s: %s", l.peer, l.place, l.verb, l.why)
	}
}

// TestStatusTellsAll holds docs/status.md to the tables above.
func TestStatusTellsAll(t *testing.T) {
	b, err := os.ReadFile("../../docs/status.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(b), "| at | peer | cannot | because |\n|---|---|---|---|\n")
	section, _, _ = strings.Cut(section, "\n\n")
	if got := strings.Split(section, "\n"); !found || len(got) != len(lacks) {
		t.Errorf("docs/status.md has %d rows of what a peer cannot do, want %d", len(got), len(lacks))
	}
	for _, l := range lacks {
		row := fmt.Sprintf("| %s | %s | %s | %s |", l.place, l.peer, l.verb, l.why)
		if !strings.Contains(section, row) {
			t.Errorf("docs/status.md does not say:\n%s", row)
		}
	}
}
