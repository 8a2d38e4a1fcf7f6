package peers

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// codecLack is a kind of array that a peer does not support, with a part of the peer's error or, if
// the peer is wrong, of zargo's. Every entry is tested, and an entry that works fails the test
// until it is removed here.
type codecLack struct {
	peer, verb string // verb "" means both
	of         string // a pattern of the arrays' names
	says       string
	wrong      bool // the peer's result differs from the specification
}

// row returns the entry's line in docs/evidence/interoperability.md.
func (l codecLack) row() string {
	return toldRow(l.peer, l.verb, "`"+strings.ReplaceAll(l.of, "|", `\|`)+"`", l.says, l.wrong)
}

var codecLacks = []codecLack{
	{peer: "zarr-python", verb: "write", of: "blosc-snappy", says: "compressor not supported: 'snappy'"},
	{peer: "zarr-python", verb: "read", of: "blosc-snappy", says: "error during blosc decompression"},
	{peer: "zarr-python", verb: "read", of: "v2 (json2|msgpack2|vlen-array|categorize of string)", says: "No Zarr data type found that matches"},
	{peer: "zarr-python", verb: "write", of: "v2 (json2|msgpack2|vlen-array).* of (json|ragged)", says: "Zarr data type resolution from object failed"},
	{peer: "zarr-python", verb: "write", of: "v2 categorize of string", says: "requires the numcodecs.VLenUTF8 codec"},
	{peer: "zarr-python", verb: "read", of: "v2 lzma-filters", says: "Cannot specify filters except with FORMAT_RAW"},
	{peer: "zarr-python", verb: "read", of: "v3 (packbits|bitround|reshape|scale_offset|cast_value|numcodecs.(base64|json2|msgpack2|categorize))", says: "Unknown codec"},
	{peer: "zarr-python", verb: "write", of: "v3 (packbits|bitround|reshape|scale_offset|cast_value|numcodecs.(base64|json2|msgpack2|categorize))", says: "KeyError"},

	{peer: "zarr-python-3.4", verb: "write", of: "blosc-snappy", says: "compressor not supported: 'snappy'"},
	{peer: "zarr-python-3.4", verb: "read", of: "blosc-snappy", says: "error during blosc decompression"},
	{peer: "zarr-python-3.4", verb: "read", of: "v2 (json2|msgpack2|vlen-array|categorize of string)", says: "No Zarr data type found that matches"},
	{peer: "zarr-python-3.4", verb: "write", of: "v2 (json2|msgpack2|vlen-array).* of (json|ragged)", says: "Zarr data type resolution from object failed"},
	{peer: "zarr-python-3.4", verb: "write", of: "v2 categorize of string", says: "requires the numcodecs.VLenUTF8 codec"},
	{peer: "zarr-python-3.4", verb: "read", of: "v2 lzma-filters", says: "Cannot specify filters except with FORMAT_RAW"},
	{peer: "zarr-python-3.4", of: "v3 (packbits|bitround|reshape|numcodecs.(base64|json2|msgpack2|categorize))", says: "UnknownCodecError"},

	{peer: "tensorstore", of: "v2 .* of (string|bytes|json|ragged|.U3)", says: "Unsupported zarr dtype"},
	{peer: "tensorstore", of: "v2 zstd-checksum", says: `Object includes extra members: "checksum"`},
	{peer: "tensorstore", of: "v2 .*(delta|fixedscaleoffset|quantize|bitround|astype|packbits|json2|msgpack2)", says: "filters are not supported"},
	{peer: "tensorstore", of: `v2 (transposed )?(lzma|lz4|shuffle|crc32|adler32|fletcher32|jenkins_lookup3|base64|zstd\+crc32)`, says: "is not registered"},
	{peer: "tensorstore", of: "v3 (vlen-|numcodecs.categorize)", says: "data type is not one of the supported data types"},
	{peer: "tensorstore", of: "v3 (packbits|bitround|reshape|scale_offset|cast_value|numcodecs)", says: "is not registered"},

	{peer: "zarr-python-2", verb: "write", of: "blosc-snappy", says: "compressor not supported: 'snappy'"},
	{peer: "zarr-python-2", verb: "read", of: "blosc-snappy", says: "error during blosc decompression"},
	{peer: "zarr-python-2", verb: "read", of: "v2 lzma-filters", says: "Cannot specify filters except with FORMAT_RAW"},
	// Fill values that are arrays or bytes are not supported: missing elements are the number or
	// the text in the metadata.
	{peer: "zarr-python-2", verb: "read", of: "v2 vlen-array", says: "returned an element of type <class 'int'>"},
	{peer: "zarr-python-2", verb: "read", of: "v2 vlen-bytes", says: "returned an element of type <class 'str'>"},
	{peer: "zarr-python-2", verb: "write", of: "v2 vlen-bytes", says: "expected byte string, found ''"},

	{peer: "zarrs", of: "v2 .* of .U3", says: "unsupported data type"},
	{peer: "zarrs", of: `v2 (transposed delta|shuffle\+lz4|zstd\+crc32|fixedscaleoffset\+delta|adler32|astype|base64|bitround|categorize|crc32|delta|fletcher32|jenkins_lookup3|json2|lz4|lzma|msgpack2|packbits|quantize|zstd-checksum)`, says: "unsupported codec"},
	// The computation uses the bytes in reverse order. zarr-python 2 and 3 have the same values as
	// zargo.
	{peer: "zarrs", of: "v2 fixedscaleoffset of >f4", says: "other values", wrong: true},
	{peer: "zarrs", verb: "read", of: `v2 vlen-.*\+`, says: "the size of a decoded chunk is"}, // decompression is the last step
	{peer: "zarrs", verb: "read", of: "vlen-", says: "variable length data type not supported"},
	{peer: "zarrs", verb: "write", of: "vlen-", says: "PanicException"},
	{peer: "zarrs", of: `v3 (bitround|cast_value|scale_offset|numcodecs\.(adler32|astype|base64|bitround|blosc|categorize|crc32|delta|fletcher32|gzip|jenkins_lookup3|json2|lz4|lzma|msgpack2|packbits|quantize|shuffle\+lz4|zstd))`, says: "is not supported"},
	{peer: "zarrs", verb: "read", of: "v3 reshape", says: "partial decoding with the reshape codec is not yet supported"},
}

