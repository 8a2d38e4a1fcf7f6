package pyramid_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/pyramid"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/zip"
)

// golden opens testdata/levels.zip, which testdata/levels.py writes with xarray.
func golden(t *testing.T) *zarr.Group {
	t.Helper()
	st, err := zip.Open(t.Context(), dir.New("testdata"), "levels.zip")
	if err != nil {
		t.Fatal(err)
	}
	g, err := zarr.OpenGroup(t.Context(), st, "")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// elements returns all elements of an array in memory form.
func elements(t *testing.T, a *zarr.Array) []byte {
	t.Helper()
	b := make([]byte, a.Len()*a.DType().Size())
	succeed(t, a.ReadBytes(t.Context(), b))
	return b
}

// texts formats each element as text. All NaN have the same text.
func texts(t *testing.T, a *zarr.Array) []string {
	t.Helper()
	list := make([]string, a.Len())
	size := a.DType().Size()
	for i, b := 0, elements(t, a); i < len(list); i++ {
		list[i] = fmt.Sprintf("%x", b[i*size:(i+1)*size])
		f := make([]float64, 1)
		if dtype.Convert(a.DType(), f, b[i*size:(i+1)*size]) == nil && f[0] != f[0] {
			list[i] = "NaN"
		}
	}
	return list
}

// copied creates a copy of array a with a changed spec.
func copied(t *testing.T, st store.Store, path string, a *zarr.Array, change func(*zarr.Spec)) {
	t.Helper()
	spec := a.Spec()
	change(&spec)
	to, err := zarr.Create(t.Context(), st, path, spec)
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, to.WriteBytes(t.Context(), elements(t, a)))
}

func group(t *testing.T, st store.Store, format int) {
	t.Helper()
	if _, err := zarr.CreateGroup(t.Context(), st, "", zarr.Spec{Format: format}); err != nil {
		t.Fatal(err)
	}
}

func array(t *testing.T, st store.Store, path string) *zarr.Array {
	t.Helper()
	a, err := zarr.OpenArray(t.Context(), st, path)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestLevelsOfXarray compares the levels of all data types with those of xarray.
func TestLevelsOfXarray(t *testing.T) {
	forms := []struct {
		name   string
		change func(*zarr.Spec)
	}{
		{"v3", func(*zarr.Spec) {}},
		{"v2", func(s *zarr.Spec) {
			s.Format, s.Keys, s.Fill, s.Separator = 2, zarr.Spec{}.Keys, zarr.NoFill, ""
			s.Attrs["_ARRAY_DIMENSIONS"], s.Dims = s.Dims, nil
		}},
		{"shards", func(s *zarr.Spec) {
			s.Shards = slices.Clone(s.Chunks)
			for d := range s.Shards {
				s.Shards[d] *= 2
			}
		}},
	}
	tested := 0
	for n, err := range golden(t).Members(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		g := n.(*zarr.Group)
		factor, _, err := zarr.Attr[int](g, "factor")
		if err != nil {
			t.Fatal(err)
		}
		source, err := g.OpenArray(t.Context(), "source")
		if err != nil {
			t.Fatal(err)
		}
		for m, err := range g.Members(t.Context()) {
			want, ok := m.(*zarr.Group)
			if err != nil || !ok {
				continue
			}
			method, err := pyramid.ParseMethod(want.Name())
			if err != nil {
				t.Fatal(err)
			}
			for _, form := range forms {
				t.Run(g.Name()+"/"+want.Name()+"/"+form.name, func(t *testing.T) {
					tested++
					st := mem.New()
					group(t, st, formatOf(form.name))
					copied(t, st, "data", source, form.change)
					o := pyramid.Options{Factor: factor, Levels: 2, Method: method}
					if len(source.Shape()) == 1 {
						o.Dims = source.Dims()
					}
					if _, err := pyramid.Build(t.Context(), st, "data", o); err != nil {
						t.Fatal(err)
					}
					for _, level := range []string{"1", "2"} {
						name := level
						if g.Name() == "coordinates" {
							name += "/source"
						}
						w, err := want.OpenArray(t.Context(), name)
						if err != nil {
							t.Fatal(err)
						}
						got := array(t, st, level+"/data")
						if !slices.Equal(got.Shape(), w.Shape()) || !dtype.Equal(got.DType(), w.DType()) {
							t.Fatalf("level %s has the shape %v of %v, want %v of %v", level, got.Shape(), got.DType(), w.Shape(), w.DType())
						}
						if got, w := texts(t, got), texts(t, w); !slices.Equal(got, w) {
							t.Errorf("level %s is\n%v, want\n%v", level, got, w)
						}
					}
				})
			}
		}
	}
	if tested < 150 {
		t.Errorf("only %d levels were compared", tested)
	}
}

// formatOf returns the Zarr format of a group of levels.zip.
func formatOf(form string) int {
	if form == "v2" {
		return 2
	}
	return 3
}

// TestCoordinates compares the coordinates of a dataset with those of Dataset.coarsen.
func TestCoordinates(t *testing.T) {
	from, err := golden(t).OpenGroup(t.Context(), "coordinates")
	if err != nil {
		t.Fatal(err)
	}
	st := mem.New()
	group(t, st, 3)
	names := []string{"source", "time", "lat", "lon"}
	for _, name := range names {
		a, err := from.OpenArray(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		copied(t, st, name, a, func(s *zarr.Spec) {
			if name == "lat" {
				s.Attrs = map[string]any{"units": "degrees_north", "bounds": "lat_bnds"}
			}
		})
	}
	for _, method := range []pyramid.Method{pyramid.Mean, pyramid.Nearest} { // the coordinates do not depend on the method
		st := clone(t, st)
		if _, err := pyramid.Build(t.Context(), st, "source", pyramid.Options{Levels: 2, Method: method}); err != nil {
			t.Fatal(err)
		}
		for _, level := range []string{"1", "2"} {
			for _, name := range names[1:] {
				want, err := from.OpenArray(t.Context(), "mean/"+level+"/"+name)
				if err != nil {
					t.Fatal(err)
				}
				got := array(t, st, level+"/"+name)
				if !dtype.Equal(got.DType(), want.DType()) || !bytes.Equal(elements(t, got), elements(t, want)) {
					t.Errorf("%v: coordinate %s of level %s is %v %v, want %v %v", method, name, level, got.DType(), texts(t, got), want.DType(), texts(t, want))
				}
			}
			if got := fmt.Sprint(array(t, st, level+"/lat").Attrs()); strings.Contains(got, "bounds") || !strings.Contains(got, "degrees_north") {
				t.Errorf("the attributes of lat are %s", got)
			}
		}
	}
}

// clone returns a store with the same keys.
func clone(t *testing.T, st store.Store) store.Store {
	t.Helper()
	to := mem.New()
	for key, value := range contents(t, st) {
		if _, err := to.Put(t.Context(), key, []byte(value), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// contents returns all values of a store.
func contents(t *testing.T, st store.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	for e, err := range store.ListAll(context.Background(), st, "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(e.Key, "__zargo_pyramid/") { // it contains versions, which differ between stores
			continue
		}
		v, err := st.Get(context.Background(), e.Key, store.GetOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		all[e.Key] = string(v.Bytes)
	}
	return all
}
