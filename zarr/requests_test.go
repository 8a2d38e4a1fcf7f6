package zarr_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
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

var update = flag.Bool("update", false, "write testdata/requests.txt anew")

// TestRequests compares the requests of each operation with testdata/requests.txt: "# step", then
// its requests.
func TestRequests(t *testing.T) {
	ctx := t.Context()
	var tr transcript
	var out strings.Builder
	var err error
	backing := mem.New()
	st := store.Observe(backing, tr.Record)
	step := func(name string, f func() error) {
		t.Helper()
		tr.Lines = nil
		if err := f(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		slices.Sort(tr.Lines)
		fmt.Fprintf(&out, "# %s\n", name)
		for _, l := range tr.Lines {
			out.WriteString(l + "\n")
		}
		out.WriteString("\n")
	}
	open := func(path string, opts ...zarr.Option) func() error {
		return func() error { _, err := zarr.OpenArray(ctx, st, path, opts...); return err }
	}
	walk := func(opts ...zarr.Option) func() error {
		return func() error {
			g, err := zarr.OpenGroup(ctx, st, "g", opts...)
			if err != nil {
				return err
			}
			for _, err := range g.Walk(ctx) {
				if err != nil {
					return err
				}
			}
			return nil
		}
	}
	var a *zarr.Array
	spec := zarr.Spec{Shape: []int{8, 8}, Chunks: []int{4, 4}, DType: dtype.Float32, Codecs: []codec.Spec{}}
	v2 := spec
	v2.Format = 2

	step("create a v3 array below two groups that are missing", func() (err error) { a, err = zarr.Create(ctx, st, "g/sub/x", spec); return err })
	step("create a v2 array with attributes beside a v3 group", func() (err error) {
		v2.Attrs = map[string]any{"a": 1}
		_, err = zarr.Create(ctx, st, "g/y", v2)
		return err
	})
	step("open a v3 array", open("g/sub/x"))
	step("open a v3 array of a format that is known", open("g/sub/x", zarr.Format(3)))
	step("open a v2 array", open("g/y"))
	step("open a v2 array of a format that is known", open("g/y", zarr.Format(2)))
	step("write everything", func() error { return zarr.Write(ctx, a, count(64)) })
	step("write one row of chunks and a part of the next", func() error { return zarr.Write(ctx, a, count(40), zarr.Range(0, 5)) })
	step("write fill values over one chunk", func() error { return zarr.Write(ctx, a, make([]float32, 16), zarr.Range(0, 4), zarr.Range(0, 4)) })
	step("read a region over four chunks, one of them missing", func() error {
		return zarr.ReadInto(ctx, a, make([]float32, 4), zarr.Range(3, 5), zarr.Range(3, 5))
	})
	step("read nothing", func() error { return zarr.ReadInto(ctx, a, []float32{}, zarr.Range(3, 3)) })
	step("change attributes", func() error { _, err := a.SetAttrs(ctx, map[string]any{"units": "K"}); return err })
	step("walk a v3 group with a v2 array in it", walk())
	step("replace an array", func() error { _, err := zarr.Replace(ctx, st, "g/sub/x", spec); return err })

	// Two shards of 32 KiB, each in 128 chunks of 256 bytes. Steps on a missing shard use the
	// second.
	shards := zarr.Spec{Shape: []int{128 * 64 * 2}, Chunks: []int{64}, Shards: []int{128 * 64}, DType: dtype.Float32, Codecs: []codec.Spec{}}
	var b *zarr.Array
	reopen := func() (err error) { b, err = zarr.OpenArray(ctx, st, "s", zarr.Format(3)); return err }
	read := func(lo, hi int) func() error {
		return func() error { return zarr.ReadInto(ctx, b, make([]float32, hi-lo), zarr.Range(lo, hi)) }
	}
	succeed(t, second(zarr.Create(ctx, backing, "s", shards)))
	step("open a sharded array", reopen)
	step("write a whole shard", func() error { return zarr.Write(ctx, b, count(128*64), zarr.Range(0, 128*64)) })
	step("write fill values over three of its chunks", func() error { return zarr.Write(ctx, b, make([]float32, 3*64), zarr.Range(0, 3*64)) })
	step("open it again", reopen)
	step("read one element of a shard", read(70*64, 70*64+1))
	step("read one element more", read(7*64, 7*64+1))
	step("open it once more", reopen)
	step("read a region of 13 neighbouring chunks of a shard", read(40*64, 53*64))
	step("read three of its chunks that are missing", read(0, 3*64))
	step("read all of a shard", read(0, 128*64))
	step("read most of a shard that is not known", func() error {
		if err := reopen(); err != nil {
			return err
		}
		return read(4*64, 128*64)()
	})
	step("read a part of a shard that is missing", read(200*64, 201*64))
	step("write fill values over the whole shard", func() error { return zarr.Write(ctx, b, make([]float32, 128*64), zarr.Range(0, 128*64)) })
	if b, err = zarr.Create(ctx, backing, "small", zarr.Spec{Shape: []int{64}, Chunks: []int{8}, Shards: []int{64}, DType: dtype.Float32, Codecs: []codec.Spec{}}); err == nil {
		err = zarr.Write(ctx, b, count(64))
	}
	if err != nil {
		t.Fatal(err)
	}
	if b, err = zarr.OpenArray(ctx, st, "small"); err != nil {
		t.Fatal(err)
	}
	step("read one element of a shard of 256 bytes", read(9, 10))

	// Hierarchies of a group and an array, in each format.
	var g *zarr.Group
	for _, format := range []int{3, 2} {
		top := fmt.Sprint("v", format)
		if g, err = zarr.CreateGroup(ctx, backing, top, zarr.Spec{Format: format}); err == nil {
			_, err = g.CreateArray(ctx, "x", spec)
		}
		if err != nil {
			t.Fatal(err)
		}
		if g, err = zarr.OpenGroup(ctx, st, top); err != nil {
			t.Fatal(err)
		}
		step("consolidate a group of "+top, func() (err error) { g, err = g.Consolidate(ctx); return err })
		step("consolidate it again", func() (err error) { g, err = g.Consolidate(ctx); return err })
	}
	step("migrate it", func() error { _, err := upkeep.Migrate(ctx, g, upkeep.MigrateOptions{Remove: true}); return err })

	// Shards in shards: an object contains 16 shards of 16 KiB, each with 64 chunks of 256 bytes
	// and an index of 1028 bytes.
	within := codec.Sharding(codec.ShardingOptions{Chunk: []int{64}})
	nested := zarr.Spec{Shape: []int{16 * 64 * 64}, Chunks: []int{16 * 64 * 64}, DType: dtype.Float32,
		Codecs: []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{64 * 64}, Codecs: []codec.Spec{within}})}}
	if b, err = zarr.Create(ctx, backing, "n", nested); err == nil {
		err = zarr.Write(ctx, b, count(16*64*64))
	}
	if err != nil {
		t.Fatal(err)
	}
	reopen = func() (err error) { b, err = zarr.OpenArray(ctx, st, "n", zarr.Format(3)); return err }
	step("read one element of a shard in a shard, opening it", func() error {
		if err := reopen(); err != nil {
			return err
		}
		return read(3*64*64+70, 3*64*64+71)()
	})
	step("read another one of the same inner shard", read(3*64*64+40*64, 3*64*64+40*64+1))
	step("read one of the next inner shard", read(4*64*64+40*64, 4*64*64+40*64+1))
	step("read over the border of the two", read(4*64*64-2*64, 4*64*64+3*64))
	step("read half of one inner shard and all of two", read(7*64*64+32*64, 10*64*64))
	step("read every 64th chunk of a shard that is not known", func() error {
		if err := reopen(); err != nil {
			return err
		}
		return zarr.ReadInto(ctx, b, make([]float32, 16), zarr.Range(0, zarr.End).By(64*64))
	})
	step("write a whole shard of shards", func() error { return zarr.Write(ctx, b, count(16*64*64)) })
	step("write one element of it", func() error { return zarr.Write(ctx, b, count(1), zarr.At(5)) })
	sameRequests(t, "testdata/requests.txt", out.String())
}

