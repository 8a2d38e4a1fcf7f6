package transfer_test

import (
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/zip"
)

var update = flag.Bool("update", false, "write the golden plan")

func TestPlanGolden(t *testing.T) {
	src := mem.New()
	a := must(zarr.Create(t.Context(), src, "t2m", zarr.Spec{Shape: []int{8, 6}, Chunks: []int{1, 6}, DType: dtype.Float32, Codecs: []codec.Spec{codec.Zstd(3)}, Dims: []string{"time", "lat"}}))
	p, err := transfer.NewPlan(t.Context(), a, mem.New(), transfer.Options{
		Source: transfer.Place{Store: "s3://from"}, Target: transfer.Place{Store: "gs://to", Path: "x"}, Memory: 1 << 30,
		Grid: func(*zarr.Array) ([]int, []int, error) { return []int{8, 2}, nil, nil },
	})
	check(t, err)
	const name = "testdata/plan.json"
	if *update {
		check(t, os.WriteFile(name, p.Encode(), 0o600))
	}
	want, err := os.ReadFile(name)
	check(t, err)
	if string(want) != string(p.Encode()) {
		t.Errorf("the plan is\n%s", p.Encode())
	}
}

// TestEveryObjectOnce checks with random plans that every object of the target belongs to exactly
// one task.
func TestEveryObjectOnce(t *testing.T) {
	for seed := range 300 {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		rank := 1 + r.IntN(3)
		shape, chunks, to, shards := make([]int, rank), make([]int, rank), make([]int, rank), make([]int, rank)
		for d := range rank {
			shape[d], chunks[d], to[d] = 1+r.IntN(40), 1+r.IntN(12), 1+r.IntN(12)
			shards[d] = to[d] * (1 + r.IntN(3))
		}
		if r.IntN(2) == 0 {
			shards = nil
		}
		src := mem.New()
		a := must(zarr.Create(t.Context(), src, "a", zarr.Spec{Shape: shape, Chunks: chunks, DType: dtype.Uint16}))
		o := transfer.Options{Memory: 65<<20 + int64(r.IntN(20<<10)), Grid: func(*zarr.Array) ([]int, []int, error) { return to, shards, nil }}
		if r.IntN(2) == 0 {
			o.Ranges = func(*zarr.Array) ([][2]int, error) {
				ranges := make([][2]int, rank)
				for d, n := range shape {
					lo := r.IntN(n)
					ranges[d] = [2]int{lo, lo + r.IntN(n-lo+1)}
				}
				return ranges, nil
			}
		}
		p, err := transfer.NewPlan(t.Context(), a, nil, o)
		check(t, err)
		check(t, p.Check())
		owners := map[*transfer.Step]map[[3]int]int{}
		for i := range p.Tasks() {
			task := p.Task(i)
			if task.Step.Kind == transfer.Finish {
				if i != p.Tasks()-1 {
					t.Fatalf("seed %d: task %d of %d is the last", seed, i, p.Tasks())
				}
				continue
			}
			if first, n := p.TasksOf(task.Stage); i < first || i >= first+n || p.StageOf(i) != task.Stage {
				t.Fatalf("seed %d: task %d of stage %d", seed, i, task.Stage)
			}
			if owners[task.Step] == nil {
				owners[task.Step] = map[[3]int]int{}
			}
			lo, hi := [3]int{}, [3]int{1, 1, 1}
			copy(lo[:], task.Lo)
			copy(hi[:], task.Hi)
			for x := lo[0]; x < hi[0]; x++ {
				for y := lo[1]; y < hi[1]; y++ {
					for z := lo[2]; z < hi[2]; z++ {
						owners[task.Step][[3]int{x, y, z}]++
					}
				}
			}
		}
		for step, objects := range owners {
			n := 1
			for _, g := range step.Grid {
				n *= g
			}
			if len(objects) != n {
				t.Fatalf("seed %d: %d of %d objects", seed, len(objects), n)
			}
			for at, times := range objects {
				if times != 1 {
					t.Fatalf("seed %d: object %v %d times", seed, at, times)
				}
			}
		}
	}
}

