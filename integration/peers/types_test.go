package peers

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// typeLack is a kind of array that a peer does not do, with a part of what it says, or, where it is wrong, of what zargo says.
// Each is tried every time: one that has begun to work fails the test until it is taken out.
type typeLack struct {
	peer, verb string // verb "" is both
	format     int
	kinds      string // names, between spaces
	only       string // a part of the array's name, where not all of these
	says       string
	wrong      bool // the peer does it, but otherwise than the specification has it
}

// row is what docs/status.md says of it.
func (l typeLack) row() string {
	verb, says := l.verb, "says `"+l.says+"`"
	if verb == "" {
		verb = "write, read"
	}
	if l.wrong {
		says = "is wrong: `" + l.says + "`"
	}
	only := map[string]string{"": "", "shards": ", in shards", "-F-": ", transposed"}[l.only]
	return fmt.Sprintf("| %s | %s | v%d: %s%s | %s |", l.peer, verb, l.format, strings.ReplaceAll(l.kinds, " ", ", "), only, says)
}

// TestStatusTellsTypes holds docs/status.md to typeLacks, and these to what is tried.
func TestStatusTellsTypes(t *testing.T) {
	b, err := os.ReadFile("../../docs/status.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(b), "| peer | cannot | of | and |\n|---|---|---|---|\n")
	section, _, _ = strings.Cut(section, "\n\n")
	var want []string
	arrays := typedArrays()
	for _, l := range typeLacks {
		want = append(want, l.row())
		for _, k := range strings.Fields(l.kinds) {
			if !slices.ContainsFunc(arrays, func(a typed) bool { return a.Kind == k && a.Format == l.format && strings.Contains(a.Name, l.only) }) {
				t.Errorf("%s: no array of %s is tried", l.row(), k)
			}
		}
	}
	if w := strings.Join(want, "\n"); !found || section != w {
		t.Errorf("docs/status.md says\n%s\nwant\n%s", section, w)
	}
}

// small are the numbers that numpy does not have of its own, those that v2 has.
const small = "bfloat16 float8_e3m4 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn int2 int4"

var typeLacks = []typeLack{
	{peer: "zarr-python", format: 2, kinds: small, says: "No Zarr data type found that matches"},
	{peer: "zarr-python", format: 3, kinds: small + " float8_e4m3 uint4", says: "No Zarr data type found that matches"},
	{peer: "zarr-python", format: 3, kinds: "V5 V16", only: "shards", says: "unhashable type: 'writeable void-scalar'"},
	{peer: "zarr-python", verb: "read", format: 2, kinds: "nested subarray", says: "No Zarr data type found that matches"},
	{peer: "zarr-python", verb: "write", format: 2, kinds: "subarray", says: "Cannot compare structured arrays"},
	// It writes "structured", which is what it knows, and not "struct", which is what is registered.
	{peer: "zarr-python", verb: "read", format: 3, kinds: "struct pair nested r40", says: "No Zarr data type found that matches"},
	{peer: "zarr-python", verb: "write", format: 3, kinds: "struct pair nested", only: "shards", says: "unhashable type: 'writeable void-scalar'"},
	// What it writes transposed it does not read as it was either: it encodes elements in the order of memory.
	{peer: "zarr-python", verb: "write", format: 3, kinds: "string bytes", only: "-F-", says: "other values", wrong: true},

	{peer: "tensorstore", format: 2, kinds: "M8[D] M8[s] M8[25us] M8[ns] m8[h] m8[10ms] m8[ns] U1 U3 string bytes struct", says: "Unsupported zarr dtype"},
	{peer: "tensorstore", format: 2, kinds: "nested", says: "Expected string, but received"},
	{peer: "tensorstore", format: 3, kinds: "M8[D] M8[s] M8[25us] M8[ns] m8[h] m8[10ms] m8[ns] S1 S6 U1 U3 string bytes float8_e4m3 uint4", says: "data type is not one of the supported data types"},
	{peer: "tensorstore", format: 3, kinds: "struct nested", says: "Nested struct types and extension data types"},
	{peer: "tensorstore", verb: "read", format: 3, kinds: "r40", says: "Expected base64-encoded string for raw_bytes fill_value"}, // v3 has a list of numbers
	// Its 1 in metadata is 2^-64 and its 2^-64 is 1: the exponent's bias is 63 there, where it is 127.
	{peer: "tensorstore", verb: "write", format: 2, kinds: "float8_e8m0fnu", says: "fill value bf, want 7f", wrong: true},
	{peer: "tensorstore", verb: "write", format: 3, kinds: "float8_e8m0fnu", says: "fill value bf, want 7f", wrong: true},
	{peer: "tensorstore", verb: "read", format: 2, kinds: "float8_e8m0fnu", says: "other values", wrong: true},
	{peer: "tensorstore", verb: "read", format: 3, kinds: "float8_e8m0fnu", says: "other values", wrong: true},
}

func lackOfType(peer, verb string, a typed) *typeLack {
	i := slices.IndexFunc(typeLacks, func(l typeLack) bool {
		return l.peer == peer && (l.verb == "" || l.verb == verb) && l.format == a.Format && slices.Contains(strings.Fields(l.kinds), a.Kind) && strings.Contains(a.Name, l.only)
	})
	if i < 0 {
		return nil
	}
	return &typeLacks[i]
}

// typeCounts are how many arrays of a verb are equal, refused and wrong by peer.
type typeCounts struct {
	arrays                int
	equal, refused, wrong map[string]int
}

// TestTypes meets zarr-python and TensorStore in arrays of every data type, each way. The peers make themselves what they write.
func TestTypes(t *testing.T) {
	needPython(t)
	for verb, want := range map[string]typeCounts{
		"write": {684, map[string]int{"zarr-python": 492, "tensorstore": 418}, map[string]int{"zarr-python": 184, "tensorstore": 254}, map[string]int{"zarr-python": 8, "tensorstore": 12}},
		"read":  {692, map[string]int{"zarr-python": 476, "tensorstore": 418}, map[string]int{"zarr-python": 216, "tensorstore": 262}, map[string]int{"tensorstore": 12}},
	} {
		t.Run(verb, func(t *testing.T) {
			arrays := typedArrays()
			if verb == "write" { // numpy has no other name for r40 than V5's
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
				a := arrays[s.index]
				trouble := s.Error
				if trouble == "" {
					if verb == "write" {
						s.Values, trouble = readTyped(t, filepath.Join(folder, s.Peer, a.Name), a)
					}
					if want := a.kind.expected(); trouble == "" && !slices.Equal(s.Values, want) {
						trouble = fmt.Sprintf("other values:\n%s\nwant\n%s", s.Values, want)
					}
				}
				switch l := lackOfType(s.Peer, verb, a); {
				case l == nil && trouble == "":
					got.equal[s.Peer]++
				case l == nil:
					t.Errorf("%s %s: %s: %s", s.Peer, verb, s.Name, trouble)
				case trouble == "":
					t.Errorf("%s %s: %s works now: take it out of typeLacks and of docs/status.md", s.Peer, verb, s.Name)
				case !strings.Contains(trouble, l.says) || l.wrong != (s.Error == ""):
					t.Errorf("%s %s: %s: %s, want %q", s.Peer, verb, s.Name, trouble, l.says)
				case l.wrong:
					got.wrong[s.Peer]++
				default:
					got.refused[s.Peer]++
				}
			}
			if got.arrays != want.arrays || !maps.Equal(got.equal, want.equal) || !maps.Equal(got.refused, want.refused) || !maps.Equal(got.wrong, want.wrong) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// writeTyped makes an array and writes its boxes.
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
			err = zarr.WriteBytes(t.Context(), made, bytes.Join(part, nil), sel...)
		}
		if err != nil {
			t.Fatalf("%s: %v", a.Name, err)
		}
	}
}

// readTyped reads what a peer wrote, each element in hex, and says what is not as it should be.
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
		err = zarr.ReadBytes(t.Context(), opened, b)
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

// typeSaid is one line of what a peer says of one array.
type typeSaid struct {
	Peer, Name, Error string
	Values            []string // every element in memory form, in hex

	index int
}

func askTypes(t *testing.T, verb string, arrays []typed, folder string) []typeSaid {
	t.Helper()
	byKind := map[string]kind{}
	for _, a := range arrays {
		byKind[a.Kind] = a.kind
	}
	var all []typeSaid
	for _, line := range linesOf(t, "datatypes.py", verb, map[string]any{
		"kinds": byKind, "arrays": arrays, "shape": typedShape, "chunks": typedChunks, "shards": typedShards, "boxes": typedBoxes,
	}, folder) {
		s := typeSaid{index: len(all) % len(arrays)}
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if s.Name != arrays[s.index].Name {
			t.Fatalf("%q where %q is due", s.Name, arrays[s.index].Name)
		}
		all = append(all, s)
	}
	if len(all) != 2*len(arrays) {
		t.Fatalf("%d lines for %d arrays", len(all), len(arrays))
	}
	return all
}
