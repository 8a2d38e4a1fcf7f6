package dir

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

// TestFull checks that a full disk and an exhausted quota are fault.Full and not fault.Limit.
func TestFull(t *testing.T) {
	s := New(t.TempDir())
	for _, err := range []error{syscall.ENOSPC, syscall.EDQUOT, &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}} {
		if failed := s.failed("put", "k", err); !errors.Is(failed, fault.Full) || errors.Is(failed, fault.Limit) {
			t.Errorf("%v", failed)
		}
	}
	if failed := s.failed("put", "k", os.ErrPermission); !errors.Is(failed, fault.Denied) || !errors.Is(failed, fault.Refused) {
		t.Errorf("%v", failed)
	}
}

func succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
