package peers

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The tables of this file list every known failure. Every entry is tested, and an entry that works
// fails the test until it is removed here.

// refusal is a kind of array that a peer does not support at any place, with a part of its error
// or, if the peer is wrong, of the difference.
type refusal struct {
	peer, verb string // verb "" means both
	kind       string // for the documentation
	of         func(Row) bool
	says       string
	wrong      bool // the peer's result differs from the specification
}

var refusals = []refusal{
	{peer: "tensorstore", kind: "v3 with `numcodecs.zlib`", of: func(r Row) bool { return r.Format == 3 && hasCodec(r, "zlib") }, says: "numcodecs.zlib"},
	{peer: "zarr-python-2", verb: "write", kind: "v3", of: func(r Row) bool { return r.Format == 3 }, says: "V3 reading and writing is experimental"},
	{peer: "zarr-python-2", verb: "read", kind: "v3", of: func(r Row) bool { return r.Format == 3 }, says: "array not found"},
	// zarr-python writes 0 for all values that equal 0.
	{peer: "zarr-python-2", verb: "write", kind: "v2: float16, float32, float64 with the fill value -0", of: func(r Row) bool {
		return r.Format == 2 && strings.HasPrefix(r.DType, "float") && isNegativeZero(r.FillBytes())
	}, says: "fill value 00", wrong: true},
	// zarr-python adds the imaginary part times i to the real part.
	{peer: "zarr-python-2", verb: "read", kind: "v2: complex64, complex128 with missing chunks and a fill value that is not finite", of: func(r Row) bool {
		return r.Format == 2 && isComplex(r) && strings.Trim(hex.EncodeToString(r.FillBytes()), "0") != "" && !bytes.Equal(r.Full(), r.Expected())
	}, says: "element", wrong: true},
	{peer: "zarrs", kind: "v2: complex64, complex128 without a fill value", of: func(r Row) bool { return r.Format == 2 && isComplex(r) && r.Fill == nil }, says: "incompatible fill value metadata"},
	// If zarrs reads a part of a chunk, it reverses the 8 or 16 bytes of an element instead of the
	// bytes of each number.
	{peer: "zarrs", verb: "read", kind: "complex64, complex128 in big-endian order, with chunks that extend beyond the array", of: func(r Row) bool {
		return isComplex(r) && r.Order == "big" && slices.ContainsFunc(r.Written(), func(b Box) bool { return overEdge(r, b) })
	}, says: "element", wrong: true},
}

func isComplex(r Row) bool { return strings.HasPrefix(r.DType, "complex") }

// overEdge reports whether the array ends within the chunk, and the chunk has elements of the
// array.
func overEdge(r Row, b Box) bool {
	over, some := false, true
	for i := range b.Lo {
		over = over || b.Hi[i]-b.Lo[i] < r.Chunks[i]
		some = some && b.Hi[i] > b.Lo[i]
	}
	return over && some
}

func isNegativeZero(fill []byte) bool {
	n := len(fill) - 1
	return fill[n] == 0x80 && strings.Trim(string(fill[:n]), "\x00") == ""
}

// refusalOf returns the first matching refusal, or nil.
func refusalOf(j job) *refusal {
	i := slices.IndexFunc(refusals, func(f refusal) bool {
		return f.peer == j.Peer && (f.verb == "" || f.verb == j.Do) && f.of(*j.Row)
	})
	if i < 0 {
		return nil
	}
	return &refusals[i]
}

// row returns the entry's line in docs/evidence/interoperability.md.
func (f refusal) row() string { return toldRow(f.peer, f.verb, f.kind, f.says, f.wrong) }

// toldRow formats a line of docs/evidence/interoperability.md.
func toldRow(peer, verb, kind, says string, wrong bool) string {
	if verb == "" {
		verb = "write, read"
	}
	result := fmt.Sprintf("error `%s`", says)
	switch {
	case wrong && strings.HasPrefix(says, "fill value"):
		result = "wrong fill value"
	case wrong:
		result = "wrong elements"
	}
	return fmt.Sprintf("| %s | %s | %s | %s |", title(peer), verb, kind, result)
}

