package dir_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// limits returns options for the features that the operating system lacks.
func limits() []storetest.Option {
	if runtime.GOOS == "windows" {
		return []storetest.Option{storetest.Without(storetest.AnyKey)}
	}
	return nil
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return dir.New(t.TempDir()) },
		append(limits(), storetest.Vanish(vanish), storetest.RemovePart(removePart))...)
}

// vanish removes the root, as unmounting does.
func vanish(s store.Store) error { return os.RemoveAll(store.Name(s)) }

func TestStoreWithSync(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return dir.New(filepath.Join(t.TempDir(), "not/yet"), dir.Sync(true)) },
		append(limits(), storetest.Keys(20), storetest.Rounds(2))...)
}

func put(t *testing.T, s store.Store, key, value string) store.Version {
	t.Helper()
	v, err := s.Put(t.Context(), key, []byte(value), store.PutOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func keys(t *testing.T, s store.Store, prefix string, depth store.Depth) []string {
	t.Helper()
	all := []string{}
	for e, err := range s.List(t.Context(), prefix, store.ListOptions{Depth: depth}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Key)
	}
	slices.Sort(all)
	return all
}

// TestLayout checks that the directory contains the files of the values and no others. This is the
// layout of zarr-python and TensorStore.
func TestLayout(t *testing.T) {
	root := t.TempDir()
	s := dir.New(root)
	put(t, s, "t2m/c/0/1", "chunk")
	v := put(t, s, "t2m/zarr.json", "{}")
	if _, err := s.Put(t.Context(), "t2m/zarr.json", []byte("{ }"), store.PutOptions{IfVersion: v}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), ".zgroup", []byte("{}"), store.PutOptions{IfAbsent: true}); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			b, _ := os.ReadFile(path)
			rel, _ := filepath.Rel(root, path)
			got = append(got, filepath.ToSlash(rel)+"="+string(b))
		}
		return err
	})
	if want := []string{".zgroup={}", "t2m/c/0/1=chunk", "t2m/zarr.json={ }"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("files %q, want %q, %v", got, want, err)
	}
}

func TestReadsWhatOthersWrite(t *testing.T) {
	root := t.TempDir()
	succeed(t, os.MkdirAll(filepath.Join(root, "a", "empty", "er"), 0o777))
	for name, content := range map[string]string{"a/0.0": "chunk", "a/.zarray": "{}", "a/0.0.__lock": "", "a/.zargo-tmp-0123": "left"} {
		succeed(t, os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), []byte(content), 0o666))
	}
	s := dir.New(root)
	if got, want := keys(t, s, "", store.Deep), []string{"a/.zarray", "a/0.0", "a/0.0.__lock"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := keys(t, s, "a", store.OneLevel), []string{"a/.zarray", "a/0.0", "a/0.0.__lock"}; !slices.Equal(got, want) {
		t.Errorf("one level: got %q, want %q", got, want)
	}
}

func TestHiddenNamesAreRefused(t *testing.T) {
	s := dir.New(t.TempDir())
	for _, key := range []string{".zargo-tmp-1", "a/.zargo-tmp-1", ".zargo-tmp-x/b"} {
		if _, err := s.Put(t.Context(), key, nil, store.PutOptions{}); !errors.Is(err, fault.Path) {
			t.Errorf("Put(%q): %v", key, err)
		}
		if _, err := s.Get(t.Context(), key, store.GetOptions{}, nil); !errors.Is(err, fault.Path) {
			t.Errorf("Get(%q): %v", key, err)
		}
	}
	put(t, s, "a.zargo-tmp-1", "fine")
}

