package conformance

import "testing"

func TestStore(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		check(t, p, p.known, func() pair { return p.open(t) })
	})
}
