package peers

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

// saved describes a group that xarray wrote and read.
type saved struct {
	Attrs     map[string]any
	Variables map[string]savedVariable
}

// savedVariable describes a variable that xarray reads without decoding.
type savedVariable struct {
	Dims   []string
	Shape  []int
	DType  string
	Attrs  map[string]any
	Fill   *string // bytes of _FillValue in hex
	SHA256 *string // sum of the values' bytes; nil for text of variable length
	Text   []string
}

// groups contains the paths of the groups that are datasets.
var groups = []string{"", "sub/part"}

// xarrays returns the xarray peers that write at a place. For the web server they write to the
// served directory. xarray/3.4 is xarray with zarr-python 3.4.
func xarrays(name string) []string {
	return map[string][]string{
		"dir": {"xarray/local", "xarray/obstore", "xarray/fsspec", "xarray-3.4/local"}, "s3": {"xarray/obstore", "xarray/fsspec"}, "gcs": {"xarray/fsspec"},
		"azure": {"xarray/obstore", "xarray/fsspec"}, "http": {"xarray/local"},
	}[name]
}

// xarraysReading returns the xarray peers that read the datasets of zargo.
func xarraysReading(name string) []string {
	return map[string][]string{
		"dir": {"xarray/local", "xarray/obstore", "xarray/fsspec", "xarray-3.4/local"}, "s3": {"xarray/obstore", "xarray/fsspec"}, "gcs": {"xarray/obstore", "xarray/fsspec"},
		"azure": {"xarray/obstore", "xarray/fsspec"}, "http": {"xarray/obstore", "xarray/fsspec"},
	}[name]
}

func TestXarrayWritesWeRead(t *testing.T) {
	t.Parallel()
	everywhere(t, func(_ *testing.T, name string, at place) (jobs []job) {
		for _, format := range []int{2, 3} {
			for _, peer := range xarrays(name) {
				jobs = append(jobs, job{Do: "save", Peer: peer, Place: at.in, Path: fmt.Sprintf("%s/v%d", peer, format), Format: format})
			}
			for _, l := range xarrayLacks(name, "write") {
				jobs = append(jobs, job{Do: "save", Peer: l.peer, Place: at.out, Path: fmt.Sprintf("lack/v%d", format), Format: format, lack: true})
			}
		}
		return jobs
	}, func(t *testing.T, name string, at place, jobs []job, answers []said) {
		for i, j := range jobs {
			t.Run(fmt.Sprintf("%s/v%d", j.Peer, j.Format), func(t *testing.T) {
				switch s := answers[i]; {
				case j.lack:
					lackOf(name, j.Peer, "write").check(t, s)
				case !s.done():
					t.Errorf("%s %s", s.Error, s.Differs)
				default:
					readDataset(t, at.reads, j.Path, j.Format, s.Groups)
				}
			})
		}
	})
}

func TestWeWriteXarrayReads(t *testing.T) {
	t.Parallel()
	const verb = "read without consolidated metadata"
	everywhere(t, func(t *testing.T, name string, at place) (jobs []job) {
		for _, format := range []int{2, 3} {
			path := fmt.Sprintf("plain/v%d", format)
			writeDataset(t, at.writes, path, format)
			for _, peer := range xarraysReading(name) {
				j := job{Do: "load", Peer: peer, Place: at.out, Path: path, Format: format}
				if lackOf(name, j.Peer, verb) != nil {
					l := j
					l.lack = true
					jobs = append(jobs, l)
					j.Path = fmt.Sprintf("%s/v%d", peer, format)
					writeDataset(t, at.writes, j.Path, format)
					j.Path, j.Place, j.Consolidate = "", at.out+"/"+j.Path, at.in+"/"+j.Path // xarray finds consolidated metadata only at the root
				}
				jobs = append(jobs, j)
			}
		}
		return jobs
	}, func(t *testing.T, name string, _ place, jobs []job, answers []said) {
		for i, j := range jobs {
			t.Run(fmt.Sprintf("%s/v%d", j.Peer, j.Format), func(t *testing.T) {
				switch s := answers[i]; {
				case j.lack:
					lackOf(name, j.Peer, verb).check(t, s)
				case !s.done():
					t.Errorf("%s %s", s.Error, s.Differs)
				case len(s.Groups) != len(groups):
					t.Errorf("%d groups, want %d", len(s.Groups), len(groups))
				}
			})
		}
	})
}

func xarrayLacks(place, verb string) []lack {
	return slices.DeleteFunc(slices.Clone(lacks), func(l lack) bool {
		return l.place != place || l.verb != verb || !strings.HasPrefix(l.peer, "xarray/")
	})
}

