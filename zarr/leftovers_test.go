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
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestCreateOverLeftovers creates arrays over existing objects. If the array would read them as its
// own, Create returns ErrExists and they remain. It ignores objects that the array would never
// read. Replace deletes the former and keeps the latter.
func TestCreateOverLeftovers(t *testing.T) {
	const v1 = `{"zarr_format":1,"shape":[4,4],"chunks":[2,2],"dtype":"<i4","fill_value":0,"compression":null,"compression_opts":null,"order":"C"}`
	plain := zarr.Spec{Shape: []int{4, 4}, Chunks: []int{2, 2}, DType: dtype.Int32, Codecs: []codec.Spec{}}
	v2, nested, dotted, line, scalar, scalar2 := plain, plain, plain, plain, plain, plain
	v2.Format = 2
	nested.Format, nested.Separator = 2, "/"
	dotted.Separator = "."
	line.Format, line.Shape, line.Chunks = 2, []int{4}, []int{2}
	scalar.Shape, scalar.Chunks = []int{}, []int{}
	scalar2.Format, scalar2.Shape, scalar2.Chunks = 2, []int{}, []int{}
	for _, tt := range []struct {
		name   string
		spec   zarr.Spec
		key    string
		value  string
		exists bool
		stays  bool // remains after Replace
	}{
		{"v3", plain, "c/1/0", "x", true, false},
		{"v3, a chunk beyond the array", plain, "c/7/7", "x", true, false},
		{"v3, keys of v2", plain, "1.0", "x", false, false},
		{"v3 with points", dotted, "c.1.0", "x", true, false},
		{"v3 with points, keys with slashes", dotted, "c/1/0", "x", false, false},
		{"v3 without axes", scalar, "c", "x", true, false},
		{"v3 without axes, other keys", scalar, "c/0", "x", false, false},
		{"v2", v2, "1.0", "x", true, false},
		{"v2 of another rank", v2, "1.0.0", "x", false, false},
		{"v2 with slashes", v2, "1/0", "x", false, false},
		{"nested", nested, "1/0", "x", true, false},
		{"nested, flat keys", nested, "1.0", "x", false, false},
		{"one axis", line, "1", "x", true, false},
		{"one axis, keys below", line, "1/0", "x", false, false},
		{"v2 without axes", scalar2, "0", "x", true, false},
		{"v2 without axes, another key", scalar2, "1", "x", false, false},
		{"no chunk", v2, "c.txt", "x", false, true},
		{"a leading zero", v2, "01.0", "x", false, false},
		{"v1 beside v2", v2, "meta", v1, true, false},
		{"v1 beside v3", plain, "meta", v1, true, false},
		{"v1 of another data type", plain, "meta", strings.Replace(v1, "<i4", "<t5", 1), true, false},
		{"no v1", v2, "meta", `{"x":1}`, false, true},
		{"nobody's folder", v2, "meta/x", v1, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := mem.New()
			put(t, st, "a/"+tt.key, tt.value)
			_, err := zarr.Create(t.Context(), st, "a", tt.spec)
			if tt.exists != errors.Is(err, zarr.ErrExists) || !tt.exists && err != nil {
				t.Fatalf("created: %v", err)
			}
			if tt.exists && !strings.Contains(err.Error(), "a/"+strings.Split(tt.key, "/")[0]) {
				t.Errorf("%v does not say what is there", err)
			}
			if v, err := st.Get(t.Context(), "a/"+tt.key, store.GetOptions{}, nil); err != nil || string(v.Bytes) != tt.value {
				t.Errorf("then there is %q, %v", v.Bytes, err)
			}
			if _, err := zarr.OpenOrCreate(t.Context(), st, "a", tt.spec); tt.exists != (err != nil) {
				t.Errorf("opened or created: %v", err)
			} else if tt.exists && tt.key != "meta" && !errors.Is(err, zarr.ErrExists) {
				t.Errorf("opened or created: %v", err)
			}
			if strings.Contains(tt.name, "another data type") {
				return // Replace does not touch it either
			}
			succeed(t, second(zarr.Replace(t.Context(), st, "a", tt.spec)))
			_, err = st.Get(t.Context(), "a/"+tt.key, store.GetOptions{}, nil)
			if tt.stays != (err == nil) || err != nil && !errors.Is(err, zarr.ErrNotFound) {
				t.Errorf("after Replace: %v", err)
			}
			if _, err := zarr.Create(t.Context(), st, "a", tt.spec); !errors.Is(err, zarr.ErrExists) || strings.Contains(err.Error(), "chunk") {
				t.Errorf("over the array itself: %v", err)
			}
		})
	}
}

