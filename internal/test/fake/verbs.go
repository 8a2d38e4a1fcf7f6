package fake

import (
	"context"
	"errors"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Verbs calls all methods of a store with the key "k" and returns their errors. version must be
// valid for the store. The methods of uploads in parts are called only if the store supports them.
func Verbs(ctx context.Context, s store.Store, version store.Version) map[string]error {
	errs := map[string]error{}
	_, errs["get"] = s.Get(ctx, "k", store.GetOptions{}, nil)
	_, errs["get last"] = s.Get(ctx, "k", store.GetOptions{Range: store.Suffix(4)}, nil)
	_, errs["get within"] = s.Get(ctx, "k", store.GetOptions{Range: store.Within(1, 2)}, nil)
	_, errs["put"] = s.Put(ctx, "k", []byte("v"), store.PutOptions{})
	_, errs["put if absent"] = s.Put(ctx, "k", []byte("v"), store.PutOptions{IfAbsent: true})
	_, errs["put if version"] = s.Put(ctx, "k", []byte("v"), store.PutOptions{IfVersion: version})
	errs["delete"] = s.Delete(ctx, "k", store.DeleteOptions{})
	errs["delete all"] = store.DeleteAll(ctx, s, []string{"k"})
	errs["list"] = ListError(ctx, s, store.Deep)
	errs["list level"] = ListError(ctx, s, store.OneLevel)
	p, err := store.PutParts(ctx, s, "k", store.PartsOptions{})
	switch {
	case errors.Is(err, errors.ErrUnsupported):
	case err != nil:
		errs["parts"] = err
	default:
		errs["part"] = p.Part(ctx, 0, []byte("v"))
		q, err := store.PutParts(ctx, s, "k", store.PartsOptions{})
		if err == nil {
			_, err = q.Commit(ctx, store.PutOptions{})
		}
		errs["commit"] = err
	}
	return errs
}

// errEmpty is the error of an empty listing.
var errEmpty = errors.New("the listing is empty")

// ListError returns the error of a listing. An empty listing is an error too.
func ListError(ctx context.Context, s store.Store, d store.Depth) error {
	last := errEmpty
	for _, err := range s.List(ctx, "", store.ListOptions{Depth: d}) {
		last = err
	}
	return last
}

// WantKind fails the test unless err is of kind want and of no other kind.
func WantKind(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
	for _, k := range kinds() {
		if k != want && errors.Is(err, k) {
			t.Errorf("got %v as well: %v", k, err)
		}
	}
}

func kinds() []error {
	return []error{
		fault.NotFound, fault.Exists, fault.Conflict, fault.Unchanged, fault.ReadOnly, fault.Path, fault.Corrupt, fault.Refused,
		fault.Throttled, fault.Unavailable, fault.Limit, fault.Selection, errors.ErrUnsupported,
	}
}
