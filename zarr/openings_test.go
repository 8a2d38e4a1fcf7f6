package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metadata "github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestOpenings compares the requests of opening nodes with testdata/openings.txt. The file has a
// line "# step: requests in round trips", then each request after the number of its round trip.
// Every request takes one second of the bubble's clock, so a request that starts in second n
// belongs to round trip n+1.
func TestOpenings(t *testing.T) {
	backing := mem.New()
	spec := zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Float32, Codecs: []codec.Spec{}, Attrs: map[string]any{"a": 1}}
	for _, format := range []int{3, 2} {
		for _, top := range []string{"plain", "copied"} {
			g, err := zarr.CreateGroup(t.Context(), backing, fmt.Sprint(top, format), zarr.Spec{Format: format})
			for _, name := range []string{"x", "y", "sub/z"} {
				if err == nil {
					_, err = g.CreateArray(t.Context(), name, spec)
				}
			}
			if err == nil && top == "copied" {
				_, err = g.Consolidate(t.Context())
			}
			if err == nil && top == "plain" {
				_, err = backing.Put(t.Context(), g.Path()+"/stray/file", []byte("no node"), store.PutOptions{})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	var out strings.Builder
	step := func(name string, f func(context.Context, store.Store) error) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			o := opening{began: time.Now()}
			if err := f(t.Context(), o.over(backing)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			fmt.Fprintf(&out, "# %s: %d in %d\n%s\n", name, len(o.lines), int(time.Since(o.began)/time.Second), o.text())
		})
	}
	array := func(path string, opts ...zarr.Option) func(context.Context, store.Store) error {
		return func(ctx context.Context, st store.Store) error {
			_, err := zarr.OpenArray(ctx, st, path, opts...)
			return err
		}
	}
	absent := func(path string) func(context.Context, store.Store) error {
		return func(ctx context.Context, st store.Store) error {
			_, err := zarr.OpenArray(ctx, st, path)
			if errors.Is(err, fault.NotFound) {
				return nil
			}
			return fmt.Errorf("got %w, want fault.NotFound", err)
		}
	}
	expected := func(format int, f func(context.Context, store.Store) error) func(context.Context, store.Store) error {
		return func(ctx context.Context, st store.Store) error { return f(metadata.Expecting(ctx, format), st) }
	}
	refreshed := func(ctx context.Context, g *zarr.Group) error {
		a, err := g.OpenArray(ctx, "x")
		if err == nil {
			_, err = a.Refresh(ctx)
		}
		return err
	}
	group := func(path string, then func(context.Context, *zarr.Group) error, opts ...zarr.Option) func(context.Context, store.Store) error {
		return func(ctx context.Context, st store.Store) error {
			g, err := zarr.OpenGroup(ctx, st, path, opts...)
			if err == nil && then != nil {
				err = then(ctx, g)
			}
			return err
		}
	}
	members := func(ctx context.Context, g *zarr.Group) error {
		var names []string
		for n, err := range g.Members(ctx) {
			if err != nil {
				return err
			}
			names = append(names, n.Name())
		}
		if !slices.Equal(names, []string{"sub", "x", "y"}) {
			return fmt.Errorf("members %q", names)
		}
		return nil
	}
	through := func(ctx context.Context, g *zarr.Group) error {
		_, err := g.OpenArray(ctx, "sub/z")
		return err
	}
	names := func(want ...string) func(context.Context, *zarr.Group) error {
		return func(ctx context.Context, g *zarr.Group) error {
			var names []string
			for name, err := range g.Names(ctx) {
				if err != nil {
					return err
				}
				names = append(names, name)
			}
			if !slices.Equal(names, want) {
				return fmt.Errorf("names %q, want %q", names, want)
			}
			return nil
		}
	}
	for _, format := range []int{3, 2} {
		plain, copied, known := fmt.Sprint("plain", format), fmt.Sprint("copied", format), zarr.Format(format)
		v := fmt.Sprint("v", format)
		step("open a "+v+" array", array(plain+"/x"))
		step("open a "+v+" array of a known format", array(plain+"/x", known))
		step("open a "+v+" array of an expected format", expected(format, array(plain+"/x")))
		step("open an absent array of an expected format v"+fmt.Sprint(format), expected(format, absent(plain+"/none")))
		step("open an absent array", absent(plain+"/none"))
		step("open a "+v+" group", group(plain, nil))
		step("open a "+v+" group and an array through it, and the array again", group(plain, refreshed))
		step("open a "+v+" group of a known format", group(plain, nil, known))
		if format == 2 {
			step("open a v2 group of a known format, without consolidated metadata", group(plain, nil, known, zarr.IgnoreConsolidated()))
		}
		step("open a "+v+" group and its members, of which one folder is no node", group(plain, members))
		step("the same of a known format", group(plain, members, known))
		step("open a consolidated "+v+" group", group(copied, nil))
		step("open a consolidated "+v+" group and its members", group(copied, members))
		step("the same of a known format", group(copied, members, known))
		step("open a consolidated "+v+" group of a known format, and an array through it", group(copied, through, known))
		step("open a "+v+" group of a known format, and the names in it", group(plain, names("stray", "sub", "x", "y"), known))
		step("open a consolidated "+v+" group of a known format, and the names in it", group(copied, names("sub", "x", "y"), known))

		all := documents(t, backing, plain)
		step("open a "+v+" array of given documents", array(plain+"/x", zarr.Documents(all)))
		step("open a "+v+" group of given documents, and an array through it", group(plain, through, zarr.Documents(all)))
		step("open a "+v+" group of given documents, and its members, of which one folder is no node", group(plain, members, zarr.Documents(all), known))
		all = documents(t, backing, copied)
		step("open a consolidated "+v+" group of given documents, its members, and the names in it", group(copied, func(ctx context.Context, g *zarr.Group) error {
			return errors.Join(members(ctx, g), names("sub", "x", "y")(ctx, g))
		}, zarr.Documents(all)))
		maps.DeleteFunc(all, func(key string, _ []byte) bool { return key != copied+"/zarr.json" && key != copied+"/.zmetadata" })
		step("open a "+v+" group of its consolidated metadata, given, and an array through it", group(copied, through, zarr.Documents(all)))
	}
	sameRequests(t, "testdata/openings.txt", out.String())
}