// readDataset opens a dataset that xarray wrote and reads all metadata in one request. It compares
// the dataset with the description from xarray and with the expected dataset.
func readDataset(t *testing.T, st store.Store, path string, format int, told map[string]saved) {
	var mu sync.Mutex
	var events []string
	seen := store.Observe(st, func(_ context.Context, e store.Event) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, e.String())
	})
	root, err := zarr.OpenGroup(t.Context(), seen, path, zarr.Format(format))
	if err != nil {
		t.Fatal(err)
	}
	events = nil
	found := map[string]map[string]*zarr.Array{"": {}}
	attrs := map[string]map[string]any{"": root.Attrs()}
	for n, err := range root.Walk(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		rel := strings.TrimPrefix(n.Path(), path+"/")
		switch n := n.(type) {
		case *zarr.Group:
			attrs[rel], found[rel] = n.Attrs(), map[string]*zarr.Array{}
		case *zarr.Array:
			group := strings.TrimSuffix(strings.TrimSuffix(rel, n.Name()), "/")
			found[group][n.Name()] = n
		}
	}
	if len(events) > 1 || slices.ContainsFunc(events, func(e string) bool { return !strings.HasPrefix(e, "get ") }) {
		t.Errorf("the walk took the requests %q, want at most one get", events)
	}
	if want := map[string]bool{"": true, "sub": true, "sub/part": true}; len(attrs) != len(want) {
		t.Errorf("groups %q", slices.Sorted(maps.Keys(attrs)))
	}
	for _, group := range groups {
		vars, want := Dataset(group)
		sameJSON(t, group+": attributes", attrs[group], told[group].Attrs)
		sameJSON(t, group+": attributes", attrs[group], want)
		for _, v := range vars {
			a := found[group][v.Name]
			if a == nil {
				t.Errorf("%q: no variable %s", group, v.Name)
				continue
			}
			readVariable(t, a, v, told[group].Variables[v.Name])
			delete(found[group], v.Name)
		}
		for _, a := range found[group] {
			t.Errorf("%q: %v is not compared with anything", group, a)
		}
	}
}

func readVariable(t *testing.T, a *zarr.Array, v Variable, told savedVariable) {
	t.Helper()
	name := v.Told
	if name == "" {
		name = v.DType.String()
	}
	if a.DType() != v.DType || told.DType != name || !slices.Equal(a.Shape(), v.Shape) || !slices.Equal(told.Shape, v.Shape) {
		t.Errorf("%v, want %s %v; xarray says %s %v", a, v.DType, v.Shape, told.DType, told.Shape)
	}
	attrs := a.Attrs()
	dims := a.Dims()
	if a.Format() == 2 {
		names, _, err := zarr.Attr[[]string](a, "_ARRAY_DIMENSIONS")
		if err != nil {
			t.Error(err)
		}
		dims = names
		delete(attrs, "_ARRAY_DIMENSIONS")
	}
	if !slices.Equal(dims, v.Dims) || !slices.Equal(told.Dims, v.Dims) {
		t.Errorf("%s has axes %q, want %q; xarray says %q", v.Name, dims, v.Dims, told.Dims)
	}
	if v.Text != nil {
		readText(t, a, v, told)
		return
	}
	if got, want := fillOf(t, a, attrs), told.Fill; (got == nil) != (want == nil) || got != nil && hex.EncodeToString(got) != *want {
		t.Errorf("%s has _FillValue %x, xarray says %v", v.Name, got, want)
	}
	delete(attrs, "_FillValue")
	sameJSON(t, v.Name+": attributes", attrs, told.Attrs)
	for k, want := range v.Attrs {
		sameJSON(t, v.Name+": "+k, attrs[k], want)
	}
	var report zarr.Report
	a, err := a.With(zarr.WithReport(&report))
	if err != nil {
		t.Fatal(err)
	}
	got := bytes.Repeat([]byte{0xa5}, len(v.Raw))
	if err := a.ReadBytes(t.Context(), got); err != nil {
		t.Error(err)
		return
	}
	if i := differ(got, v.Raw); i >= 0 {
		i -= i % v.DType.Size()
		t.Errorf("%s: element %d is %x, want %x", v.Name, i/v.DType.Size(), got[i:i+v.DType.Size()], v.Raw[i:i+v.DType.Size()])
	}
	if told.SHA256 == nil || *told.SHA256 != digest(got) {
		t.Errorf("%s: xarray reads other bytes", v.Name)
	}
	if want := map[string]int64{"t2m": 1}[v.Name]; report.Missing.Load() != want {
		t.Errorf("%s: %d chunks are not stored, want %d", v.Name, report.Missing.Load(), want)
	}
	if v.Name == "time" {
		checkTimes(t, a)
	}
}

// readText reads a variable of text of variable length and compares its values.
func readText(t *testing.T, a *zarr.Array, v Variable, told savedVariable) {
	t.Helper()
	got, err := zarr.Read[string](t.Context(), a)
	if err != nil || !slices.Equal(got, v.Text) || !slices.Equal(told.Text, v.Text) {
		t.Errorf("%s: %q, %v, want %q; xarray reads %q", v.Name, got, err, v.Text, told.Text)
	}
}

