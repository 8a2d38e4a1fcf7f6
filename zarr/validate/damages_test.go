package validate_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
	"github.com/zargo-io/zargo/zarr/validate"
)

// site creates a small hierarchy: "plain" with compressed chunks, "sums" with checksums, and either
// "shards" in v3 or "undef" without a fill value in v2.
func site(t *testing.T, st store.Store, format int) {
	t.Helper()
	g, err := zarr.CreateGroup(t.Context(), st, "", zarr.Spec{Format: format})
	if err != nil {
		t.Fatal(err)
	}
	specs := map[string]zarr.Spec{
		"plain": {Shape: []int{6, 4}, Chunks: []int{2, 2}, DType: dtype.Uint16, Codecs: []codec.Spec{codec.Gzip(1)}},
		"sums":  {Shape: []int{8}, Chunks: []int{4}, DType: dtype.Uint16, Codecs: []codec.Spec{codec.CRC32C()}},
	}
	if format == 3 {
		specs["shards"] = zarr.Spec{Shape: []int{8, 8}, Shards: []int{4, 4}, Chunks: []int{2, 2}, DType: dtype.Uint16, Codecs: []codec.Spec{codec.Gzip(1)}}
	} else {
		specs["undef"] = zarr.Spec{Shape: []int{6, 4}, Chunks: []int{2, 2}, DType: dtype.Uint16, Fill: zarr.NoFill}
	}
	for path, spec := range specs {
		a, err := g.CreateArray(t.Context(), path, spec)
		if err != nil {
			t.Fatal(err)
		}
		all := make([]uint16, a.Len())
		for i := range all {
			all[i] = uint16(i + 1)
		}
		succeed(t, zarr.Write(t.Context(), a, all))
	}
}

