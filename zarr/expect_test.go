package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	metadata "github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestExpect opens every combination of stored, absent and refused documents. An expected
// format must change neither the node that is opened nor the kind of the error.
func TestExpect(t *testing.T) {
	ctx := t.Context()
	made := mem.New()
	spec := zarr.Spec{Shape: []int{2}, Chunks: []int{2}, DType: dtype.Float32, Attrs: map[string]any{"a": 1}}
	for _, format := range []int{2, 3} {
		spec.Format = format
		succeed(t, second(zarr.Create(ctx, made, fmt.Sprint("array", format), spec)))
		succeed(t, second(zarr.CreateGroup(ctx, made, fmt.Sprint("group", format), zarr.Spec{Format: format, Attrs: spec.Attrs})))
	}
	text := func(key string) []byte {
		v, err := made.Get(ctx, key, store.GetOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return v.Bytes
	}
	v1 := `{"chunks":[2],"compression":"none","compression_opts":null,"dtype":"<f4","fill_value":null,"order":"C","shape":[2],"zarr_format":1}`
	const absent, refused = "absent", "refused"
	choices := []struct {
		name  string
		texts []string
	}{
		{"zarr.json", []string{absent, refused, string(text("array3/zarr.json")), string(text("group3/zarr.json")), "{"}},
		{".zarray", []string{absent, refused, string(text("array2/.zarray"))}},
		{".zgroup", []string{absent, refused, string(text("group2/.zgroup"))}},
		{".zattrs", []string{absent, refused, string(text("array2/.zattrs"))}},
		{"meta", []string{absent, v1}},
		{"attrs", []string{absent, `{"b":1}`}},
	}
	opens := map[string]func(context.Context, store.Store) (zarr.Node, error){
		"any": func(ctx context.Context, st store.Store) (zarr.Node, error) { return zarr.Open(ctx, st, "x") },
		"array": func(ctx context.Context, st store.Store) (zarr.Node, error) {
			a, err := zarr.OpenArray(ctx, st, "x")
			if err != nil {
				return nil, err
			}
			return a, nil
		},
		"group": func(ctx context.Context, st store.Store) (zarr.Node, error) {
			g, err := zarr.OpenGroup(ctx, st, "x")
			if err != nil {
				return nil, err
			}
			return g, nil
		},
	}
	kind := func(err error) string {
		for _, k := range []error{fault.NotFound, fault.Refused, fault.Metadata} {
			if errors.Is(err, k) {
				return fmt.Sprint(k)
			}
		}
		return fmt.Sprint(err)
	}
	cases := 0
	var try func(i int, name string, docs map[string]string, no map[string]bool)
	try = func(i int, name string, docs map[string]string, no map[string]bool) {
		if i < len(choices) {
			for j, doc := range choices[i].texts {
				key, next, denied := "x/"+choices[i].name, maps.Clone(docs), maps.Clone(no)
				switch doc {
				case absent:
				case refused:
					denied[key] = true
				default:
					next[key] = doc
				}
				try(i+1, fmt.Sprintf("%s %s:%d", name, choices[i].name, j), next, denied)
			}
			return
		}
		st := mem.New()
		for key, doc := range docs {
			succeed(t, second(st.Put(ctx, key, []byte(doc), store.PutOptions{})))
		}
		over := denying{store.Forward{Store: st}, no}
		for _, w := range slices.Sorted(maps.Keys(opens)) {
			want, wantErr := opens[w](ctx, over)
			for _, format := range []int{1, 2, 3} {
				cases++
				got, err := opens[w](metadata.Expecting(ctx, format), over)
				if kind(err) != kind(wantErr) {
					t.Fatalf("%s%s, expecting v%d: %v, want %v", w, name, format, err, wantErr)
				}
				if err == nil && described(t, got) != described(t, want) {
					t.Fatalf("%s%s, expecting v%d: %s, want %s", w, name, format, described(t, got), described(t, want))
				}
			}
		}
	}
	try(0, "", map[string]string{}, map[string]bool{})
	if cases < 4800 {
		t.Fatalf("%d cases", cases)
	}
}

// described describes a node: its kind, format, documents and attributes.
func described(t *testing.T, n zarr.Node) string {
	t.Helper()
	docs, err := n.Documents()
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for key, doc := range docs {
		keys = append(keys, key+string(doc))
	}
	slices.Sort(keys)
	return fmt.Sprintf("%T %d %v %s", n, n.Format(), n.Attrs(), strings.Join(keys, "\n"))
}

// denying is a store that refuses to read some keys.
type denying struct {
	store.Forward
	no map[string]bool
}

func (d denying) Get(ctx context.Context, key string, o store.GetOptions, dst []byte) (store.Value, error) {
	if d.no[key] {
		return store.Value{}, fault.Newf(fault.Refused, "%q", key)
	}
	return d.Forward.Get(ctx, key, o, dst)
}
