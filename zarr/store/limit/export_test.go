package limit

import "testing"

// Idle fails the test if a slot is held or waited for.
func (b *Bucket) Idle(t *testing.T) {
	t.Helper()
	for _, s := range []*side{&b.reads, &b.writes} {
		if s.slots.Held() != 0 || s.slots.Waiting() != 0 {
			t.Errorf("%d slots are held, %d wait", s.slots.Held(), s.slots.Waiting())
		}
	}
}
