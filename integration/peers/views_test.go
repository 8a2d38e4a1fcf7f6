package peers

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/view"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// overHTTP serves the values of a store, and ranges of them.
func overHTTP(st store.Store) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, o := strings.Trim(r.URL.Path, "/"), store.GetOptions{}
		from, to, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Range"), "bytes="), "-")
		lo, loErr := strconv.ParseInt(from, 10, 64)
		hi, hiErr := strconv.ParseInt(to, 10, 64)
		switch {
		case loErr == nil && hiErr == nil:
			o.Range = store.Within(lo, hi-lo+1)
		case loErr == nil:
			o.Range = store.From(lo)
		case hiErr == nil:
			o.Range = store.Suffix(hi)
		}
		v, err := st.Get(r.Context(), key, o, nil)
		switch {
		case errors.Is(err, fault.NotFound), errors.Is(err, fault.Path):
			http.NotFound(w, r)
			return
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("ETag", `"`+string(v.Version)+`"`)
		w.Header().Set("Content-Length", strconv.Itoa(len(v.Bytes)))
		if off, n, err := o.Range.Resolve(v.Size); err == nil && !o.Range.IsWhole() {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", off, off+n-1, v.Size))
			w.WriteHeader(http.StatusPartialContent)
		}
		if r.Method != http.MethodHead {
			_, _ = w.Write(v.Bytes)
		}
	})
}

// viewSource creates the dataset that views are made of: packed and unpacked values, times, texts,
// and chunks that are not stored.
func viewSource(t *testing.T, folder string, format int) *dataset.Dataset {
	t.Helper()
	st := dir.New(folder)
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := zarr.CreateGroup(t.Context(), st, "", zarr.Spec{Format: format, Attrs: map[string]any{"title": "views"}})
	ok(err)
	put := func(name string, s zarr.Spec, dims []string, write func(a *zarr.Array) error) {
		s.Format = format
		if s.Dims = dims; format == 2 {
			s.Dims = nil
			if s.Attrs == nil {
				s.Attrs = map[string]any{}
			}
			if s.Attrs["_ARRAY_DIMENSIONS"] = dims; s.Fill == nil {
				s.Fill = zarr.NoFill
			}
		}
		a, err := zarr.Create(t.Context(), st, name, s)
		ok(err)
		ok(write(a))
	}
	const times, lats, lons = 100, 18, 36
	put("time", zarr.Spec{Shape: []int{times}, DType: dtype.Int64, Attrs: map[string]any{"units": "hours since 2026-01-01", "calendar": "standard"}}, []string{"time"}, func(a *zarr.Array) error {
		v := make([]int64, times)
		for i := range v {
			v[i] = int64(i) * 12
		}
		return zarr.Write(t.Context(), a, v)
	})
	axis := func(n int, from, step float64) func(*zarr.Array) error {
		return func(a *zarr.Array) error {
			v := make([]float64, n)
			for i := range v {
				v[i] = from + step*float64(i)
			}
			return zarr.Write(t.Context(), a, v)
		}
	}
	put("lat", zarr.Spec{Shape: []int{lats}, DType: dtype.Float64, Attrs: map[string]any{"units": "degrees_north"}}, []string{"lat"}, axis(lats, 85, -10))
	put("lon", zarr.Spec{Shape: []int{lons}, DType: dtype.Float64, Attrs: map[string]any{"units": "degrees_east"}}, []string{"lon"}, axis(lons, 0, 10))
	grid := zarr.Spec{Shape: []int{times, lats, lons}, Chunks: []int{24, 10, 12}, Codecs: []codec.Spec{codec.Zstd(1)}}
	packed := grid
	packed.DType, packed.Attrs = dtype.Int16, map[string]any{"scale_factor": 0.01, "add_offset": 273.15, "units": "K", "_FillValue": -32767}
	if format == 2 {
		packed.Fill = -32767
		delete(packed.Attrs, "_FillValue")
	}
	put("t2m", packed, []string{"time", "lat", "lon"}, func(a *zarr.Array) error {
		v := make([]int16, times*lats*lons)
		for i := range v {
			if v[i] = int16(i * 7 % 20000); i%13 == 0 {
				v[i] = -32767
			}
		}
		return zarr.Write(t.Context(), a, v)
	})
	floats := grid
	floats.DType, floats.Attrs = dtype.Float32, map[string]any{"units": "Pa"}
	floats.Fill = float32(math.NaN())
	put("p", floats, []string{"time", "lat", "lon"}, func(a *zarr.Array) error {
		v := make([]float32, 30*lats*lons) // most chunks are absent
		for i := range v {
			v[i] = float32(i)/8 - 100
		}
		return zarr.Write(t.Context(), a, v, zarr.Range(20, 50))
	})
	counts := zarr.Spec{Shape: []int{lats, lons}, Chunks: []int{5, 36}, DType: dtype.Uint8, Attrs: map[string]any{"units": "1", "_FillValue": 7}}
	if format == 2 {
		counts.Fill = 7
		delete(counts.Attrs, "_FillValue")
	}
	put("n", counts, []string{"lat", "lon"}, func(a *zarr.Array) error {
		v := make([]uint8, lats*lons)
		for i := range v {
			v[i] = uint8(i)
		}
		return zarr.Write(t.Context(), a, v)
	})
	d, err := dataset.Open(t.Context(), st, "", dataset.Options{}, zarr.IgnoreConsolidated())
	ok(err)
	return d
}

