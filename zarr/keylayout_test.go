package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// oldArray makes "x" as writers did before dimension_separator: a document without it, and chunks under keys that only
// the writer knew. Elements are 1, 2, … and the fill value is -1.
func oldArray(t *testing.T, st store.Store, sep string, shape, chunks []int) {
	t.Helper()
	a := mustCreate(t, st, "x", zarr.Spec{Format: 2, Shape: shape, Chunks: chunks, DType: dtype.Float32, Fill: -1, Separator: sep, Codecs: []codec.Spec{codec.Zlib(1)}})
	if err := zarr.Write(t.Context(), a, count(a.Len())); err != nil {
		t.Fatal(err)
	}
	unsay(t, st, "x")
}

// unsay takes the separator out of a v2 array's document.
func unsay(t *testing.T, st store.Store, path string) {
	t.Helper()
	doc := get(t, st, path+"/.zarray")
	for _, sep := range []string{".", "/"} {
		doc = strings.ReplaceAll(doc, "  \"dimension_separator\": \""+sep+"\",\n", "")
	}
	if strings.Contains(doc, "dimension_separator") {
		t.Fatalf("the separator is still there: %s", doc)
	}
	put(t, st, path+"/.zarray", doc)
}

func get(t *testing.T, st store.Store, key string) string {
	t.Helper()
	v, err := st.Get(t.Context(), key, store.GetOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(v.Bytes)
}

func put(t *testing.T, st store.Store, key, value string) {
	t.Helper()
	if _, err := st.Put(t.Context(), key, []byte(value), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

func mustOpen(t *testing.T, st store.Store, path string, opts ...zarr.Option) *zarr.Array {
	t.Helper()
	a, err := zarr.OpenArray(t.Context(), st, path, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func filled(n int, v float32) []float32 { return slices.Repeat([]float32{v}, n) }

// stores are a store in memory and one on disk.
func stores(t *testing.T) map[string]store.Store {
	return map[string]store.Store{"mem": mem.New(), "dir": dir.New(t.TempDir())}
}

// TestNestedUnsaid goes the whole way of an old array: read as the specification says, found out, read, written, given
// other attributes, replaced.
func TestNestedUnsaid(t *testing.T) {
	for name, st := range stores(t) {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			oldArray(t, st, "/", []int{5, 4, 3}, []int{2, 2, 2})
			doc := get(t, st, "x/.zarray")

			var r zarr.Report
			a := mustOpen(t, st, "x", zarr.ReportTo(&r))
			if got, err := zarr.Read[float32](ctx, a); err != nil || !slices.Equal(got, filled(60, -1)) {
				t.Errorf("without the option: %v, %v", got, err)
			}
			if r.Missing.Load() != 12 || r.Chunks.Load() != 12 {
				t.Errorf("without the option: %v", &r)
			}
			l, err := a.KeyLayout(ctx)
			if want := (zarr.KeyLayout{Separator: ".", Looked: true, Nested: true}); err != nil || l != want || l.Other() != "/" || l.Mixed() {
				t.Errorf("%+v, %v", l, err)
			}

			b := mustOpen(t, st, "x", zarr.Separator(l.Other()))
			if got, err := zarr.Read[float32](ctx, b); err != nil || !slices.Equal(got, count(60)) {
				t.Errorf("with the option: %v, %v", got, err)
			}
			if l, err := b.KeyLayout(ctx); err != nil || l.Other() != "" || l.Separator != "/" || !l.Nested {
				t.Errorf("with the option: %+v, %v", l, err)
			}
			if key := b.ChunkKey(1, 0, 1); key != "x/1/0/1" {
				t.Error(key)
			}
			view, err := a.With(zarr.Separator("/"))
			if err != nil {
				t.Fatal(err)
			}
			back, err := view.With(zarr.Separator("."))
			if err != nil {
				t.Fatal(err)
			}
			for v, want := range map[*zarr.Array]float32{view: 1, back: -1, a: -1} {
				if got, err := zarr.Read[float32](ctx, v, zarr.At(0), zarr.At(0), zarr.At(0)); err != nil || got[0] != want {
					t.Errorf("%v: %v, %v, want %v", v.ChunkKey(0, 0, 0), got, err, want)
				}
			}

			before := keys(t, st)
			if err := zarr.Write(ctx, b, filled(15, 7), zarr.At(4), zarr.All, zarr.All); !errors.Is(err, zarr.ErrSelection) {
				t.Error(err)
			}
			if err := zarr.Write(ctx, b, filled(12, 7), zarr.At(3), zarr.All, zarr.All); err != nil {
				t.Fatal(err)
			}
			want := count(60)
			copy(want[36:48], filled(12, 7))
			fresh, err := b.Refresh(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := zarr.Read[float32](ctx, fresh); err != nil || !slices.Equal(got, want) {
				t.Errorf("after writing: %v, %v", got, err)
			}
			c, err := zarr.SetAttrs(ctx, fresh, zarr.Attrs{"units": "K"})
			if err != nil {
				t.Fatal(err)
			}
			if got, err := zarr.Read[float32](ctx, c); err != nil || !slices.Equal(got, want) {
				t.Errorf("after SetAttrs: %v, %v", got, err)
			}
			if got := slices.DeleteFunc(keys(t, st), func(k string) bool { return k == "x/.zattrs" }); !slices.Equal(got, before) {
				t.Errorf("keys %v, were %v", got, before)
			}
			if now := get(t, st, "x/.zarray"); now != doc {
				t.Errorf("the document became %s", now)
			}

			// The spec decides what a new array says; the old chunks go, whatever they are called.
			if _, err := zarr.Replace(ctx, st, "x", zarr.Spec{Format: 2, Shape: []int{4, 4}, DType: dtype.Int8}, zarr.Separator("/")); !errors.Is(err, zarr.ErrSelection) {
				t.Errorf("replaced against the option: %v", err)
			}
			if now := get(t, st, "x/.zarray"); now != doc {
				t.Errorf("a Replace that was refused left %s", now)
			}
			if _, err := zarr.Replace(ctx, st, "x", zarr.Spec{Format: 2, Shape: []int{4, 4}, DType: dtype.Int8}); err != nil {
				t.Fatal(err)
			}
			if got := slices.DeleteFunc(keys(t, st), func(k string) bool { return !strings.HasPrefix(k, "x/") }); !slices.Equal(got, []string{"x/.zarray"}) {
				t.Errorf("after Replace: %v", got)
			}
		})
	}
}

// TestKeyLayout is about what is found in folders of all kinds, with one axis to five, and what it costs.
func TestKeyLayout(t *testing.T) {
	const flat, nested = "chunks are flat (0.0)", "chunks are nested (0/0)"
	tests := []struct {
		name string
		keys string // values below the array, beside its document
		said string // the document's separator
		opt  string // option Separator
		want zarr.KeyLayout
		text string
		cost int
	}{
		{"flat", "0.0 0.1 1.0", "", "", zarr.KeyLayout{Separator: ".", Flat: true}, flat, 1},
		{"nested", "0/0 0/1 1/0", "", "", zarr.KeyLayout{Separator: ".", Nested: true}, nested, 2},
		{"nested, one chunk far out", "17/3", "", "", zarr.KeyLayout{Separator: ".", Nested: true}, nested, 2},
		{"said, and both", "0/0 0.0", "/", "", zarr.KeyLayout{Separator: "/", Stated: true, Flat: true, Nested: true}, "used, as the metadata says", 2},
		{"flat, taken for nested", "0.0 1.0", "", "/", zarr.KeyLayout{Separator: "/", Flat: true}, flat, 1},
		{"nested, taken for nested", "0/0", "", "/", zarr.KeyLayout{Separator: "/", Nested: true}, nested, 2},
		{"both", "0.0 0.1 1/0 1/1", "", "", zarr.KeyLayout{Separator: ".", Flat: true, Nested: true}, "; flat (0.0) ones are used", 2},
		{"both, taken for nested", "0.0 0.1 1/0 1/1", "", "/", zarr.KeyLayout{Separator: "/", Flat: true, Nested: true}, "; nested (0/0) ones are used", 2},
		{"empty", "", "", "", zarr.KeyLayout{Separator: "."}, "no chunks were seen", 1},
		{"other things", "0 1 notes.txt 0.0.0 00.0 -1.0 0.0/0 c/0/0 0/x 0/0/0 1.5e3 .0 0.", "", "", zarr.KeyLayout{Separator: "."}, "no chunks were seen", 2},
		{"other folders", "-a/0 +1/0 zz/0 1/1", "", "", zarr.KeyLayout{Separator: ".", Nested: true}, nested, 2},
		{"said and true", "0/0", "/", "", zarr.KeyLayout{Separator: "/", Stated: true, Nested: true}, nested, 2},
		{"said and untrue", "0.0", "/", "", zarr.KeyLayout{Separator: "/", Stated: true, Flat: true}, "but the metadata says nested (0/0)", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			backing := mem.New()
			mustCreate(t, backing, "x", zarr.Spec{Format: 2, Shape: []int{40, 40}, Chunks: []int{2, 2}, DType: dtype.Int8, Separator: tt.said})
			if tt.said == "" {
				unsay(t, backing, "x")
			}
			for key := range strings.FieldsSeq(tt.keys) {
				put(t, backing, "x/"+key, "v")
			}
			put(t, backing, "x0/0", "of another node")
			var opts []zarr.Option
			if tt.opt != "" {
				opts = append(opts, zarr.Separator(tt.opt))
			}
			var tr transcript
			a := mustOpen(t, store.Observe(backing, tr.record), "x", opts...)
			tr.lines = nil
			tt.want.Looked = true
			l, err := a.KeyLayout(t.Context())
			if err != nil || l != tt.want {
				t.Errorf("%+v, %v, want %+v", l, err, tt.want)
			}
			if !strings.Contains(l.String(), tt.text) {
				t.Errorf("%q does not say %q", l, tt.text)
			}
			if len(tr.lines) != tt.cost {
				t.Errorf("%d requests, want %d: %v", len(tr.lines), tt.cost, tr.lines)
			}
		})
	}
}

// TestKeyLayoutOfOneLayout is about arrays whose keys can only be spelled one way: nothing is asked, and the option
// changes nothing.
func TestKeyLayoutOfOneLayout(t *testing.T) {
	for name, st := range stores(t) {
		for _, shape := range [][]int{{}, {7}} {
			t.Run(fmt.Sprint(name, " ", len(shape)), func(t *testing.T) {
				var tr transcript
				path := fmt.Sprint("r", len(shape))
				chunks := slices.Repeat([]int{3}, len(shape))
				a := mustCreate(t, st, path, zarr.Spec{Format: 2, Shape: shape, Chunks: chunks, DType: dtype.Float32, Codecs: []codec.Spec{}})
				if err := zarr.Write(t.Context(), a, count(a.Len())); err != nil {
					t.Fatal(err)
				}
				for _, said := range []bool{true, false} {
					if !said {
						unsay(t, st, path)
					}
					for _, sep := range []string{".", "/"} {
						a := mustOpen(t, store.Observe(st, tr.record), path, zarr.Separator(sep))
						tr.lines = nil
						l, err := a.KeyLayout(t.Context())
						if err != nil || l.Looked || l.Other() != "" || len(tr.lines) > 0 {
							t.Errorf("%q: %+v, %v, %v", sep, l, err, tr.lines)
						}
						if got, err := zarr.Read[float32](t.Context(), a); err != nil || !slices.Equal(got, count(a.Len())) {
							t.Errorf("%q: %v, %v", sep, got, err)
						}
					}
				}
			})
		}
	}
}

// TestKeyLayoutIsBounded holds KeyLayout to its two pages, in folders with many more entries in the order of S3.
func TestKeyLayoutIsBounded(t *testing.T) {
	for name, folder := range map[string]string{"flat hides nested": "0", "strange things first": ""} {
		t.Run(name, func(t *testing.T) {
			st := &sortedStore{Store: mem.New()}
			mustCreate(t, st, "x", zarr.Spec{Format: 2, Shape: []int{4, 9000}, Chunks: []int{2, 2}, DType: dtype.Int8})
			unsay(t, st, "x")
			a := mustOpen(t, st, "x")
			for i := range 3000 {
				if folder == "" {
					put(t, st, fmt.Sprintf("x/-%d", i), "v")
				} else {
					put(t, st, fmt.Sprintf("x/0.%d", i), "v")
				}
			}
			put(t, st, "x/0/7", "v")
			st.seen = 0
			l, err := a.KeyLayout(t.Context())
			if err != nil || !l.Nested || l.Flat != (folder != "") {
				t.Errorf("%+v, %v", l, err)
			}
			if st.seen > 1001 {
				t.Errorf("%d entries were taken", st.seen)
			}
		})
	}
}

// sortedStore lists in the order of keys, and counts what is taken.
type sortedStore struct {
	*mem.Store
	seen int
}

func (s *sortedStore) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		var all []store.Entry
		for e, err := range s.Store.List(ctx, prefix, o) {
			if err != nil {
				yield(e, err)
				return
			}
			all = append(all, e)
		}
		name := func(e store.Entry) string {
			if e.Dir {
				return e.Key + "/"
			}
			return e.Key
		}
		slices.SortFunc(all, func(a, b store.Entry) int { return strings.Compare(name(a), name(b)) })
		for _, e := range all {
			s.seen++
			if !yield(e, nil) {
				return
			}
		}
	}
}

// ListPage hides mem's, so that List is asked.
func (s *sortedStore) ListPage(context.Context, string, store.ListOptions, string) ([]store.Entry, string, error) {
	return nil, "", errors.ErrUnsupported
}

// TestKeyLayoutWithoutListing asks for the first chunk where there is no listing, and never takes a refusal for absence.
func TestKeyLayoutWithoutListing(t *testing.T) {
	for _, sep := range []string{".", "/"} {
		backing := mem.New()
		oldArray(t, backing, sep, []int{4, 4}, []int{2, 2})
		var tr transcript
		a := mustOpen(t, store.Observe(&listless{Store: backing, err: errors.ErrUnsupported}, tr.record), "x")
		tr.lines = nil
		l, err := a.KeyLayout(t.Context())
		if err != nil || l.Flat != (sep == ".") || l.Nested != (sep == "/") {
			t.Errorf("%q: %+v, %v", sep, l, err)
		}
		if len(tr.lines) != 3 {
			t.Errorf("%q: %v", sep, tr.lines)
		}
		if _, err := mustOpen(t, &listless{Store: backing, err: zarr.ErrRefused}, "x").KeyLayout(t.Context()); !errors.Is(err, zarr.ErrRefused) {
			t.Errorf("a listing that was refused: %v", err)
		}
		l, err = mustOpen(t, &listless{backing, errors.ErrUnsupported, "x/0"}, "x").KeyLayout(t.Context())
		if !errors.Is(err, zarr.ErrRefused) || l != (zarr.KeyLayout{}) {
			t.Errorf("chunks that were refused: %+v, %v", l, err)
		}
	}
}

// listless is a store that cannot list, and that refuses keys that begin with refuse.
type listless struct {
	store.Store
	err    error
	refuse string
}

func (s *listless) List(context.Context, string, store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) { yield(store.Entry{}, s.err) }
}