// consolidated writes consolidated metadata for a site.
func consolidated(t *testing.T, st store.Store) {
	t.Helper()
	g, err := zarr.OpenGroup(t.Context(), st, "")
	if err == nil {
		_, err = g.Consolidate(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// change replaces the bytes of an object.
func change(t *testing.T, st store.Store, key string, to func([]byte) []byte) {
	t.Helper()
	put(t, st, key, string(to(get(t, st, key))))
}

// cutTo truncates an object to its first n bytes, or removes its last -n bytes.
func cutTo(n int) func([]byte) []byte {
	return func(b []byte) []byte {
		if n < 0 {
			return b[:len(b)+n]
		}
		return b[:n]
	}
}

// flip changes a bit of a byte. A negative offset counts from the end.
func flip(at int) func([]byte) []byte {
	return func(b []byte) []byte {
		if at < 0 {
			at += len(b)
		}
		b[at] ^= 4
		return b
	}
}

// set sets a member of a document to another value, or removes it if the value is "".
func set(t *testing.T, st store.Store, key, member, value string) {
	t.Helper()
	var raw json.RawMessage
	if value != "" {
		raw = json.RawMessage(value)
	}
	doc, err := meta.Edit(key, get(t, st, key), map[string]json.RawMessage{member: raw})
	if err != nil {
		t.Fatal(err)
	}
	put(t, st, key, string(doc))
}

const leftOverRows = `{"id":"0123456789abcdef0123456789abcdef","what":"append","dim":"time","from":6,"to":8,"since":"2026-11-23T10:00:00Z"}`

const leftOver = `{"id":"0123456789abcdef0123456789abcdef","what":"append","axis":0,"from":6,"to":8,"since":"2026-11-23T10:00:00Z"}`

// damage is one defect of a site, and the only finding that it must cause.
type damage struct {
	name   string
	format int
	before func(t *testing.T, st store.Store) // change to the undamaged site; may be nil
	make   func(t *testing.T, st store.Store)
	rule   rule.Rule
	key    string // followed by the pointer
	cause  string // part of the message
	data   bool   // found only by decoding
}

func damages() []damage {
	shrink := func(t *testing.T, st store.Store) {
		a, err := zarr.OpenArray(t.Context(), st, "sums")
		if err == nil {
			_, err = a.Resize(t.Context(), []int{3}, zarr.ResizeOptions{MetadataOnly: true})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	bytesAt := func(key string, to func([]byte) []byte) func(t *testing.T, st store.Store) {
		return func(t *testing.T, st store.Store) { change(t, st, key, to) }
	}
	key := func(key, value string) func(t *testing.T, st store.Store) {
		return func(t *testing.T, st store.Store) { put(t, st, key, value) }
	}
	member := func(key, name, value string) func(t *testing.T, st store.Store) {
		return func(t *testing.T, st store.Store) { set(t, st, key, name, value) }
	}
	remove := func(key string) func(t *testing.T, st store.Store) {
		return func(t *testing.T, st store.Store) {
			succeed(t, st.Delete(t.Context(), key, store.DeleteOptions{}))
		}
	}
	migrated := func(t *testing.T, st store.Store) {
		a, err := zarr.OpenArray(t.Context(), st, "plain")
		if err == nil {
			_, err = upkeep.Migrate(t.Context(), a, upkeep.MigrateOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	under := func(doc, name, value, chunk string) func(t *testing.T, st store.Store) {
		return func(t *testing.T, st store.Store) {
			set(t, st, doc, name, value)
			put(t, st, chunk, "a chunk that the append wrote")
		}
	}
	const codecV3 = `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"made-up"}]`
	return []damage{
		{"torn shard", 3, nil, bytesAt("shards/c/1/0", cutTo(9)), rule.Corrupt, "shards/c/1/0", "the shard has 9 bytes, fewer than the 68 of its index", true},
		{"torn shard that is longer than its index", 3, nil, bytesAt("shards/c/1/0", cutTo(-7)), rule.Corrupt, "shards/c/1/0", "index", true},
		{"bad index checksum", 3, nil, bytesAt("shards/c/0/1", flip(-1)), rule.Corrupt, "shards/c/0/1", "index of the shard: codec crc32c: corrupt data: checksum", true},
		{"stale consolidated copy", 3, consolidated, member("plain/zarr.json", "attributes", `{"units":"K"}`), rule.Stale, "zarr.json", `"plain" is changed`, false},
		{"stale consolidated copy", 2, consolidated, key("sums/.zattrs", `{"units":"K"}`), rule.Stale, ".zmetadata", `"sums" is changed`, false},
		{"orphan chunk beyond the grid", 3, nil, shrink, rule.BeyondShape, "sums/c/1", "chunk [1] of a grid of [1]", false},
		{"orphan chunk beyond the grid", 2, nil, shrink, rule.BeyondShape, "sums/1", "chunk [1] of a grid of [1]", false},
		{"orphan chunk of another separator", 3, nil, key("plain/c.1.1", "x"), rule.OtherLayout, "plain/c.1.1", "keys of another layout", false},
		{"orphan chunk of another separator", 2, nil, key("plain/1/1", "x"), rule.OtherLayout, "plain/1/1", "keys of another layout", false},
		{"missing chunk under null fill", 2, nil, remove("undef/1.0"), rule.MissingChunk, "undef/1.0", "the fill value is null", false},
		{"truncated chunk", 3, nil, bytesAt("plain/c/2/1", cutTo(-3)), rule.Corrupt, "plain/c/2/1", "EOF", true},
		{"truncated chunk", 2, nil, bytesAt("undef/2.1", cutTo(-3)), rule.Corrupt, "undef/2.1", "EOF", true},
		{"flipped byte under crc32c", 3, nil, bytesAt("sums/c/1", flip(2)), rule.Corrupt, "sums/c/1", "codec crc32c: corrupt data: checksum", true},
		{"flipped byte under crc32c", 2, nil, bytesAt("sums/1", flip(2)), rule.Corrupt, "sums/1", "checksum", true},
		{"both formats", 3, nil, key("plain/.zarray", arrayV2), rule.TwoFormats, "plain/.zarray", "v2 and of v3 exists at one path", false},
		{"both formats", 2, nil, migrated, rule.TwoFormats, "plain/.zarray", "v2 and of v3 exists at one path", false},
		{"wrong separator", 3, nil, member("plain/zarr.json", "chunk_key_encoding", `{"name":"default","configuration":{"separator":"."}}`), rule.WrongSeparator, "plain/zarr.json", `"plain/c/0/0" is one of 6 keys, but the metadata declares keys such as "plain/c.0.0"`, false},
		{"wrong separator", 2, nil, member("undef/.zarray", "dimension_separator", `"/"`), rule.WrongSeparator, "undef/.zarray", `"undef/0.0" is one of 6 keys, but the metadata declares keys such as "undef/0/0"`, false},
		{"bad fill", 3, nil, member("plain/zarr.json", "fill_value", `70000`), rule.Metadata, "plain/zarr.json/fill_value", "70000", false},
		{"bad fill", 2, nil, member("plain/.zarray", "fill_value", `"deep"`), rule.Metadata, "plain/.zarray/fill_value", "deep", false},
		{"unknown codec", 3, nil, member("plain/zarr.json", "codecs", codecV3), rule.Unsupported, "plain/zarr.json/codecs/1", "made-up", false},
		{"unknown codec", 2, nil, member("plain/.zarray", "compressor", `{"id":"made-up"}`), rule.Unsupported, "plain/.zarray/compressor", "made-up", false},
		{"left-over claim", 3, nil, under("plain/zarr.json", "attributes", `{"zargo_claim":`+leftOver+`}`, "plain/c/3/0"), rule.LeftOverClaim, "plain/zarr.json/attributes/zargo_claim", "an append of axis 0 from 6 to 8, begun 2026-11-23T10:00:00Z", false},
		{"left-over claim", 2, nil, under("plain/.zarray", "zargo_claim", leftOver, "plain/3.0"), rule.LeftOverClaim, "plain/.zarray/zargo_claim", "an append of axis 0 from 6 to 8, begun 2026-11-23T10:00:00Z", false},
		{"left-over claim of several arrays", 3, consolidated, member("zarr.json", "attributes", `{"zargo_claim":`+leftOverRows+`}`), rule.LeftOverClaim, "zarr.json/attributes/zargo_claim", `an append of dimension "time" from 6 to 8`, false},
		{"left-over claim of several arrays", 2, consolidated, key(".zattrs", `{"zargo_claim":`+leftOverRows+`}`), rule.LeftOverClaim, ".zattrs/zargo_claim", `an append of dimension "time" from 6 to 8`, false},
	}
}

// findings returns the findings of a store, with or without Data.
func findings(t *testing.T, st store.Store, data bool) []rule.Finding {
	t.Helper()
	var found []rule.Finding
	if _, err := validate.Run(t.Context(), st, "", validate.Options{Data: data}, func(f rule.Finding) { found = append(found, f) }); err != nil {
		t.Fatal(err)
	}
	return found
}

// TestTwelveDamages makes each kind of damage in a valid hierarchy, and checks that it causes one
// finding with the rule, the key and the cause.
func TestTwelveDamages(t *testing.T) {
	for _, d := range damages() {
		for name, open := range map[string]func() store.Store{"mem": func() store.Store { return mem.New() }, "dir": func() store.Store { return dir.New(t.TempDir()) }} {
			t.Run(fmt.Sprintf("%s/v%d/%s", d.name, d.format, name), func(t *testing.T) {
				st := open()
				site(t, st, d.format)
				if d.before != nil {
					d.before(t, st)
				}
				if found := findings(t, st, true); len(found) > 0 {
					t.Fatalf("undamaged: %+v", found)
				}
				d.make(t, st)
				found := findings(t, st, true)
				if len(found) != 1 || found[0].Rule != d.rule || found[0].Key+found[0].Pointer != d.key || !strings.Contains(found[0].Message(), d.cause) {
					t.Errorf("%+v", found)
				}
				if without := findings(t, st, false); (len(without) == 0) != d.data || d.data != d.rule.Decoded() {
					t.Errorf("without data: %+v", without)
				}
			})
		}
	}
}

// TestMissingChunks checks that if the fill value is null, the first hundred missing chunks are
// named and all are counted, whatever the shape is, and also if the store cannot list. With any
// other fill value no missing chunk is reported.
func TestMissingChunks(t *testing.T) {
	const doc = `{"zarr_format":2,"shape":[%d,2],"chunks":[1,1],"dtype":"|u1","compressor":null,"fill_value":%s,"order":"C","filters":null,"dimension_separator":"."}`
	tests := []struct {
		name  string
		rows  int64
		fill  string
		list  bool
		data  bool
		n     int
		first string
		last  string
	}{
		{"a few", 3, "null", true, false, 3, "missing-chunk 0.1", "missing-chunk 2.0"},
		{"a fill value", 3, "0", true, false, 0, "", ""},
		{"a huge grid", 1 << 61, "null", true, false, 101, "missing-chunk ", "missing-chunk 50.1"},
		{"no listing", 3, "null", false, true, 4, "missing-chunk 0.1", "not-listed "},
		{"no listing and no decoding", 3, "null", false, false, 1, "not-listed ", "not-listed "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var st store.Store = mem.New()
			put(t, st, ".zarray", fmt.Sprintf(doc, tt.rows, tt.fill))
			for _, key := range []string{"0.0", "1.0", "2.1"} {
				put(t, st, key, "x")
			}
			if !tt.list {
				st = unlisted{st}
			}
			lines, _ := run(t, st, validate.Options{Data: tt.data})
			if len(lines) != tt.n || tt.n > 0 && (lines[0] != tt.first || !slices.Contains(lines, tt.last)) {
				t.Errorf("found %q", lines)
			}
		})
	}
}

// TestKeysOfAnotherLayout checks that keys of another layout are one finding about the metadata
// only if the array has no chunk under its own layout, and all keys have the same layout.
func TestKeysOfAnotherLayout(t *testing.T) {
	const doc = `{"zarr_format":3,"node_type":"array","shape":[4,4],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,2]}},"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":["bytes"]}`
	tests := []struct {
		name string
		keys []string
		want []string
	}{
		{"all elsewhere", []string{"0.0", "0.1", "7.7"}, []string{"wrong-separator zarr.json"}},
		{"one where it belongs", []string{"c/1/1", "0.0"}, []string{"other-layout 0.0"}},
		{"of two layouts", []string{"c.0.0", "0.1"}, []string{"other-layout 0.1", "other-layout c.0.0"}},
		{"all beyond the grid", []string{"7.7"}, []string{"other-layout 7.7"}},
		{"beside orphans", []string{"c/7/7", "0.0"}, []string{"beyond-shape c/7/7", "wrong-separator zarr.json"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := mem.New()
			put(t, st, "zarr.json", doc)
			for _, key := range tt.keys {
				put(t, st, key, "four")
			}
			if lines, _ := run(t, st, validate.Options{}); !slices.Equal(lines, tt.want) {
				t.Errorf("found %q, want %q", lines, tt.want)
			}
		})
	}
}
