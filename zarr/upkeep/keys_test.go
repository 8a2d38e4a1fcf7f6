package upkeep_test

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
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// oldArray creates "x" as writers did before dimension_separator: a document without it, and chunks
// under keys that only the writer knew. Elements are 1, 2, … and the fill value is -1.
func oldArray(t *testing.T, st store.Store, sep string, shape, chunks []int) {
	t.Helper()
	a := mustCreate(t, st, "x", zarr.Spec{Format: 2, Shape: shape, Chunks: chunks, DType: dtype.Float32, Fill: -1, Separator: sep, Codecs: []codec.Spec{codec.Zlib(1)}})
	check(t, zarr.Write(t.Context(), a, count(a.Len())))
	unsay(t, st, "x")
}

// TestCheckKeys checks the layout that is detected, and the requests for it, in directories of all
// kinds and with one to five axes.
func TestCheckKeys(t *testing.T) {
	const flat, nested = "chunks are flat (0.0)", "chunks are nested (0/0)"
	tests := []struct {
		name string
		keys string // keys of values below the array, in addition to its document
		said string // separator in the document
		opt  string // value of the option Separator
		want upkeep.KeyLayout
		text string
		cost int
	}{
		{"flat", "0.0 0.1 1.0", "", "", upkeep.KeyLayout{Separator: ".", Flat: true}, flat, 1},
		{"nested", "0/0 0/1 1/0", "", "", upkeep.KeyLayout{Separator: ".", Nested: true}, nested, 2},
		{"nested, one chunk far out", "17/3", "", "", upkeep.KeyLayout{Separator: ".", Nested: true}, nested, 2},
		{"said, and both", "0/0 0.0", "/", "", upkeep.KeyLayout{Separator: "/", Stated: true, Flat: true, Nested: true}, "used, as the metadata declares", 2},
		{"flat, taken for nested", "0.0 1.0", "", "/", upkeep.KeyLayout{Separator: "/", Flat: true}, flat, 1},
		{"nested, taken for nested", "0/0", "", "/", upkeep.KeyLayout{Separator: "/", Nested: true}, nested, 2},
		{"both", "0.0 0.1 1/0 1/1", "", "", upkeep.KeyLayout{Separator: ".", Flat: true, Nested: true}, "; flat (0.0) ones are used", 2},
		{"both, taken for nested", "0.0 0.1 1/0 1/1", "", "/", upkeep.KeyLayout{Separator: "/", Flat: true, Nested: true}, "; nested (0/0) ones are used", 2},
		{"empty", "", "", "", upkeep.KeyLayout{Separator: "."}, "no chunks were found", 1},
		{"other things", "0 1 notes.txt 0.0.0 00.0 -1.0 0.0/0 c/0/0 0/x 0/0/0 1.5e3 .0 0.", "", "", upkeep.KeyLayout{Separator: "."}, "no chunks were found", 2},
		{"other folders", "-a/0 +1/0 zz/0 1/1", "", "", upkeep.KeyLayout{Separator: ".", Nested: true}, nested, 2},
		{"said and true", "0/0", "/", "", upkeep.KeyLayout{Separator: "/", Stated: true, Nested: true}, nested, 2},
		{"said and untrue", "0.0", "/", "", upkeep.KeyLayout{Separator: "/", Stated: true, Flat: true}, "but the metadata declares nested (0/0)", 1},
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
			a := mustOpen(t, store.Observe(backing, tr.Record), "x", opts...)
			tr.Lines = nil
			tt.want.Looked = true
			l, err := upkeep.CheckKeys(t.Context(), a)
			if err != nil || l != tt.want {
				t.Errorf("%+v, %v, want %+v", l, err, tt.want)
			}
			if !strings.Contains(l.String(), tt.text) {
				t.Errorf("%q does not say %q", l, tt.text)
			}
			if len(tr.Lines) != tt.cost {
				t.Errorf("%d requests, want %d: %v", len(tr.Lines), tt.cost, tr.Lines)
			}
		})
	}
}

