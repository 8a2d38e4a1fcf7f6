package dir

import (
	"context"
	"errors"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// TestWithoutLinks checks that IfAbsent uses the lock if there are no hard links.
func TestWithoutLinks(t *testing.T) {
	for _, errno := range []error{syscall.EPERM, errors.ErrUnsupported} {
		storetest.Run(t, func(t *testing.T) store.Store {
			s := New(t.TempDir())
			s.link = func(_ tree, from, to string) error { return &os.LinkError{Op: "link", Old: from, New: to, Err: errno} }
			return s
		}, storetest.Keys(20), storetest.Rounds(2))
	}
}

// TestWithoutLocks checks that only operations that need locks are refused if there are none.
func TestWithoutLocks(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		s := New(t.TempDir())
		no := func(tree, string) (locked, error) { return nil, fault.Newf(errors.ErrUnsupported, "no locks") }
		s.lock = lockers{no, no}
		return s
	}, storetest.Keys(20), storetest.Without(storetest.IfVersionPut, storetest.IfVersionDelete))
}

// TestTwoStoresOneFolder checks two Stores on one directory. Like two processes, they share only
// the directory. Only one of them holds a lock at a time, and the lock leaves no file.
func TestTwoStoresOneFolder(t *testing.T) {
	for _, confinedA := range []bool{false, true} {
		for _, confinedB := range []bool{false, true} {
			a, b := New(t.TempDir(), Confined(confinedA)), New("", Confined(confinedB))
			b.root = a.root
			if _, err := a.Put(t.Context(), "k", nil, store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
			ta, errA := a.enter(false)
			tb, errB := b.enter(false)
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			path := a.join("k")
			if a.lock.value != nil {
				once(t, "value", func() (locked, error) { return a.lock.value(ta, path) }, func() (locked, error) { return b.lock.value(tb, path) })
			}
			once(t, "name", func() (locked, error) { return a.lock.name(ta, lockName(path)) }, func() (locked, error) { return b.lock.name(tb, lockName(path)) })
			ta.close()
			tb.close()
			if left, err := os.ReadDir(a.root); err != nil || len(left) != 1 {
				t.Errorf("left: %v, %v", left, err)
			}
		}
	}
}

func once(t *testing.T, what string, a, b func() (locked, error)) {
	t.Helper()
	l, err := a()
	if err != nil || l == nil {
		t.Fatalf("%s: no lock: %v", what, err)
	}
	if m, err := b(); m != nil || err != nil {
		t.Fatalf("%s: the lock was had twice: %v, %v", what, m, err)
	}
	l.release()
	m, err := b()
	if m == nil || err != nil {
		t.Fatalf("%s: the lock was not freed: %v", what, err)
	}
	m.release()
}

// TestEveryWriterWaits checks that all other writers wait while a conditional write of another
// process is between its check and its rename.
func TestEveryWriterWaits(t *testing.T) {
	for name, o := range map[string]Option{"by path": Confined(false), "confined": Confined(true)} {
		t.Run(name, func(t *testing.T) {
			a, b := New(t.TempDir()), New("", o)
			b.root = a.root
			v, err := a.Put(t.Context(), "a/value", []byte("1"), store.PutOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("value", a.join("a/link")); err != nil {
				t.Skipf("no symbolic links: %v", err)
			}
			for _, key := range []string{"a/value", "a/link"} {
				h, err := a.exclude(t.Context(), plain{}, a.join(key))
				if err != nil {
					t.Fatal(err)
				}
				for what, write := range map[string]func(ctx context.Context) error{
					"put": func(ctx context.Context) error { _, err := b.Put(ctx, key, nil, store.PutOptions{}); return err },
					"put if": func(ctx context.Context) error {
						_, err := b.Put(ctx, key, nil, store.PutOptions{IfVersion: v})
						return err
					},
					"delete": func(ctx context.Context) error { return b.Delete(ctx, key, store.DeleteOptions{}) },
				} {
					ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
					if err := write(ctx); !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("%s of %s while another holds it: %v", what, key, err)
					}
					cancel()
				}
				h.release()
			}
			for _, key := range []string{"a/link", "a/value"} {
				if err := b.Delete(t.Context(), key, store.DeleteOptions{}); err != nil {
					t.Error(err)
				}
			}
			if left, err := os.ReadDir(a.join("a")); err != nil || len(left) != 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}

// TestFreeNameIsTakenOnce checks that only one writer takes an unused name: a plain Put that found
// no value does not replace a value that was written without the lock in the meantime.
func TestFreeNameIsTakenOnce(t *testing.T) {
	a := New(t.TempDir())
	tries := 0
	a.link = func(tr tree, from, to string) error {
		if tries++; tries == 1 {
			succeed(t, os.WriteFile(to, []byte("first"), 0o666))
		}
		return tr.moveNew(from, to)
	}
	locks := 0
	count := func(take func(tree, string) (locked, error)) func(tree, string) (locked, error) {
		return func(tr tree, path string) (locked, error) { locks++; return take(tr, path) }
	}
	want := 1 // number of locks: by name, only for the second try
	if a.lock.name = count(a.lock.name); a.lock.value != nil {
		a.lock.value, want = count(a.lock.value), 2
	}
	if _, err := a.Put(t.Context(), "k", []byte("second"), store.PutOptions{}); err != nil || tries != 1 || locks != want {
		t.Errorf("%d links, %d locks, %v", tries, locks, err)
	}
	if b, err := os.ReadFile(a.join("k")); err != nil || string(b) != "second" {
		t.Errorf("%q, %v", b, err)
	}
}

// TestRemote checks that on a network file system only conditions on versions are refused, and that
// they work with TrustLocks.
func TestRemote(t *testing.T) {
	nfs := func(fd int) string {
		if remote(fd) != "" {
			t.Error("the folder for tests is on a network file system")
		}
		return "NFS"
	}
	storetest.Run(t, func(t *testing.T) store.Store {
		s := New(t.TempDir())
		s.remote = nfs
		return s
	}, storetest.Keys(20), storetest.Without(storetest.IfVersionPut, storetest.IfVersionDelete))
	s := New(t.TempDir(), TrustLocks(true))
	if s.remote != nil {
		t.Error("TrustLocks is ignored")
	}
	if TrustLocks(false).apply(s); s.remote == nil {
		t.Error("TrustLocks(false) is ignored")
	}
}

func TestLockNamesAgree(t *testing.T) {
	names := []string{lockName("/data/a/k"), lockName("/data/a/K"), lockName("/data/a/l"), lockName("/data/b/k")}
	if names[0] != names[1] || names[0] == names[2] || names[0] == names[3] {
		t.Errorf("%q", names)
	}
	if !slices.Equal([]string{folder("/x"), folder("/a/b")}, []string{"/", "/a"}) {
		t.Error("folder")
	}
}
