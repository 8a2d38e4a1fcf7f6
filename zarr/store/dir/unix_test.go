//go:build unix

package dir_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

func TestUmaskIsRespected(t *testing.T) {
	root := t.TempDir()
	defer syscall.Umask(syscall.Umask(0o027))
	s := dir.New(root)
	put(t, s, "a/x", "1")
	for name, want := range map[string]os.FileMode{"a": 0o750, "a/x": 0o640} {
		if fi, err := os.Stat(filepath.Join(root, name)); err != nil || fi.Mode().Perm() != want {
			t.Errorf("%s: %v, want %v, %v", name, fi.Mode(), want, err)
		}
	}
}

func TestSymbolicLinks(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	put(t, dir.New(elsewhere), "arr/c/0", "linked")
	put(t, dir.New(root), "own", "own")
	for from, to := range map[string]string{
		"folder": filepath.Join(elsewhere, "arr"), "file": filepath.Join(elsewhere, "arr/c/0"), "loop": root, "dangling": "/no/such/file",
	} {
		succeed(t, os.Symlink(to, filepath.Join(root, from)))
	}
	s := dir.New(root)
	if got, want := keys(t, s, "", store.Deep), []string{"dangling", "file", "folder/c/0", "loop", "own"}; !slices.Equal(got, want) {
		t.Errorf("deep: got %q, want %q", got, want)
	}
	if got, want := keys(t, s, "", store.OneLevel), []string{"dangling", "file", "folder", "loop", "own"}; !slices.Equal(got, want) {
		t.Errorf("one level: got %q, want %q", got, want)
	}
	if v, err := s.Get(t.Context(), "folder/c/0", store.GetOptions{}, nil); err != nil || string(v.Bytes) != "linked" {
		t.Errorf("Get through a link: %q, %v", v.Bytes, err)
	}
	put(t, s, "file", "replaced")
	if b, err := os.ReadFile(filepath.Join(elsewhere, "arr/c/0")); err != nil || string(b) != "linked" {
		t.Errorf("Put wrote through the link: %q, %v", b, err)
	}
}

// TestLinksToNothingProveNoAbsence checks links to a file that was not fetched and to a directory
// on a disk that is not mounted, and a root that is such a link.
func TestLinksToNothingProveNoAbsence(t *testing.T) {
	root := t.TempDir()
	s := dir.New(root)
	put(t, s, "a/c/0", "1")
	for from, to := range map[string]string{"a/c/1": ".git/annex/objects/x", "b": "/no/such/disk/b", "a/c/2": "0"} {
		succeed(t, os.Symlink(to, filepath.Join(root, from)))
	}
	for key, want := range map[string]error{
		"a/c/0": nil, "a/c/1": fault.Refused, "a/c/2": nil, "a/c/3": fault.NotFound, "a/c/0/x": fault.Refused, "a/c/1/x": fault.Refused,
		"b": fault.Refused, "b/c/0": fault.Refused, "d/e/f": fault.NotFound,
	} {
		if _, err := s.Get(t.Context(), key, store.GetOptions{}, nil); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", key, err, want)
		}
	}
	lists := func(s *dir.Store, prefix string) error {
		for _, err := range s.List(t.Context(), prefix, store.ListOptions{}) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	for prefix, want := range map[string]error{"": nil, "a": nil, "a/c/0": nil, "a/c/0/x": fault.Refused, "a/c/1": fault.Refused, "b": fault.Refused, "b/c": fault.Refused, "d/e": nil} {
		if err := lists(s, prefix); !errors.Is(err, want) {
			t.Errorf("list %s: %v, want %v", prefix, err, want)
		}
	}
	away := dir.New(filepath.Join(root, "b"))
	if _, err := away.Get(t.Context(), "zarr.json", store.GetOptions{}, nil); !errors.Is(err, fault.Refused) {
		t.Errorf("root: %v", err)
	}
	if err := lists(away, ""); !errors.Is(err, fault.Refused) {
		t.Errorf("list root: %v", err)
	}
	for _, o := range []store.PutOptions{{}, {IfAbsent: true}} {
		if _, err := s.Put(t.Context(), "b/c/0", nil, o); !errors.Is(err, fault.Refused) {
			t.Errorf("put below a link to nothing: %v", err)
		}
	}
	if err := s.Delete(t.Context(), "b/c/0", store.DeleteOptions{}); !errors.Is(err, fault.Refused) {
		t.Errorf("delete below a link to nothing: %v", err)
	}
	put(t, s, "a/c/1", "2")
	if v, err := s.Get(t.Context(), "a/c/1", store.GetOptions{}, nil); err != nil || string(v.Bytes) != "2" {
		t.Errorf("after a Put: %q, %v", v.Bytes, err)
	}
}