// lackPatterns are the compiled patterns of codecLacks.
type lackPatterns []*regexp.Regexp

func newLackPatterns() (all lackPatterns) {
	for _, l := range codecLacks {
		all = append(all, regexp.MustCompile(l.of))
	}
	return all
}

// first returns the index of the first matching entry of codecLacks, or -1.
func (p lackPatterns) first(peer, verb string, a coded) int {
	for i, l := range codecLacks {
		if l.peer == peer && (l.verb == "" || l.verb == verb) && p[i].MatchString(a.Name) {
			return i
		}
	}
	return -1
}

// codecPeers are the peers of TestCodecs by format.
var codecPeers = map[int][]string{2: {"zarr-python", "zarr-python-3.4", "tensorstore", "zarr-python-2", "zarrs"}, 3: {"zarr-python", "zarr-python-3.4", "tensorstore", "zarrs"}}

// TestCodecs exchanges arrays of every codec with the peers, in both directions. A peer creates its
// own arrays, with the codecs in the metadata of zargo's array, and must name and configure them
// like zargo.
func TestCodecs(t *testing.T) {
	needPython(t)
	t.Parallel()
	folder := t.TempDir()
	arrays := codedArrays()
	var jobs []job
	var of []int // the index of the array of each job
	want := make([][]string, len(arrays))
	for i, a := range arrays {
		path := fmt.Sprint("zargo/", i)
		var meta json.RawMessage
		want[i], meta = writeCoded(t, filepath.Join(folder, path), a)
		told := codedJob{a.format, a.kind(), meta, hexes(a.values()), codedBox}
		for _, peer := range codecPeers[a.format] {
			jobs = append(jobs, job{Do: "read-chain", Peer: peer, Place: folder, Path: path, Array: told},
				job{Do: "write-chain", Peer: peer, Place: folder, Path: fmt.Sprint(peer, "/", i), Array: told})
			of = append(of, i, i)
		}
	}
	patterns := newLackPatterns()
	got := map[string]codecCounts{}
	for i, s := range ask(t, jobs) {
		peer, a := jobs[i].Peer, arrays[of[i]]
		verb, _, _ := strings.Cut(jobs[i].Do, "-")
		trouble := s.Error
		if trouble == "" {
			values := s.Values
			if verb == "write" {
				var err error
				if values, err = readCoded(t, dir.New(filepath.Join(folder, jobs[i].Path)), a); err != nil {
					trouble = err.Error()
				} else if ours, theirs := members(t, jobs[i].Array.(codedJob).Meta), members(t, metadataAt(t, filepath.Join(folder, jobs[i].Path), a)); ours != theirs && ownMembers(peer) {
					t.Errorf("%s: %s wrote\n%s\nzargo\n%s", a.Name, peer, theirs, ours)
				}
			}
			if trouble == "" && !slices.Equal(values, want[of[i]]) {
				trouble = fmt.Sprintf("other values:\n%.2000s\nwant\n%.2000s", values, want[of[i]])
			}
		}
		key := fmt.Sprintf("%s %s v%d", peer, verb, a.format)
		count := got[key]
		switch l := patterns.first(peer, verb, a); {
		case l < 0 && trouble == "":
			count.equal++
		case l < 0:
			t.Errorf("%s %s: %s: %s", peer, verb, a.Name, trouble)
		case trouble == "":
			t.Errorf("%s %s: %s works now: take it out of codecLacks and of docs/evidence/interoperability.md", peer, verb, a.Name)
		case !strings.Contains(trouble, codecLacks[l].says) || codecLacks[l].wrong != (s.Error == ""):
			t.Errorf("%s %s: %s: %s, want %q", peer, verb, a.Name, trouble, codecLacks[l].says)
		case codecLacks[l].wrong:
			count.wrong++
		default:
			count.refused++
		}
		got[key] = count
	}
	if len(arrays) != 460 || !maps.Equal(got, codecTotals) {
		t.Errorf("%d arrays: got %v, want %v", len(arrays), got, codecTotals)
	}
}

