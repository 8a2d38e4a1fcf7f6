package conformance

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// few limits a run to one or two thousand requests. TestStore tests listings of more than one page.
func few() []storetest.Option {
	return []storetest.Option{storetest.Keys(20), storetest.Rounds(2)}
}

// check runs the suite on the stores that fresh returns. It logs known violations.
func check(t *testing.T, p place, known []clause, fresh func() pair, opts ...storetest.Option) {
	t.Helper()
	opts = append(slices.Clone(p.limits), opts...)
	last := fresh()
	first := true
	if last.w != nil {
		opts = append(opts, storetest.Writer(func(store.Store) store.Store { return last.w }))
	}
	err := storetest.Check(t.Context(), func() (store.Store, error) {
		if !first {
			last = fresh()
		}
		first = false
		return last.s, nil
	}, opts...)
	for _, err := range split(err) {
		if why := excuse(err, known); why != "" {
			t.Logf("known, because %s: %v", why, err)
			continue
		}
		t.Error(err)
	}
}

func excuse(err error, known []clause) string {
	var m *storetest.Misbehaviour
	if !errors.As(err, &m) {
		return ""
	}
	for _, c := range known {
		if m.Case == c.test && strings.HasPrefix(m.Clause, c.text) {
			return c.why
		}
	}
	return ""
}

// split returns the errors that are joined in err.
func split(err error) []error {
	if j, ok := err.(interface{ Unwrap() []error }); ok { // only errors joined by Check
		return j.Unwrap()
	}
	if err != nil {
		return []error{err}
	}
	return nil
}