// viewed is a view that peers read. Its JSON form is for the scripts of the peers.
type viewed struct {
	URL     string           `json:"url"`
	Source  string           `json:"source"`
	Format  int              `json:"format"`
	Isel    map[string][]int `json:"isel"`
	Decoded []string         `json:"decoded"`
	Names   []string         `json:"names"`

	options view.Options
	from    *dataset.Dataset
}

// allViews serves 20 views of two datasets.
func allViews(t *testing.T) (all []viewed) {
	t.Helper()
	steps := func(lo, hi int) (list []int) {
		for i := lo; i < hi; i++ {
			list = append(list, i)
		}
		return list
	}
	for _, format := range []int{2, 3} {
		folder := t.TempDir()
		d := viewSource(t, folder, format)
		for _, r := range []struct {
			options string
			isel    map[string][]int
		}{
			{`{}`, nil},
			{`{"format": 2, "codecs": ["zlib:1"]}`, nil},
			{`{"format": 3, "codecs": ["blosc:lz4:5:shuffle"], "chunks": {"time": 1}}`, nil},
			{`{"format": 3, "chunks": {"time": 10, "lat": 9, "lon": 9}, "shards": {"time": 50, "lat": 18, "lon": 36}, "codecs": ["zstd:1", "crc32c"]}`, nil},
			{`{"format": 3, "decode": true, "chunks": {"time": 7, "lat": 5, "lon": 11}}`, nil},
			{`{"format": 2, "decode": true, "codecs": []}`, nil},
			{`{"sel": "time=2026-01-10:2026-01-20,lat=40:-20", "decode": true}`, map[string][]int{"time": steps(18, 40), "lat": steps(5, 11)}},
			{`{"sel": "lon=nearest::17", "format": 3}`, map[string][]int{"lon": {2}}},
			{`{"vars": ["t2m"], "format": 2, "chunks": {"lat": 18, "lon": 36, "time": 1}}`, nil},
			{`{"format": 3, "decode": true, "chunks": {"time": 5}, "shards": {"time": 100}, "sel": "lat=85,75,65,-85"}`, map[string][]int{"lat": {0, 1, 2, 17}}},
		} {
			o, err := view.Parse([]byte(r.options))
			if err != nil {
				t.Fatal(err)
			}
			o.Fresh = time.Hour
			v, err := view.New(t.Context(), d, o)
			if err != nil {
				t.Fatalf("%s: %v", r.options, err)
			}
			s := httptest.NewServer(overHTTP(v))
			t.Cleanup(s.Close)
			j := viewed{s.URL, folder, max(o.Format, 2), r.isel, []string{}, []string{"time", "lat", "lon", "t2m", "p", "n"}, o, d}
			if j.Isel == nil {
				j.Isel = map[string][]int{}
			}
			if o.Format == 0 {
				j.Format = format
			}
			if o.Decode {
				j.Decoded = []string{"t2m", "n"}
			}
			if o.Vars != nil {
				j.Names = j.Names[:4]
			}
			all = append(all, j)
		}
	}
	return all
}