// TestCreateOverItself checks that the error for an existing array names its document, not its
// chunks.
func TestCreateOverItself(t *testing.T) {
	st := mem.New()
	spec := zarr.Spec{Shape: []int{4}, DType: dtype.Int8}
	succeed(t, zarr.Write(t.Context(), mustCreate(t, st, "a", spec), []int8{1, 2, 3, 4}))
	if _, err := zarr.Create(t.Context(), st, "a", spec); !errors.Is(err, zarr.ErrExists) || !strings.Contains(err.Error(), "a/zarr.json") {
		t.Error(err)
	}
	a, err := zarr.OpenOrCreate(t.Context(), st, "a", spec)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := zarr.Read[int8](t.Context(), a); err != nil || !slices.Equal(got, []int8{1, 2, 3, 4}) {
		t.Error(got, err)
	}
}

// TestGroupsHideNoV1 checks that no group is created over a v1 array, and no node below one.
func TestGroupsHideNoV1(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		put(t, st, "old/meta", `{"zarr_format":1,"shape":[2],"chunks":[2],"dtype":"<i4","fill_value":0,"compression":null,"compression_opts":null,"order":"C"}`)
		if _, err := zarr.CreateGroup(t.Context(), st, "old", zarr.Spec{Format: format}); !errors.Is(err, zarr.ErrExists) || !strings.Contains(err.Error(), "old/meta") {
			t.Errorf("a group of v%d: %v", format, err)
		}
		if _, err := zarr.Create(t.Context(), st, "old/x", zarr.Spec{Format: format, Shape: []int{2}, DType: dtype.Int8}); !errors.Is(err, zarr.ErrExists) {
			t.Errorf("an array of v%d below: %v", format, err)
		}
		for _, k := range keys(t, st) {
			if strings.HasPrefix(k, "old/") && k != "old/meta" {
				t.Errorf("v%d: %s was written", format, k)
			}
		}
	}
}

// unlisted is a store whose listings fail.
type unlisted struct {
	store.Store
	err error
}

func (s unlisted) List(context.Context, string, store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) { yield(store.Entry{}, s.err) }
}

// TestCreateWithoutListing checks that nodes are created without permission or support for
// listings, but not over a v1 array, and that any other error is returned.
func TestCreateWithoutListing(t *testing.T) {
	spec := zarr.Spec{Format: 2, Shape: []int{2}, DType: dtype.Int32}
	for _, kind := range []error{fault.Refused, errors.ErrUnsupported, fault.Unavailable} {
		st := unlisted{mem.New(), fmt.Errorf("no: %w", kind)}
		put(t, st, "a/0", "x")
		put(t, st, "old/meta", `{"zarr_format":1,"shape":[2],"chunks":[2],"dtype":"<i4","fill_value":0,"compression":null,"compression_opts":null,"order":"C"}`)
		_, err := zarr.Create(t.Context(), st, "a", spec)
		if fails := kind == fault.Unavailable; fails != (err != nil) || fails && !errors.Is(err, kind) {
			t.Errorf("%v: %v", kind, err)
		}
		if _, err := zarr.Create(t.Context(), st, "old", spec); !errors.Is(err, zarr.ErrExists) && !errors.Is(err, fault.Unavailable) {
			t.Errorf("%v, over v1: %v", kind, err)
		}
	}
}

