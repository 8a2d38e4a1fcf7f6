package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/npy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// edges is larger than a chunk of 64³ along two axes.
var edges = []int{2, 66, 70}

// makeField creates a small field.npy in the form of the benchmark.
func makeField(t *testing.T, root string) (values []float32) {
	t.Helper()
	values = make([]float32, edges[0]*edges[1]*edges[2])
	for i := range values {
		values[i] = float32(i%1000) / 4
	}
	head, err := npy.AppendHeader(nil, npy.Header{Type: dtype.Float32, Order: dtype.Little, Shape: edges})
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, os.WriteFile(filepath.Join(root, "field.npy"), append(head, floatsToBytes(values)...), 0o600))
	return values
}

// makeArrays creates an array of each data set.
func makeArrays(t *testing.T, root string, values []float32) {
	t.Helper()
	for _, name := range []string{"blosc64", "v2blosc", "zstd128", "raw64", "shard32"} {
		spec, err := dataSet(name, edges)
		if err != nil {
			t.Fatal(err)
		}
		a, err := zarr.Create(t.Context(), dir.New(root), name, spec)
		if err != nil {
			t.Fatal(err)
		}
		succeed(t, zarr.Write(t.Context(), a, values))
	}
}

// makeGroups creates groups of nine arrays, of both formats, with and without consolidated
// metadata.
func makeGroups(t *testing.T, root string) {
	t.Helper()
	ctx, st := t.Context(), dir.New(root)
	for _, format := range []int{2, 3} {
		for _, end := range []string{"", "c"} {
			g, err := zarr.CreateGroup(ctx, st, fmt.Sprintf("group%d%s", format, end), zarr.Spec{Format: format})
			if err != nil {
				t.Fatal(err)
			}
			for i := range 9 {
				a, err := g.CreateArray(ctx, fmt.Sprintf("v%02d", i), zarr.Spec{Shape: []int{64}, Chunks: []int{64}, DType: dtype.Float32})
				if err != nil {
					t.Fatal(err)
				}
				succeed(t, zarr.Write(ctx, a, slices.Repeat([]float32{float32(i)}, 64)))
			}
			if end == "" {
				continue
			}
			if _, err := g.Consolidate(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func floatsToBytes(v []float32) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err) // float32 has a fixed size
	}
	return b
}

// answer returns the last line of the program's output for a task.
func answer(t *testing.T, fields map[string]any) map[string]any {
	t.Helper()
	arg, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	succeed(t, run(t.Context(), []string{string(arg)}, &out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var m map[string]any
	succeed(t, json.Unmarshal([]byte(lines[len(lines)-1]), &m))
	return m
}

// TestReadingTasks runs the tasks of the workloads W1, W2 and W4 to W7, in a directory and in a
// bucket.
func TestReadingTasks(t *testing.T) {
	root := t.TempDir()
	values := makeField(t, root)
	makeArrays(t, root, values)
	makeGroups(t, root)
	at := func(x, y, z int) float32 { return values[(x*edges[1]+y)*edges[2]+z] }
	b := serve(t, dir.New(root))
	whole, one := floatsToBytes(values), floatsToBytes([]float32{at(1, 65, 68)})
	three := floatsToBytes([]float32{at(0, 0, 0), at(1, 65, 69), at(1, 2, 3)})
	coords := [][]int{{0, 1, 1}, {0, 65, 2}, {0, 69, 3}}
	v07 := floatsToBytes(slices.Repeat([]float32{7}, 64))
	for _, c := range []struct {
		name, do, path string
		format         any
		index          []int
		coords         [][]int
		want           []byte
	}{
		{"blosc64", "read", "blosc64", 3, nil, nil, whole},
		{"v2blosc", "read", "v2blosc", 2, nil, nil, whole},
		{"zstd128", "read", "zstd128", 3, nil, nil, whole},
		{"raw64", "read", "raw64", 3, nil, nil, whole},
		{"shard32", "read", "shard32", 3, nil, nil, whole},
		{"format found out", "read", "blosc64", nil, nil, nil, whole},
		{"point", "point", "blosc64", 3, []int{1, 65, 68}, nil, one},
		{"point v2", "point", "v2blosc", 2, []int{1, 65, 68}, nil, one},
		{"points", "points", "shard32", 3, nil, coords, three},
		{"group2", "opengroup_array", "group2", 2, nil, nil, v07},
		{"group2c", "opengroup_array", "group2c", 2, nil, nil, v07},
		{"group3", "opengroup_array", "group3", 3, nil, nil, v07},
		{"group3c", "opengroup_array", "group3c", 3, nil, nil, v07},
		{"group3c, format found out", "opengroup_array", "group3c", nil, nil, nil, v07},
	} {
		for _, where := range []string{"file", "s3"} {
			t.Run(c.name+"/"+where, func(t *testing.T) {
				got := answer(t, map[string]any{"do": c.do, "where": where, "root": root, "path": c.path, "format": c.format,
					"index": c.index, "coords": c.coords, "endpoint": b.url, "bucket": "bench", "workload": "W0"})
				if got["crc"] != float64(crc32.ChecksumIEEE(c.want)) || got["bytes"] != float64(len(c.want)) {
					t.Errorf("%v bytes of crc %v, want %d of %d", got["bytes"], got["crc"], len(c.want), crc32.ChecksumIEEE(c.want))
				}
				b.wantMeasured(t, got, where)
			})
		}
	}
}

// wantMeasured checks that a result has the measurements of every task and, only for S3, those of
// the server.
func (b *bucket) wantMeasured(t *testing.T, got map[string]any, where string) {
	t.Helper()
	if s, ok := got["seconds"].(float64); !ok || s <= 0 {
		t.Errorf("seconds %v", got["seconds"])
	}
	if _, known := usage(); known > 0 && got["rss_mb"].(float64) < 1 {
		t.Errorf("rss_mb %v", got["rss_mb"])
	}
	if where == "file" {
		if _, ok := got["requests"]; ok {
			t.Errorf("requests of a folder: %v", got["requests"])
		}
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0.0
	for op, m := range b.ops {
		n += float64(m)
		if got["ops"].(map[string]any)[op] != float64(m) {
			t.Errorf("ops %v, want %v", got["ops"], b.ops)
		}
	}
	if n < 1 || got["requests"] != n || got["wire"] != 1024.0 || got["not_found"] != float64(b.missing) || got["max_concurrent"] != float64(b.max) {
		t.Errorf("requests %v, wire %v, not_found %v, max_concurrent %v; the server counted %v, %d missing, %d at once",
			got["requests"], got["wire"], got["not_found"], got["max_concurrent"], n, b.missing, b.max)
	}
}

func TestMembers(t *testing.T) {
	root := t.TempDir()
	makeGroups(t, root)
	b := serve(t, dir.New(root))
	for _, c := range []struct {
		path   string
		format int
	}{{"group2", 2}, {"group2c", 2}, {"group3", 3}, {"group3c", 3}} {
		for _, where := range []string{"file", "s3"} {
			t.Run(c.path+"/names/"+where, func(t *testing.T) {
				got := answer(t, map[string]any{"do": "names", "where": where, "root": root, "path": c.path, "format": c.format,
					"endpoint": b.url, "bucket": "bench"})
				if got["count"] != 9.0 || got["crc"] != 9.0 {
					t.Errorf("count %v, crc %v", got["count"], got["crc"])
				}
				b.wantMeasured(t, got, where)
			})
			t.Run(c.path+"/"+where, func(t *testing.T) {
				got := answer(t, map[string]any{"do": "group", "where": where, "root": root, "path": c.path, "format": c.format,
					"endpoint": b.url, "bucket": "bench"})
				if got["count"] != 9.0 || got["crc"] != 9.0 {
					t.Errorf("count %v, crc %v", got["count"], got["crc"])
				}
				b.wantMeasured(t, got, where)
			})
		}
	}
}

// TestWritingTask runs the task of W3, and reads the written array back with another task.
func TestWritingTask(t *testing.T) {
	root := t.TempDir()
	values := makeField(t, root)
	b := serve(t, dir.New(root))
	for _, c := range []struct {
		name   string
		format int
	}{{"blosc64", 3}, {"raw64", 3}, {"shard32", 3}, {"zstd128", 3}, {"v2blosc", 2}} {
		for _, where := range []string{"file", "s3"} {
			t.Run(c.name+"/"+where, func(t *testing.T) {
				fields := map[string]any{"do": "write", "where": where, "root": root, "path": "out_" + c.name + where, "case": c.name,
					"format": c.format, "bench": root, "endpoint": b.url, "bucket": "bench"}
				got := answer(t, fields)
				if got["bytes"] != float64(4*len(values)) {
					t.Errorf("bytes %v", got["bytes"])
				}
				if _, ok := got["crc"]; ok {
					t.Error("a checksum of what was not read")
				}
				b.wantMeasured(t, got, where)
				fields["do"] = "read"
				if got = answer(t, fields); got["crc"] != float64(crc32.ChecksumIEEE(floatsToBytes(values))) {
					t.Errorf("read back: crc %v", got["crc"])
				}
			})
		}
	}
}

// TestRechunk checks that a rechunked array has the same elements, in chunks that span the first
// axis and are cut at the ends of the other axes.
func TestRechunk(t *testing.T) {
	root := t.TempDir()
	st := dir.New(root)
	shape := []int{5, 130, 70}
	values := make([]float32, 5*130*70)
	for i := range values {
		values[i] = float32(i + 1)
	}
	for name, spec := range map[string]zarr.Spec{
		"slices": {Shape: shape, Chunks: []int{1, 130, 70}, DType: dtype.Float32, Codecs: []codec.Spec{}},
		"packed": {Shape: shape, Chunks: []int{2, 100, 70}, DType: dtype.Float32},
	} {
		a, err := zarr.Create(t.Context(), st, name, spec)
		if err == nil {
			err = zarr.Write(t.Context(), a, values)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	b := serve(t, st)
	for _, where := range []string{"file", "s3"} {
		for _, path := range []string{"slices", "packed"} {
			t.Run(path+"/"+where, func(t *testing.T) {
				out := "out_" + path + where
				got := answer(t, map[string]any{"do": "rechunk", "where": where, "root": root, "path": path, "out": out, "format": 3,
					"endpoint": b.url, "bucket": "bench"})
				if got["bytes"] != float64(4*len(values)) {
					t.Errorf("bytes %v", got["bytes"])
				}
				if _, ok := got["crc"]; ok {
					t.Error("a checksum of what was not read")
				}
				a, err := zarr.OpenArray(t.Context(), st, out)
				if err != nil {
					t.Fatal(err)
				}
				if chunks := a.Chunks(); !slices.Equal(chunks, []int{5, 64, 64}) {
					t.Errorf("chunks of %v", chunks)
				}
				if back, err := zarr.Read[float32](t.Context(), a); err != nil || !slices.Equal(back, values) {
					t.Error("other values", err)
				}
			})
		}
	}
	if _, err := zarr.Create(t.Context(), st, "flat", zarr.Spec{Shape: []int{4}, Chunks: []int{4}, DType: dtype.Float32}); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), []string{fmt.Sprintf(`{"do":"rechunk","where":"file","root":%q,"path":"flat","out":"x"}`, root)}, &bytes.Buffer{}); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}

func TestRefused(t *testing.T) {
	root := t.TempDir()
	makeField(t, root)
	for _, c := range []struct {
		name string
		args []string
		want error
	}{
		{"no task", nil, nil},
		{"two tasks", []string{"{}", "{}"}, nil},
		{"no JSON", []string{"read"}, nil},
		{"rechunk of nothing", []string{fmt.Sprintf(`{"do":"rechunk","where":"file","root":%q,"path":"slices","out":"x"}`, root)}, zarr.ErrNotFound},
		{"no such task", []string{`{"do":"mend","where":"file"}`}, errors.ErrUnsupported},
		{"another place", []string{`{"do":"read","where":"ftp"}`}, nil},
		{"nothing there", []string{fmt.Sprintf(`{"do":"read","where":"file","root":%q,"path":"x"}`, root)}, zarr.ErrNotFound},
		{"no server", []string{`{"do":"read","where":"s3","endpoint":"http://127.0.0.1:1","bucket":"b","path":"x"}`}, nil},
		{"another data set", []string{fmt.Sprintf(`{"do":"write","where":"file","root":%q,"path":"x","case":"slices","bench":%q}`, root, root)}, errors.ErrUnsupported},
		{"no values", []string{fmt.Sprintf(`{"do":"write","where":"file","root":%q,"path":"x","case":"raw64","bench":%q}`, root, root+"/x")}, os.ErrNotExist},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			err := run(t.Context(), c.args, &out)
			if err == nil || c.want != nil && !errors.Is(err, c.want) || out.Len() > 0 {
				t.Errorf("%v, printed %q", err, &out)
			}
		})
	}
}

func succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
