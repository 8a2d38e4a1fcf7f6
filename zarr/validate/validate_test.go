package validate_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/test/zarrtest"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/validate"
)

// run returns the findings as sorted lines of code and key.
func run(t *testing.T, st store.Store, o validate.Options) ([]string, *validate.Result) {
	t.Helper()
	lines := []string{}
	r, err := validate.Run(t.Context(), st, "", o, func(f rule.Finding) {
		where := f.Key
		if where == "" {
			where = f.Path
		}
		lines = append(lines, string(f.Rule)+" "+where)
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines, r
}

var get, put = zarrtest.Bytes, zarrtest.Put

const (
	groupV2 = `{"zarr_format":2}`
	groupV3 = `{"zarr_format":3,"node_type":"group"}`
	arrayV2 = `{"zarr_format":2,"shape":[4,4],"chunks":[2,2],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","filters":null,"dimension_separator":"."}`
)

// rawShards has shards of four inner chunks of two bytes, without checksums.
const rawShards = `{"zarr_format":3,"node_type":"array","shape":[16],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[8]}},
	"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":["bytes"],
	"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]}`

// rawShard returns a shard of rawShards with its inner chunks at the given offsets.
func rawShard(at [4]byte) []byte {
	shard := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	for _, off := range at {
		shard = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(shard, uint64(off)), 2)
	}
	return shard
}

// TestLargeShards checks that a shard that is too large to be decoded at once is decoded in few
// parts, not in single inner chunks, because there may be many.
func TestLargeShards(t *testing.T) {
	const n, edge = 130, 1 << 20 // a little more than twice the size that is decoded at once
	st := mem.New()
	put(t, st, "zarr.json", strings.NewReplacer(`[16]`, fmt.Sprintf("[%d]", n*edge), `[8]`, fmt.Sprintf("[%d]", n*edge), `[2]`, fmt.Sprintf("[%d]", edge)).Replace(rawShards))
	shard := make([]byte, edge+1)
	for i := range n {
		off := uint64(0)
		if i == n-2 {
			off = 1 // overlaps the previous entry
		}
		shard = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(shard, off), edge)
	}
	put(t, st, "c/0", string(shard))
	var gets atomic.Int64
	watched := store.Observe(st, func(_ context.Context, e store.Event) {
		if e.Op == "get" && e.Key == "c/0" {
			gets.Add(1)
		}
	})
	// Each of three parts is read twice, in strict mode and again without, with the index each
	// time.
	if lines, r := run(t, watched, validate.Options{Data: true}); !slices.Equal(lines, []string{"shard-overlap c/0"}) || r.Chunks != 1 || gets.Load() > 12 {
		t.Errorf("found %q with %d requests", lines, gets.Load())
	}
}