// documents returns the documents of a group and of all nodes below it.
func documents(t *testing.T, st store.Store, path string) map[string][]byte {
	t.Helper()
	g, err := zarr.OpenGroup(t.Context(), st, path)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for n, err := range g.Walk(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		docs, err := n.Documents()
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(all, docs)
	}
	docs, err := g.Documents()
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(all, docs)
	return all
}

// TestOpeningsUnlisted checks that opening is the same for a store that cannot list.
func TestOpeningsUnlisted(t *testing.T) {
	for _, format := range []int{3, 2} {
		backing := mem.New()
		g := forest(t, backing, format)
		succeed(t, second(g.Consolidate(t.Context())))
		for path, open := range map[string]func(context.Context, store.Store, string, ...zarr.Option) (zarr.Node, error){
			"top/a": func(ctx context.Context, st store.Store, path string, opts ...zarr.Option) (zarr.Node, error) {
				return zarr.OpenArray(ctx, st, path, opts...)
			},
			"top/x": func(ctx context.Context, st store.Store, path string, opts ...zarr.Option) (zarr.Node, error) {
				return zarr.OpenGroup(ctx, st, path, opts...)
			},
			"top": zarr.Open,
		} {
			for _, known := range []int{0, format} {
				var texts [2]string
				for i, st := range []store.Store{backing, unlisted{backing, errors.ErrUnsupported}} {
					synctest.Test(t, func(t *testing.T) {
						o := opening{began: time.Now()}
						succeed(t, second(open(t.Context(), o.over(st), path, zarr.Format(known))))
						texts[i] = fmt.Sprintf("%s%v", o.text(), time.Since(o.began))
					})
				}
				if texts[0] != texts[1] || known == 0 && !strings.HasSuffix(texts[0], "\n1s") {
					t.Errorf("v%d %s: %s and unlisted %s", format, path, texts[0], texts[1])
				}
			}
		}
	}
}