// codecCounts are the numbers of arrays that were equal in every element, refused, or different.
type codecCounts struct{ equal, refused, wrong int }

// codecTotals has the counts by peer, verb and format.
var codecTotals = map[string]codecCounts{
	"zarr-python read v2":      {175, 25, 0},
	"zarr-python write v2":     {185, 15, 0},
	"zarr-python read v3":      {206, 54, 0},
	"zarr-python write v3":     {206, 54, 0},
	"zarr-python-3.4 read v2":  {175, 25, 0},
	"zarr-python-3.4 write v2": {185, 15, 0},
	"zarr-python-3.4 read v3":  {221, 39, 0},
	"zarr-python-3.4 write v3": {221, 39, 0},
	"tensorstore read v2":      {82, 118, 0},
	"tensorstore write v2":     {82, 118, 0},
	"tensorstore read v3":      {90, 170, 0},
	"tensorstore write v3":     {90, 170, 0},
	"zarr-python-2 read v2":    {183, 17, 0},
	"zarr-python-2 write v2":   {189, 11, 0},
	"zarrs read v2":            {92, 107, 1},
	"zarrs write v2":           {92, 107, 1},
	"zarrs read v3":            {116, 144, 0},
	"zarrs write v3":           {122, 138, 0},
}

// TestStatusTellsCodecs compares docs/evidence/interoperability.md with codecLacks, and checks that
// each entry of codecLacks matches an array.
func TestStatusTellsCodecs(t *testing.T) {
	b, err := os.ReadFile("../../docs/evidence/interoperability.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(b), "| implementation | cannot | array names | result |\n|---|---|---|---|\n")
	section, _, _ = strings.Cut(section, "\n\n")
	used, patterns := map[int]bool{}, newLackPatterns()
	for _, a := range codedArrays() {
		for _, peer := range codecPeers[a.format] {
			used[patterns.first(peer, "read", a)], used[patterns.first(peer, "write", a)] = true, true
		}
	}
	var want []string
	for i, l := range codecLacks {
		if want = append(want, l.row()); !used[i] {
			t.Errorf("%s: no array of these is tried", l.row())
		}
	}
	if w := strings.Join(want, "\n"); !found || section != w {
		t.Errorf("docs/evidence/interoperability.md says\n%s\nwant\n%s", section, w)
	}
}

// TestEveryCodecIsTried checks that the chains contain every codec of zargo.
func TestEveryCodecIsTried(t *testing.T) {
	tried := map[string]bool{}
	for _, a := range codedArrays() {
		for _, c := range a.spec().Codecs {
			tried[c.Name] = true
		}
		tried["sharding_indexed"] = tried["sharding_indexed"] || a.shards
	}
	for _, name := range codec.Builtin().Names() {
		if refused := name == "numcodecs.pickle" || name == "numcodecs.n5_wrapper"; tried[name] == refused {
			t.Errorf("codec %s: tried %v", name, tried[name])
		}
	}
}

// codedJob describes an array to a peer.
type codedJob struct {
	Format  int             `json:"format"`
	Kind    string          `json:"kind"`
	Meta    json.RawMessage `json:"meta"`
	Values  []string        `json:"values"`
	Written []int           `json:"written"` // shape of the box, which starts at 0
}

// writeCoded creates an array and writes its box. It returns the elements of the whole array in
// hex, and the metadata.
func writeCoded(t *testing.T, path string, a coded) (want []string, meta json.RawMessage) {
	t.Helper()
	made, err := zarr.Create(t.Context(), dir.New(path), "", a.spec())
	if err != nil {
		t.Fatalf("%s: %v", a.Name, err)
	}
	values, sel := a.values(), []zarr.Selection{zarr.Range(0, codedBox[0]), zarr.Range(0, codedBox[1])}
	switch a.typ {
	case dtype.String:
		err = writeItems(t, made, values, func(b []byte) string { return string(b) }, sel)
	case dtype.Bytes:
		err = writeItems(t, made, values, func(b []byte) []byte { return b }, sel)
	case dtype.JSON:
		err = writeItems(t, made, values, func(b []byte) json.RawMessage { return b }, sel)
	default:
		if a.varies() {
			err = writeItems(t, made, values, shorts, sel)
		} else {
			err = made.WriteBytes(t.Context(), values[0], sel...)
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", a.Name, err)
	}
	if want, err = readCoded(t, dir.New(path), a); err != nil {
		t.Fatalf("%s: %v", a.Name, err)
	}
	if same := slices.Equal(written(a, want), hexes(values)); same == (a.chain.more&lossy != 0) {
		t.Errorf("%s: the same values come back: %v", a.Name, same)
	}
	return want, metadataAt(t, path, a)
}

// written returns the elements of the box. They are the first rows of all.
func written(a coded, all []string) []string {
	n := codedBox[0] * codedBox[1]
	if a.varies() {
		return all[:n]
	}
	return []string{all[0][:2*n*a.typ.Size()]}
}

func writeItems[E any](t *testing.T, made *zarr.Array, values [][]byte, of func([]byte) E, sel []zarr.Selection) error {
	items := make([]E, len(values))
	for i, b := range values {
		items[i] = of(b)
	}
	return zarr.Write(t.Context(), made, items, sel...)
}

// readCoded returns the elements of the whole array in hex.
func readCoded(t *testing.T, st store.Store, a coded) ([]string, error) {
	opened, err := zarr.OpenArray(t.Context(), st, "")
	if err != nil {
		return nil, err
	}
	if opened.Format() != a.format || !dtype.Equal(opened.DType(), a.typ) || !slices.Equal(opened.Shape(), codedShape) || !slices.Equal(opened.Chunks(), codedChunks) ||
		!slices.Equal(opened.Shards(), a.spec().Shards) {
		return nil, fmt.Errorf("got %v", opened)
	}
	switch a.typ {
	case dtype.String:
		return readItems(t, opened, func(s string) []byte { return []byte(s) })
	case dtype.Bytes:
		return readItems(t, opened, func(b []byte) []byte { return b })
	case dtype.JSON:
		return readItems(t, opened, func(b json.RawMessage) []byte { return b })
	}
	if a.varies() {
		return readItems(t, opened, bytesOf)
	}
	b := make([]byte, codedShape[0]*codedShape[1]*a.typ.Size())
	err = opened.ReadBytes(t.Context(), b)
	return hexes([][]byte{b}), err
}

func readItems[E any](t *testing.T, opened *zarr.Array, of func(E) []byte) ([]string, error) {
	items, err := zarr.Read[E](t.Context(), opened)
	raw := make([][]byte, len(items))
	for i, v := range items {
		raw[i] = of(v)
	}
	return hexes(raw), err
}

// ownMembers reports whether a peer itself writes the complete configurations of codecs.
// TensorStore omits some members, and zarrs receives the metadata.
func ownMembers(peer string) bool { return strings.HasPrefix(peer, "zarr-python") }

// members returns the codecs of metadata without the members that only some versions of a peer
// write.
func members(t *testing.T, meta json.RawMessage) string {
	t.Helper()
	var m map[string]any
	succeed(t, json.Unmarshal(meta, &m))
	b, err := json.Marshal([]any{m["filters"], m["compressor"], m["codecs"]})
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(`"checksum":false,`, "", `"configuration":{},`, "", `,"rounding":"nearest-even"`, "").Replace(string(b))
}

func metadataAt(t *testing.T, path string, a coded) json.RawMessage {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path, map[int]string{2: ".zarray", 3: "zarr.json"}[a.format]))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
