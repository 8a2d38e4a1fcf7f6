//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package dir

import (
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
)

func (s *Store) lockers() lockers {
	no := func(tree, string) (locked, error) {
		return nil, fault.Newf(errors.ErrUnsupported, "the operating system has no locks that are released if their holder dies")
	}
	return lockers{no, no}
}