// opening records requests, each with the number of its round trip.
type opening struct {
	began time.Time
	mu    sync.Mutex
	lines []string
}

// over returns s with requests that take one second each and are recorded in o.
func (o *opening) over(s store.Store) store.Store {
	slow := store.Around(s, store.Hooks{Before: func(ctx context.Context, _ store.Call) (context.Context, error) {
		time.Sleep(time.Second)
		return ctx, nil
	}})
	return store.Observe(slow, func(ctx context.Context, e store.Event) {
		var one transcript
		one.Record(ctx, e)
		o.mu.Lock()
		defer o.mu.Unlock()
		o.lines = append(o.lines, fmt.Sprintf("%d %s\n", int(e.Start.Sub(o.began)/time.Second)+1, one.Requests()))
	})
}

func (o *opening) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	slices.Sort(o.lines)
	return strings.Join(o.lines, "")
}

// TestMembersCost counts the requests for a group without consolidated metadata and its members:
// two for a v2 array, one for a v3 array.
func TestMembersCost(t *testing.T) {
	const arrays = 20
	for _, c := range []struct{ format, known, want int }{
		{3, 3, arrays + 2}, // the group and a listing
		{3, 0, arrays + 4},
		{2, 2, 2*arrays + 4}, // the group's two documents, .zmetadata, and a listing
		{2, 0, 2*arrays + 5},
	} {
		backing := mem.New()
		spec := zarr.Spec{Format: c.format, Shape: []int{4}, DType: dtype.Float32}
		for i := range arrays {
			mustCreate(t, backing, fmt.Sprintf("g/%02d", i), spec)
		}
		var tr transcript
		var opts []zarr.Option
		if c.known != 0 {
			opts = append(opts, zarr.Format(c.known))
		}
		g, err := zarr.OpenGroup(t.Context(), store.Observe(backing, tr.Record), "g", opts...)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, err := range g.Members(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got++
		}
		if got != arrays || len(tr.Lines) != c.want {
			t.Errorf("v%d, known as %d: %d members for %d requests, want %d for %d", c.format, c.known, got, len(tr.Lines), arrays, c.want)
		}
	}
}

// TestMembersUnderRefusals walks a store that refuses requests for absent keys. A refusal counts as
// absence only if another document makes the member a node.
func TestMembersUnderRefusals(t *testing.T) {
	backing := mem.New()
	spec := zarr.Spec{Format: 2, Shape: []int{4}, DType: dtype.Float32}
	mustCreate(t, backing, "g/x", spec)
	mustCreate(t, backing, "g/sub/z", spec)
	held := map[string]bool{}
	for e, err := range store.Pages(t.Context(), backing, "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		held[e.Key] = true
	}
	walk := func(refused func(string) bool) (map[string]bool, error) {
		st := answers{backing, func(key string) error {
			if refused(key) {
				return zarr.ErrRefused
			}
			return nil
		}}
		g, err := zarr.OpenGroup(t.Context(), st, "g", zarr.IgnoreConsolidated())
		if err != nil {
			t.Fatal(err)
		}
		paths := map[string]bool{}
		for n, err := range g.Walk(t.Context()) {
			if err != nil {
				return paths, err
			}
			paths[n.Path()] = true
		}
		return paths, nil
	}
	all := map[string]bool{"g/x": true, "g/sub": true, "g/sub/z": true}
	if got, err := walk(func(key string) bool { return !held[key] }); err != nil || !maps.Equal(got, all) {
		t.Errorf("absent keys refused: %v, %v", got, err)
	}
	for _, key := range []string{"g/x/.zarray", "g/sub/.zgroup"} {
		if got, err := walk(func(k string) bool { return k == key }); !errors.Is(err, zarr.ErrRefused) {
			t.Errorf("%s refused: %v, %v", key, got, err)
		}
	}
}