// tree creates a valid hierarchy of a format: a plain array, a sharded one, and one of strings.
func tree(t *testing.T, format int) store.Store {
	t.Helper()
	st := mem.New()
	g, err := zarr.CreateGroup(t.Context(), st, "", zarr.Spec{Format: format})
	if err != nil {
		t.Fatal(err)
	}
	specs := map[string]zarr.Spec{
		"plain":  {Shape: []int{5, 4}, Chunks: []int{2, 2}, DType: dtype.Uint8, Codecs: []codec.Spec{codec.Gzip(1)}},
		"in/txt": {Shape: []int{3}, Chunks: []int{2}, DType: dtype.String, Codecs: []codec.Spec{codec.Gzip(1)}},
		"scalar": {Shape: []int{}, DType: dtype.Float64, Codecs: []codec.Spec{codec.Bytes(dtype.Little)}},
	}
	if format == 3 {
		specs["shards"] = zarr.Spec{Shape: []int{8}, Shards: []int{4}, Chunks: []int{2}, DType: dtype.Int32, Codecs: []codec.Spec{codec.CRC32C()}}
	}
	for path, spec := range specs {
		a, err := g.CreateArray(t.Context(), path, spec)
		if err != nil {
			t.Fatal(err)
		}
		switch a.DType() {
		case dtype.Type(dtype.String):
			err = zarr.Write(t.Context(), a, []string{"a", "", "c"})
		default:
			all := make([]byte, a.Len()*a.DType().Size())
			for i := range all {
				all[i] = byte(i + 1)
			}
			err = a.WriteBytes(t.Context(), all)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return st
}

// copied returns a copy of a store.
func copied(t *testing.T, from store.Store) store.Store {
	t.Helper()
	st := mem.New()
	for e, err := range from.List(t.Context(), "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		put(t, st, e.Key, string(get(t, from, e.Key)))
	}
	return st
}

func TestNothingWrong(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := tree(t, format)
		g, err := zarr.OpenGroup(t.Context(), st, "")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // without and with consolidated metadata
			lines, r := run(t, st, validate.Options{Data: true})
			nodes, arrays, chunks := 5, 3, int64(9)
			if format == 3 {
				nodes, arrays, chunks = 6, 4, 11
			}
			if len(lines) > 0 || r.Nodes != nodes || r.Arrays != arrays || r.Chunks != chunks {
				t.Errorf("v%d: %q, %+v", format, lines, r)
			}
			if _, broken := r.Worst(rule.Note); broken {
				t.Error("a worst finding of none")
			}
			if _, err := g.Consolidate(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestFindings damages one part of a valid hierarchy at a time.
func TestFindings(t *testing.T) {
	cut := func(t *testing.T, st store.Store, key string) {
		b := get(t, st, key)
		put(t, st, key, string(b[:len(b)-3]))
	}
	consolidated := func(t *testing.T, st store.Store) {
		g, err := zarr.OpenGroup(t.Context(), st, "")
		if err == nil {
			_, err = g.Consolidate(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name   string
		format int
		break_ func(t *testing.T, st store.Store)
		want   []string
		kind   error // kind of the worst finding of at least a warning; nil if there is none
	}{
		{"cut chunk", 3, func(t *testing.T, st store.Store) { cut(t, st, "plain/c/1/0") }, []string{"corrupt plain/c/1/0"}, fault.Corrupt},
		{"bytes after a chunk", 3, func(t *testing.T, st store.Store) { put(t, st, "plain/c/1/0", string(get(t, st, "plain/c/1/0"))+"x") }, []string{"corrupt plain/c/1/0"}, fault.Corrupt},
		{"empty chunk", 2, func(t *testing.T, st store.Store) { put(t, st, "plain/1.0", "") }, []string{"corrupt plain/1.0"}, fault.Corrupt},
		{"cut text", 2, func(t *testing.T, st store.Store) { cut(t, st, "in/txt/0") }, []string{"corrupt in/txt/0"}, fault.Corrupt},
		{"torn shard", 3, func(t *testing.T, st store.Store) { cut(t, st, "shards/c/1") }, []string{"corrupt shards/c/1"}, fault.Corrupt},
		{"a chunk of a shard", 3, func(t *testing.T, st store.Store) {
			b := get(t, st, "shards/c/0")
			b[0]++
			put(t, st, "shards/c/0", string(b))
		}, []string{"corrupt shards/c/0"}, fault.Corrupt},
		{"a shard that lost bytes at its begin", 3, func(t *testing.T, st store.Store) {
			put(t, st, "raw/zarr.json", rawShards)
			put(t, st, "raw/c/0", string(rawShard([4]byte{0, 2, 4, 6}))[1:])
		}, []string{"shard-overlap raw/c/0"}, fault.Corrupt},
		{"a shard of equal chunks, and one of gaps", 3, func(t *testing.T, st store.Store) {
			put(t, st, "raw/zarr.json", rawShards)
			put(t, st, "raw/c/0", string(rawShard([4]byte{2, 2, 0, 2})))
			put(t, st, "raw/c/1", string(rawShard([4]byte{6, 0, 2, 6})))
		}, []string{}, nil},
		{"a shard whose chunks overlap and go over its end", 3, func(t *testing.T, st store.Store) {
			put(t, st, "raw/zarr.json", rawShards)
			put(t, st, "raw/c/0", string(rawShard([4]byte{0, 1, 200, 4})))
		}, []string{"corrupt raw/c/0", "shard-overlap raw/c/0"}, fault.Corrupt},
		{"beyond the shape", 3, func(t *testing.T, st store.Store) { put(t, st, "plain/c/3/0", "x") }, []string{"beyond-shape plain/c/3/0"}, fault.Corrupt},
		{"strays", 2, func(t *testing.T, st store.Store) { put(t, st, "plain/0.0.0", "x"); put(t, st, "in/README", "x") },
			[]string{"stray-key in/README", "stray-key plain/0.0.0"}, nil},
		{"other layout", 2, func(t *testing.T, st store.Store) { put(t, st, "plain/0/1", "x") }, []string{"other-layout plain/0/1"}, fault.Metadata},
		{"other layouts, v3", 3, func(t *testing.T, st store.Store) {
			for _, key := range []string{"c.0.1", "0.1", "0/1", "c.0.1.2", "c/0.1", "0"} { // the last three are keys of no layout
				put(t, st, "plain/"+key, "x")
			}
			put(t, st, "scalar/0", "x")
			put(t, st, "scalar/0.0", "x")
		}, []string{"other-layout plain/0.1", "other-layout plain/0/1", "other-layout plain/c.0.1", "other-layout scalar/0",
			"stray-key plain/0", "stray-key plain/c.0.1.2", "stray-key plain/c/0.1", "stray-key scalar/0.0"}, fault.Metadata},
		{"other layouts, v2", 2, func(t *testing.T, st store.Store) {
			put(t, st, "plain/c/0/1", "x")
			put(t, st, "in/txt/c.0", "x")
			put(t, st, "scalar/c", "x")
		}, []string{"stray-key in/txt/c.0", "stray-key plain/c/0/1", "stray-key scalar/c"}, nil},
		{"nodes in an array, v3", 3, func(t *testing.T, st store.Store) {
			put(t, st, "plain/sub/zarr.json", groupV3)
			put(t, st, "plain/c/0/.zarray", arrayV2)
			put(t, st, "plain/sub/c/0", "x")
			put(t, st, "plain/sub/not.zarr.json", "x")
		}, []string{"node-in-array plain/c/0/.zarray", "node-in-array plain/sub/zarr.json", "stray-key plain/sub/c/0", "stray-key plain/sub/not.zarr.json"}, fault.Metadata},
		{"nodes in an array, v2", 2, func(t *testing.T, st store.Store) {
			put(t, st, "plain/0/.zgroup", groupV2)
			put(t, st, "plain/0/.zattrs", "{}")
		}, []string{"node-in-array plain/0/.zgroup", "stray-key plain/0/.zattrs"}, fault.Metadata},
		{"attributes of v2 beside v3", 3, func(t *testing.T, st store.Store) {
			put(t, st, "plain/.zattrs", "{}")
			put(t, st, "in/.zmetadata", "{}")
		}, []string{"two-formats in/.zmetadata", "two-formats plain/.zattrs"}, fault.Metadata},
		{"one finding for all of v2 beside v3", 3, func(t *testing.T, st store.Store) {
			put(t, st, "plain/.zattrs", "{}")
			put(t, st, "plain/.zarray", arrayV2)
		}, []string{"two-formats plain/.zarray"}, fault.Metadata},
		{"two formats of an array", 3, func(t *testing.T, st store.Store) { put(t, st, "plain/.zarray", arrayV2) }, []string{"two-formats plain/.zarray"}, fault.Metadata},
		{"two formats of a group", 3, func(t *testing.T, st store.Store) { put(t, st, "in/.zgroup", groupV2) }, []string{"two-formats in/.zgroup"}, fault.Metadata},
		{"array and group", 2, func(t *testing.T, st store.Store) { put(t, st, "plain/.zgroup", groupV2) }, []string{"array-and-group plain/.zgroup"}, fault.Metadata},
		{"no node", 3, func(t *testing.T, st store.Store) { put(t, st, "x/y/zarr.json", groupV3) }, []string{"no-node x"}, nil},
		{"reserved", 3, func(t *testing.T, st store.Store) { put(t, st, "__x/y", "x") }, []string{"no-node __x"}, nil},
		{"a node with a reserved name", 3, func(t *testing.T, st store.Store) {
			put(t, st, "__x/zarr.json", groupV3)
			put(t, st, "__x/__y/zarr.json", groupV3)
			put(t, st, "__x/__y/stray", "x")
		}, []string{"stray-key __x/__y/stray"}, nil},
		{"a plan of a transfer", 3, func(t *testing.T, st store.Store) { put(t, st, "__zargo_transfer/claim", "x") }, []string{}, nil},
		{"bad metadata", 3, func(t *testing.T, st store.Store) { cut(t, st, "plain/zarr.json") }, []string{"metadata plain/zarr.json"}, fault.Metadata},
		{"unsupported", 2, func(t *testing.T, st store.Store) {
			put(t, st, "plain/.zarray", strings.Replace(arrayV2, `"compressor":null`, `"compressor":{"id":"nobodys"}`, 1))
		}, []string{"unsupported plain/.zarray"}, errors.ErrUnsupported},
		{"leniency", 2, func(t *testing.T, st store.Store) {
			put(t, st, "plain/.zarray", strings.Replace(arrayV2, `,"filters":null`, ``, 1))
			for _, k := range []string{"0.0", "0.1", "1.0", "1.1", "2.0", "2.1"} {
				_ = st.Delete(t.Context(), "plain/"+k, store.DeleteOptions{})
			}
		}, []string{"no-filters plain/.zarray"}, fault.Metadata},
		{"no bool", 2, func(t *testing.T, st store.Store) {
			put(t, st, "plain/.zarray", strings.NewReplacer(`|u1`, `|b1`, `:0,`, `:false,`).Replace(arrayV2))
			for _, k := range []string{"0.1", "1.0", "1.1", "2.0", "2.1"} {
				_ = st.Delete(t.Context(), "plain/"+k, store.DeleteOptions{})
			}
			put(t, st, "plain/0.0", "\x01\x00\x07\x00")
		}, []string{"element-form plain/0.0"}, fault.Corrupt},
		{"stale, v3", 3, func(t *testing.T, st store.Store) {
			consolidated(t, st)
			put(t, st, "new/zarr.json", groupV3)
		}, []string{"stale-consolidated zarr.json"}, fault.Metadata},
		{"stale, v2", 2, func(t *testing.T, st store.Store) {
			consolidated(t, st)
			put(t, st, "in/.zattrs", `{"a":1}`)
		}, []string{"stale-consolidated .zmetadata"}, fault.Metadata},
		{"stale of the group itself, v2", 2, func(t *testing.T, st store.Store) {
			consolidated(t, st)
			put(t, st, ".zattrs", `{"a":1}`)
		}, []string{"stale-consolidated .zmetadata"}, fault.Metadata},
		{"stale beside a bad node", 3, func(t *testing.T, st store.Store) {
			consolidated(t, st)
			put(t, st, "new/zarr.json", groupV3)
			cut(t, st, "plain/zarr.json")
		}, []string{"metadata plain/zarr.json", "stale-consolidated zarr.json"}, fault.Metadata},
		{"a node of another format, which consolidated metadata cannot have", 3, func(t *testing.T, st store.Store) {
			consolidated(t, st)
			put(t, st, "new/.zgroup", groupV2)
		}, []string{"stale-consolidated zarr.json"}, fault.Metadata},
		{"a node of another format", 3, func(t *testing.T, st store.Store) { put(t, st, "new/.zgroup", groupV2) }, []string{}, nil},
		{"bad consolidated", 2, func(t *testing.T, st store.Store) { put(t, st, ".zmetadata", "{") }, []string{"metadata .zmetadata"}, fault.Metadata},
		{"a path that leads out of the hierarchy", 3, func(t *testing.T, st store.Store) {
			put(t, st, "in/zarr.json", `{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{"../plain":{}}}}`)
		}, []string{"path in/zarr.json"}, fault.Path},
		{"bad node below consolidated", 3, func(t *testing.T, st store.Store) {
			consolidated(t, st)
			cut(t, st, "plain/zarr.json")
		}, []string{"metadata plain/zarr.json"}, fault.Metadata},
		{"the worst of two", 3, func(t *testing.T, st store.Store) {
			cut(t, st, "plain/zarr.json")
			cut(t, st, "shards/c/1")
		}, []string{"corrupt shards/c/1", "metadata plain/zarr.json"}, fault.Corrupt},
	}
	trees := map[int]store.Store{2: tree(t, 2), 3: tree(t, 3)}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := copied(t, trees[tt.format])
			tt.break_(t, st)
			lines, r := run(t, st, validate.Options{Data: true})
			if !slices.Equal(lines, tt.want) {
				t.Errorf("found %q, want %q", lines, tt.want)
			}
			worst, broken := r.Worst(rule.Warning)
			if broken != (tt.kind != nil) || broken && worst.Rule.Kind() != tt.kind {
				t.Errorf("the worst: %v %+v, want %v", broken, worst, tt.kind)
			}
		})
	}
	if lines, r := run(t, mem.New(), validate.Options{}); !slices.Equal(lines, []string{"not-there "}) || r.Nodes != 1 {
		t.Errorf("nothing there: %q, %+v", lines, r)
	}
}

// TestGroupsAreReadOnce checks that a group without consolidated metadata is read once.
func TestGroupsAreReadOnce(t *testing.T) {
	st := mem.New()
	for _, key := range []string{"zarr.json", "a/zarr.json", "a/b/zarr.json"} {
		put(t, st, key, groupV3)
	}
	var mu sync.Mutex
	asked := map[string]int{}
	run(t, store.Observe(st, func(_ context.Context, e store.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Op == "get" && strings.HasSuffix(e.Key, "zarr.json") {
			asked[e.Key]++
		}
	}), validate.Options{})
	if want := map[string]int{"zarr.json": 1, "a/zarr.json": 1, "a/b/zarr.json": 1}; !maps.Equal(asked, want) {
		t.Errorf("asked for %v", asked)
	}
}

// TestWithoutData checks that no chunk is read.
func TestWithoutData(t *testing.T) {
	st := tree(t, 3)
	put(t, st, "plain/c/0/0", "no gzip")
	put(t, st, "plain/c/9/9", "no gzip")
	var gets []string
	watched := store.Observe(st, func(_ context.Context, e store.Event) {
		if e.Op == "get" && strings.Contains(e.Key, "/c/") {
			gets = append(gets, e.Key)
		}
	})
	lines, _ := run(t, watched, validate.Options{})
	if !slices.Equal(lines, []string{"beyond-shape plain/c/9/9"}) || len(gets) > 0 {
		t.Errorf("found %q, and read %q", lines, gets)
	}
}

// TestFew checks that the number of findings of one array is limited.
func TestFew(t *testing.T) {
	st := tree(t, 3)
	for i := range 150 {
		put(t, st, fmt.Sprintf("plain/stray%d", i), "x")
	}
	lines, r := run(t, st, validate.Options{})
	if len(lines) != 101 || r.Counts[rule.Note] != 101 || !slices.Contains(lines, "stray-key plain") {
		t.Errorf("%d lines, %v", len(lines), r.Counts)
	}
}

// TestHostileShapes checks that the cost depends on the stored chunks, not on the declared shape.
func TestHostileShapes(t *testing.T) {
	st := mem.New()
	const doc = `{"zarr_format":2,"shape":[4611686018427387904],"chunks":[%d],"dtype":"|u1","compressor":{"id":"zstd"},"fill_value":0,"order":"C","filters":null}`
	put(t, st, ".zgroup", groupV2)
	put(t, st, "many/.zarray", fmt.Sprintf(doc, 1))
	put(t, st, "many/4611686018427387903", "x")
	put(t, st, "large/.zarray", fmt.Sprintf(doc, int64(1)<<61))
	put(t, st, "large/1", "x")
	lines, _ := run(t, st, validate.Options{Data: true})
	if !slices.Equal(lines, []string{"corrupt many/4611686018427387903", "limit large/1"}) {
		t.Errorf("found %q", lines)
	}
}

// TestLargeChunksOfManyArrays checks that a chunk larger than the memory budget is decoded alone,
// even if other arrays have such chunks.
func TestLargeChunksOfManyArrays(t *testing.T) {
	size := concurrency.Default().Bytes.Size() * 3 / 4
	st := mem.New()
	put(t, st, ".zgroup", groupV2)
	for _, a := range []string{"a", "b"} {
		put(t, st, a+"/.zarray", fmt.Sprintf(`{"zarr_format":2,"shape":[%d],"chunks":[%[1]d],"dtype":"|u1","compressor":{"id":"gzip","level":1},"fill_value":0,"order":"C","filters":null}`, size))
		put(t, st, a+"/0", "x")
	}
	synctest.Test(t, func(t *testing.T) {
		s := &slow{Store: st}
		lines, _ := run(t, s, validate.Options{Data: true})
		if !slices.Equal(lines, []string{"unreadable a/0", "unreadable b/0"}) || s.most != 1 {
			t.Errorf("%d at once, found %q", s.most, lines)
		}
	})
}

// TestHalfOfTheMemory checks that a chunk is over the limit if its elements together are, however
// small each is.
func TestHalfOfTheMemory(t *testing.T) {
	const limit = 256 << 20 // enough not to change the frequency of garbage collections
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit))
	for size, want := range map[int][]string{limit / 24: {}, limit/2 + 1: {"limit 0"}} {
		st := mem.New()
		put(t, st, ".zarray", fmt.Sprintf(`{"zarr_format":2,"shape":[%d],"chunks":[%[1]d],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","filters":null}`, size))
		put(t, st, "0", strings.Repeat("x", limit/24))
		if lines, _ := run(t, st, validate.Options{Data: true}); !slices.Equal(lines, want) {
			t.Errorf("%d bytes: found %q", size, lines)
		}
	}
}

// TestChunkLimitHolds checks that a chunk of at most Limits.Chunk is decoded, and that no memory is
// allocated for one that declares more.
func TestChunkLimitHolds(t *testing.T) {
	for size, want := range map[int][]string{1 << 20: {}, 1 << 30: {"limit 0"}} {
		st := mem.New()
		put(t, st, ".zarray", fmt.Sprintf(`{"zarr_format":2,"shape":[%d],"chunks":[%[1]d],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","filters":null}`, size))
		put(t, st, "0", strings.Repeat("x", 1<<20))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		lines, _ := run(t, st, validate.Options{Data: true, Open: []zarr.Option{zarr.Limit(zarr.Limits{Chunk: 1 << 20})}})
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; !slices.Equal(lines, want) || used > 64<<20 {
			t.Errorf("%d bytes: found %q, %d bytes allocated", size, lines, used)
		}
	}
}

// slow is a store that takes a while to refuse chunks, and counts the concurrent requests.
type slow struct {
	store.Store
	mu        sync.Mutex
	now, most int
}

func (s *slow) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if !strings.HasSuffix(key, "/0") {
		return s.Store.Get(ctx, key, o, buf)
	}
	s.add(1)
	defer s.add(-1)
	time.Sleep(time.Second)
	return store.Value{}, &fault.KeyError{Op: "get", Key: key, Kind: fault.Refused}
}