func TestBlockedPuts(t *testing.T) {
	s := dir.New(t.TempDir())
	v := put(t, s, "file", "x")
	put(t, s, "folder/x", "x")
	tests := []struct {
		name string
		key  string
		o    store.PutOptions
		want error
	}{
		{"below a file", "file/below", store.PutOptions{}, fault.Path},
		{"below a file, if absent", "file/below", store.PutOptions{IfAbsent: true}, fault.Path},
		{"below a file, if version", "file/below", store.PutOptions{IfVersion: v}, fault.Conflict},
		{"deep below a file", "file/b/c/d", store.PutOptions{}, fault.Path},
		{"on a folder", "folder", store.PutOptions{}, fault.Path},
		{"on a folder, if absent", "folder", store.PutOptions{IfAbsent: true}, fault.Path},
		{"on a folder, if version", "folder", store.PutOptions{IfVersion: v}, fault.Conflict},
		{"name too long", strings.Repeat("n", 300), store.PutOptions{}, fault.Path},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := s.Put(t.Context(), test.key, []byte("y"), test.o)
			if !errors.Is(err, test.want) || errors.Is(err, fault.Unavailable) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
	if got := names(t, s.String()); !slices.Equal(got, []string{"file", "folder", "folder/x"}) {
		t.Errorf("left in the folder: %q", got)
	}
}

// names returns all files and directories below root, including hidden ones.
func names(t *testing.T, root string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if rel, _ := filepath.Rel(root, path); rel != "." {
			all = append(all, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestDeleteKeepsFolders(t *testing.T) {
	root := t.TempDir()
	succeed(t, os.Mkdir(filepath.Join(root, "empty"), 0o777))
	s := dir.New(root)
	succeed(t, s.Delete(t.Context(), "empty", store.DeleteOptions{}))
	if got := names(t, root); !slices.Equal(got, []string{"empty"}) {
		t.Errorf("left: %q", got)
	}
}

func TestRootIsMadeByTheFirstPut(t *testing.T) {
	root := filepath.Join(t.TempDir(), "a", "b")
	s := dir.New(root)
	if _, err := s.Get(t.Context(), "x", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
		t.Errorf("Get: %v", err)
	}
	if got := keys(t, s, "", store.Deep); len(got) != 0 {
		t.Errorf("keys %q", got)
	}
	if _, err := os.Stat(root); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading made the root: %v", err)
	}
	put(t, s, "x", "1")
}

func TestRelativeRootIsResolvedOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	s := dir.New("data")
	put(t, s, "x", "1")
	t.Chdir(t.TempDir())
	if _, err := s.Get(t.Context(), "x", store.GetOptions{}, nil); err != nil {
		t.Error(err)
	}
}

// TestVersionSeesAForeignReplace checks that a file with a new inode has another version, even if
// another writer keeps the size and the time.
func TestVersionSeesAForeignReplace(t *testing.T) {
	root := t.TempDir()
	s := dir.New(root)
	v := put(t, s, "x", "ours")
	before, err := os.Stat(filepath.Join(root, "x"))
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(root, "y")
	succeed(t, os.WriteFile(other, []byte("theirs"[:4]), 0o666))
	succeed(t, os.Chtimes(other, before.ModTime(), before.ModTime()))
	succeed(t, os.Rename(other, filepath.Join(root, "x")))
	if _, err := s.Put(t.Context(), "x", nil, store.PutOptions{IfVersion: v}); !errors.Is(err, fault.Conflict) {
		t.Errorf("Put over a replaced file: %v", err)
	}
}

// TestVersionWhenTheClockStepsBack checks that a file that replaces one with a time in the future
// gets a later time, so that versions are not reused.
func TestVersionWhenTheClockStepsBack(t *testing.T) {
	root := t.TempDir()
	s := dir.New(root)
	put(t, s, "x", "1")
	path := filepath.Join(root, "x")
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	future := fi.ModTime().AddDate(1, 0, 0)
	succeed(t, os.Chtimes(path, future, future))
	v, err := s.Get(t.Context(), "x", store.GetOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), "x", []byte("2"), store.PutOptions{IfVersion: v.Version}); err != nil {
		t.Fatal(err)
	}
	if fi, err = os.Stat(path); err != nil || !fi.ModTime().After(future) {
		t.Errorf("the new file's time %v is not after %v, %v", fi.ModTime(), future, err)
	}
}

func BenchmarkGet(b *testing.B) {
	for _, size := range []int{4 << 10, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
			s, ctx, buf := dir.New(b.TempDir()), context.Background(), make([]byte, 0, size)
			if _, err := s.Put(ctx, "t2m/c/0/0", make([]byte, size), store.PutOptions{}); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Get(ctx, "t2m/c/0/0", store.GetOptions{}, buf); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPut(b *testing.B) {
	s, ctx, value := dir.New(b.TempDir()), context.Background(), make([]byte, 64<<10)
	v, err := s.Put(ctx, "k", value, store.PutOptions{})
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	b.Run("cond=none", func(b *testing.B) {
		b.SetBytes(int64(len(value)))
		for b.Loop() {
			if v, err = s.Put(ctx, "k", value, store.PutOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("cond=none/new", func(b *testing.B) {
		b.SetBytes(int64(len(value)))
		for b.Loop() {
			n++
			if _, err := s.Put(ctx, fmt.Sprintf("new%d", n), value, store.PutOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("cond=version", func(b *testing.B) {
		b.SetBytes(int64(len(value)))
		for b.Loop() {
			if v, err = s.Put(ctx, "k", value, store.PutOptions{IfVersion: v}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("cond=absent", func(b *testing.B) {
		b.SetBytes(int64(len(value)))
		for b.Loop() {
			n++
			if _, err := s.Put(ctx, fmt.Sprintf("new%d", n), value, store.PutOptions{IfAbsent: true}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func ExampleNew() {
	root, _ := os.MkdirTemp("", "example")
	defer func() { _ = os.RemoveAll(root) }()
	ctx, st := context.Background(), dir.New(root)
	v, _ := st.Put(ctx, "t2m/zarr.json", []byte("{}"), store.PutOptions{IfAbsent: true})
	_, _ = st.Put(ctx, "t2m/zarr.json", []byte("{ }"), store.PutOptions{IfVersion: v})
	_, err := st.Put(ctx, "t2m/zarr.json", []byte("{late}"), store.PutOptions{IfVersion: v})
	fmt.Println(errors.Is(err, fault.Conflict))
	b, _ := os.ReadFile(filepath.Join(root, "t2m", "zarr.json"))
	fmt.Printf("%s\n", b)
	// Output:
	// true
	// { }
}

func ExampleTrustLocks() {
	// The file system of a cluster may have locks that work between its machines.
	st := dir.New("/gpfs/project/era5.zarr", dir.TrustLocks(true))
	fmt.Println(st, dir.TrustLocks(true))
	// Output: /gpfs/project/era5.zarr TrustLocks(true)
}

// removePart removes the file of a part, as a clean-up by age does.
func removePart(s store.Store, _ string, n int) error {
	files, err := filepath.Glob(filepath.Join(store.Name(s), ".zargo-tmp-part-*-"+strconv.Itoa(n)))
	if err != nil || len(files) != 1 {
		return fmt.Errorf("%d files of the part, %w", len(files), err)
	}
	return os.Remove(files[0])
}

func succeed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