// title returns the documentation's name of a peer, such as "zarr-python 3.1 with obstore".
func title(peer string) string {
	name, by, _ := strings.Cut(peer, "/")
	name = map[string]string{
		"zarr-python": "zarr-python 3.1", "zarr-python-3.4": "zarr-python 3.4", "zarr-python-2": "zarr-python 2",
		"tensorstore": "TensorStore", "zarrs": "zarrs", "xarray": "xarray",
	}[name]
	if by != "" {
		name += " with " + by
	}
	return name
}

func hasCodec(r Row, name string) bool {
	return slices.ContainsFunc(r.Codecs, func(c Codec) bool { return c.Name == name })
}

// lack is an operation that a peer cannot do at a place, with a pattern of its error, and the
// reason. The pattern has alternatives if several requests are in flight, any of which may fail
// first.
type lack struct {
	place, peer, verb string
	says              string
	why               string
}

var lacks = []lack{
	{"gcs", "zarr-python/obstore", "write", "invalid uploadType", "obstore uploads with the XML API, which fake-gcs-server does not support"},
	{"gcs", "xarray/obstore", "write", "invalid uploadType", "obstore uploads with the XML API, which fake-gcs-server does not support"},
	{"azure", "tensorstore", "write", `"azure" is not a registered KvStore driver`, "TensorStore does not have a driver for Azure"},
	{"azure", "tensorstore", "read", `"azure" is not a registered KvStore driver`, "TensorStore does not have a driver for Azure"},
	{"http", "zarr-python/obstore", "write", "HttpStore|MKCOL", "web servers do not accept writes"},
	{"http", "zarr-python/fsspec", "write", "ClientResponseError", "web servers do not accept writes"},
	{"http", "tensorstore", "write", "does not support writing", "web servers do not accept writes"},
	{"http", "xarray/obstore", "write", "HttpStore|MKCOL", "web servers do not accept writes"},
	{"http", "xarray/fsspec", "write", "ClientResponseError", "web servers do not accept writes"},
	{"http", "xarray/obstore", "read without consolidated metadata", "has no variable", "web servers do not list keys"},
	{"http", "xarray/fsspec", "read without consolidated metadata", "has no variable", "web servers do not list keys"},
}

func lackOf(place, peer, verb string) *lack {
	i := slices.IndexFunc(lacks, func(l lack) bool { return l.place == place && l.peer == peer && l.verb == verb })
	if i < 0 {
		return nil
	}
	return &lacks[i]
}

// check checks that the peer still fails with the known error.
func (l lack) check(t *testing.T, s said) {
	t.Helper()
	switch {
	case s.done():
		t.Errorf("%s at %s: %s works now: take it out of lacks and of docs/evidence/interoperability.md", l.peer, l.place, l.verb)
	case !regexp.MustCompile(l.says).MatchString(s.Error):
		t.Errorf("%s at %s: %s says %q %q, want %q", l.peer, l.place, l.verb, s.Error, s.Differs, l.says)
	default:
		t.Logf("cannot: %s at %s: %s: %s", l.peer, l.place, l.verb, l.why)
	}
}

// TestStatusTellsAll compares docs/evidence/interoperability.md with the tables above.
func TestStatusTellsAll(t *testing.T) {
	b, err := os.ReadFile("../../docs/evidence/interoperability.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(b), "| store | implementation | cannot | reason |\n|---|---|---|---|\n")
	section, _, _ = strings.Cut(section, "\n\n")
	if got := strings.Split(strings.TrimSpace(section), "\n"); !found || len(got) != len(lacks) {
		t.Errorf("docs/evidence/interoperability.md has %d rows of what a peer cannot do, want %d", len(got), len(lacks))
	}
	_, told, _ := strings.Cut(string(b), "| implementation | cannot | arrays | result |\n|---|---|---|---|\n")
	told, _, _ = strings.Cut(told, "\n\n")
	var want []string
	for _, f := range refusals {
		want = append(want, f.row())
	}
	if w := strings.Join(want, "\n"); told != w {
		t.Errorf("docs/evidence/interoperability.md says\n%s\nwant\n%s", told, w)
	}
	for _, l := range lacks {
		row := fmt.Sprintf("| %s | %s | %s | %s |", map[string]string{"gcs": "GCS", "azure": "Azure", "http": "HTTP"}[l.place], title(l.peer), l.verb, l.why)
		if !strings.Contains(section, row) {
			t.Errorf("docs/evidence/interoperability.md does not say:\n%s", row)
		}
	}
}
