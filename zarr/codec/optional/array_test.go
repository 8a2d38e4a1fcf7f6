package optional_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/optional"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// stored is the directory of the arrays that testdata/write stored with zarrs.
const stored = "testdata/zarrs"

func tables() zarr.Option {
	return zarr.Extensions(optional.Add(codec.Builtin()), optional.AddType(dtype.Standard()))
}

func openStored(t *testing.T, name string) *zarr.Array {
	t.Helper()
	a, err := zarr.OpenArray(t.Context(), dir.New(stored), name, tables())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// expected sets to to the values of an array in values.json.
func expected(t *testing.T, name string, to any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(stored, "values.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(all[name], to); err != nil {
		t.Fatal(err)
	}
}

// element is an optional value in Go.
type element[T any] struct {
	Valid bool `zarr:"valid"`
	Value T    `zarr:"value"`
}

// elementsOf converts values. A nil value is missing.
func elementsOf[T any](values []*T) []element[T] {
	list := make([]element[T], len(values))
	for i, v := range values {
		if v != nil {
			list[i] = element[T]{true, *v}
		}
	}
	return list
}

func checkStored[T comparable](t *testing.T, name string) {
	var values []*T
	expected(t, name, &values)
	want := elementsOf(values)
	a := openStored(t, name)
	got, err := zarr.Read[element[T]](t.Context(), a)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if name == "int32" { // the chunk of the elements 12 to 15 is stored, although all are missing
		if want[12].Valid {
			t.Fatal("element 12 is not missing")
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
	f, err := a.Field("value")
	if err != nil {
		t.Fatal(err)
	}
	numbers, err := zarr.Read[T](t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range want {
		if numbers[i] != e.Value {
			t.Errorf("%s: value %d is %v, want %v", name, i, numbers[i], e.Value)
		}
	}
}

// TestStored reads arrays of zarrs: big-endian and little-endian values, compressed masks, shards,
// and a chunk of missing elements only.
func TestStored(t *testing.T) {
	checkStored[uint8](t, "uint8")
	checkStored[int32](t, "int32")
	checkStored[float64](t, "float64")
}

// TestNested reads an array of zarrs with two levels of optional types.
func TestNested(t *testing.T) {
	var values []json.RawMessage
	expected(t, "nested", &values)
	want := make([]element[element[uint8]], len(values))
	for i, v := range values {
		var inner []*uint8
		if err := json.Unmarshal(v, &inner); err != nil {
			t.Fatal(err)
		}
		if len(inner) == 1 {
			want[i] = element[element[uint8]]{true, elementsOf(inner)[0]}
		}
	}
	a := openStored(t, "nested")
	got, err := zarr.Read[element[element[uint8]]](t.Context(), a)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	f, err := a.Field("value", "valid")
	if err != nil {
		t.Fatal(err)
	}
	valid, err := zarr.Read[bool](t.Context(), f)
	if err != nil || valid[1] || !valid[2] {
		t.Errorf("%v, %v", valid, err)
	}
}

// TestWritten writes the arrays of zarrs and compares the stored bytes. Other compressors may write
// other bytes, so those of compressed arrays are read back.
func TestWritten(t *testing.T) {
	for _, name := range []string{"uint8", "nested", "int32", "float64"} {
		a := openStored(t, name)
		st := mem.New()
		spec, err := os.ReadFile(filepath.Join(stored, name, "zarr.json"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := st.Put(t.Context(), name+"/zarr.json", spec, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		b, err := zarr.OpenArray(t.Context(), st, name, tables())
		if err != nil {
			t.Fatal(err)
		}
		size := 1
		for _, n := range a.Shape() {
			size *= n
		}
		want := make([]byte, size*a.DType().Size())
		if err := a.ReadBytes(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		if err := b.WriteBytes(t.Context(), want); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := make([]byte, len(want))
		if err := b.ReadBytes(t.Context(), got); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", name, got, err, want)
		}
		if name != "uint8" && name != "nested" {
			continue
		}
		chunks, err := filepath.Glob(filepath.Join(stored, name, "c/*/*"))
		if err != nil || len(chunks) != 3 {
			t.Fatal(chunks, err)
		}
		for _, path := range chunks {
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			key, _ := filepath.Rel(stored, path)
			got, err := st.Get(t.Context(), filepath.ToSlash(key), store.GetOptions{}, nil)
			if err != nil || !bytes.Equal(got.Bytes, want) {
				t.Errorf("%s: %v, %v, want %v", key, got.Bytes, err, want)
			}
		}
	}
}

// TestConcurrent decodes different chunks with one codec at the same time.
func TestConcurrent(t *testing.T) {
	a := openStored(t, "int32")
	want, err := zarr.Read[element[int32]](t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			got, err := zarr.Read[element[int32]](t.Context(), a, zarr.At(i))
			if err != nil || got[0] != want[i] {
				t.Errorf("element %d: %v, %v", i, got, err)
			}
		})
	}
	wg.Wait()
}
