package peers

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// typeLack is a kind of array that a peer does not support, with a part of the peer's error or, if
// the peer is wrong, of zargo's. Every entry is tested, and an entry that works fails the test
// until it is removed here.
type typeLack struct {
	peer, verb string // verb "" means both
	format     int
	kinds      string // data types separated by spaces, or all
	only       string // a pattern of the array's name; "" matches all names
	says       string
	wrong      bool // the peer's result differs from the specification
}

// row returns the entry's line in docs/evidence/interoperability.md.
func (l typeLack) row() string {
	only := map[string]string{
		"": "", "shards": " in shards", "-F-": " transposed", "-F-.*chunks": " transposed, without shards", "-big-": " in big-endian order",
	}[l.only]
	return toldRow(l.peer, l.verb, fmt.Sprintf("v%d%s: %s", l.format, only, strings.ReplaceAll(l.kinds, " ", ", ")), l.says, l.wrong)
}

// of reports whether the entry covers an array.
func (l typeLack) of(a typed) bool {
	return l.format == a.Format && (l.kinds == all || slices.Contains(strings.Fields(l.kinds), a.Kind)) && regexp.MustCompile(l.only).MatchString(a.Name)
}

// TestStatusTellsTypes compares docs/evidence/interoperability.md with typeLacks, and checks that
// each entry of typeLacks matches an array.
func TestStatusTellsTypes(t *testing.T) {
	b, err := os.ReadFile("../../docs/evidence/interoperability.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(b), "| implementation | cannot | data types | result |\n|---|---|---|---|\n")
	section, _, _ = strings.Cut(section, "\n\n")
	var want []string
	arrays := typedArrays()
	for _, l := range typeLacks {
		want = append(want, l.row())
		for _, k := range strings.Fields(l.kinds) {
			if !slices.ContainsFunc(arrays, func(a typed) bool { return l.of(a) && (a.Kind == k || k == all) }) {
				t.Errorf("%s: no array of %s is tried", l.row(), k)
			}
		}
	}
	if w := strings.Join(want, "\n"); !found || section != w {
		t.Errorf("docs/evidence/interoperability.md says\n%s\nwant\n%s", section, w)
	}
}

// small has the v2 number types that numpy itself lacks.
const small = "bfloat16 float8_e3m4 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn int2 int4"

// times64 has the types of time points and durations.
const times64 = "M8[D] M8[s] M8[25us] M8[ns] m8[h] m8[10ms] m8[ns]"

// all means every data type of a format.
const all = "all"

var typeLacks = []typeLack{
	{peer: "zarr-python", format: 2, kinds: small, says: "No Zarr data type found that matches"},
	{peer: "zarr-python", format: 3, kinds: small + " float8_e4m3 uint4", says: "No Zarr data type found that matches"},
	{peer: "zarr-python", format: 3, kinds: "V5 V16", only: "shards", says: "unhashable type: 'writeable void-scalar'"},
	{peer: "zarr-python", verb: "read", format: 2, kinds: "nested subarray", says: "No Zarr data type found that matches"},
	{peer: "zarr-python", verb: "write", format: 2, kinds: "subarray", says: "Cannot compare structured arrays"},
	// zarr-python names the data type "structured"; the registered name is "struct".
	{peer: "zarr-python", verb: "read", format: 3, kinds: "struct pair nested r40", says: "No Zarr data type found that matches"},
	{peer: "zarr-python", verb: "write", format: 3, kinds: "struct pair nested", only: "shards", says: "unhashable type: 'writeable void-scalar'"},
	// zarr-python does not read its own transposed arrays correctly: it encodes elements in memory
	// order.
	{peer: "zarr-python", verb: "write", format: 3, kinds: "string bytes", only: "-F-", says: "other values", wrong: true},

	{peer: "zarr-python-3.4", format: 2, kinds: small, says: "No Zarr data type found that matches"},
	{peer: "zarr-python-3.4", format: 3, kinds: small + " float8_e4m3 uint4", says: "No Zarr data type found that matches"},
	{peer: "zarr-python-3.4", verb: "read", format: 2, kinds: "subarray", says: "No Zarr data type found that matches"},
	{peer: "zarr-python-3.4", verb: "write", format: 2, kinds: "subarray", says: "field 'b' is a subarray"},
	{peer: "zarr-python-3.4", verb: "read", format: 3, kinds: "r40", says: "No Zarr data type found that matches"},

	{peer: "tensorstore", format: 2, kinds: times64 + " U1 U3 string bytes struct", says: "Unsupported zarr dtype"},
	{peer: "tensorstore", format: 2, kinds: "nested", says: "Expected string, but received"},
	{peer: "tensorstore", format: 3, kinds: times64 + " S1 S6 U1 U3 string bytes float8_e4m3 uint4", says: "data type is not one of the supported data types"},
	{peer: "tensorstore", format: 3, kinds: "struct nested", says: "Nested struct types and extension data types"},
	{peer: "tensorstore", verb: "read", format: 3, kinds: "r40", says: "Expected base64-encoded string for raw_bytes fill_value"}, // in v3 the fill value is a list of numbers
	// TensorStore writes 2^-64 for the fill value 1, and 1 for 2^-64: it uses an exponent bias of
	// 63 in metadata instead of 127.
	{peer: "tensorstore", verb: "write", format: 2, kinds: "float8_e8m0fnu", says: "fill value bf, want 7f", wrong: true},
	{peer: "tensorstore", verb: "write", format: 3, kinds: "float8_e8m0fnu", says: "fill value bf, want 7f", wrong: true},
	{peer: "tensorstore", verb: "read", format: 2, kinds: "float8_e8m0fnu", says: "other values", wrong: true},
	{peer: "tensorstore", verb: "read", format: 3, kinds: "float8_e8m0fnu", says: "other values", wrong: true},

	{peer: "zarr-python-2", verb: "read", format: 2, kinds: small, says: "error decoding metadata"},
	{peer: "zarr-python-2", verb: "write", format: 2, kinds: small, says: "not understood"},
	// Fill values that are bytes are not supported: missing elements are the text in the metadata.
	{peer: "zarr-python-2", verb: "read", format: 2, kinds: "bytes", says: "returned an element of type <class 'str'>"},
	{peer: "zarr-python-2", verb: "write", format: 2, kinds: "bytes", says: "Object of type bytes is not JSON serializable"},
	{peer: "zarr-python-2", verb: "read", format: 3, kinds: all, says: "array not found"},
	{peer: "zarr-python-2", verb: "write", format: 3, kinds: all, says: "V3 reading and writing is experimental"},

	{peer: "zarrs", format: 2, kinds: times64 + " S1 S6 U1 U3", says: "unsupported data type"},
	{peer: "zarrs", format: 2, kinds: "struct mixed pair nested subarray", says: "data did not match any variant"},
	{peer: "zarrs", format: 2, kinds: small, says: "invalid V2 data type"},
	{peer: "zarrs", verb: "read", format: 2, kinds: "string bytes", says: "Expected header with 6 elements"}, // decompression is the last step
	{peer: "zarrs", format: 3, kinds: "S1 S6 U1 U3 V5 V16 struct pair nested float8_e4m3fn", says: "is not supported"},
	{peer: "zarrs", verb: "read", format: 3, kinds: "string bytes", only: "-F-.*chunks", says: "indexer references array indices"},
	{peer: "zarrs", verb: "read", format: 3, kinds: "string bytes", says: "variable length data type not supported"}, // the Python package does not support them
	// zarrs requires hexadecimal digits; the specification also permits numbers.
	{peer: "zarrs", verb: "read", format: 3, kinds: "float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn", says: "incompatible fill value metadata"},
	{peer: "zarrs", verb: "write", format: 2, kinds: "string bytes", says: "PanicException"},
	{peer: "zarrs", verb: "write", format: 3, kinds: "string bytes", says: "PanicException"},
	// If zarrs reads a part of a chunk, it reverses the 8 or 16 bytes of an element instead of the
	// bytes of each number.
	{peer: "zarrs", verb: "read", format: 2, kinds: "complex64 complex128", only: "-big-", says: "other values", wrong: true},
	{peer: "zarrs", verb: "read", format: 3, kinds: "complex64 complex128", only: "-big-", says: "other values", wrong: true},
}

// lackOfType returns the first matching entry, or nil.
func lackOfType(peer, verb string, a typed) *typeLack {
	i := slices.IndexFunc(typeLacks, func(l typeLack) bool {
		return l.peer == peer && (l.verb == "" || l.verb == verb) && l.of(a)
	})
	if i < 0 {
		return nil
	}
	return &typeLacks[i]
}

// typeCounts are, for each peer, the numbers of arrays that were equal, refused or wrong.
type typeCounts struct {
	arrays                int
	equal, refused, wrong map[string]int
}

// typePeers are the peers of TestTypes.
var typePeers = []string{"zarr-python", "zarr-python-3.4", "tensorstore", "zarr-python-2", "zarrs"}

// TestTypes exchanges arrays of every data type with the peers, in both directions. The peers
// create the arrays that they write.
func TestTypes(t *testing.T) {
	needPython(t)
	t.Parallel()
	for verb, want := range map[string]typeCounts{
		"write": {
			684, map[string]int{"zarr-python": 492, "zarr-python-3.4": 526, "tensorstore": 418, "zarr-python-2": 180, "zarrs": 426},
			map[string]int{"zarr-python": 184, "zarr-python-3.4": 158, "tensorstore": 254, "zarr-python-2": 504, "zarrs": 258},
			map[string]int{"zarr-python": 8, "tensorstore": 12},
		},
		"read": {
			692, map[string]int{"zarr-python": 476, "zarr-python-3.4": 526, "tensorstore": 418, "zarr-python-2": 180, "zarrs": 358},
			map[string]int{"zarr-python": 216, "zarr-python-3.4": 166, "tensorstore": 262, "zarr-python-2": 512, "zarrs": 322},
			map[string]int{"tensorstore": 12, "zarrs": 12},
		},
	} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			arrays := typedArrays()
			if verb == "write" { // numpy writes r40 as V5
				arrays = slices.DeleteFunc(arrays, func(a typed) bool { return a.Kind == "r40" })
			}
			folder := t.TempDir()
			for _, a := range arrays {
				if verb == "read" {
					writeTyped(t, filepath.Join(folder, a.Name), a)
				}
			}
			got := typeCounts{len(arrays), map[string]int{}, map[string]int{}, map[string]int{}}
			for _, s := range askTypes(t, verb, arrays, folder) {
				a := s.array
				trouble := s.Error
				if trouble == "" {
					if verb == "write" {
						s.Values, trouble = readTyped(t, filepath.Join(folder, s.peer, a.Name), a)
					}
					if want := a.kind.expected(); trouble == "" && !slices.Equal(s.Values, want) {
						trouble = fmt.Sprintf("other values:\n%s\nwant\n%s", s.Values, want)
					}
				}
				switch l := lackOfType(s.peer, verb, a); {
				case l == nil && trouble == "":
					got.equal[s.peer]++
				case l == nil:
					t.Errorf("%s %s: %s: %s", s.peer, verb, a.Name, trouble)
				case trouble == "":
					t.Errorf("%s %s: %s works now: take it out of typeLacks and of docs/evidence/interoperability.md", s.peer, verb, a.Name)
				case !strings.Contains(trouble, l.says) || l.wrong != (s.Error == ""):
					t.Errorf("%s %s: %s: %s, want %q", s.peer, verb, a.Name, trouble, l.says)
				case l.wrong:
					got.wrong[s.peer]++
				default:
					got.refused[s.peer]++
				}
			}
			if got.arrays != want.arrays || !maps.Equal(got.equal, want.equal) || !maps.Equal(got.refused, want.refused) || !maps.Equal(got.wrong, want.wrong) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// writeTyped creates an array and writes its boxes.
func writeTyped(t *testing.T, path string, a typed) {
	t.Helper()
	made, err := zarr.Create(t.Context(), dir.New(path), "", a.spec())
	if err != nil {
		t.Fatalf("%s: %v", a.Name, err)
	}
	for _, box := range typedBoxes {
		sel := []zarr.Selection{zarr.Range(box[0][0], box[0][1]), zarr.Range(box[1][0], box[1][1])}
		part := a.kind.part(box)
		switch a.kind.typ {
		case dtype.String:
			text := make([]string, len(part))
			for i, b := range part {
				text[i] = string(b)
			}
			err = zarr.Write(t.Context(), made, text, sel...)
		case dtype.Bytes:
			err = zarr.Write(t.Context(), made, part, sel...)
		default:
			err = made.WriteBytes(t.Context(), bytes.Join(part, nil), sel...)
		}
		if err != nil {
			t.Fatalf("%s: %v", a.Name, err)
		}
	}
}

// readTyped reads an array that a peer wrote, and returns each element in hex. trouble is an error
// or a difference in the metadata.
func readTyped(t *testing.T, path string, a typed) (values []string, trouble string) {
	opened, err := zarr.OpenArray(t.Context(), dir.New(path), "")
	if err != nil {
		return nil, err.Error()
	}
	if opened.Format() != a.Format || !dtype.Equal(opened.DType(), a.kind.typ) || !slices.Equal(opened.Shape(), typedShape) || !slices.Equal(opened.Chunks(), typedChunks) ||
		!slices.Equal(opened.Shards(), a.spec().Shards) {
		return nil, fmt.Sprintf("got %v", opened)
	}
	if fill := hex.EncodeToString(opened.Fill()); fill != a.kind.Fill {
		return nil, fmt.Sprintf("fill value %s, want %s", fill, a.kind.Fill)
	}
	var items [][]byte
	switch a.kind.typ {
	case dtype.String:
		var text []string
		text, err = zarr.Read[string](t.Context(), opened)
		for _, s := range text {
			items = append(items, []byte(s))
		}
	case dtype.Bytes:
		items, err = zarr.Read[[]byte](t.Context(), opened)
	default:
		size := opened.DType().Size()
		b := make([]byte, len(a.kind.Values)*size)
		err = opened.ReadBytes(t.Context(), b)
		items = slices.Collect(slices.Chunk(b, size))
	}
	if err != nil {
		return nil, err.Error()
	}
	for _, b := range items {
		values = append(values, hex.EncodeToString(b))
	}
	return values, ""
}

// typedJob describes an array to a peer.
type typedJob struct {
	typed
	kind
	Shape  []int      `json:"shape"`
	Chunks []int      `json:"chunks"`
	Shards []int      `json:"shards"`
	Boxes  [][][2]int `json:"boxes"`
}

// typeSaid is the result of a peer for one array.
type typeSaid struct {
	peer  string
	array typed
	said
}

// askTypes makes every peer write or read every array, at folder/peer/name or folder/name.
func askTypes(t *testing.T, verb string, arrays []typed, folder string) (told []typeSaid) {
	t.Helper()
	var jobs []job
	for _, peer := range typePeers {
		for _, a := range arrays {
			j := job{Do: verb + "-type", Peer: peer, Place: folder, Path: a.Name, Array: typedJob{a, a.kind, typedShape, typedChunks, typedShards, typedBoxes}}
			if verb == "write" {
				j.Path = peer + "/" + a.Name
			}
			jobs = append(jobs, j)
			told = append(told, typeSaid{peer: peer, array: a})
		}
	}
	for i, s := range ask(t, jobs) {
		told[i].said = s
	}
	return told
}