// fillOf returns the value that marks a missing element, in memory form: the fill value in v2, the
// attribute _FillValue in v3. The attribute is a number, or the base64 encoding of a float64 for a
// float.
func fillOf(t *testing.T, a *zarr.Array, attrs map[string]any) []byte {
	t.Helper()
	if a.Format() == 2 {
		return a.Fill()
	}
	switch v := attrs["_FillValue"].(type) {
	case nil:
		return nil
	case json.Number:
		n, err := v.Int64()
		if err != nil {
			t.Error(err)
		}
		return binary.LittleEndian.AppendUint64(nil, uint64(n))[:a.DType().Size()]
	case string:
		b, err := base64.StdEncoding.DecodeString(v)
		if err != nil || len(b) != 8 {
			t.Errorf("_FillValue %q: %v", v, err)
			return nil
		}
		f := math.Float64frombits(binary.LittleEndian.Uint64(b))
		if a.DType() == dtype.Float32 {
			return raw(float32(f))
		}
		return raw(f)
	}
	t.Errorf("_FillValue is %v", attrs["_FillValue"])
	return nil
}

// checkTimes decodes the time axis by its attributes, as a user would.
func checkTimes(t *testing.T, a *zarr.Array) {
	t.Helper()
	units, _, err := zarr.Attr[string](a, "units")
	if err != nil {
		t.Fatal(err)
	}
	epoch, err := time.Parse("hours since 2006-01-02T15:04:05", units)
	if err != nil {
		t.Fatal(err)
	}
	hours, err := zarr.Read[int64](t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range hours {
		if got, want := epoch.Add(time.Duration(h)*time.Hour), start().Add(time.Duration(i)*step); !got.Equal(want) {
			t.Errorf("instant %d is %v, want %v", i, got, want)
		}
	}
}

// writeDataset writes the groups with the names and attributes that xarray expects.
func writeDataset(t *testing.T, st store.Store, path string, format int) {
	t.Helper()
	for _, group := range groups {
		vars, attrs := Dataset(group)
		g, err := zarr.CreateGroup(t.Context(), st, strings.Trim(path+"/"+group, "/"), zarr.Spec{Format: format, Attrs: attrs})
		if err != nil {
			t.Fatal(err)
		}
		each(t, len(vars), func(ctx context.Context, i int) error { return writeVariable(ctx, g, vars[i]) })
	}
}

func writeVariable(ctx context.Context, g *zarr.Group, v Variable) error {
	attrs := maps.Clone(v.Attrs)
	if attrs == nil {
		attrs = map[string]any{}
	}
	spec := zarr.Spec{Shape: v.Shape, Chunks: v.Chunks, DType: v.DType, Fill: v.Fill, Attrs: attrs}
	if v.Name == "t2m" {
		attrs["coordinates"] = "height lead code name label"
	}
	if g.Format() == 2 {
		attrs["_ARRAY_DIMENSIONS"] = append([]string{}, v.Dims...)
		if v.Fill == nil {
			spec.Fill = zarr.NoFill // xarray would treat elements equal to a fill value as missing
		}
		spec.Codecs = []codec.Spec{codec.Blosc(codec.BloscOptions{Cname: "lz4", Level: 5, Shuffle: "shuffle"})}
	} else {
		spec.Dims = v.Dims
		switch f := v.Fill.(type) {
		case float64:
			attrs["_FillValue"] = base64.StdEncoding.EncodeToString(raw(f))
		case int16:
			attrs["_FillValue"] = f
		}
	}
	a, err := g.CreateArray(ctx, v.Name, spec)
	if err != nil {
		return err
	}
	if v.Text != nil {
		return zarr.Write(ctx, a, v.Text)
	}
	return a.WriteBytes(ctx, v.Raw)
}

// sameJSON compares two values after encoding them as JSON.
func sameJSON(t *testing.T, what string, got, want any) {
	t.Helper()
	spell := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		return string(b)
	}
	if g, w := spell(got), spell(want); g != w {
		t.Errorf("%s: %s, want %s", what, g, w)
	}
}

// TestNoWayIsForgotten checks that xarray with each storage library is tested or listed in lacks,
// for each place.
func TestNoWayIsForgotten(t *testing.T) {
	for _, p := range placeNames {
		for _, via := range []string{"obstore", "fsspec"} {
			writes := p.name != "http" && slices.Contains(xarrays(p.name), "xarray/"+via) // for the web server it writes to a directory
			if lacks := lackOf(p.name, "xarray/"+via, "write") != nil; lacks == writes {
				t.Errorf("xarray/%s at %s: writes %v, lacks it %v", via, p.name, writes, lacks)
			}
			if !slices.Contains(xarraysReading(p.name), "xarray/"+via) {
				t.Errorf("xarray/%s at %s does not read", via, p.name)
			}
		}
	}
}