// readBy starts a program that reads the views, and calls f with each and the line that it prints.
func readBy(t *testing.T, all []viewed, c *exec.Cmd, f func(v viewed, line string)) {
	t.Helper()
	var in bytes.Buffer
	for _, v := range all {
		if err := json.NewEncoder(&in).Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	c.Stdin, c.Stderr = &in, os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(all) {
		t.Fatalf("%v judged %d views of %d", c, len(lines), len(all))
	}
	for i, line := range lines {
		f(all[i], line)
	}
}

// TestViews has zarr-python, xarray and TensorStore read views over HTTP, and compares the values
// with those that the same library reads from the source.
func TestViews(t *testing.T) {
	for _, env := range []string{pythonEnv, python313Env} {
		if os.Getenv(env) == "" {
			bucket.Lack(t, env+" does not name a Python of a peer")
		}
	}
	all := allViews(t)
	for _, args := range [][]string{{os.Getenv(python313Env), "python/views.py", "zarr", "xarray"}, {os.Getenv(pythonEnv), "python/views.py", "zarr", "tensorstore"}} {
		readBy(t, all, exec.CommandContext(t.Context(), args[0], args[1:]...), func(v viewed, line string) {
			if line != "[]" {
				t.Errorf("%v: %+v: %s", args[2:], v.options, line)
			}
		})
	}
}

// TestViewsInJavaScript has zarrita read views over HTTP, and compares the values with direct reads
// of the source. ZARGO_PEERS_ZARRITA names the folder that zarrita is installed in.
func TestViewsInJavaScript(t *testing.T) {
	folder := os.Getenv("ZARGO_PEERS_ZARRITA")
	if folder == "" {
		bucket.Lack(t, "ZARGO_PEERS_ZARRITA does not name a folder with zarrita")
	}
	script, err := os.ReadFile("node/views.mjs")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "node", "--input-type=module", "--eval", string(script))
	c.Dir = folder
	readBy(t, allViews(t), c, func(v viewed, line string) {
		var got map[string][]byte
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		for _, name := range v.Names {
			x, err := v.from.Var(name)
			if err == nil {
				o := dataset.Options{Raw: !slices.Contains(v.Decoded, name)}
				x, err = dataset.OpenArray(x.Array(), o)
			}
			var q []dataset.Query
			for dim, list := range v.Isel {
				if err == nil && slices.ContainsFunc(x.Dims(), func(d dataset.Dim) bool { return d.Name == dim }) {
					q = append(q, dataset.At(dim, list))
				}
			}
			if err == nil {
				x, err = x.Sel(q...)
			}
			var want []float64
			if err == nil {
				want, err = dataset.Read[float64](t.Context(), x)
			}
			if err != nil {
				t.Fatal(err)
			}
			values := got[name]
			for i := range want {
				if len(values) != 8*len(want) {
					t.Fatalf("%+v: %s has %d bytes, want %d", v.options, name, len(values), 8*len(want))
				}
				if f := math.Float64frombits(binary.LittleEndian.Uint64(values[8*i:])); f != want[i] && !(math.IsNaN(f) && math.IsNaN(want[i])) {
					t.Fatalf("%+v: element %d of %s is %v, want %v", v.options, i, name, f, want[i])
				}
			}
		}
	})
}
