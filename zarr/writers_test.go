package zarr_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/validate"
)

// writer is an array or group in the form of another implementation. Its documents and chunks
// violate a rule, but have only one meaning.
type writer struct {
	name   string
	stored map[string]string
	want   string // the elements
	broken rule.Rule
	refuse bool // strict mode refuses the group or its members, not the array
}

// unhex returns the bytes of a chunk.
func unhex(t *testing.T, s string) string {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func writers(t *testing.T) []writer {
	v2 := func(dtype, fill, compressor string) string {
		return `{"zarr_format":2,"shape":[4],"chunks":[4],"dtype":"` + dtype + `","compressor":` + compressor + `,"fill_value":` + fill + `,"order":"C","filters":null}`
	}
	v3 := func(dtype, fill, codecs string) string {
		return `{"zarr_format":3,"node_type":"array","shape":[4],"data_type":` + dtype + `,"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},` +
			`"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},"fill_value":` + fill + `,"codecs":[` + codecs + `],"attributes":{}}`
	}
	const group2, group3, little = `{"zarr_format":2}`, `{"zarr_format":3,"node_type":"group"}`, `{"name":"bytes","configuration":{"endian":"little"}}`
	plain := unhex(t, "00000000010000000200000003000000")
	// numcodecs 0.17.1 encoded 0, 1, 2, 3 as frame and stream. shard ends with the two uint64 of an
	// index that zarrita writes without a checksum.
	frame := unhex(t, "0201330410000000100000002000000000000000010000000200000003000000")
	stream := unhex(t, "1f8b0800ac03036b04ff63606060600462262066066200a9af8e2710000000")
	shard := plain + unhex(t, "00000000000000001000000000000000")
	return []writer{
		{"n5-zarr: a quoted integer", map[string]string{".zgroup": group2, "a/.zarray": v2("<i4", `"0"`, "null")}, "[0 0 0 0]", rule.FillSpelling, false},
		{"bioformats2raw: a quoted integer", map[string]string{".zgroup": group2, "a/.zarray": v2(">u2", `"65535"`, "null")}, "[65535 65535 65535 65535]", rule.FillSpelling, false},
		{"z5py: 16 elements after a frame", map[string]string{".zgroup": group2, "a/.zarray": v2("<i4", "0", `{"id":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}`),
			"a/0": frame + strings.Repeat("\x00", 64)}, "[0 1 2 3]", rule.TrailingBytes, false},
		{"z5py: 16 bytes after a frame", map[string]string{".zgroup": group2, "a/.zarray": v2("<i4", "0", `{"id":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}`),
			"a/0": frame + strings.Repeat("\x00", 16)}, "[0 1 2 3]", rule.TrailingBytes, false},
		{"zeros after gzip, v2", map[string]string{".zgroup": group2, "a/.zarray": v2("<i4", "0", `{"id":"gzip","level":1}`), "a/0": stream + strings.Repeat("\x00", 481)}, "[0 1 2 3]", rule.TrailingBytes, false},
		{"zeros after gzip, v3", map[string]string{"zarr.json": group3, "a/zarr.json": v3(`"int32"`, "0", little+`,{"name":"gzip","configuration":{"level":5}}`), "a/c/0": stream + "\x00"}, "[0 1 2 3]", rule.TrailingBytes, false},
		{"gzip of level -1", map[string]string{"zarr.json": group3, "a/zarr.json": v3(`"int32"`, "0", little+`,{"name":"gzip","configuration":{"level":-1}}`), "a/c/0": stream}, "[0 1 2 3]", rule.CodecRange, false},
		{"zarr-python 3.1: no byte order", map[string]string{"zarr.json": group3, "a/zarr.json": v3(`"int32"`, "0", `{"name":"bytes"}`), "a/c/0": plain}, "[0 1 2 3]", rule.NoEndian, false},
		{"no byte order of text", map[string]string{"zarr.json": group3, "a/zarr.json": v3(`{"name":"fixed_length_utf32","configuration":{"length_bytes":4}}`, `""`, `{"name":"bytes"}`),
			"a/c/0": unhex(t, "61000000e9000000226f000000000000")}, `[a é 漢 ]`, rule.NoEndian, false},
		{"a draft's bytes", map[string]string{"zarr.json": group3, "a/zarr.json": v3(`"int32"`, "0", `{"name":"endian","configuration":{"endian":"big"}}`), "a/c/0": unhex(t, "00000000000000010000000200000003")},
			"[0 1 2 3]", rule.DraftCodec, false},
		{"a draft's bytes in a shard", map[string]string{"zarr.json": group3, "a/zarr.json": v3(`"int32"`, "0",
			`{"name":"sharding_indexed","configuration":{"chunk_shape":[4],"codecs":[{"name":"endian","configuration":{"endian":"little"}}],"index_codecs":[`+little+`]}}`), "a/c/0": shard},
			"[0 1 2 3]", rule.DraftCodec, false},
		{"bool a number", map[string]string{"zarr.json": group3, "a/zarr.json": v3(`"bool"`, "1", `{"name":"bytes"}`)}, "[true true true true]", rule.FillSpelling, false},
		{"infinity with a sign, v2", map[string]string{".zgroup": group2, "a/.zarray": v2("<f8", `"+Infinity"`, "null")}, "[+Inf +Inf +Inf +Inf]", rule.FillSpelling, false},
		{"infinity with a sign, v3", map[string]string{"zarr.json": group3, "a/zarr.json": v3(`"float32"`, `"+Infinity"`, little)}, "[+Inf +Inf +Inf +Inf]", rule.FillSpelling, false},
		{"v1 without a fill value", map[string]string{".zgroup": group2, "a/meta": `{"zarr_format":1,"shape":[4],"chunks":[4],"dtype":"<i4","compression":null,"compression_opts":null,"order":"C"}`, "a/0": plain},
			"[0 1 2 3]", rule.NoFillValue, false},
		{"a copy without a format", map[string]string{".zgroup": group2, "a/.zarray": v2("<i4", "7", "null"),
			".zmetadata": `{"metadata":{".zgroup":` + group2 + `,"a/.zarray":` + v2("<i4", "7", "null") + `}}`}, "[7 7 7 7]", rule.NoConsolidatedFormat, true},
	}
}

// elements reads the whole array and formats it as fmt does.
func elements(t *testing.T, a *zarr.Array) (string, error) {
	t.Helper()
	ctx := t.Context()
	switch {
	case a.DType().String() == "bool":
		got, err := zarr.Read[bool](ctx, a)
		return fmt.Sprint(got), err
	case strings.Contains(a.DType().String(), "U"):
		got, err := zarr.Read[[1]int32](ctx, a)
		var text []string
		for _, c := range got {
			text = append(text, strings.Trim(string(c[0]), "\x00"))
		}
		return fmt.Sprint(text), err
	}
	got, err := zarr.ReadAs[float64](ctx, a)
	if slices.ContainsFunc(got, func(f float64) bool { return math.IsInf(f, 0) }) {
		return fmt.Sprint(got), err
	}
	var out []int
	for _, f := range got {
		out = append(out, int(f))
	}
	return fmt.Sprint(out), err
}

// TestWritersAreRead reads the nodes of other implementations: by default, with Findings, strictly,
// through the group and with the validator.
func TestWritersAreRead(t *testing.T) {
	for _, w := range writers(t) {
		t.Run(w.name, func(t *testing.T) {
			ctx, st := t.Context(), mem.New()
			for key, doc := range w.stored {
				put(t, st, key, doc)
			}
			var f told
			g, err := zarr.OpenGroup(ctx, st, "", zarr.OnFinding(f.tell))
			if err != nil {
				t.Fatal(err)
			}
			arrays := 0
			for n, err := range g.Walk(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				a, ok := n.(*zarr.Array)
				if !ok {
					continue
				}
				arrays++
				if got, err := elements(t, a); err != nil || got != w.want {
					t.Errorf("through the group: %s, %v, want %s", got, err, w.want)
				}
			}
			if arrays == 0 && !strings.HasPrefix(w.name, "v1") {
				t.Error("the group has no array")
			}
			a, err := zarr.OpenArray(ctx, st, "a", zarr.OnFinding(f.tell))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := elements(t, a); err != nil || got != w.want {
				t.Errorf("got %s, %v, want %s", got, err, w.want)
			}
			// The walk of a group does not include arrays of v1, and reports their directories.
			f.all = slices.DeleteFunc(f.all, func(f rule.Finding) bool { return f.Rule == rule.NoNode })
			if len(f.all) == 0 || slices.ContainsFunc(f.all, func(f rule.Finding) bool { return f.Rule != w.broken }) {
				t.Errorf("told %+v, want %s", f.all, w.broken)
			}
			if err := strictly(t, st, w); rule.Of(err) != w.broken {
				t.Errorf("strict: %v, want %s", err, w.broken)
			}
			var found []string
			if _, err := validate.Run(ctx, st, "", validate.Options{Data: true}, func(f rule.Finding) { found = append(found, string(f.Rule)) }); err != nil {
				t.Error(err)
			}
			if !slices.Contains(found, string(w.broken)) && !strings.HasPrefix(w.name, "v1") { // a v2 group does not list a v1 array
				t.Errorf("the validator found %q, want %s", found, w.broken)
			}
		})
	}
}

// strictly opens and reads w in strict mode.
func strictly(t *testing.T, st *mem.Store, w writer) error {
	t.Helper()
	if w.refuse {
		g, err := zarr.OpenGroup(t.Context(), st, "", zarr.Strict())
		if err != nil {
			return err
		}
		for _, err := range g.Members(t.Context()) {
			if err != nil {
				return err
			}
		}
		return errors.New("nothing was refused")
	}
	a, err := zarr.OpenArray(t.Context(), st, "a", zarr.Strict())
	if err != nil {
		return err
	}
	_, err = elements(t, a)
	return err
}

// TestWritersAreNotCopied checks that zargo writes metadata in none of the forms that it only
// tolerates. It does not change the configuration of a codec; Create completes or refuses it.
func TestWritersAreNotCopied(t *testing.T) {
	for _, w := range writers(t) {
		if w.broken != rule.FillSpelling && w.name != "a draft's bytes" {
			continue
		}
		t.Run(w.name, func(t *testing.T) {
			ctx, st := t.Context(), mem.New()
			for key, doc := range w.stored {
				put(t, st, key, doc)
			}
			a, err := zarr.OpenArray(ctx, st, "a")
			if err != nil {
				t.Fatal(err)
			}
			encode, key := a.Metadata().EncodeV3, "zarr.json"
			if a.Format() == 2 {
				key = ".zarray"
				encode = func() ([]byte, error) { doc, _, err := a.Metadata().EncodeV2(); return doc, err }
			}
			doc, err := encode()
			if err != nil {
				t.Fatal(err)
			}
			again := mem.New()
			put(t, again, key, string(doc))
			if _, err := zarr.OpenArray(ctx, again, "", zarr.Strict()); err != nil {
				t.Errorf("%v: %s", err, doc)
			}
		})
	}
	for _, c := range []codec.Spec{codec.Gzip(-1), {Name: "endian"}} {
		spec := zarr.Spec{Shape: []int{4}, Chunks: []int{4}, DType: dtype.Int32, Codecs: []codec.Spec{c}}
		if _, err := zarr.Create(t.Context(), mem.New(), "", spec); err == nil {
			t.Errorf("%v was created", c)
		}
	}
}