func (s *slow) add(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now += n
	s.most = max(s.most, s.now)
}

// unlisted is a store without listings.
type unlisted struct{ store.Store }

func (unlisted) List(context.Context, string, store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) { yield(store.Entry{}, errors.ErrUnsupported) }
}

func TestStoreThatCannotList(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := tree(t, format)
		g, err := zarr.OpenGroup(t.Context(), st, "")
		if err == nil {
			_, err = g.Consolidate(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		key := map[int]string{2: "plain/2.1", 3: "plain/c/2/1"}[format]
		put(t, st, key, "x")
		lines, r := run(t, unlisted{st}, validate.Options{Data: true})
		if !slices.Equal(lines, []string{"corrupt " + key, "not-listed "}) || r.Arrays != map[int]int{2: 3, 3: 4}[format] {
			t.Errorf("v%d: found %q, %+v", format, lines, r)
		}
	}
}

// failing is a store that fails with an error for some key.
type failing struct {
	store.Store
	key string
	err error
}

func (f failing) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if key == f.key {
		return store.Value{}, &fault.KeyError{Op: "get", Key: key, Kind: f.err}
	}
	return f.Store.Get(ctx, key, o, buf)
}

// refusing is a store that refuses every document.
type refusing struct{ store.Store }

func (refusing) Get(_ context.Context, key string, _ store.GetOptions, _ []byte) (store.Value, error) {
	return store.Value{}, &fault.KeyError{Op: "get", Key: key, Kind: fault.Refused}
}

