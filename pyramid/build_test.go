package pyramid_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/pyramid"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// image creates a group with an array of int32 in which all elements differ.
func image(t *testing.T, st store.Store, path string, spec zarr.Spec) {
	t.Helper()
	if _, err := zarr.OpenOrCreateGroup(t.Context(), st, "", zarr.Spec{}, nil); err != nil {
		t.Fatal(err)
	}
	spec.DType = dtype.Int32
	a, err := zarr.Create(t.Context(), st, path, spec)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]int32, a.Len())
	for i := range values {
		values[i] = int32(i * 7)
	}
	succeed(t, zarr.Write(t.Context(), a, values))
}

func small() zarr.Spec {
	return zarr.Spec{Shape: []int{30, 41}, Chunks: []int{5, 8}, Dims: []string{"y", "x"}, Attrs: map[string]any{"units": "m"}}
}

func sharded() zarr.Spec {
	spec := small()
	spec.Shape, spec.Shards = []int{70, 101}, []int{20, 24}
	return spec
}

func build(t *testing.T, st store.Store, path string, o pyramid.Options) []pyramid.Level {
	t.Helper()
	levels, err := pyramid.Build(t.Context(), st, path, o)
	if err != nil {
		t.Fatal(err)
	}
	return levels
}

// TestLayout checks the paths of levels and the attributes of the group.
func TestLayout(t *testing.T) {
	for _, tt := range []struct{ path, want string }{
		{"t2m", "[{t2m [30 41]} {1/t2m [15 21]} {2/t2m [8 11]} {3/t2m [4 6]}]"},
		{"0/t2m", "[{0/t2m [30 41]} {1/t2m [15 21]} {2/t2m [8 11]} {3/t2m [4 6]}]"},
		{"0", "[{0 [30 41]} {1 [15 21]} {2 [8 11]} {3 [4 6]}]"},
	} {
		t.Run(tt.path, func(t *testing.T) {
			st := mem.New()
			image(t, st, tt.path, small())
			levels := build(t, st, tt.path, pyramid.Options{})
			if got := fmt.Sprint(levels); got != tt.want {
				t.Errorf("the levels are %s, want %s", got, tt.want)
			}
			g, err := zarr.OpenGroup(t.Context(), st, "")
			if err != nil {
				t.Fatal(err)
			}
			m, _, err := zarr.Attr[struct {
				Layout []struct {
					Asset     string
					From      string `json:"derived_from"`
					Method    string `json:"resampling_method"`
					Transform struct{ Scale, Translation []float64 }
				}
			}](g, "multiscales")
			if err != nil || len(m.Layout) != len(levels) {
				t.Fatalf("the layout is %v, %v", m.Layout, err)
			}
			for i, l := range m.Layout {
				want := fmt.Sprintf("{%s %s average {[2 2] [0.5 0.5]}}", levels[i].Path, levels[max(i-1, 0)].Path)
				if i == 0 {
					want = fmt.Sprintf("{%s   {[1 1] [0 0]}}", tt.path)
				}
				if got := fmt.Sprint(l); got != want {
					t.Errorf("entry %d is %s, want %s", i, got, want)
				}
			}
			if c, _, err := zarr.Attr[[]struct{ Name, UUID string }](g, "zarr_conventions"); fmt.Sprint(c, err) != "[{multiscales d35379db-88df-4056-af3a-620245f8e347}] <nil>" {
				t.Errorf("the conventions are %v, %v", c, err)
			}
			a := array(t, st, levels[1].Path)
			if fmt.Sprint(a.Dims(), a.Attrs(), a.Chunks()) != "[y x] map[units:m] [5 8]" {
				t.Errorf("level 1 has %v %v %v", a.Dims(), a.Attrs(), a.Chunks())
			}
			for key := range contents(t, st) {
				if strings.Contains(key, "__zargo") && key != "__zargo_pyramid/"+strings.ReplaceAll(tt.path, "/", ".")+".json" {
					t.Errorf("%s is stored after the build", key)
				}
			}
		})
	}
}

