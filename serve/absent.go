package serve

import (
	"context"
	"errors"
	"net/http"
	"path"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// absent responds for a key without a value. If keys are stored below it, a GET is redirected to the
// page that lists them, because file systems over HTTP such as fsspec request directories without
// a slash. This costs a listing, so it is left out for the names of chunks and documents, of which
// many are absent.
func absent(c *call, key string, err error) error {
	st, w, r := c.src.values, c.w, c.Request
	if key == consolidatedKey {
		if ok, failed := consolidated(c); ok || failed != nil {
			return failed
		}
	}
	if errors.Is(err, fault.NotFound) && (mayBeStored(path.Base(key)) || r.Method == http.MethodHead) {
		return refuse(http.StatusNotFound, "there is no such key")
	}
	switch is, listed := isPrefix(r.Context(), st, key); {
	case listed != nil && !errors.Is(listed, errors.ErrUnsupported) && !misplaced(listed):
		return listed
	case !is && (errors.Is(err, fault.NotFound) || belowValue(r.Context(), st, key)), is && r.Method == http.MethodHead:
		return refuse(http.StatusNotFound, "there is no such key")
	case !is:
		return err
	}
	w.Header().Set("Location", "./"+segment(path.Base(key))+"/")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusTemporaryRedirect)
	return nil
}

// isPrefix reports whether keys are stored below a key.
func isPrefix(ctx context.Context, st store.Store, key string) (bool, error) {
	for _, err := range st.List(ctx, key, store.ListOptions{Depth: store.OneLevel}) {
		return err == nil, err
	}
	return false, nil
}

// belowValue reports whether a key is below another key that has a value, in a store that cannot hold
// both.
func belowValue(ctx context.Context, st store.Store, key string) bool {
	for parent := path.Dir(key); parent != "."; parent = path.Dir(parent) {
		if _, err := st.Get(ctx, parent, store.GetOptions{Range: store.Within(0, 1), Max: 1}, nil); err == nil || errors.Is(err, fault.Corrupt) {
			return true
		}
	}
	return false
}

// mayBeStored reports whether a name is that of a chunk or a document.
func mayBeStored(name string) bool {
	return strings.HasPrefix(name, ".z") || name == "zarr.json" || strings.Trim(strings.TrimPrefix(name, "c."), "0123456789.") == ""
}

// misplaced reports whether a store refuses a key because it cannot hold a value, such as that of a
// directory.
func misplaced(err error) bool {
	for _, specific := range []error{fault.NoBucket, fault.NoCredentials, fault.Unauthenticated, fault.Denied} {
		if errors.Is(err, specific) {
			return false
		}
	}
	return errors.Is(err, fault.Refused)
}
