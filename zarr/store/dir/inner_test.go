package dir

import (
	"errors"
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// Where there are no links, IfAbsent goes by the lock.
func TestWithoutLinks(t *testing.T) {
	for _, errno := range []error{syscall.EPERM, errors.ErrUnsupported} {
		storetest.Run(t, func(t *testing.T) store.Store {
			s := New(t.TempDir())
			s.link = func(from, to string) error { return &os.LinkError{Op: "link", Old: from, New: to, Err: errno} }
			return s
		}, storetest.Keys(20), storetest.Rounds(2))
	}
}

// Where there are no locks, what needs one is refused and nothing else.
func TestWithoutLocks(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		s := New(t.TempDir())
		s.lock = func(string) (locked, error) { return nil, fault.Newf(errors.ErrUnsupported, "no locks") }
		return s
	}, storetest.Keys(20), storetest.Without(storetest.IfVersionPut, storetest.IfVersionDelete))
}

// Two Stores on one folder share nothing but the folder, as two processes do.
func TestTwoStoresOneFolder(t *testing.T) {
	root := t.TempDir()
	a, b := New(root), New(root)
	name := lockName(a.join("k"))
	l, err := a.lock(name)
	if err != nil || l == nil {
		t.Fatalf("no lock: %v", err)
	}
	if m, err := b.lock(name); m != nil || err != nil {
		t.Fatalf("the lock was had twice: %v, %v", m, err)
	}
	l.release()
	m, err := b.lock(name)
	if m == nil || err != nil {
		t.Fatalf("the lock was not freed: %v", err)
	}
	m.release()
	if left, err := os.ReadDir(root); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
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