// TestOneReason checks that the same error for all documents that a node may have is reported once.
func TestOneReason(t *testing.T) {
	var found []rule.Finding
	_, err := validate.Run(t.Context(), refusing{mem.New()}, "", validate.Options{}, func(f rule.Finding) { found = append(found, f) })
	if err != nil || len(found) != 1 || found[0].Rule != rule.Unreadable || !strings.HasSuffix(found[0].Message(), `get "zarr.json": refused (and 2 more)`) {
		t.Errorf("%+v (%v)", found, err)
	}
}

func TestStoreThatFails(t *testing.T) {
	st := tree(t, 3)
	lines, r := run(t, failing{st, "plain/c/0/1", fault.Refused}, validate.Options{Data: true})
	if worst, _ := r.Worst(rule.Fault); !slices.Equal(lines, []string{"unreadable plain/c/0/1"}) || !errors.Is(worst.Err, fault.Refused) {
		t.Errorf("refused: %q, %+v", lines, worst)
	}
	for _, kind := range []error{fault.Unavailable, fault.Throttled} {
		_, err := validate.Run(t.Context(), failing{st, "plain/c/0/1", kind}, "", validate.Options{Data: true}, func(f rule.Finding) {
			t.Errorf("found %+v", f)
		})
		if !errors.Is(err, kind) {
			t.Errorf("%v: %v", kind, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := validate.Run(ctx, st, "", validate.Options{}, func(rule.Finding) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestCauses checks that a context that ends with its own cause is not a finding either.
func TestCauses(t *testing.T) {
	late := errors.New("late")
	for _, key := range []string{"in/zarr.json", "plain/c/0/1", "shards/c/1"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		st := ending{tree(t, 3), key, func() error { cancel(late); return context.Cause(ctx) }}
		_, err := validate.Run(ctx, st, "", validate.Options{Data: true}, func(f rule.Finding) {
			t.Errorf("%s: found %+v", key, f)
		})
		if !errors.Is(err, late) && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// ending is a store that ends the context at some key.
type ending struct {
	store.Store
	key string
	end func() error
}

func (s ending) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if key == s.key {
		return store.Value{}, s.end()
	}
	return s.Store.Get(ctx, key, o, buf)
}

func ExampleRun() {
	ctx, st := context.Background(), mem.New()
	_, _ = st.Put(ctx, ".zarray", []byte(arrayV2), store.PutOptions{})
	_, _ = st.Put(ctx, "0.0", []byte("too long"), store.PutOptions{})
	_, _ = st.Put(ctx, "0.7", []byte("four"), store.PutOptions{})
	r, err := validate.Run(ctx, st, "", validate.Options{Data: true}, func(f rule.Finding) {
		fmt.Println(f.Severity(), f.Rule, f.Key)
	})
	worst, broken := r.Worst(rule.Fault)
	fmt.Println(r.Chunks, broken, worst.Rule, err)
	// Unordered output:
	// error corrupt 0.0
	// warning beyond-shape 0.7
	// 1 true corrupt <nil>
}
