package dir_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

func TestConfined(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return dir.New(t.TempDir(), dir.Confined(true)) }, append(limits(), storetest.Keys(200), storetest.Vanish(vanish))...)
}

func TestConfinedWithSync(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		return dir.New(filepath.Join(t.TempDir(), "not/yet"), dir.Confined(true), dir.Sync(true))
	}, append(limits(), storetest.Keys(20), storetest.Rounds(2))...)
}

// tree makes a root with links of all kinds next to a directory with a secret, and returns both.
func tree(t *testing.T) (root, outside string) {
	t.Helper()
	top := t.TempDir()
	root, outside = filepath.Join(top, "root"), filepath.Join(top, "outside")
	put(t, dir.New(outside), "a/secret", "secret")
	put(t, dir.New(root), "a/own", "own")
	for from, to := range map[string]string{
		"file-absolute": filepath.Join(outside, "a/secret"), "file-relative": "../outside/a/secret", "a/file-deep": "../../outside/a/secret",
		"folder-absolute": filepath.Join(outside, "a"), "folder-relative": "../outside/a", "a/folder-deep": "../../outside", "up": "..",
		"chain": "folder-relative", "a/over": "../../root/a/own", // out of the root and in again
		"inside": "a/own", "a/inside": "../a", "dangling-out": "../outside/none",
	} {
		if err := os.Symlink(to, filepath.Join(root, from)); err != nil {
			t.Skipf("no symbolic links: %v", err)
		}
	}
	return root, outside
}

// out returns keys that lead out of the root of tree: first keys that are such links, then keys
// below such links.
func out() (links, below []string) {
	return []string{"file-absolute", "file-relative", "a/file-deep", "a/over", "dangling-out", "folder-absolute", "folder-relative", "a/folder-deep", "up", "chain"},
		[]string{"folder-absolute/secret", "folder-relative/secret", "a/folder-deep/a/secret", "up/outside/a/secret", "chain/secret",
			"folder-relative/new", "up/outside/new/er", "a/inside/folder-deep/a/secret"}
}

func TestConfinedReads(t *testing.T) {
	root, _ := tree(t)
	s := dir.New(root, dir.Confined(true))
	links, below := out()
	for _, key := range append(links, below...) {
		if v, err := s.Get(t.Context(), key, store.GetOptions{}, nil); !errors.Is(err, fault.Refused) {
			t.Errorf("get %s: %q, %v", key, v.Bytes, err)
		}
	}
	for _, key := range []string{"a/own", "inside", "a/inside/own"} {
		if v, err := s.Get(t.Context(), key, store.GetOptions{}, nil); err != nil || string(v.Bytes) != "own" {
			t.Errorf("get %s: %q, %v", key, v.Bytes, err)
		}
	}
}

// TestConfinedLists checks that a listing has a link but no key behind it.
func TestConfinedLists(t *testing.T) {
	root, _ := tree(t)
	s := dir.New(root, dir.Confined(true))
	want := []string{"a/file-deep", "a/folder-deep", "a/inside", "a/over", "a/own", "chain", "dangling-out", "file-absolute", "file-relative", "folder-absolute", "folder-relative", "inside", "up"}
	if got := keys(t, s, "", store.Deep); !slices.Equal(got, want) {
		t.Errorf("deep: %q", got)
	}
	for e, err := range s.List(t.Context(), "", store.ListOptions{}) {
		if links, _ := out(); err != nil || slices.Contains(links, e.Key) && e != (store.Entry{Key: e.Key, Size: -1}) {
			t.Errorf("%+v, %v", e, err)
		}
	}
	for _, prefix := range []string{"folder-absolute", "folder-relative", "a/folder-deep", "a/folder-deep/a", "up", "up/outside", "chain", "folder-relative/none"} {
		for _, depth := range []store.Depth{store.Deep, store.OneLevel} {
			if err := list(t, s, prefix, depth); !errors.Is(err, fault.Refused) {
				t.Errorf("list %s: %v", prefix, err)
			}
		}
	}
}

