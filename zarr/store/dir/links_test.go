package dir_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// linked makes a root with a hierarchy "g". It has symbolic links to a directory and to files
// outside the root, and to another directory inside it.
func linked(t *testing.T) (root, outside string) {
	t.Helper()
	top := t.TempDir()
	root, outside = filepath.Join(top, "root"), filepath.Join(top, "outside")
	for _, key := range []string{"x/zarr.json", "notes.txt", "sub/data.bin"} {
		put(t, dir.New(outside), key, "precious")
	}
	for _, key := range []string{"g/zarr.json", "g/a/zarr.json", "g/a/c/0", "beside/zarr.json"} {
		put(t, dir.New(root), key, "own")
	}
	for from, to := range map[string]string{
		"g/linked": outside, "g/relative": "../../outside", "g/a/deep": outside, "g/file": filepath.Join(outside, "notes.txt"),
		"g/beside": "../beside", "g/dangling": "../none", "g/loop": "..",
	} {
		if err := os.Symlink(to, filepath.Join(root, from)); err != nil {
			t.Skipf("no symbolic links: %v", err)
		}
	}
	return root, outside
}

// untouched fails the test unless the targets of the links are as linked made them.
func untouched(t *testing.T, root, outside string) {
	t.Helper()
	for _, file := range []string{
		filepath.Join(outside, "x/zarr.json"), filepath.Join(outside, "notes.txt"), filepath.Join(outside, "sub/data.bin"),
		filepath.Join(root, "beside/zarr.json"),
	} {
		if _, err := os.Stat(file); err != nil {
			t.Errorf("it was deleted through a link: %v", err)
		}
	}
}

// linkedBoth calls f with a plain and with a confined store on a tree made by linked.
func linkedBoth(t *testing.T, f func(t *testing.T, s *dir.Store, root, outside string)) {
	for name, opts := range map[string][]dir.Option{"plain": nil, "confined": {dir.Confined(true)}} {
		t.Run(name, func(t *testing.T) {
			root, outside := linked(t)
			f(t, dir.New(root, opts...), root, outside)
		})
	}
}

// TestDeleteFollowsNoLink checks that Delete refuses a value behind a symbolic link, and removes a
// link itself.
func TestDeleteFollowsNoLink(t *testing.T) {
	linkedBoth(t, func(t *testing.T, s *dir.Store, root, outside string) {
		for _, key := range []string{
			"g/linked/x/zarr.json", "g/linked/notes.txt", "g/relative/sub/data.bin", "g/a/deep/notes.txt", "g/beside/zarr.json",
			"g/loop/beside/zarr.json", "g/loop/g/linked/notes.txt",
		} {
			v, _ := s.Get(t.Context(), key, store.GetOptions{}, nil)
			for _, version := range []store.Version{"", v.Version} {
				if err := s.Delete(t.Context(), key, store.DeleteOptions{IfVersion: version}); !errors.Is(err, fault.Refused) {
					t.Errorf("Delete(%q, %q): want refused, got %v", key, version, err)
				}
			}
		}
		untouched(t, root, outside)
		for _, key := range []string{"g/linked", "g/relative", "g/a/deep", "g/file", "g/beside", "g/dangling", "g/loop"} {
			if err := s.Delete(t.Context(), key, store.DeleteOptions{}); err != nil {
				t.Errorf("Delete of the link %q: %v", key, err)
			}
			if _, err := os.Lstat(filepath.Join(root, key)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the link %q stays: %v", key, err)
			}
		}
		untouched(t, root, outside)
	})
}

// TestDeleteOfNothingBehindLink checks that deleting an absent key behind a link is not an error,
// or fault.Conflict with a version.
func TestDeleteOfNothingBehindLink(t *testing.T) {
	root, outside := linked(t)
	s := dir.New(root)
	if err := s.Delete(t.Context(), "g/linked/none", store.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if err := s.Delete(t.Context(), "g/linked/none", store.DeleteOptions{IfVersion: "1"}); !errors.Is(err, fault.Conflict) {
		t.Errorf("want conflict, got %v", err)
	}
	if err := s.Delete(t.Context(), "g/dangling/none", store.DeleteOptions{}); !errors.Is(err, fault.Refused) {
		t.Errorf("behind a link to nothing: want refused, got %v", err)
	}
	untouched(t, root, outside)
}

// TestDeleteAsPut checks that a delete that stands for a write, such as that of a chunk of fill
// values, follows links as Put does.
func TestDeleteAsPut(t *testing.T) {
	root, outside := linked(t)
	s := dir.New(root)
	put(t, s, "g/linked/c/0", "chunk")
	if err := s.Delete(t.Context(), "g/linked/c/0", store.DeleteOptions{AsPut: true}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(outside, "c/0")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the chunk stays: %v", err)
	}
	untouched(t, root, outside)
}

// TestDeleteOfLinkByVersion checks that a link to a file has the version of its target, and that
// Delete at that version removes the link.
func TestDeleteOfLinkByVersion(t *testing.T) {
	root, outside := linked(t)
	s := dir.New(root)
	v, err := s.Get(t.Context(), "g/file", store.GetOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), "g/file", store.DeleteOptions{IfVersion: v.Version + "0"}); !errors.Is(err, fault.Conflict) {
		t.Errorf("another version: want conflict, got %v", err)
	}
	if err := s.Delete(t.Context(), "g/file", store.DeleteOptions{IfVersion: v.Version}); err != nil {
		t.Error(err)
	}
	untouched(t, root, outside)
}

