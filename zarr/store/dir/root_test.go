package dir_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// both runs a test with a plain and with a confined store.
func both(t *testing.T, f func(t *testing.T, open func(root string) *dir.Store)) {
	for name, on := range map[string]bool{"by path": false, "confined": true} {
		t.Run(name, func(t *testing.T) {
			f(t, func(root string) *dir.Store { return dir.New(root, dir.Confined(on)) })
		})
	}
}

func list(t *testing.T, s store.Store, prefix string, depth store.Depth) error {
	for _, err := range s.List(t.Context(), prefix, store.ListOptions{Depth: depth}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// verbs returns the results of all operations that may find nothing, by name.
func verbs(t *testing.T, s store.Store, v store.Version) map[string]error {
	ctx, all := t.Context(), map[string]error{}
	for _, key := range []string{"a/c/0", "a/c/1", "0.0"} {
		_, all["get "+key] = s.Get(ctx, key, store.GetOptions{}, nil)
		_, all["get pinned "+key] = s.Get(ctx, key, store.GetOptions{IfVersion: v}, nil)
		_, all["put "+key] = s.Put(ctx, key, nil, store.PutOptions{})
		_, all["put if absent "+key] = s.Put(ctx, key, nil, store.PutOptions{IfAbsent: true})
		_, all["put if version "+key] = s.Put(ctx, key, nil, store.PutOptions{IfVersion: v})
		all["delete "+key] = s.Delete(ctx, key, store.DeleteOptions{})
		all["delete if version "+key] = s.Delete(ctx, key, store.DeleteOptions{IfVersion: v})
	}
	for _, prefix := range []string{"", "a", "a/c", "b"} {
		all["list "+prefix] = list(t, s, prefix, store.Deep)
		all["list one level "+prefix] = list(t, s, prefix, store.OneLevel)
	}
	return all
}

// TestVanishedRoot checks a root that had a value and is gone or was replaced, for example by the
// bare mount point. It proves no absence, and nothing is written to it.
func TestVanishedRoot(t *testing.T) {
	for name, replace := range map[string]func(root string) error{
		"gone":           func(string) error { return nil },
		"bare":           func(root string) error { return os.Mkdir(root, 0o777) },
		"another":        func(root string) error { return os.MkdirAll(filepath.Join(root, "a", "c"), 0o777) },
		"a file":         func(root string) error { return os.WriteFile(root, nil, 0o666) },
		"a link to none": func(root string) error { return os.Symlink("nothing", root) },
	} {
		for how, see := range map[string]func(t *testing.T, s store.Store){
			"put": func(t *testing.T, s store.Store) { put(t, s, "a/c/0", "1") },
			"get": func(t *testing.T, s store.Store) {
				if _, err := s.Get(t.Context(), "a/zarr.json", store.GetOptions{}, nil); err != nil {
					t.Fatal(err)
				}
			},
			"list": func(t *testing.T, s store.Store) {
				if got := keys(t, s, "", store.Deep); len(got) != 1 {
					t.Fatal(got)
				}
			},
		} {
			t.Run(name+" after a "+how, func(t *testing.T) {
				both(t, func(t *testing.T, open func(root string) *dir.Store) {
					root := filepath.Join(t.TempDir(), "root")
					s := open(root)
					v := put(t, dir.New(root), "a/zarr.json", "{}")
					see(t, s)
					away := root + "-away"
					succeed(t, os.Rename(root, away))
					if err := replace(root); err != nil {
						t.Skip(err)
					}
					for call, err := range verbs(t, s, v) {
						if !errors.Is(err, fault.Refused) || errors.Is(err, fault.NotFound) {
							t.Errorf("%s: %v", call, err)
						}
					}
					if name != "gone" && name != "a file" && name != "a link to none" {
						for _, left := range names(t, root) {
							if left != "a" && left != "a/c" {
								t.Errorf("%s was written", left)
							}
						}
					} else if _, err := os.Stat(filepath.Join(root, "a")); err == nil {
						t.Error("the root was made")
					}
					_ = os.Remove(filepath.Join(root, "a", "c"))
					_ = os.Remove(filepath.Join(root, "a"))
					_ = os.Remove(root)
					if err := os.Rename(away, root); err != nil { // as if mounted again
						t.Fatal(err)
					}
					if _, err := s.Get(t.Context(), "a/c/7", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
						t.Errorf("back again: %v", err)
					}
				})
			})
		}
	}
}

// TestVanishedRootOfAnArray checks that reads return no fill values and writes fail if the
// directory of an open array is moved away.
func TestVanishedRootOfAnArray(t *testing.T) {
	both(t, func(t *testing.T, open func(root string) *dir.Store) {
		root := filepath.Join(t.TempDir(), "root")
		a, err := zarr.Create(t.Context(), open(root), "t2m", zarr.Spec{Shape: []int{8}, Chunks: []int{4}, DType: dtype.Int32})
		if err != nil {
			t.Fatal(err)
		}
		succeed(t, zarr.Write(t.Context(), a, []int32{1, 2, 3, 4}, zarr.Range(0, 4)))
		if a, err = zarr.OpenArray(t.Context(), open(root), "t2m"); err != nil {
			t.Fatal(err)
		}
		if got, err := zarr.Read[int32](t.Context(), a, zarr.Range(3, 6)); err != nil || got[0] != 4 || got[1] != 0 {
			t.Fatal(got, err)
		}
		succeed(t, errors.Join(os.Rename(root, root+"-away"), os.Mkdir(root, 0o777)))
		if got, err := zarr.Read[int32](t.Context(), a); !errors.Is(err, zarr.ErrRefused) {
			t.Errorf("read %v, %v", got, err)
		}
		if err := zarr.Write(t.Context(), a, []int32{5}, zarr.Range(5, 6)); !errors.Is(err, zarr.ErrRefused) {
			t.Errorf("write: %v", err)
		}
		if left := names(t, root); len(left) != 0 {
			t.Errorf("written: %q", left)
		}
	})
}

// TestRootThatWasNeverSeen checks that the root may appear and disappear until a value was found,
// so that a program can wait for its array.
func TestRootThatWasNeverSeen(t *testing.T) {
	both(t, func(t *testing.T, open func(root string) *dir.Store) {
		root := filepath.Join(t.TempDir(), "root")
		s := open(root)
		for _, make := range []bool{false, true, true} {
			if make {
				_ = os.Rename(root, root+"-away")
				succeed(t, os.MkdirAll(root, 0o777))
			}
			if _, err := s.Get(t.Context(), "zarr.json", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
				t.Errorf("get: %v", err)
			}
			if err := list(t, s, "", store.Deep); err != nil {
				t.Errorf("list: %v", err)
			}
		}
		put(t, s, "zarr.json", "{}")
	})
}

// TestRootIsAFile checks that a root that is a file, or is below a file, has no values and accepts
// none.
func TestRootIsAFile(t *testing.T) {
	both(t, func(t *testing.T, open func(root string) *dir.Store) {
		file := filepath.Join(t.TempDir(), "archive.zip")
		succeed(t, os.WriteFile(file, nil, 0o666))
		for _, root := range []string{file, filepath.Join(file, "below")} {
			s := open(root)
			if _, err := s.Get(t.Context(), "zarr.json", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
				t.Errorf("get: %v", err)
			}
			if err := list(t, s, "", store.Deep); err != nil {
				t.Errorf("list: %v", err)
			}
			if _, err := s.Put(t.Context(), "zarr.json", nil, store.PutOptions{}); !errors.Is(err, fault.Path) {
				t.Errorf("put: %v", err)
			}
		}
	})
}

// TestOneInThePlaceOfTheOther checks that a name of the wrong kind is damage and not an absence,
// because a name in a directory is either a value or the parent of others. A link that was copied
// as a text file is an example. Empty directories, which deletes leave behind, are an absence.
func TestOneInThePlaceOfTheOther(t *testing.T) {
	both(t, func(t *testing.T, open func(root string) *dir.Store) {
		s := open(t.TempDir())
		put(t, s, "file/c", "../elsewhere/c")
		put(t, s, "folder/c/0/0", "x")
		put(t, s, "left/c/0/0", "x")
		succeed(t, s.Delete(t.Context(), "left/c/0/0", store.DeleteOptions{}))
		for key, want := range map[string]error{
			"file/c/0": fault.Refused, "file/c/0/0": fault.Refused, "folder/c/0": fault.Refused, "folder/c/1": fault.NotFound,
			"left/c": fault.NotFound, "left/c/0": fault.NotFound, "left/c/0/0": fault.NotFound,
		} {
			if _, err := s.Get(t.Context(), key, store.GetOptions{}, nil); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", key, err, want)
			}
			if err := s.Delete(t.Context(), key, store.DeleteOptions{}); err != nil {
				t.Errorf("delete %s: %v", key, err)
			}
		}
	})
}