func (s *listless) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if s.refuse != "" && strings.HasPrefix(key, s.refuse) {
		return store.Value{}, zarr.ErrRefused
	}
	return s.Store.Get(ctx, key, o, buf)
}

// TestSeparatorContradicted refuses the option where metadata says otherwise, and takes it where it says the same.
func TestSeparatorContradicted(t *testing.T) {
	st := mem.New()
	for i, spec := range []zarr.Spec{{Format: 2, Separator: "."}, {Format: 2, Separator: "/"}, {Format: 3, Separator: "."}, {Format: 3, Separator: "/"}, {Format: 3}} {
		spec.Shape, spec.DType = []int{4, 4}, dtype.Int8
		path := fmt.Sprint("g/", i)
		mustCreate(t, st, path, spec)
		says := spec.Separator
		if says == "" {
			says = "/"
		}
		other := map[string]string{".": "/", "/": "."}[says]
		if _, err := zarr.OpenArray(t.Context(), st, path, zarr.Separator(says)); err != nil {
			t.Error(err)
		}
		_, err := zarr.OpenArray(t.Context(), st, path, zarr.Separator(other))
		var me *zarr.MetaError
		if !errors.Is(err, zarr.ErrSelection) || !errors.As(err, &me) || !strings.Contains(err.Error(), fmt.Sprintf("separated by %q", says)) {
			t.Errorf("v%d %q opened with %q: %v", spec.Format, says, other, err)
		}
		if _, err := mustOpen(t, st, path).With(zarr.Separator(other)); !errors.Is(err, zarr.ErrSelection) {
			t.Errorf("v%d %q seen with %q: %v", spec.Format, says, other, err)
		}
		before := keys(t, st)
		if _, err := zarr.Create(t.Context(), st, fmt.Sprint("h/", i), spec, zarr.Separator(other)); !errors.Is(err, zarr.ErrSelection) {
			t.Errorf("v%d %q created with %q: %v", spec.Format, says, other, err)
		}
		if after := keys(t, st); !slices.Equal(after, before) {
			t.Errorf("a creation that was refused left %v", after)
		}
	}
	for _, sep := range []string{"", "-", "//", "./"} {
		if _, err := zarr.OpenArray(t.Context(), st, "g/0", zarr.Separator(sep)); !errors.Is(err, zarr.ErrSelection) {
			t.Errorf("%q: %v", sep, err)
		}
	}
}