// TestDeleteBelowFollowsNoLink checks that DeleteBelow removes a hierarchy with its links, and that
// RemoveFolders removes its directories.
func TestDeleteBelowFollowsNoLink(t *testing.T) {
	linkedBoth(t, func(t *testing.T, s *dir.Store, root, outside string) {
		for _, prefix := range []string{"g/linked", "g/linked/x", "g/a/deep", "g/beside"} {
			if err := store.DeleteBelow(t.Context(), s, prefix); !errors.Is(err, fault.Refused) {
				t.Errorf("DeleteBelow(%q): want refused, got %v", prefix, err)
			}
			if err := store.RemoveFolders(t.Context(), s, prefix); err != nil && !errors.Is(err, fault.Refused) {
				t.Errorf("RemoveFolders(%q): %v", prefix, err)
			}
		}
		untouched(t, root, outside)
		st := store.Observe(s, func(context.Context, store.Event) {})
		succeed(t, store.DeleteBelow(t.Context(), st, "g"))
		succeed(t, store.RemoveFolders(t.Context(), st, "g"))
		untouched(t, root, outside)
		if left, err := os.ReadDir(root); err != nil || len(left) != 1 || left[0].Name() != "beside" {
			t.Errorf("%v stay, %v", left, err)
		}
	})
}

// TestListNamesLinks checks that entries have the first link on their path, and that with NoFollow
// only links have one.
func TestListNamesLinks(t *testing.T) {
	root, outside := linked(t)
	s := dir.New(root)
	list := func(prefix string, o store.ListOptions) (found []string) {
		for e, err := range s.List(t.Context(), prefix, o) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Link != "" {
				found = append(found, strings.TrimSuffix(e.Key+"@"+e.Link, "@"))
			}
		}
		slices.Sort(found)
		return found
	}
	for _, tt := range []struct {
		prefix string
		o      store.ListOptions
		want   []string
	}{
		{"g/a", store.ListOptions{}, []string{"g/a/deep/notes.txt@g/a/deep", "g/a/deep/sub/data.bin@g/a/deep", "g/a/deep/x/zarr.json@g/a/deep"}},
		{"g/linked/sub", store.ListOptions{}, []string{"g/linked/sub/data.bin@g/linked"}},
		{"g/a", store.ListOptions{Depth: store.OneLevel}, []string{"g/a/deep@g/a/deep"}},
		{"g/a", store.ListOptions{NoFollow: true}, []string{"g/a/deep@g/a/deep"}},
		{"g", store.ListOptions{NoFollow: true, Depth: store.OneLevel}, []string{
			"g/beside@g/beside", "g/dangling@g/dangling", "g/file@g/file", "g/linked@g/linked", "g/loop@g/loop", "g/relative@g/relative"}},
		{"g", store.ListOptions{NoFollow: true, KeyPrefix: "linked/"}, nil},
	} {
		if got := list(tt.prefix, tt.o); !slices.Equal(got, tt.want) {
			t.Errorf("%q %+v: %q, want %q", tt.prefix, tt.o, got, tt.want)
		}
	}
	untouched(t, root, outside)
}

// TestFolderTurnsIntoLink checks that nothing behind a link is removed if a directory is exchanged
// for the link before the deletes. The keys are listed first, so every delete follows the exchange.
func TestFolderTurnsIntoLink(t *testing.T) {
	linkedBoth(t, func(t *testing.T, s *dir.Store, root, outside string) {
		put(t, s, "g/folder/notes.txt", "own")
		put(t, s, "g/folder/sub/data.bin", "own")
		err := store.DeleteSeq(t.Context(), s, func(yield func(string, error) bool) {
			var keys []string
			for e, err := range s.List(t.Context(), "g/folder", store.ListOptions{NoFollow: true}) {
				if err != nil {
					t.Fatal(err)
				}
				keys = append(keys, e.Key)
			}
			succeed(t, errors.Join(os.RemoveAll(filepath.Join(root, "g/folder")), os.Symlink(outside, filepath.Join(root, "g/folder"))))
			for _, key := range keys {
				if !yield(key, nil) {
					return
				}
			}
		})
		if !errors.Is(err, fault.Refused) {
			t.Errorf("want refused, got %v", err)
		}
		untouched(t, root, outside)
	})
}

// TestFolderKeepsTurning checks that deletes and RemoveFolders do not modify the target of a link
// while another program repeatedly exchanges a directory and the link.
func TestFolderKeepsTurning(t *testing.T) {
	root, outside := linked(t)
	succeed(t, os.MkdirAll(filepath.Join(outside, "empty/er"), 0o777))
	folder, spare, link := filepath.Join(root, "g/turns"), filepath.Join(root, "spare"), filepath.Join(root, "spare-link")
	succeed(t, errors.Join(os.MkdirAll(filepath.Join(folder, "x"), 0o777), os.Symlink(outside, link)))
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if os.Rename(folder, spare) == nil && os.Rename(link, folder) == nil {
				_ = os.Rename(folder, link)
			}
			_ = os.Rename(spare, folder)
		}
	}()
	for range 500 {
		s := dir.New(root)
		_ = s.Delete(t.Context(), "g/turns/x/zarr.json", store.DeleteOptions{})
		_ = s.Delete(t.Context(), "g/turns/notes.txt", store.DeleteOptions{})
		_ = store.DeleteBelow(t.Context(), s, "g/turns")
		_ = store.RemoveFolders(t.Context(), s, "g/turns/empty")
	}
	close(stop)
	<-done
	untouched(t, root, outside)
	if _, err := os.Stat(filepath.Join(outside, "empty/er")); err != nil {
		t.Error(err)
	}
}
