package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/openurl/all"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// put creates an array at a URL and writes all of its elements.
func put[T any](t *testing.T, url string, spec zarr.Spec, values []T) {
	t.Helper()
	st, err := all.Mux().Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	a, err := zarr.Create(t.Context(), st, "", spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := zarr.Write(t.Context(), a, values); err != nil {
		t.Fatal(err)
	}
}

// get reads an array and checks its shape.
func get[T any](t *testing.T, url string, shape []int) ([]T, *zarr.Array) {
	t.Helper()
	st, err := all.Mux().Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	a, err := zarr.OpenArray(t.Context(), st, "")
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(a.Shape()) != fmt.Sprint(shape) {
		t.Fatalf("shape %v, want %v", a.Shape(), shape)
	}
	values, err := zarr.Read[T](t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return values, a
}

// hours returns values that are multiples of every, so that all means are exact in float32.
func hours(rows, cols, every int) []float32 {
	v := make([]float32, rows*cols)
	for i := range v {
		v[i] = float32(every * (i*7919%1000 - 500))
	}
	return v
}

// days computes the means one element at a time.
func days(v []float32, rows, cols, every int) []float32 {
	var out []float32
	for row := 0; row < rows; row += every {
		for col := range cols {
			sum, n := 0.0, 0
			for r := row; r < min(row+every, rows); r++ {
				sum += float64(v[r*cols+col])
				n++
			}
			out = append(out, float32(sum/float64(n)))
		}
	}
	return out
}

func TestMeans(t *testing.T) {
	tests := []struct {
		name                            string
		rows, cols, every, chunk0, tile int
		read                            string // read chunks: each once if one length divides the other
	}{
		{"chunks of whole days", 96, 10, 24, 48, 4, "6 chunks read, 8 written"}, // two chunks extend beyond the shape and are read first
		{"chunks of hours", 96, 10, 24, 1, 10, "96 chunks read, 4 written"},
		{"a day that is cut short", 50, 7, 24, 24, 7, "3 chunks read, 3 written"},
		{"chunks that are no days, of which two are read twice", 60, 5, 24, 10, 5, "8 chunks read, 3 written"},
		{"one mean of everything", 10, 4, 100, 3, 2, "8 chunks read, 2 written"},
		{"nothing to do", 10, 4, 1, 3, 2, "8 chunks read, 10 written"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			from, to := filepath.Join(root, "from"), filepath.Join(root, "to")
			values := hours(test.rows, test.cols, test.every)
			put(t, from, zarr.Spec{Shape: []int{test.rows, test.cols}, Chunks: []int{test.chunk0, test.tile}, DType: dtype.Float32,
				Dims: []string{"time", "x"}, Attrs: map[string]any{"units": "K"}}, values)
			var out bytes.Buffer
			for range 2 { // the second run changes nothing
				out.Reset()
				if err := run(t.Context(), []string{"-every", fmt.Sprint(test.every), "-tasks", "3", from, to}, &out); err != nil {
					t.Fatal(err)
				}
			}
			if !strings.Contains(out.String(), test.read) {
				t.Errorf("%q, want %q", &out, test.read)
			}
			want := days(values, test.rows, test.cols, test.every)
			got, a := get[float32](t, to, []int{len(want) / test.cols, test.cols})
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("mean %d is %v, want %v", i, got[i], want[i])
				}
			}
			if units, _, err := zarr.Attr[string](a, "units"); err != nil || units != "K" || a.Dims()[0] != "time" {
				t.Errorf("units %q, %v; dimensions %q", units, err, a.Dims())
			}
		})
	}
}

// TestBuckets computes means between a bucket and a directory. The buckets are on servers that
// "make test" starts.
func TestBuckets(t *testing.T) {
	for _, p := range bucket.All() {
		t.Run(p.Name, func(t *testing.T) {
			url, local := p.URL(t), filepath.Join(t.TempDir(), "local")
			base, query, _ := strings.Cut(url, "?")
			from, to := base+"/from?"+query, base+"/to?"+query
			nan := math.NaN()
			put(t, from, zarr.Spec{Format: 2, Shape: []int{4, 2}, Chunks: []int{2, 1}, DType: dtype.Float64}, []float64{1, 2, 3, 4, nan, 6, 7, 8.5})
			for _, way := range [][2]string{{from, to}, {to, local}} {
				if err := run(t.Context(), []string{"-every", "2", way[0], way[1]}, &bytes.Buffer{}); err != nil {
					t.Fatal(err)
				}
			}
			if got, _ := get[float64](t, to, []int{2, 2}); got[0] != 2 || got[1] != 3 || !math.IsNaN(got[2]) || got[3] != 7.25 {
				t.Errorf("in the bucket: %v", got)
			}
			if got, _ := get[float64](t, local, []int{1, 2}); !math.IsNaN(got[0]) || got[1] != 5.125 {
				t.Errorf("in the directory: %v", got)
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	root := t.TempDir()
	ints, floats, other := filepath.Join(root, "ints"), filepath.Join(root, "floats"), filepath.Join(root, "other")
	put(t, ints, zarr.Spec{Shape: []int{2}, DType: dtype.Int32}, []int32{1, 2})
	put(t, floats, zarr.Spec{Shape: []int{2}, DType: dtype.Float32}, []float32{1, 2})
	put(t, other, zarr.Spec{Shape: []int{9}, DType: dtype.Float32}, make([]float32, 9))
	tests := []struct {
		name string
		args []string
		is   error // nil means any error
	}{
		{"not a number to make means of", []string{ints, filepath.Join(root, "x")}, errors.ErrUnsupported},
		{"no array", []string{filepath.Join(root, "none"), filepath.Join(root, "x")}, zarr.ErrNotFound},
		{"another array is there", []string{floats, other}, zarr.ErrConflict},
		{"onto itself", []string{floats, floats}, nil},
		{"one URL", []string{floats}, nil},
		{"no task", []string{"-tasks", "0", floats, other}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := run(t.Context(), test.args, &bytes.Buffer{})
			if err == nil || test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("got %v, want %v", err, test.is)
			}
		})
	}
}
