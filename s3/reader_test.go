package s3

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// withholds responds as S3 does to a caller who may get and put objects but not list the bucket:
// 403 for an absent key.
func withholds(f *Fake) func(w http.ResponseWriter, r *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		f.mu.Lock()
		_, there := f.objects[strings.TrimPrefix(r.URL.Path, "/zarr-test/")]
		f.mu.Unlock()
		if there || r.Method == http.MethodPut || r.Method == http.MethodDelete {
			return false
		}
		Fail(w, 403, "AccessDenied", "Access Denied")
		return true
	}
}

// TestReaderWithoutListRights reads as a caller without the right to list. S3 then responds with
// 403 to a read of an absent key (Amazon S3 API Reference, GetObject, "Permissions"). The test
// checks that arrays can be opened, and read if every chunk is stored. A read of an absent chunk
// must return an error that explains the cause, because the chunk might exist.
func TestReaderWithoutListRights(t *testing.T) {
	credentialsForTests(t)
	for _, format := range []int{2, 3} {
		f := NewFake(t)
		owner := open(t, f.At("data"))
		a, err := zarr.Create(t.Context(), owner, "x", zarr.Spec{Format: format, Shape: []int{6}, Chunks: []int{2}, DType: dtype.Int32, Fill: -1})
		if err != nil {
			t.Fatal(err)
		}
		succeed(t, zarr.Write(t.Context(), a, []int32{1, 2, 3, 4}, zarr.Range(0, 4)))
		f.Answer(withholds(f))
		st := open(t, f.At("data"))
		a, err = zarr.OpenArray(t.Context(), st, "x")
		if err != nil {
			t.Fatalf("v%d: %v", format, err)
		}
		if got, err := zarr.Read[int32](t.Context(), a, zarr.Range(0, 4)); err != nil || got[3] != 4 {
			t.Errorf("v%d: stored chunks: %v, %v", format, got, err)
		}
		var where *zarr.ChunkError
		got, err := zarr.Read[int32](t.Context(), a)
		if !errors.Is(err, fault.Refused) || !errors.As(err, &where) || where.Coord[0] != 2 || !strings.Contains(err.Error(), "list the bucket") {
			t.Errorf("v%d: an absent chunk: %v, %v", format, got, err)
		}
		if _, err := zarr.OpenArray(t.Context(), st, "y"); !errors.Is(err, fault.Refused) {
			t.Errorf("v%d: no array: %v", format, err)
		}
		if _, err := zarr.OpenGroup(t.Context(), st, ""); err != nil {
			t.Errorf("v%d: the group above: %v", format, err)
		}
	}
}

// TestWriterWithoutListRights checks that a writer without the right to list can create arrays and
// replace chunks, which are conditional or need no read. An update of a part of a chunk must fail,
// because it depends on whether the chunk exists.
func TestWriterWithoutListRights(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	f.Answer(withholds(f))
	st := open(t, f.At("data"))
	spec := zarr.Spec{Shape: []int{6}, Chunks: []int{2}, DType: dtype.Int32, Fill: -1}
	a, err := zarr.Create(t.Context(), st, "x", spec)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := zarr.Create(t.Context(), st, "x", spec); !errors.Is(err, fault.Exists) {
		t.Errorf("the same again: %v", err)
	}
	if err := zarr.Write(t.Context(), a, []int32{1, 2, 3, 4}, zarr.Range(0, 4)); err != nil {
		t.Errorf("whole chunks: %v", err)
	}
	if err := zarr.Write(t.Context(), a, []int32{5}, zarr.At(1)); err != nil {
		t.Errorf("a part of a stored chunk: %v", err)
	}
	if err := zarr.Write(t.Context(), a, []int32{6}, zarr.At(4)); !errors.Is(err, fault.Refused) {
		t.Errorf("a part of an absent chunk: %v", err)
	}
	if got, err := zarr.Read[int32](t.Context(), a, zarr.Range(0, 4)); err != nil || got[0] != 1 || got[1] != 5 || got[3] != 4 {
		t.Errorf("read %v, %v", got, err)
	}
}
