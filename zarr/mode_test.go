package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// told collects findings.
type told struct {
	mu  sync.Mutex
	all []rule.Finding
}

func (t *told) tell(f rule.Finding) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, f)
}

// TestModesOfMetadata opens a group whose members violate a rule, with and without consolidated
// metadata.
func TestModesOfMetadata(t *testing.T) {
	st := mem.New()
	put(t, st, ".zgroup", `{"zarr_format":2}`)
	put(t, st, "a/.zarray", `{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"<f4","compressor":null,"fill_value":NaN,"order":"C","filters":null}`)
	for name, opts := range map[string][]zarr.Option{"as it is": nil, "direct": {zarr.IgnoreConsolidated()}} {
		t.Run(name, func(t *testing.T) {
			var f told
			g, err := zarr.OpenGroup(t.Context(), st, "", append(opts, zarr.OnFinding(f.tell))...)
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range g.Members(t.Context()) {
				if err != nil {
					t.Error(err)
				}
			}
			if len(f.all) != 1 || f.all[0].Rule != rule.BareToken || f.all[0].Path != "a" || f.all[0].Pointer != "/fill_value" {
				t.Errorf("told %+v", f.all)
			}
			g, err = zarr.OpenGroup(t.Context(), st, "", append(opts, zarr.Strict())...)
			if err != nil {
				t.Fatal(err)
			}
			var broken *rule.Error
			for n, err := range g.Members(t.Context()) {
				if !errors.As(err, &broken) || broken.Rule != rule.BareToken || !errors.Is(err, zarr.ErrMetadata) {
					t.Errorf("strict: %v, %v", n, err)
				}
			}
			if broken == nil {
				t.Error("strict: nothing refused")
			}
		})
	}
	if _, err := zarr.OpenArray(t.Context(), st, "a"); err != nil {
		t.Errorf("by default: %v", err)
	}
	if _, err := zarr.OpenArray(t.Context(), st, "a", zarr.OnFinding(nil)); !errors.Is(err, zarr.ErrSelection) {
		t.Errorf("no function: %v", err)
	}
}

// TestModesOfChunks reads bytes that are not valid bools, also in a shard and after a compressor.
func TestModesOfChunks(t *testing.T) {
	for name, spec := range map[string]zarr.Spec{
		"plain":      {Codecs: []codec.Spec{codec.Bytes(dtype.NoOrder)}},
		"compressed": {Codecs: []codec.Spec{codec.Zstd(1)}},
		"sharded":    {Codecs: []codec.Spec{codec.Zstd(1)}, Shards: []int{4}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, st := t.Context(), mem.New()
			// The same metadata with invalid bools, written as uint8, whose every byte is valid.
			spec.Shape, spec.Chunks = []int{4}, []int{2}
			spec.DType = dtype.Uint8
			a, err := zarr.Create(ctx, st, "", spec)
			if err != nil {
				t.Fatal(err)
			}
			succeed(t, zarr.Write(ctx, a, []uint8{1, 7, 0, 1}))
			spec.DType = dtype.Bool
			b, err := zarr.Create(ctx, mem.New(), "", spec)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := b.Metadata().EncodeV3()
			if err != nil {
				t.Fatal(err)
			}
			put(t, st, "zarr.json", string(doc))

			a, err = zarr.OpenArray(ctx, st, "")
			if err != nil {
				t.Fatal(err)
			}
			want := []bool{true, true, false, true}
			if got, err := zarr.Read[bool](ctx, a); err != nil || !slices.Equal(got, want) {
				t.Errorf("by default: %v, %v", got, err)
			}
			var f told
			with, err := a.With(zarr.OnFinding(f.tell))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := zarr.Read[bool](ctx, with); err != nil || !slices.Equal(got, want) {
				t.Errorf("told: %v, %v", got, err)
			}
			if len(f.all) != 1 || f.all[0].Rule != rule.ElementForm {
				t.Errorf("told %+v", f.all)
			}
			if with, err = a.With(zarr.Strict()); err != nil {
				t.Fatal(err)
			}
			_, err = zarr.Read[bool](ctx, with)
			var chunk *zarr.ChunkError
			if rule.Of(err) != rule.ElementForm || !errors.Is(err, zarr.ErrCorrupt) || !errors.As(err, &chunk) {
				t.Errorf("strict: %v", err)
			}
			if got, err := zarr.Read[bool](ctx, a); err != nil || !slices.Equal(got, want) {
				t.Errorf("another view of it: %v, %v", got, err)
			}
		})
	}
}

func ExampleStrict() {
	ctx, st := context.Background(), mem.New()
	doc := `{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"<f4","compressor":null,"fill_value":NaN,"order":"C","filters":null}`
	_, _ = st.Put(ctx, ".zarray", []byte(doc), store.PutOptions{})

	_, err := zarr.OpenArray(ctx, st, "")
	fmt.Println(err)
	_, err = zarr.OpenArray(ctx, st, "", zarr.Strict())
	fmt.Println(rule.Of(err), errors.Is(err, zarr.ErrMetadata))
	// Output:
	// <nil>
	// bare-token true
}

func ExampleOnFinding() {
	ctx, st := context.Background(), mem.New()
	doc := `{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"<i4","compressor":null,"fill_value":0,"order":"C"}`
	_, _ = st.Put(ctx, "t2m/.zarray", []byte(doc), store.PutOptions{})
	_, err := zarr.OpenArray(ctx, st, "t2m", zarr.OnFinding(func(f rule.Finding) {
		fmt.Printf("%v: %s: %s\n", f.Severity(), f.Key, f.Rule)
	}))
	fmt.Println(err)
	// Output:
	// warning: t2m/.zarray: no-filters
	// <nil>
}
