package pyramid

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/internal/copying/claimed"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Status is the relation of the levels of a pyramid to their source array.
type Status uint8

// The states of a pyramid.
const (
	Unknown    Status = iota // Build did not make the levels in this store, or the store lacks versions
	Current                  // neither the array nor a level has changed since Build computed the levels
	Outdated                 // the array, or an object of a level, has changed since
	Incomplete               // a level is missing, or Build was interrupted or is running
)

// String returns the name of the status.
func (s Status) String() string {
	if names := [...]string{"unknown", "current", "outdated", "incomplete"}; int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// maxListed is the maximum number of objects that StatusOf lists. A listing of 100,000 objects
// takes 100 requests of most providers.
const maxListed = 100_000

// StatusOf compares the array at path with the state that [Build] stored when it computed the
// levels of the array. The state contains hashes of the keys, sizes and versions of all objects of
// the array, and of the chunks of each level. StatusOf sends one request for the state and, if
// there is one, opens each level and lists the objects. The status is Unknown if the array has more
// than 100,000 objects.
//
// The errors are those of the store, and fault.Metadata if the state is malformed.
func StatusOf(ctx context.Context, st store.Store, path string, opts ...zarr.Option) (Status, error) {
	l, err := layoutOf(path)
	if err != nil {
		return Unknown, nil // an array without a group has no levels
	}
	s, _, err := readState(ctx, l.stateRecord(st, path))
	switch {
	case err != nil && !errors.Is(err, fault.Refused):
		return Unknown, fmt.Errorf("pyramid of %q: %w", path, err)
	case s == nil || s.Source != path:
		return Unknown, nil
	case !s.Complete:
		return Incomplete, nil
	}
	same := true
	for level := 1; level <= min(s.Levels, maxStatus); level++ {
		a, err := zarr.OpenArray(ctx, st, l.path(level), append([]zarr.Option{zarr.IgnoreConsolidated()}, opts...)...)
		if errors.Is(err, fault.NotFound) {
			return Incomplete, nil
		}
		if err != nil {
			return Unknown, fmt.Errorf("pyramid of %q: %w", path, err)
		}
		same = same && (level > len(s.Shapes) || slices.Equal(a.Shape(), s.Shapes[level-1]))
	}
	now, err := claimed.Versions(ctx, st, s.Paths[:min(len(s.Paths), maxRelated+1)], maxListed)
	switch {
	case err != nil:
		return Unknown, fmt.Errorf("pyramid of %q: %w", path, err)
	case now == "" || s.Versions == "":
		return Unknown, nil
	case s.Versions != now, !same:
		return Outdated, nil
	}
	for level := 1; level <= min(s.Levels, maxStatus); level++ {
		switch is, err := intact(ctx, st, l, *s, level, maxListed); {
		case err != nil:
			return Unknown, fmt.Errorf("pyramid of %q: %w", path, err)
		case !is:
			return Outdated, nil
		}
	}
	return Current, nil
}

// maxStatus is the maximum number of levels that StatusOf opens. With the factor 2, an array has at
// most 63 levels.
const maxStatus = 64