// TestHostilePlans checks that Decode refuses invalid changes of plans.
func TestHostilePlans(t *testing.T) {
	src := mem.New()
	g := forest(t, src, 3)
	p, err := transfer.NewPlan(t.Context(), g, nil, transfer.Options{Codecs: []codec.Spec{codec.Gzip(1)}, Memory: 96 << 20})
	check(t, err)
	step := func(m map[string]any) map[string]any { // the step of the array with three dimensions
		for _, s := range m["stages"].([]any)[0].(map[string]any)["steps"].([]any) {
			if s := s.(map[string]any); len(s["grid"].([]any)) == 3 {
				return s
			}
		}
		panic("none")
	}
	docs := func(m map[string]any, of string) map[string]any {
		return m["documents"].(map[string]any)[of].(map[string]any)
	}
	for name, c := range map[string]struct {
		change func(m map[string]any)
		kind   error
	}{
		"version":        {func(m map[string]any) { m["zargo_transfer_plan"] = 2 }, errors.ErrUnsupported},
		"no version":     {func(m map[string]any) { delete(m, "zargo_transfer_plan") }, fault.Metadata},
		"unknown member": {func(m map[string]any) { m["x"] = 1 }, fault.Metadata},
		"kind":           {func(m map[string]any) { step(m)["kind"] = "steal" }, fault.Metadata},
		"encoded":        {func(m map[string]any) { step(m)["kind"] = "encoded" }, fault.Metadata},
		"grid":           {func(m map[string]any) { step(m)["grid"] = []int{1, 1, 1} }, fault.Metadata},
		"negative grid":  {func(m map[string]any) { step(m)["grid"] = []int{-1, 1, 1} }, fault.Metadata},
		"block of none":  {func(m map[string]any) { step(m)["block"] = []int{0, 1, 1} }, fault.Metadata},
		"block of 2":     {func(m map[string]any) { step(m)["block"] = []int{1, 1} }, fault.Metadata},
		"no block":       {func(m map[string]any) { delete(step(m), "block") }, fault.Metadata},
		"start":          {func(m map[string]any) { step(m)["start"] = []int{1, 0, 0} }, fault.Metadata},
		"negative start": {func(m map[string]any) { step(m)["start"] = []int{-1, 0, 0} }, fault.Metadata},
		"start of 1":     {func(m map[string]any) { step(m)["start"] = []int{0} }, fault.Metadata},
		"no from":        {func(m map[string]any) { delete(step(m), "from") }, fault.Metadata},
		"to the source":  {func(m map[string]any) { step(m)["to"].(map[string]any)["in"] = "source" }, fault.Metadata},
		"from temporary": {func(m map[string]any) { step(m)["from"].(map[string]any)["in"] = "temporary" }, fault.NotFound},
		"twice":          {func(m map[string]any) { step(m)["to"].(map[string]any)["path"] = "time" }, fault.Metadata},
		"other keys":     {func(m map[string]any) { step(m)["to"].(map[string]any)["separator"] = "." }, fault.Selection},
		"no steps":       {func(m map[string]any) { m["stages"] = m["stages"].([]any)[1:] }, fault.Metadata},
		"no stages":      {func(m map[string]any) { m["stages"] = []any{} }, fault.Metadata},
		"no finish":      {func(m map[string]any) { m["stages"] = m["stages"].([]any)[:1] }, fault.Metadata},
		"memory":         {func(m map[string]any) { m["memory"] = 1 << 20 }, fault.Limit},
		"no memory":      {func(m map[string]any) { m["memory"] = 0 }, fault.Metadata},
		"unsafe key":     {func(m map[string]any) { docs(m, "target")["../zarr.json"] = "{}" }, fault.Path},
		"unsafe path":    {func(m map[string]any) { m["target"].(map[string]any)["path"] = "../x" }, fault.Path},
		"document":       {func(m map[string]any) { docs(m, "target")["t2m/zarr.json"] = "{}" }, fault.Metadata},
		"huge grid": {func(m map[string]any) {
			docs(m, "target")["t2m/zarr.json"] = strings.Replace(docs(m, "target")["t2m/zarr.json"].(string), "37", "1000000000000000000", 1)
		}, fault.Limit},
		"too many tasks":    {func(m map[string]any) { step(m)["grid"], step(m)["block"] = []int{1 << 28, 1 << 28, 1}, []int{1, 1, 1} }, fault.Limit},
		"documents missing": {func(m map[string]any) { delete(docs(m, "source"), "in/t2m/zarr.json") }, fault.NotFound},
	} {
		var m map[string]any
		check(t, json.Unmarshal(p.Encode(), &m))
		c.change(m)
		b := must(json.Marshal(m))
		if _, err := transfer.Decode(b); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{"", "null", "[]", "{}", string(p.Encode()) + "{}", `{"zargo_transfer_plan":1,"stages":[{"steps":[{"kind":"finish","grid":[-5],"block":[1]}]}]}`} {
		if _, err := transfer.Decode([]byte(text)); !errors.Is(err, fault.Metadata) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	b, err := os.ReadFile("testdata/plan.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := transfer.Decode(b)
		if err != nil {
			return
		}
		for i := range min(p.Tasks(), 100) {
			p.Task(i)
		}
	})
}

func TestMemoryRefused(t *testing.T) {
	src := mem.New()
	a := must(zarr.Create(t.Context(), src, "a", zarr.Spec{Shape: []int{1 << 12, 1 << 12}, Chunks: []int{1, 1 << 12}, DType: dtype.Float64}))
	o := transfer.Options{Memory: 100 << 20, Grid: func(*zarr.Array) ([]int, []int, error) { return []int{1 << 12, 1 << 11}, nil, nil }}
	_, err := transfer.NewPlan(t.Context(), a, nil, o)
	if !errors.Is(err, fault.Limit) || !strings.Contains(err.Error(), "297196398 bytes") { // 64 MiB, and 8/7 of a block of 64 MiB and twice that for its encoding
		t.Fatal(err)
	}
	o.Memory = 297196398
	_, err = transfer.NewPlan(t.Context(), a, nil, o)
	check(t, err)
	o.Memory--
	if _, err = transfer.NewPlan(t.Context(), a, nil, o); !errors.Is(err, fault.Limit) {
		t.Fatal(err)
	}
}

// TestFromZip copies a hierarchy from a zip archive, and a v1 array.
func TestFromZip(t *testing.T) {
	made, outer := mem.New(), mem.New()
	forest(t, made, 2)
	_, err := zip.Save(t.Context(), outer, "a.zip", store.PutOptions{}, func(w *zip.Writer) error {
		for key, value := range all(t, made, "in") {
			if err := w.Add(key, []byte(value)); err != nil {
				return err
			}
		}
		return nil
	})
	check(t, err)
	archive := must(zip.Open(t.Context(), outer, "a.zip"))
	w := newWorld(t, archive, mem.New())
	g := must(zarr.OpenGroup(t.Context(), archive, "in"))
	w.run(w.plan(g, transfer.Options{}))
	same(t, g, must(zarr.OpenGroup(t.Context(), w.dst, "")))
}

func TestIntoZip(t *testing.T) {
	w := newWorld(t, mem.New(), mem.New())
	g := forest(t, w.src, 2)
	for name, o := range map[string]transfer.Options{
		"as it is":  {},
		"rechunked": {Format: 3, OneStage: true, Consolidate: true, Target: transfer.Place{Path: "in/side"}, Codecs: []codec.Spec{codec.Zstd(1)}},
	} {
		o.Source.Store, o.Target.Store = "src", "archive"
		p, err := transfer.NewPlan(t.Context(), g, nil, o)
		check(t, err)
		outer := mem.New()
		check(t, transfer.SaveZip(t.Context(), p, w.open, outer, "a.zip"))
		archive := must(zip.Open(t.Context(), outer, "a.zip"))
		same(t, g, must(zarr.OpenGroup(t.Context(), archive, o.Target.Path)))
		for key := range all(t, archive, "") {
			if strings.Contains(key, "__zargo") {
				t.Errorf("%s: %s is in the archive", name, key)
			}
		}
		if err := transfer.SaveZip(t.Context(), p, w.open, outer, "a.zip"); !errors.Is(err, fault.Exists) {
			t.Errorf("%s: over an archive: %v", name, err)
		}
	}
}

func TestFromV1(t *testing.T) {
	src := mem.New()
	put := func(key, value string) { _ = must(src.Put(t.Context(), key, []byte(value), store.PutOptions{})) }
	put("old/meta", `{"zarr_format":1,"shape":[4],"chunks":[2],"dtype":"<u2","compression":null,"compression_opts":null,"fill_value":9,"order":"C"}`)
	put("old/attrs", `{"units":"m"}`)
	put("old/1", "\x01\x00\x02\x00")
	a := must(zarr.OpenArray(t.Context(), src, "old"))
	for _, format := range []int{0, 2, 3} {
		w := newWorld(t, src, mem.New())
		w.run(w.plan(a, transfer.Options{Format: format}))
		b := must(zarr.OpenArray(t.Context(), w.dst, ""))
		equal(t, a, b)
		if b.Attrs()["units"] != "m" {
			t.Errorf("attributes %v", b.Attrs())
		}
	}
}