// TestLoopsEndLevelByLevel checks that walking a hierarchy level by level does not list a directory
// within itself through either of two links. The links are listed as objects.
func TestLoopsEndLevelByLevel(t *testing.T) {
	root := t.TempDir()
	s := dir.New(root)
	put(t, s, "a/b/x", "1")
	put(t, s, "c/y", "2")
	for from, to := range map[string]string{
		"a/up": "..", "a/self": ".", "a/b/top": root, "a/b/out": filepath.Dir(root), "a/b/side": filepath.Join(root, "c"), "c/side": filepath.Join(root, "a"),
	} {
		succeed(t, os.Symlink(to, filepath.Join(root, from)))
	}
	base := filepath.Base(root)
	// The root again; it is not a link itself, but all links in it lead to its parents.
	inner := "a/b/out/" + base
	for prefix, want := range map[string][]string{
		"a": {"a/b", "a/self", "a/up"}, "a/b": {"a/b/out", "a/b/side", "a/b/top", "a/b/x"}, "a/b/side": {"a/b/side/side", "a/b/side/y"}, "c": {"c/side", "c/y"},
		"c/side": {"c/side/b", "c/side/self", "c/side/up"}, "c/side/b": {"c/side/b/out", "c/side/b/side", "c/side/b/top", "c/side/b/x"},
		inner + "/a": {inner + "/a/b", inner + "/a/self", inner + "/a/up"}, inner + "/a/b": {inner + "/a/b/out", inner + "/a/b/side", inner + "/a/b/top", inner + "/a/b/x"},
	} {
		if got := keys(t, s, prefix, store.OneLevel); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", prefix, got, want)
		}
	}
}

func TestPipeDoesNotHang(t *testing.T) {
	root := t.TempDir()
	succeed(t, syscall.Mkfifo(filepath.Join(root, "pipe"), 0o666))
	s := dir.New(root)
	if _, err := s.Get(t.Context(), "pipe", store.GetOptions{}, nil); !errors.Is(err, fault.Refused) {
		t.Errorf("Get of a pipe: %v", err)
	}
	for e, err := range s.List(t.Context(), "", store.ListOptions{}) {
		if err != nil || e != (store.Entry{Key: "pipe", Size: -1}) {
			t.Errorf("listed %+v, %v", e, err)
		}
	}
	for e, err := range s.List(t.Context(), "pipe", store.ListOptions{}) {
		t.Errorf("below a pipe: %+v, %v", e, err)
	}
}

func TestForbiddenIsRefused(t *testing.T) {
	root := t.TempDir()
	s := dir.New(root)
	put(t, s, "a/x", "1")
	if os.Getuid() == 0 { // root may read every file, so another error is needed
		succeed(t, os.Remove(filepath.Join(root, "a/x")))
		succeed(t, os.Symlink("x", filepath.Join(root, "a/x")))
	} else if err := os.Chmod(filepath.Join(root, "a/x"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), "a/x", store.GetOptions{}, nil); !errors.Is(err, fault.Refused) || errors.Is(err, fault.NotFound) {
		t.Errorf("Get: %v", err)
	}
}
