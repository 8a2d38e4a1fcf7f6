package validate_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/validate"
)

// TestBelowBrokenNodes checks that nodes below an unreadable group are checked, and that chunks are
// not mistaken for nodes.
func TestBelowBrokenNodes(t *testing.T) {
	tests := []struct {
		name   string
		format int
		put    map[string]string
		want   []string
	}{
		{"a group's attributes", 2, map[string]string{"in/.zattrs": "["}, []string{"corrupt in/txt/0", "metadata in/.zattrs"}},
		{"a group's document", 2, map[string]string{"in/.zgroup": "{", "in/0/.zarray": "{"}, []string{"corrupt in/txt/0", "metadata in/.zgroup", "metadata in/0/.zarray"}},
		{"the root", 3, map[string]string{"zarr.json": "{", "more/zarr.json": "{"},
			[]string{"corrupt in/txt/c/0", "metadata more/zarr.json", "metadata zarr.json"}},
		{"no JSON", 3, map[string]string{"in/zarr.json": "{", "in/c/zarr.json": "{", "in/07/zarr.json": "{"}, []string{"corrupt in/txt/c/0", "metadata in/zarr.json"}},
		{"a group that is not supported", 3, map[string]string{"in/zarr.json": `{"zarr_format":3,"node_type":"group","x":1}`, "in/c/zarr.json": "{"},
			[]string{"corrupt in/txt/c/0", "metadata in/c/zarr.json", "unsupported in/zarr.json"}},
		{"an array", 3, map[string]string{"plain/zarr.json": `{"zarr_format":3,"node_type":"array"}`, "plain/x/zarr.json": "{"}, []string{"corrupt in/txt/c/0", "metadata plain/zarr.json"}},
		{"an array of v2", 2, map[string]string{"plain/.zarray": "{", "plain/x/.zarray": "{"}, []string{"corrupt in/txt/0", "metadata plain/.zarray"}},
		{"hidden metadata", 3, map[string]string{"in/zarr.json": "{", "in/.zgroup": groupV2}, []string{"corrupt in/txt/c/0", "metadata in/zarr.json", "two-formats in/.zgroup"}},
		{"a folder of nothing", 3, map[string]string{"in/zarr.json": "{", "in/folder/x": ""}, []string{"corrupt in/txt/c/0", "metadata in/zarr.json"}},
	}
	trees := map[int]store.Store{2: tree(t, 2), 3: tree(t, 3)}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := copied(t, trees[tt.format])
			put(t, st, map[int]string{2: "in/txt/0", 3: "in/txt/c/0"}[tt.format], "")
			for key, text := range tt.put {
				put(t, st, key, text)
			}
			if lines, _ := run(t, st, validate.Options{Data: true}); !slices.Equal(lines, tt.want) {
				t.Errorf("found %q, want %q", lines, tt.want)
			}
		})
	}
}

// torn is a store whose listings end with an error after some entries.
type torn struct {
	store.Store
	after int
	err   error
}

func (s torn) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		n := 0
		for e, err := range s.Store.List(ctx, prefix, o) {
			if n == s.after {
				yield(store.Entry{}, &fault.KeyError{Op: "list", Key: prefix, Kind: s.err})
				return
			}
			if n++; !yield(e, err) {
				return
			}
		}
	}
}

// TestListingThatBreaksOff checks that keys listed before the error are checked.
func TestListingThatBreaksOff(t *testing.T) {
	st := tree(t, 3)
	put(t, st, "in/txt/zarr.json", "{")
	lines, _ := run(t, torn{st, 1, fault.Refused}, validate.Options{})
	want := []string{"metadata in/txt/zarr.json", "unreadable ", "unreadable in"}
	if !slices.Equal(lines, want) {
		t.Errorf("found %q, want %q", lines, want)
	}
	put(t, st, "zarr.json", "{")
	if lines, _ = run(t, torn{st, 1, fault.Refused}, validate.Options{}); !slices.Equal(lines, []string{"metadata zarr.json"}) {
		t.Errorf("of a bad node: found %q", lines)
	}
	_, err := validate.Run(t.Context(), torn{st, 1, fault.Unavailable}, "", validate.Options{}, func(rule.Finding) {})
	if !errors.Is(err, fault.Unavailable) {
		t.Errorf("unavailable: %v", err)
	}
}

// TestCopyOfNothing checks that a node that exists only in consolidated metadata is reported as
// missing if the store cannot list.
func TestCopyOfNothing(t *testing.T) {
	st := tree(t, 3)
	g, err := zarr.OpenGroup(t.Context(), st, "")
	if err == nil {
		_, err = g.Consolidate(t.Context())
	}
	if err == nil {
		err = st.Delete(t.Context(), "plain/zarr.json", store.DeleteOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	lines, r := run(t, unlisted{st}, validate.Options{})
	if worst, _ := r.Worst(rule.Warning); !slices.Equal(lines, []string{"not-listed ", "not-there plain"}) || worst.Path != "plain" || strings.Contains(worst.Message(), "zarr:") {
		t.Errorf("found %q, the worst %+v", lines, worst)
	}
}

func succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