// TestConfinedWrites checks that a write behind a link is refused, and that a write to a link
// replaces or removes the link, as without Confined.
func TestConfinedWrites(t *testing.T) {
	root, outside := tree(t)
	s := dir.New(root, dir.Confined(true))
	links, below := out()
	for _, key := range below {
		for _, o := range []store.PutOptions{{}, {IfAbsent: true}, {IfVersion: "1-1-1"}} {
			if _, err := s.Put(t.Context(), key, []byte("x"), o); !errors.Is(err, fault.Refused) {
				t.Errorf("put %s %+v: %v", key, o, err)
			}
		}
		for _, o := range []store.DeleteOptions{{}, {IfVersion: "1-1-1"}} {
			if err := s.Delete(t.Context(), key, o); !errors.Is(err, fault.Refused) {
				t.Errorf("delete %s: %v", key, err)
			}
		}
	}
	for _, key := range links {
		if _, err := s.Put(t.Context(), key, []byte("x"), store.PutOptions{IfVersion: "1-1-1"}); !errors.Is(err, fault.Refused) {
			t.Errorf("put if version %s: %v", key, err)
		}
		if _, err := s.Put(t.Context(), key, []byte("x"), store.PutOptions{IfAbsent: true}); !errors.Is(err, fault.Exists) {
			t.Errorf("put if absent %s: %v", key, err)
		}
	}
	for i, key := range links {
		if i%2 == 0 {
			put(t, s, key, "x")
			continue
		}
		if err := s.Delete(t.Context(), key, store.DeleteOptions{}); err != nil {
			t.Errorf("delete %s: %v", key, err)
		}
	}
	if got := names(t, outside); !slices.Equal(got, []string{"a", "a/secret"}) {
		t.Errorf("outside: %q", got)
	}
	if b, err := os.ReadFile(filepath.Join(outside, "a/secret")); err != nil || string(b) != "secret" {
		t.Errorf("outside: %q, %v", b, err)
	}
}

// TestConfinedHoldsAgainstExchange checks that a directory that is repeatedly exchanged for a link
// gives no access to anything outside.
func TestConfinedHoldsAgainstExchange(t *testing.T) {
	root, outside := tree(t)
	s := dir.New(root, dir.Confined(true))
	link, folder, at := filepath.Join(root, "l"), filepath.Join(root, "f"), filepath.Join(root, "x")
	succeed(t, errors.Join(os.Symlink(filepath.Join(outside, "a"), link), os.Mkdir(folder, 0o777), os.Rename(folder, at)))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default: // errors are expected, because the other goroutine creates and removes names
				_ = os.Rename(at, folder)
				_ = os.Rename(link, at)
				_ = os.Rename(at, link)
				_ = os.Rename(folder, at)
			}
		}
	})
	for range 500 {
		if v, err := s.Get(t.Context(), "x/secret", store.GetOptions{}, nil); err == nil && string(v.Bytes) == "secret" {
			t.Fatal("read from outside")
		}
		_, _ = s.Put(t.Context(), "x/secret", []byte("x"), store.PutOptions{})
		_, _ = s.Put(t.Context(), "x/new", []byte("x"), store.PutOptions{IfAbsent: true})
		_ = s.Delete(t.Context(), "x/new", store.DeleteOptions{})
		for e, err := range s.List(t.Context(), "x", store.ListOptions{}) {
			if v, _ := dir.New(outside).Get(t.Context(), "a/secret", store.GetOptions{}, nil); err == nil && e.Version == v.Version {
				t.Fatal("listed from outside")
			}
		}
	}
	close(stop)
	wg.Wait()
	if got := names(t, outside); !slices.Equal(got, []string{"a", "a/secret"}) {
		t.Errorf("outside: %q", got)
	}
	if b, err := os.ReadFile(filepath.Join(outside, "a/secret")); err != nil || string(b) != "secret" {
		t.Errorf("outside: %q, %v", b, err)
	}
}

// TestLinksAreFollowedByDefault checks that reads and listings follow links to any target, and that
// writes follow links among the parent directories.
func TestLinksAreFollowedByDefault(t *testing.T) {
	root, outside := tree(t)
	s := dir.New(root)
	for _, key := range []string{"file-absolute", "file-relative", "folder-absolute/secret", "up/outside/a/secret"} {
		if v, err := s.Get(t.Context(), key, store.GetOptions{}, nil); err != nil || string(v.Bytes) != "secret" {
			t.Errorf("%s: %q, %v", key, v.Bytes, err)
		}
	}
	put(t, s, "folder-relative/new", "x")
	if got := names(t, outside); !slices.Equal(got, []string{"a", "a/new", "a/secret"}) {
		t.Errorf("outside: %q", got)
	}
}

func ExampleConfined() {
	root, _ := os.MkdirTemp("", "example")
	defer func() { _ = os.RemoveAll(root) }()
	// An uploaded tree with a link in place of the chunks.
	_ = os.Symlink("/etc", filepath.Join(root, "c"))
	st := dir.New(root, dir.Confined(true))
	_, err := st.Get(context.Background(), "c/passwd", store.GetOptions{}, nil)
	fmt.Println(errors.Is(err, fault.Refused))
	// Output: true
}