// TestCheckKeysOfOneLayout checks arrays whose keys have only one form. CheckKeys sends no request,
// and the option changes nothing.
func TestCheckKeysOfOneLayout(t *testing.T) {
	for name, st := range stores(t) {
		for _, shape := range [][]int{{}, {7}} {
			t.Run(fmt.Sprint(name, " ", len(shape)), func(t *testing.T) {
				var tr transcript
				path := fmt.Sprint("r", len(shape))
				chunks := slices.Repeat([]int{3}, len(shape))
				a := mustCreate(t, st, path, zarr.Spec{Format: 2, Shape: shape, Chunks: chunks, DType: dtype.Float32, Codecs: []codec.Spec{}})
				check(t, zarr.Write(t.Context(), a, count(a.Len())))
				for _, said := range []bool{true, false} {
					if !said {
						unsay(t, st, path)
					}
					for _, sep := range []string{".", "/"} {
						a := mustOpen(t, store.Observe(st, tr.Record), path, zarr.Separator(sep))
						tr.Lines = nil
						l, err := upkeep.CheckKeys(t.Context(), a)
						if err != nil || l.Looked || l.Other() != "" || len(tr.Lines) > 0 {
							t.Errorf("%q: %+v, %v, %v", sep, l, err, tr.Lines)
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

// TestCheckKeysIsBounded checks that CheckKeys reads at most two pages, in directories with many
// more entries in the order of S3.
func TestCheckKeysIsBounded(t *testing.T) {
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
			l, err := upkeep.CheckKeys(t.Context(), a)
			if err != nil || !l.Nested || l.Flat != (folder != "") {
				t.Errorf("%+v, %v", l, err)
			}
			if st.seen > 1001 {
				t.Errorf("%d entries were taken", st.seen)
			}
		})
	}
}

// sortedStore lists keys in sorted order, and counts the entries that the caller reads.
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

// ListPage hides the method of mem.Store, so that List is called.
func (s *sortedStore) ListPage(context.Context, string, store.ListOptions, string) ([]store.Entry, string, error) {
	return nil, "", errors.ErrUnsupported
}

// TestCheckKeysWithoutListing checks that the first chunk is requested if the store cannot list,
// and that a refusal is never treated as absence.
func TestCheckKeysWithoutListing(t *testing.T) {
	for _, sep := range []string{".", "/"} {
		backing := mem.New()
		oldArray(t, backing, sep, []int{4, 4}, []int{2, 2})
		var tr transcript
		a := mustOpen(t, store.Observe(&listless{Store: backing, err: errors.ErrUnsupported}, tr.Record), "x")
		tr.Lines = nil
		l, err := upkeep.CheckKeys(t.Context(), a)
		if err != nil || l.Flat != (sep == ".") || l.Nested != (sep == "/") {
			t.Errorf("%q: %+v, %v", sep, l, err)
		}
		if len(tr.Lines) != 3 {
			t.Errorf("%q: %v", sep, tr.Lines)
		}
		if _, err := upkeep.CheckKeys(t.Context(), mustOpen(t, &listless{Store: backing, err: zarr.ErrRefused}, "x")); !errors.Is(err, zarr.ErrRefused) {
			t.Errorf("a listing that was refused: %v", err)
		}
		l, err = upkeep.CheckKeys(t.Context(), mustOpen(t, &listless{backing, errors.ErrUnsupported, "x/0"}, "x"))
		if !errors.Is(err, zarr.ErrRefused) || l != (upkeep.KeyLayout{}) {
			t.Errorf("chunks that were refused: %+v, %v", l, err)
		}
	}
}

// listless is a store that cannot list and refuses keys that begin with refuse.
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

// TestRecordSeparator checks that the option is no longer needed afterwards, and that nothing else
// changes.
func TestRecordSeparator(t *testing.T) {
	for name, st := range stores(t) {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			oldArray(t, st, "/", []int{4, 4}, []int{2, 2})
			doc := get(t, st, "x/.zarray")
			a := mustOpen(t, st, "x", zarr.Separator("/"))
			other := mustOpen(t, st, "x")
			check(t, upkeep.RecordSeparator(ctx, a))
			b, err := a.Refresh(ctx)
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
				if l, err := upkeep.CheckKeys(ctx, v); err != nil || !l.Stated || l.Other() != "" {
					t.Errorf("%+v, %v", l, err)
				}
				if err := upkeep.RecordSeparator(ctx, v); err != nil {
					t.Errorf("said again: %v", err)
				}
			}
			for _, late := range []*zarr.Array{a, other} {
				if err := upkeep.RecordSeparator(ctx, late); !errors.Is(err, zarr.ErrConflict) {
					t.Errorf("said after somebody else did: %v", err)
				}
			}
			put(t, st, "x/.zarray", strings.Replace(doc, "4,\n    4", "4,\n    6", 1))
			if err := upkeep.RecordSeparator(ctx, a); !errors.Is(err, zarr.ErrConflict) || !strings.Contains(err.Error(), "shape") {
				t.Errorf("over another shape: %v", err)
			}
			check(t, st.Delete(ctx, "x/.zarray", store.DeleteOptions{}))
			if err := upkeep.RecordSeparator(ctx, a); !errors.Is(err, zarr.ErrConflict) {
				t.Errorf("over nothing: %v", err)
			}
			if v, err := st.Get(ctx, "x/.zarray", store.GetOptions{}, nil); !errors.Is(err, zarr.ErrNotFound) {
				t.Errorf("what was deleted is back: %s, %v", v.Bytes, err)
			}
		})
	}
}

// TestRecordSeparatorIsConditional checks that a change between the read and the write of the
// document is not lost.
func TestRecordSeparatorIsConditional(t *testing.T) {
	backing := mem.New()
	oldArray(t, backing, "/", []int{4, 4}, []int{2, 2})
	doc := get(t, backing, "x/.zarray")
	changed := strings.Replace(doc, "-1", "-2", 1)
	st := &meddler{Store: backing, value: changed}
	a := mustOpen(t, st, "x", zarr.Separator("/"))
	st.on = true
	if err := upkeep.RecordSeparator(t.Context(), a); !errors.Is(err, zarr.ErrConflict) {
		t.Error(err)
	}
	if got := get(t, backing, "x/.zarray"); got != changed {
		t.Errorf("the document became %s", got)
	}
	put(t, backing, "x/.zarray", doc)
	blind := &meddler{Store: backing, noVersions: true}
	if err := upkeep.RecordSeparator(t.Context(), mustOpen(t, blind, "x", zarr.Separator("/"))); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("without versions: %v", err)
	}
	if err := upkeep.RecordSeparator(t.Context(), mustOpen(t, blind, "x", zarr.Separator("/"), zarr.SingleWriter())); err != nil {
		t.Errorf("as the single writer: %v", err)
	}
	if got := get(t, backing, "x/.zarray"); !strings.Contains(got, "dimension_separator") {
		t.Errorf("the document became %s", got)
	}
}

// meddler is a store that, while it is on, puts a value after each read of a document.
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

// TestReadOnly checks that a read-only store returns ErrReadOnly, with and without versions.
func TestReadOnly(t *testing.T) {
	for _, noVersions := range []bool{false, true} {
		backing := mem.New()
		oldArray(t, backing, "/", []int{4, 4}, []int{2, 2})
		st := store.ReadOnly(&meddler{Store: backing, noVersions: noVersions})
		if err := upkeep.RecordSeparator(t.Context(), mustOpen(t, st, "x", zarr.Separator("/"))); !errors.Is(err, zarr.ErrReadOnly) {
			t.Errorf("without versions %v: separator: %v", noVersions, err)
		}
		g, err := zarr.CreateGroup(t.Context(), backing, "g", zarr.Spec{})
		if err != nil {
			t.Fatal(err)
		}
		if g, err = zarr.OpenGroup(t.Context(), st, g.Path()); err != nil {
			t.Fatal(err)
		}
		if _, err := g.Consolidate(t.Context()); !errors.Is(err, zarr.ErrReadOnly) {
			t.Errorf("without versions %v: consolidated: %v", noVersions, err)
		}
	}
}