// TestSeparatorOfGroup passes the option to members, from listings and from consolidated metadata. One that contradicts
// it is an error in its place.
func TestSeparatorOfGroup(t *testing.T) {
	st := mem.New()
	ctx := t.Context()
	g, err := zarr.CreateGroup(ctx, st, "", zarr.GroupSpec{Format: 2})
	if err != nil {
		t.Fatal(err)
	}
	oldArray(t, st, "/", []int{4, 4}, []int{2, 2})
	mustCreate(t, st, "y", zarr.Spec{Format: 2, Shape: []int{4, 4}, DType: dtype.Int8})
	check := func(name string) {
		t.Helper()
		view, err := g.With(zarr.Separator("/"))
		if err != nil {
			t.Fatal(err)
		}
		read, refused := 0, 0
		for n, err := range view.Members(ctx) {
			if err != nil {
				if refused++; !errors.Is(err, zarr.ErrSelection) || !strings.Contains(err.Error(), `"y"`) {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			read++
			if got, err := zarr.Read[float32](ctx, n.(*zarr.Array)); err != nil || !slices.Equal(got, count(16)) {
				t.Errorf("%s: %v, %v", name, got, err)
			}
		}
		if read != 1 || refused != 1 {
			t.Errorf("%s: %d read, %d refused", name, read, refused)
		}
	}
	check("listed")
	put(t, st, ".zmetadata", `{"zarr_consolidated_format":1,"metadata":{".zgroup":`+get(t, st, ".zgroup")+`,"x/.zarray":`+get(t, st, "x/.zarray")+
		`,"y/.zarray":`+get(t, st, "y/.zarray")+`}}`)
	check("consolidated")
}

// TestReadsNeverLook holds a read whose every chunk is missing to one request for each.
func TestReadsNeverLook(t *testing.T) {
	backing := mem.New()
	oldArray(t, backing, "/", []int{4, 4}, []int{2, 2})
	var tr transcript
	a := mustOpen(t, store.Observe(backing, tr.record), "x")
	if want := []string{"get x/.zarray", "get x/.zattrs absent", "get x/zarr.json absent"}; !slices.Equal(slices.Sorted(slices.Values(tr.lines)), want) {
		t.Errorf("opening: %v", tr.lines)
	}
	tr.lines = nil
	if _, err := zarr.Read[float32](t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if want := []string{"get x/0.0 absent", "get x/0.1 absent", "get x/1.0 absent", "get x/1.1 absent"}; !slices.Equal(slices.Sorted(slices.Values(tr.lines)), want) {
		t.Errorf("reading: %v", tr.lines)
	}
}

// TestStateSeparator ends the need for the option, and changes nothing else.
func TestStateSeparator(t *testing.T) {
	for name, st := range stores(t) {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			oldArray(t, st, "/", []int{4, 4}, []int{2, 2})
			doc := get(t, st, "x/.zarray")
			a := mustOpen(t, st, "x", zarr.Separator("/"))
			other := mustOpen(t, st, "x")
			b, err := zarr.StateSeparator(ctx, a)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := get(t, st, "x/.zarray"), strings.Replace(doc, "{\n  ", "{\n  \"dimension_separator\": \"/\",\n  ", 1); got != want {
				t.Errorf("the document became %s, want %s", got, want)
			}
			plain := mustOpen(t, st, "x")
			for _, v := range []*zarr.Array{b, plain} {
				if got, err := zarr.Read[float32](ctx, v); err != nil || !slices.Equal(got, count(16)) {
					t.Errorf("%v, %v", got, err)
				}
				if l, err := v.KeyLayout(ctx); err != nil || !l.Stated || l.Other() != "" {
					t.Errorf("%+v, %v", l, err)
				}
				if same, err := zarr.StateSeparator(ctx, v); err != nil || same != v {
					t.Errorf("said again: %v, %v", same, err)
				}
			}
			for _, late := range []*zarr.Array{a, other} {
				if _, err := zarr.StateSeparator(ctx, late); !errors.Is(err, zarr.ErrConflict) {
					t.Errorf("said after somebody else did: %v", err)
				}
			}
			put(t, st, "x/.zarray", strings.Replace(doc, "4,\n    4", "4,\n    6", 1))
			if _, err := zarr.StateSeparator(ctx, a); !errors.Is(err, zarr.ErrConflict) || !strings.Contains(err.Error(), "shape") {
				t.Errorf("over another shape: %v", err)
			}
			if err := st.Delete(ctx, "x/.zarray", store.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err := zarr.StateSeparator(ctx, a); !errors.Is(err, zarr.ErrConflict) {
				t.Errorf("over nothing: %v", err)
			}
			if v, err := st.Get(ctx, "x/.zarray", store.GetOptions{}, nil); !errors.Is(err, zarr.ErrNotFound) {
				t.Errorf("what was deleted is back: %s, %v", v.Bytes, err)
			}
		})
	}
}

// TestStateSeparatorIsConditional loses no change that comes between reading the document and writing it.
func TestStateSeparatorIsConditional(t *testing.T) {
	backing := mem.New()
	oldArray(t, backing, "/", []int{4, 4}, []int{2, 2})
	doc := get(t, backing, "x/.zarray")
	changed := strings.Replace(doc, "-1", "-2", 1)
	st := &meddler{Store: backing, value: changed}
	a := mustOpen(t, st, "x", zarr.Separator("/"))
	st.on = true
	if _, err := zarr.StateSeparator(t.Context(), a); !errors.Is(err, zarr.ErrConflict) {
		t.Error(err)
	}
	if got := get(t, backing, "x/.zarray"); got != changed {
		t.Errorf("the document became %s", got)
	}
	put(t, backing, "x/.zarray", doc)
	blind := &meddler{Store: backing, noVersions: true}
	if _, err := zarr.StateSeparator(t.Context(), mustOpen(t, blind, "x", zarr.Separator("/"))); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("without versions: %v", err)
	}
	if _, err := zarr.StateSeparator(t.Context(), mustOpen(t, blind, "x", zarr.Separator("/"), zarr.SingleWriter())); err != nil {
		t.Errorf("as the single writer: %v", err)
	}
	if got := get(t, backing, "x/.zarray"); !strings.Contains(got, "dimension_separator") {
		t.Errorf("the document became %s", got)
	}
}

// meddler is a store in which a value is put whenever its document was read, while it is on.
type meddler struct {
	store.Store
	value      string
	on         bool
	noVersions bool
}

func (m *meddler) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	v, err := m.Store.Get(ctx, key, o, buf)
	if m.on && strings.HasSuffix(key, ".zarray") {
		if _, err := m.Put(ctx, key, []byte(m.value), store.PutOptions{}); err != nil {
			return store.Value{}, err
		}
	}
	if m.noVersions {
		v.Version = ""
	}
	return v, err
}
