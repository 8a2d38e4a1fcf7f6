package blob_test

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	gcblob "gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/blob/memblob"

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func TestPortableKey(t *testing.T) {
	for _, c := range []struct {
		key string
		ok  bool
	}{
		{"c/0/0", true}, {"zarr.json", true}, {"__0x", true}, {"a__0x2f", true}, {"a__0x2f_", true}, {"__init__", true},
		{"0x2f__", true}, {"a..b", true}, {"a..", true}, {"__0x2f_b__", true},
		{"__0x2f__", false}, {"a/__0x41__b", false}, {"__0x2f____0x", false}, {"____0x2f__", false}, {"__0x__0x2f__", false},
		{"a../b", false}, {"_..../b", false},
	} {
		if err := blob.PortableKey(c.key); (err == nil) != c.ok || (err != nil && !errors.Is(err, fault.Path)) {
			t.Errorf("%q: %v", c.key, err)
		}
	}
}

// FuzzPortableKey checks that a key accepted by PortableKey is stored under the same name, as seen
// by a program that does not use gocloud.
func FuzzPortableKey(f *testing.F) {
	for _, s := range []string{"a", "__0x2f__", "a../b", "__0x__", "___0x1__", "__0x41___", "é/ü", "__0x110000__"} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, key string) {
		if store.CheckKey(key) != nil || blob.PortableKey(key) != nil || len(key) > 100 || strings.HasSuffix(key, ".attrs") {
			return
		}
		b, err := fileblob.OpenBucket(dir, &fileblob.Options{Metadata: fileblob.MetadataDontWrite, NoTempDir: true})
		if err != nil {
			t.Fatal(err)
		}
		s := blob.New(b, blob.TrustNotFound())
		defer s.Close()
		if _, err := s.Put(t.Context(), key, []byte(key), store.PutOptions{}); err != nil {
			return // such as a key below another key
		}
		defer func() { _ = s.Delete(t.Context(), key, store.DeleteOptions{}) }()
		if got := filesIn(t, dir); !slices.Equal(got, []string{key}) {
			t.Errorf("%q is stored as %q", key, got)
		}
	})
}

// TestGetAllocatesOnce checks that a read allocates the value once. gocloud's ReadAll would
// allocate twice as much.
func TestGetAllocatesOnce(t *testing.T) {
	const size = 16 << 20
	s := blob.New(memblob.OpenBucket(&memblob.Options{NoMD5: true}), blob.TrustNotFound())
	if _, err := s.Put(t.Context(), "k", make([]byte, size), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	cost := func(buf []byte) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := s.Get(t.Context(), "k", store.GetOptions{}, buf); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if n := cost(nil); n > size+size/8 {
		t.Errorf("%d bytes allocated for %d", n, size)
	}
	if n := cost(make([]byte, 0, size)); n > size/8 {
		t.Errorf("%d bytes allocated beside the caller's buffer", n)
	}
}

func TestHandles(t *testing.T) {
	b := memblob.OpenBucket(nil)
	s := blob.New(b, blob.Name("mem://x"), blob.Tuning(store.Tuning{Requests: 3}),
		blob.WithHooks(blob.Hooks{Provide: func(target any) bool {
			if p, ok := target.(*int); ok {
				*p = 7
				return true
			}
			return false
		}}))
	var got *gcblob.Bucket
	var n int
	var other *strings.Builder
	if !store.As(s, &got) || got != b || !store.As(s, &n) || n != 7 || store.As(s, &other) {
		t.Errorf("handles %v %d %v", got == b, n, other)
	}
	if store.TuningOf(s).Requests != 3 || store.Name(s) != "mem://x" {
		t.Errorf("tuning %+v, name %s", store.TuningOf(s), store.Name(s))
	}
	if store.TuningOf(blob.New(b)).Reason == "" {
		t.Error("the default tuning gives no reason")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	_, err := s.Get(t.Context(), "k", store.GetOptions{}, nil)
	wantKind(t, err, fault.Refused)
}

// filesIn returns the paths of the files below dir.
func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
