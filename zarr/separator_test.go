package zarr_test

import (
	"errors"
	"fmt"
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

// oldArray creates "x" as writers did before dimension_separator: its document lacks the member, so
// that only the writer knew the keys of its chunks. Elements are 1, 2, … and the fill value is -1.
func oldArray(t *testing.T, st store.Store, sep string, shape, chunks []int) {
	t.Helper()
	a := mustCreate(t, st, "x", zarr.Spec{Format: 2, Shape: shape, Chunks: chunks, DType: dtype.Float32, Fill: -1, Separator: sep, Codecs: []codec.Spec{codec.Zlib(1)}})
	succeed(t, zarr.Write(t.Context(), a, count(a.Len())))
	unsay(t, st, "x")
}

func filled(n int, v float32) []float32 { return slices.Repeat([]float32{v}, n) }

// TestNestedUnsaid reads an old array as the specification requires, detects its separator, and
// then reads it, writes it, changes its attributes and replaces it.
func TestNestedUnsaid(t *testing.T) {
	for name, st := range stores(t) {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			oldArray(t, st, "/", []int{5, 4, 3}, []int{2, 2, 2})
			doc := get(t, st, "x/.zarray")

			var r zarr.Report
			a := mustOpen(t, st, "x", zarr.WithReport(&r))
			if got, err := zarr.Read[float32](ctx, a); err != nil || !slices.Equal(got, filled(60, -1)) {
				t.Errorf("without the option: %v, %v", got, err)
			}
			if r.Missing.Load() != 12 || r.Chunks.Load() != 12 {
				t.Errorf("without the option: %v", &r)
			}
			l, err := upkeep.CheckKeys(ctx, a)
			if want := (upkeep.KeyLayout{Separator: ".", Looked: true, Nested: true}); err != nil || l != want || l.Other() != "/" || l.Mixed() {
				t.Errorf("%+v, %v", l, err)
			}

			b := mustOpen(t, st, "x", zarr.Separator(l.Other()))
			if got, err := zarr.Read[float32](ctx, b); err != nil || !slices.Equal(got, count(60)) {
				t.Errorf("with the option: %v, %v", got, err)
			}
			if l, err := upkeep.CheckKeys(ctx, b); err != nil || l.Other() != "" || l.Separator != "/" || !l.Nested {
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
			succeed(t, zarr.Write(ctx, b, filled(12, 7), zarr.At(3), zarr.All, zarr.All))
			want := count(60)
			copy(want[36:48], filled(12, 7))
			fresh, err := b.Refresh(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := zarr.Read[float32](ctx, fresh); err != nil || !slices.Equal(got, want) {
				t.Errorf("after writing: %v, %v", got, err)
			}
			c, err := fresh.SetAttrs(ctx, map[string]any{"units": "K"})
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

			// The spec determines the separator of a new array. The old chunks are deleted under
			// either separator.
			if _, err := zarr.Replace(ctx, st, "x", zarr.Spec{Format: 2, Shape: []int{4, 4}, DType: dtype.Int8}, zarr.Separator("/")); !errors.Is(err, zarr.ErrSelection) {
				t.Errorf("replaced against the option: %v", err)
			}
			if now := get(t, st, "x/.zarray"); now != doc {
				t.Errorf("a Replace that was refused left %s", now)
			}
			succeed(t, second(zarr.Replace(ctx, st, "x", zarr.Spec{Format: 2, Shape: []int{4, 4}, DType: dtype.Int8})))
			if got := slices.DeleteFunc(keys(t, st), func(k string) bool { return !strings.HasPrefix(k, "x/") }); !slices.Equal(got, []string{"x/.zarray"}) {
				t.Errorf("after Replace: %v", got)
			}
		})
	}
}

// TestSeparatorContradicted checks that the option is refused if metadata declares another
// separator, and accepted if it declares the same one.
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
		if !errors.Is(err, zarr.ErrSelection) || !errors.As(err, &me) || !strings.Contains(err.Error(), fmt.Sprintf("the separator %q of chunk keys", says)) {
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

// TestSeparatorOfGroup checks that the option applies to members, from listings and from
// consolidated metadata. A member that contradicts it yields an error in its place.
func TestSeparatorOfGroup(t *testing.T) {
	st := mem.New()
	ctx := t.Context()
	g, err := zarr.CreateGroup(ctx, st, "", zarr.Spec{Format: 2})
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

// TestReadsNeverLook checks that a read sends one request for each chunk even if all are missing.
func TestReadsNeverLook(t *testing.T) {
	backing := mem.New()
	oldArray(t, backing, "/", []int{4, 4}, []int{2, 2})
	var tr transcript
	a := mustOpen(t, store.Observe(backing, tr.Record), "x")
	if want := []string{"get x/.zarray", "get x/.zattrs absent", "get x/zarr.json absent"}; !slices.Equal(slices.Sorted(slices.Values(tr.Lines)), want) {
		t.Errorf("opening: %v", tr.Lines)
	}
	tr.Lines = nil
	succeed(t, second(zarr.Read[float32](t.Context(), a)))
	if want := []string{"get x/0.0 absent", "get x/0.1 absent", "get x/1.0 absent", "get x/1.1 absent"}; !slices.Equal(slices.Sorted(slices.Values(tr.Lines)), want) {
		t.Errorf("reading: %v", tr.Lines)
	}
}
