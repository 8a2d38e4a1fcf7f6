package conformance

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// few keeps the requests of a run to one or two thousand. What needs more than a page of keys is
// seen by TestStore.
func few() []storetest.Option {
	return []storetest.Option{storetest.Keys(20), storetest.Rounds(2)}
}

// check runs the suite on what fresh gives. Misbehaviour that is known is logged.
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

// split takes joined errors apart.
func split(err error) []error {
	if j, ok := err.(interface{ Unwrap() []error }); ok { // only what Check itself joined
		return j.Unwrap()
	}
	if err != nil {
		return []error{err}
	}
	return nil
}
