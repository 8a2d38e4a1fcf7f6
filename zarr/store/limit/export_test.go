package limit

import "testing"

// Idle fails the test if a slot is held or waited for.
func (b *Bucket) Idle(t *testing.T) {
	t.Helper()
	all := []*side{&b.reads, &b.writes}
	for _, s := range all {
		if lanes := s.lanes.Load(); lanes != nil {
			all = append(all, *lanes...)
		}
	}
	for _, s := range all {
		if s.slots.Held() != 0 || s.slots.Waiting() != 0 {
			t.Errorf("%d slots are held, %d wait", s.slots.Held(), s.slots.Waiting())
		}
	}
}