// TestNothingBelowArrays checks that no format creates a node below an array of either format.
func TestNothingBelowArrays(t *testing.T) {
	for _, above := range []int{2, 3} {
		for _, below := range []int{2, 3} {
			st := mem.New()
			mustCreate(t, st, "a", zarr.Spec{Format: above, Shape: []int{2}, DType: dtype.Int8})
			before := keys(t, st)
			for _, path := range []string{"a/x", "a/x/y"} {
				if _, err := zarr.Create(t.Context(), st, path, zarr.Spec{Format: below, Shape: []int{2}, DType: dtype.Int8}); !errors.Is(err, zarr.ErrExists) {
					t.Errorf("v%d at %s below v%d: %v", below, path, above, err)
				}
				if _, err := zarr.CreateGroup(t.Context(), st, path, zarr.Spec{Format: below}); !errors.Is(err, zarr.ErrExists) {
					t.Errorf("a group of v%d at %s below v%d: %v", below, path, above, err)
				}
			}
			for _, k := range keys(t, st) {
				if !slices.Contains(before, k) && (k == "a/zarr.json" || k == "a/.zgroup") {
					t.Errorf("v%d below v%d: %s was written", below, above, k)
				}
			}
		}
	}
}

// TestGroupsAboveStay checks that an existing parent group of the other format remains unchanged.
func TestGroupsAboveStay(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		succeed(t, second(zarr.CreateGroup(t.Context(), st, "g", zarr.Spec{Format: format})))
		before := keys(t, st)
		mustCreate(t, st, "g/x", zarr.Spec{Format: 5 - format, Shape: []int{2}, DType: dtype.Int8})
		after := slices.DeleteFunc(keys(t, st), func(k string) bool { return strings.HasPrefix(k, "g/x/") })
		if !slices.Equal(before, after) {
			t.Errorf("there were %q, there are %q", before, after)
		}
	}
}

// failing is a store that fails requests for the metadata of one node.
type failing struct {
	store.Store
	path string
	err  error
}

func (s failing) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if strings.HasPrefix(key, s.path+"/") {
		return store.Value{}, s.err
	}
	return s.Store.Get(ctx, key, o, buf)
}

// TestWalkEndsWithTheStore checks that a failed request for a node ends a walk: the node is neither
// left out nor reported as invalid.
func TestWalkEndsWithTheStore(t *testing.T) {
	for _, kind := range []error{fault.Unavailable, fault.Refused} {
		st := mem.New()
		for _, path := range []string{"a", "b", "c"} {
			mustCreate(t, st, path, zarr.Spec{Shape: []int{2}, DType: dtype.Int8})
		}
		g, err := zarr.OpenGroup(t.Context(), failing{st, "b", fmt.Errorf("no: %w", kind)}, "")
		if err != nil {
			t.Fatal(err)
		}
		errs, nodes := 0, 0
		for _, err := range g.Walk(t.Context()) {
			if err == nil {
				nodes++
			} else if errs++; !errors.Is(err, kind) {
				t.Errorf("%v: %v", kind, err)
			}
		}
		if errs != 1 || nodes != 0 {
			t.Errorf("%v: %d nodes and %d errors", kind, nodes, errs)
		}
	}
}

// TestNoFillIsOfV2 checks that v3 refuses an undefined fill value.
func TestNoFillIsOfV2(t *testing.T) {
	for format, kind := range map[int]error{2: nil, 3: zarr.ErrMetadata} {
		if _, err := zarr.Create(t.Context(), mem.New(), "", zarr.Spec{Format: format, Shape: []int{2}, DType: dtype.Int8, Fill: zarr.NoFill}); !errors.Is(err, kind) {
			t.Errorf("v%d: %v", format, err)
		}
	}
}
