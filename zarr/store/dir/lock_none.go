//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package dir

import (
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
)

func (s *Store) lockers() lockers {
	no := func(tree, string) (locked, error) {
		return nil, fault.Newf(errors.ErrUnsupported, "this system has no lock that its holder's death frees")
	}
	return lockers{no, no}
}