// TestSeveralArrays checks that the group describes the pyramids of all its arrays, and keeps its
// other attributes.
func TestSeveralArrays(t *testing.T) {
	st := mem.New()
	image(t, st, "a", small())
	image(t, st, "b", small())
	g, err := zarr.OpenGroup(t.Context(), st, "")
	if err == nil {
		_, err = g.SetAttrs(t.Context(), map[string]any{"title": "x", "zarr_conventions": []any{map[string]any{"uuid": "other"}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	var both sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		both.Go(func() {
			if _, err := pyramid.Build(t.Context(), st, name, pyramid.Options{Levels: 1}); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	build(t, st, "a", pyramid.Options{Levels: 2})
	if g, err = zarr.OpenGroup(t.Context(), st, ""); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(g.Attrs())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"asset":"a"`, `"asset":"1/a"`, `"asset":"2/a"`, `"asset":"b"`, `"asset":"1/b"`, `"title":"x"`, `"uuid":"other"`} {
		if strings.Count(string(text), part) != 1 {
			t.Errorf("the attributes do not contain %s once: %s", part, text)
		}
	}
}

// failing is a store whose puts fail after a number of them.
type failing struct {
	store.Forward
	left atomic.Int64
}

var errFailing = errors.New("the store has failed")

func (f *failing) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	if f.left.Add(-1) < 0 {
		return "", errFailing
	}
	return f.Forward.Put(ctx, key, value, o)
}

func (f *failing) PutParts(context.Context, string, store.PartsOptions) (store.Parts, error) {
	return nil, errors.ErrUnsupported
}

// TestInterruptions interrupts builds after each possible number of puts. It checks that the
// attributes describe no levels until all levels are complete, and that the next build skips the
// stored objects.
func TestInterruptions(t *testing.T) {
	for _, tt := range []struct {
		name string
		spec zarr.Spec
		o    pyramid.Options
	}{
		{"chunks", small(), pyramid.Options{}},
		{"shards", sharded(), pyramid.Options{Levels: 3, Method: pyramid.Nearest}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := mem.New()
			image(t, source, "a", tt.spec)
			image(t, source, "x", zarr.Spec{Shape: tt.spec.Shape[1:], Dims: []string{"x"}})
			done := clone(t, source)
			build(t, done, "a", tt.o)
			want := contents(t, done)
			for puts := 0; ; puts += 1 + puts/8 {
				st := &failing{Forward: store.Forward{Store: clone(t, source)}}
				st.left.Store(int64(puts))
				_, err := pyramid.Build(t.Context(), st, "a", tt.o)
				if err == nil {
					break
				}
				if !errors.Is(err, errFailing) {
					t.Fatalf("after %d puts: %v", puts, err)
				}
				g, err := zarr.OpenGroup(t.Context(), st, "")
				if err != nil || g.Attrs()["multiscales"] != nil {
					t.Fatalf("after %d puts: the group has the attributes %v, %v", puts, g.Attrs(), err)
				}
				st.left.Store(math.MaxInt32)
				skipped, total := 0, 0
				o := tt.o
				o.Progress = func(p pyramid.Progress) { skipped, total = p.Skipped, p.Objects }
				build(t, st, "a", o)
				if got := contents(t, st); !maps.Equal(got, want) {
					t.Fatalf("after %d puts the next build stores %v, want %v", puts, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
				}
				if skipped > total || skipped < min(puts-7, total-7)*2/3 { // the other puts store documents
					t.Errorf("after %d puts, %d of %d objects were skipped", puts, skipped, total)
				}
			}
			again := &failing{Forward: store.Forward{Store: done}}
			build(t, again, "a", tt.o) // puts nothing
		})
	}
}

// TestConcurrentBuilds runs two builds of one pyramid in a directory.
func TestConcurrentBuilds(t *testing.T) {
	for name, spec := range map[string]zarr.Spec{"chunks": small(), "shards": sharded()} {
		t.Run(name, func(t *testing.T) {
			st := dir.New(t.TempDir())
			image(t, st, "a", spec)
			image(t, st, "y", zarr.Spec{Shape: spec.Shape[:1], Dims: []string{"y"}})
			alone := clone(t, st)
			build(t, alone, "a", pyramid.Options{Levels: 3})
			var all sync.WaitGroup
			for range 2 {
				all.Go(func() {
					if _, err := pyramid.Build(t.Context(), st, "a", pyramid.Options{Levels: 3}); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if got, want := contents(t, st), contents(t, alone); !maps.Equal(got, want) {
				t.Errorf("the builds store %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
			}
		})
	}
}

// TestMemory checks that a build with a small Options.Memory stores the same elements and does not
// exceed that memory.
func TestMemory(t *testing.T) {
	// Level 1 is one shard, which is written in pieces. Its windows have 1.4 MiB.
	spec := zarr.Spec{Shape: []int{501, 750}, Chunks: []int{50, 75}, Shards: []int{550, 750}}
	for _, method := range []pyramid.Method{pyramid.Mean, pyramid.Nearest, pyramid.Mode} {
		t.Run(method.String(), func(t *testing.T) {
			one := mem.New()
			image(t, one, "a", spec)
			two := clone(t, one)
			build(t, one, "a", pyramid.Options{Levels: 2, Method: method})
			bytes := concurrency.NewBudget(8 << 20).Child(8 << 20)
			build(t, two, "a", pyramid.Options{
				Levels: 2, Method: method, Memory: 1 << 20,
				Limits: &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: bytes},
			})
			for _, level := range []string{"1/a", "2/a"} {
				if x, y := elements(t, array(t, one, level)), elements(t, array(t, two, level)); !slices.Equal(x, y) {
					t.Errorf("level %s differs", level)
				}
			}
			if used, peak := bytes.Used(); used != 0 || peak > 3<<19 {
				t.Errorf("%d bytes are reserved after the build, and %d at most", used, peak)
			}
		})
	}
}

// TestExtremes checks integers whose sums exceed 64 bits.
func TestExtremes(t *testing.T) {
	st := mem.New()
	group(t, st, 3)
	check := func(name string, got, want any, err error) {
		t.Helper()
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, %v, want %v", name, got, err, want)
		}
	}
	lowest, highest := int64(math.MinInt64), int64(math.MaxInt64)
	got, err := mean(t, st, "int64", []int64{highest, highest, highest, highest - 1, lowest, lowest, lowest, lowest + 2, -1, 0, -2, -3, 1, 2, 2, 3}, nil)
	check("int64", got, []int64{highest, highest - 1, lowest, lowest + 1, 0, -2, 2, 2}, err) // -0.5, -2.5, 1.5 and 2.5 become even
	unsigned, err := mean(t, st, "uint64", []uint64{math.MaxUint64, math.MaxUint64, math.MaxUint64, 0, 0, 1}, nil)
	check("uint64", unsigned, []uint64{math.MaxUint64, 1 << 63, 0}, err) // 2^63 - 0.5
	flipped, err := mean(t, st, "_Unsigned", []int8{-1, 1, -56, -54}, map[string]any{"_Unsigned": "true"})
	check("_Unsigned", flipped, []int8{-128, -55}, err) // 255 and 1, 200 and 202
	halves, err := mean(t, st, "bfloat16", []dtype.BF16{0x3f80, 0x3f81, 0x7fc0, 0x4000}, nil)
	check("bfloat16", halves, []dtype.BF16{0x3f80, 0x4000}, err) // 1 + 2^-8 becomes even
	times, err := mean(t, st, "datetime64", []dtype.Instant{1, 4, dtype.NaT, 9, dtype.NaT, dtype.NaT}, nil)
	check("datetime64", times, []dtype.Instant{2, 9, dtype.NaT}, err)
}

// mean returns level 1 of a one-dimensional array.
func mean[T any](t *testing.T, st store.Store, name string, values []T, attrs map[string]any) ([]T, error) {
	t.Helper()
	typ, err := dtype.Of[T]()
	if name == "datetime64" { // the data type has a unit
		typ, err = dtype.DateTime{Unit: dtype.Second, Scale: 1}, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	a, err := zarr.Create(t.Context(), st, name, zarr.Spec{Shape: []int{len(values)}, DType: typ, Dims: []string{"i"}, Attrs: attrs})
	if err == nil {
		err = zarr.Write(t.Context(), a, values)
	}
	if err != nil {
		t.Fatal(err)
	}
	build(t, st, name, pyramid.Options{Dims: []string{"i"}, Levels: 1})
	return zarr.Read[T](t.Context(), array(t, st, "1/"+name))
}

// TestErrors checks the kind of each error and the fact that it mentions.
func TestErrors(t *testing.T) {
	st := mem.New()
	image(t, st, "a", small())
	image(t, st, "built", small())
	image(t, st, "1/other", small())
	image(t, st, "other", small())
	image(t, st, "cube", zarr.Spec{Shape: []int{3, 3, 3}, Dims: []string{"y", "x", "x"}})
	image(t, st, "uneven", zarr.Spec{Shape: []int{4, 4}, ChunkEdges: [][]int{{1, 3}, {4}}})
	if _, err := zarr.Create(t.Context(), st, "vast", zarr.Spec{Shape: []int{1 << 30, 1 << 30}, Chunks: []int{9, 9}, DType: dtype.Int8}); err != nil {
		t.Fatal(err)
	}
	for name, typ := range map[string]dtype.Type{"bool": dtype.Bool, "text": dtype.String, "complex": dtype.Complex64} {
		if _, err := zarr.Create(t.Context(), st, name, zarr.Spec{Shape: []int{9, 9}, DType: typ}); err != nil {
			t.Fatal(err)
		}
	}
	build(t, st, "built", pyramid.Options{Levels: 1})
	if _, err := st.Put(t.Context(), "2/a/c/0/0", []byte("?"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	stopped := &failing{Forward: store.Forward{Store: clone(t, st)}}
	stopped.left.Store(3)
	if _, err := pyramid.Build(t.Context(), stopped, "a", pyramid.Options{Levels: 1}); err == nil {
		t.Fatal("the build must fail")
	}
	for _, tt := range []struct {
		name string
		st   store.Store
		path string
		o    pyramid.Options
		kind error
		text string
	}{
		{"factor", st, "a", pyramid.Options{Factor: 65}, fault.Selection, "factor must be 2 to 64, is 65"},
		{"negative levels", st, "a", pyramid.Options{Levels: -1}, fault.Selection, "-1"},
		{"method", st, "a", pyramid.Options{Method: 9}, fault.Selection, "method 9"},
		{"negative memory", st, "a", pyramid.Options{Memory: -1}, fault.Selection, "-1"},
		{"limits", st, "a", pyramid.Options{Limits: &concurrency.Limits{}}, fault.Selection, "CPU and Bytes"},
		{"too many levels", st, "a", pyramid.Options{Levels: 7}, fault.Selection, "at most 6 levels"},
		{"fits", st, "cube", pyramid.Options{Dims: []string{"y"}}, fault.Selection, "fits into one chunk"},
		{"no dimension", st, "a", pyramid.Options{Dims: []string{"lat"}}, fault.Selection, `"lat"`},
		{"no dimensions", st, "a", pyramid.Options{Dims: []string{}}, fault.Selection, "no dimension"},
		{"repeated dimension", st, "a", pyramid.Options{Dims: []string{"x", "x"}}, fault.Selection, "twice"},
		{"ambiguous dimension", st, "cube", pyramid.Options{Dims: []string{"x"}}, fault.Selection, "twice"},
		{"root", st, "", pyramid.Options{}, fault.Selection, "root"},
		{"absent", st, "absent", pyramid.Options{}, fault.NotFound, "absent"},
		{"bool", st, "bool", pyramid.Options{Levels: 1}, fault.Type, "mean does not accept the data type bool"},
		{"complex", st, "complex", pyramid.Options{Levels: 1, Method: pyramid.Mode}, fault.Type, "complex64"},
		{"text", st, "text", pyramid.Options{Levels: 1, Method: pyramid.Nearest}, fault.Type, "string"},
		{"uneven chunks", st, "uneven", pyramid.Options{Levels: 1}, errors.ErrUnsupported, "differ in shape"},
		{"too many objects", st, "vast", pyramid.Options{Levels: 1}, fault.Limit, "more than 1073741824"},
		{"another array", st, "other", pyramid.Options{Levels: 1}, fault.Exists, "1/other"},
		{"another method", st, "built", pyramid.Options{Levels: 1, Method: pyramid.Mode}, fault.Exists, "1/built"},
		{"other objects", st, "a", pyramid.Options{Levels: 2}, fault.Exists, "2/a/c"},
		{"unfinished", stopped, "a", pyramid.Options{Levels: 1, Method: pyramid.Nearest}, fault.Conflict, "__zargo_pyramid/a.json"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := pyramid.Build(t.Context(), tt.st, tt.path, tt.o)
			if !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("the error is %v, want %v with %q", err, tt.kind, tt.text)
			}
		})
	}
	if _, err := pyramid.ParseMethod("cubic"); !errors.Is(err, fault.Selection) {
		t.Errorf("the error is %v", err)
	}
}

// TestOtherConvention checks that Build does not change the attribute multiscales of OME-Zarr.
func TestOtherConvention(t *testing.T) {
	st := mem.New()
	image(t, st, "a", small())
	g, err := zarr.OpenGroup(t.Context(), st, "")
	if err == nil {
		_, err = g.SetAttrs(t.Context(), map[string]any{"multiscales": []any{}})
	}
	if err != nil {
		t.Fatal(err)
	}
	before := contents(t, st)
	if _, err := pyramid.Build(t.Context(), st, "a", pyramid.Options{}); !errors.Is(err, fault.Exists) || !maps.Equal(contents(t, st), before) {
		t.Errorf("the error is %v", err)
	}
}

func succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
