package bbolt_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/zargo-io/zargo/examples/stores/bbolt"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		return must[*bbolt.Store](t)(bbolt.Open(filepath.Join(t.TempDir(), "zarr.db")))
	})
}

// TestReopened checks that values and versions outlive the process, and that versions are not
// reused.
func TestReopened(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "zarr.db")
	s := must[*bbolt.Store](t)(bbolt.Open(path))
	first := must[store.Version](t)(s.Put(ctx, "k", []byte("1"), store.PutOptions{}))
	if _, err := bbolt.Open(path); !errors.Is(err, fault.Unavailable) {
		t.Errorf("Open of an open file: %v", err)
	}
	must[any](t)(nil, errors.Join(s.Delete(ctx, "k", store.DeleteOptions{}), s.Close()))
	s = must[*bbolt.Store](t)(bbolt.Open(path))
	if again := must[store.Version](t)(s.Put(ctx, "k", []byte("2"), store.PutOptions{})); again == first {
		t.Errorf("version %q twice", again)
	}
	must[any](t)(nil, s.Close())
	if _, err := s.Get(ctx, "k", store.GetOptions{}, nil); !errors.Is(err, fault.Unavailable) || errors.Is(err, fault.NotFound) {
		t.Errorf("Get after Close: %v", err)
	}

	// A value that another program wrote has no version.
	db := must[*bolt.DB](t)(bolt.Open(path, 0o666, nil))
	must[any](t)(nil, db.Update(func(tx *bolt.Tx) error { return tx.Bucket([]byte("zarr")).Put([]byte("k"), []byte("short")) }))
	must[any](t)(nil, db.Close())
	s = must[*bbolt.Store](t)(bbolt.Open(path))
	defer s.Close()
	if _, err := s.Get(ctx, "k", store.GetOptions{}, nil); !errors.Is(err, fault.Corrupt) {
		t.Errorf("Get of a foreign value: %v", err)
	}
	if _, err := bbolt.Open(os.DevNull + "/no"); err == nil {
		t.Error("Open of no file succeeds")
	}
}

func ExampleOpen() {
	folder, err := os.MkdirTemp("", "bbolt")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()

	ctx := context.Background()
	st, err := bbolt.Open(filepath.Join(folder, "era5.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	a, err := zarr.Create(ctx, st, "t2m", zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Float32})
	if err != nil {
		log.Fatal(err)
	}
	if err := zarr.Write(ctx, a, []float32{280, 281, 282, 283}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[float32](ctx, a, zarr.Range(1, 3)))
	for e, err := range st.List(ctx, "t2m", store.ListOptions{}) {
		fmt.Println(e.Key, err)
	}
	// Output:
	// [281 282] <nil>
	// t2m/c/0 <nil>
	// t2m/c/1 <nil>
	// t2m/zarr.json <nil>
}