// TestConsolidated reads a hierarchy from consolidated metadata alone, and changes nodes that were
// opened from it.
func TestConsolidated(t *testing.T) {
	docs := map[string]map[string]string{
		"v2": {
			".zgroup":      `{"zarr_format":2}`,
			"g/.zgroup":    `{"zarr_format":2}`,
			"g/x/.zarray":  `{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"<i4","compressor":null,"fill_value":7,"order":"C","filters":null}`,
			"g/x/.zattrs":  `{"units":"K"}`,
			"late/.zgroup": `{"zarr_format":2}`,
			".zmetadata": `{"zarr_consolidated_format":1,"metadata":{".zgroup":{"zarr_format":2},"g/.zgroup":{"zarr_format":2},"g/x/.zattrs":{"units":"K"},
				"g/x/.zarray":{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"<i4","compressor":null,"fill_value":7,"order":"C","filters":null},
				"bad/.zarray":{"zarr_format":2,"shape":[-2]}}}`,
		},
		"v3": {
			"zarr.json": `{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{
				"g":{"zarr_format":3,"node_type":"group"},"bad":{"zarr_format":3,"node_type":"array"},
				"g/x":{"zarr_format":3,"node_type":"array","shape":[2],"data_type":"int32","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},
				"chunk_key_encoding":{"name":"default"},"fill_value":7,"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"attributes":{"units":"K"}}}}}`,
			"g/zarr.json": `{"zarr_format":3,"node_type":"group"}`,
			"g/x/zarr.json": `{"zarr_format":3,"node_type":"array","shape":[2],"data_type":"int32","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},
				"chunk_key_encoding":{"name":"default"},"fill_value":7,"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"attributes":{"units":"K"}}`,
			"late/zarr.json": `{"zarr_format":3,"node_type":"group"}`,
		},
	}
	for name, docs := range docs {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			backing := mem.New()
			for k, v := range docs {
				succeed(t, second(backing.Put(ctx, k, []byte(v), store.PutOptions{})))
			}
			var tr transcript
			st := store.Observe(backing, tr.Record)
			g, err := zarr.OpenGroup(ctx, st, "")
			if err != nil {
				t.Fatal(err)
			}
			opening := len(tr.Lines)
			var x *zarr.Array
			var seen []string
			bad := 0
			for n, err := range g.Walk(ctx) {
				var me *zarr.MetaError
				if err != nil {
					if bad++; !errors.Is(err, zarr.ErrMetadata) || !errors.As(err, &me) || !strings.Contains(err.Error(), "bad") {
						t.Error(err)
					}
					continue
				}
				seen = append(seen, n.Path())
				if a, ok := n.(*zarr.Array); ok {
					x = a
				}
			}
			if !slices.Equal(seen, []string{"g", "g/x"}) || bad != 1 {
				t.Errorf("walked %v and %d bad ones", seen, bad)
			}
			if n := len(tr.Lines) - opening; n > 1 || name == "v3" && n > 0 {
				t.Errorf("the walk made %d requests: %v", n, tr.Lines)
			}
			if got, err := zarr.Read[int32](ctx, x); err != nil || !slices.Equal(got, []int32{7, 7}) {
				t.Errorf("read %v, %v", got, err)
			}
			direct, err := g.With(zarr.IgnoreConsolidated())
			if err != nil {
				t.Fatal(err)
			}
			seen = nil
			for n, err := range direct.Walk(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				seen = append(seen, n.Path())
			}
			if !slices.Equal(seen, []string{"g", "late", "g/x"}) {
				t.Errorf("walked directly %v", seen)
			}
			// Writes do not rely on consolidated metadata.
			y, err := x.SetAttrs(ctx, map[string]any{"units": "m"})
			if err != nil || y.Attrs()["units"] != "m" {
				t.Fatalf("%v, %v", y, err)
			}
			if _, err := x.SetAttrs(ctx, map[string]any{"units": "s"}); !errors.Is(err, zarr.ErrConflict) {
				t.Errorf("over a stale copy: %v", err)
			}
		})
	}
}

// sameRequests compares requests with those in a file, which -update writes.
func sameRequests(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		succeed(t, os.WriteFile(file, []byte(got), 0o666))
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("requests differ from %s; they are now\n%s", file, got)
	}
}
