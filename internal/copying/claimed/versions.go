package claimed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Listed lists the objects of arrays by key, of those that keep accepts; keep may be nil. It
// returns nil if the store does not report versions, or if there are more than most objects; most
// is 0 for any number.
func Listed(ctx context.Context, st store.Store, paths []string, most int, keep func(store.Entry) bool) ([]store.Entry, error) {
	list := []store.Entry{}
	for _, path := range paths {
		for e, err := range store.ListAll(ctx, st, path, store.ListOptions{}) {
			switch {
			case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fault.Refused):
				return nil, nil
			case err != nil:
				return nil, err
			case keep != nil && !keep(e):
				continue
			case e.Version == "", most > 0 && len(list) == most:
				return nil, nil
			}
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b store.Entry) int { return strings.Compare(a.Key, b.Key) })
	return list, nil
}

// Hash returns the hash of the keys, sizes and versions of objects.
func Hash(list []store.Entry) string {
	sum := sha256.New()
	for _, e := range list {
		_, _ = fmt.Fprintf(sum, "%q %d %q\n", e.Key, e.Size, e.Version)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Versions returns the hash of the versions of the objects of arrays. It returns "" if the store
// does not report them, or if the arrays have more than most objects; most is 0 for any number.
func Versions(ctx context.Context, st store.Store, paths []string, most int) (string, error) {
	list, err := Listed(ctx, st, paths, most, nil)
	if err != nil || list == nil {
		return "", err
	}
	return Hash(list), nil
}
