package zarr_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// handed opens the group and its arrays, and returns a context in which they are not read again.
func handed(t *testing.T, st store.Store) (context.Context, *zarr.Group) {
	t.Helper()
	g, err := zarr.OpenGroup(t.Context(), st, "g", zarr.IgnoreConsolidated())
	if err != nil {
		t.Fatal(err)
	}
	known := &node.Known{}
	known.Add(node.Of(g))
	for n, err := range g.Walk(node.Knowing(t.Context(), known)) {
		if err != nil {
			t.Fatal(n, err)
		}
	}
	return node.Knowing(t.Context(), known), g
}

// TestGroupAppendHanded appends to a group whose documents were read before another process changed
// them. The result must be that of an append that reads the documents itself.
func TestGroupAppendHanded(t *testing.T) {
	open := func(st store.Store, path string) *zarr.Array {
		a := mustOpen(t, st, path)
		return a
	}
	for _, change := range []struct {
		name string
		make func(st store.Store) error
	}{
		{"nothing", func(store.Store) error { return nil }},
		{"an append to the group", func(st store.Store) error {
			g, err := zarr.OpenGroup(t.Context(), st, "g")
			if err == nil {
				_, err = g.Append(t.Context(), "time", zarr.AppendOptions{}, day(2, 5)...)
			}
			return err
		}},
		{"an append to one array", func(st store.Store) error {
			_, err := zarr.Append(t.Context(), open(st, "g/time"), 0, []int64{1}, zarr.AppendOptions{})
			return err
		}},
		{"attributes of the group", func(st store.Store) error {
			g, err := zarr.OpenGroup(t.Context(), st, "g")
			if err == nil {
				_, err = g.SetAttrs(t.Context(), map[string]any{"a": 1})
			}
			return err
		}},
		{"attributes of an array", func(st store.Store) error {
			a := open(st, "g/t2m")
			attrs := a.Attrs()
			attrs["a"] = 1
			_, err := a.SetAttrs(t.Context(), attrs)
			return err
		}},
		{"another array", func(st store.Store) error {
			_, err := zarr.Replace(t.Context(), st, "g/t2m", zarr.Spec{Format: open(st, "g/t2m").Format(), Shape: []int{2}, Chunks: []int{2}, DType: dtype.Int8})
			return err
		}},
		{"no array", func(st store.Store) error {
			return errors.Join(store.DeleteAll(t.Context(), st, []string{"g/time/zarr.json", "g/time/.zarray"}))
		}},
	} {
		for _, format := range []int{2, 3} {
			for _, o := range []zarr.AppendOptions{{}, {At: new(2)}, {At: new(4)}} {
				at := "the end"
				if o.At != nil {
					at = fmt.Sprint(*o.At)
				}
				t.Run(fmt.Sprintf("%s/v%d/%s", change.name, format, at), func(t *testing.T) {
					var results [2]string
					for i := range results {
						st := mem.New()
						forecast(t, st, format, false)
						ctx, g := handed(t, st)
						if i == 1 {
							ctx = t.Context()
						}
						succeed(t, change.make(st))
						out, err := g.Append(ctx, "time", o, day(1, 7)...)
						results[i] = appended(t, st, out, err)
						if err == nil && i == 0 {
							known := map[string]int{}
							for n, err := range out.Walk(ctx) { // must be the arrays after the append
								if err != nil {
									t.Fatal(err)
								}
								if a, ok := n.(*zarr.Array); ok {
									known[a.Path()] = a.Len()
								}
							}
							stored := map[string]int{}
							for path := range known {
								stored[path] = open(st, path).Len()
							}
							if !maps.Equal(known, stored) {
								t.Errorf("the known arrays have %v elements, the stored ones %v", known, stored)
							}
						}
					}
					if results[0] != results[1] {
						t.Errorf("handed on: %s\nread: %s", results[0], results[1])
					}
				})
			}
		}
	}
}

// appended describes the error of an append and all stored objects.
func appended(t *testing.T, st store.Store, g *zarr.Group, err error) string {
	t.Helper()
	var all []string
	if err == nil {
		all = append(all, fmt.Sprint(g.Attrs()))
	}
	for _, kind := range []error{fault.NotFound, fault.Conflict, fault.Exists, fault.Selection, fault.Type} {
		if errors.Is(err, kind) {
			all = append(all, kind.Error())
		}
	}
	for e, err := range store.ListAll(t.Context(), st, "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		v := mustGet(t, st, e.Key)
		doc := v
		switch path.Base(e.Key) {
		case "zarr.json", ".zarray", ".zgroup", ".zattrs":
			doc = withoutRecord(t, doc)
		}
		if text := e.Key + "=" + string(doc); text != "g/.zattrs={}" { // a claim that has ended leaves it
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// withoutRecord removes the record of claims that were withdrawn. A claim whose put was interrupted
// leaves it, which depends on the order of events.
func withoutRecord(t *testing.T, doc []byte) []byte {
	t.Helper()
	var members map[string]any
	succeed(t, json.Unmarshal(doc, &members))
	delete(members, "zargo_record")
	if attrs, ok := members["attributes"].(map[string]any); ok {
		delete(attrs, "zargo_record")
	}
	b, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestGroupAppendHandedRequests checks that an append sends no request for documents that were
// read.
func TestGroupAppendHandedRequests(t *testing.T) {
	st := mem.New()
	forecast(t, st, 3, false)
	var tr transcript
	ctx, g := handed(t, store.Observe(st, tr.Record))
	tr.Requests()
	succeed(t, second(g.Append(ctx, "time", zarr.AppendOptions{}, day(2, 7)...)))
	for line := range strings.SplitSeq(tr.Requests(), ", ") {
		if strings.HasPrefix(line, "get ") && strings.HasSuffix(line, "zarr.json") {
			t.Error(line)
		}
	}
}
