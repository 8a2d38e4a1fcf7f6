package sentparts_test

import (
	"errors"
	"testing"

	"github.com/zargo-io/zargo/internal/provider/sentparts"
	"github.com/zargo-io/zargo/zarr/fault"
)

type (
	part  = sentparts.Part[string]
	parts = map[int]part
)

// of returns a part with its sent and its stored size.
func of(sent, stored int64) part { return part{Size: stored, Sent: sent} }

func TestParts(t *testing.T) {
	tests := []struct {
		name  string
		sent  map[int]int64
		found parts
		label int
		kind  error // of the error of Parts; may be nil
	}{
		{"none", nil, parts{}, 0, nil},
		{"all", map[int]int64{0: 5, 1: 3}, parts{0: of(5, 5), 1: of(3, 3)}, 2, nil},
		{"of others too", map[int]int64{1: 3}, parts{0: of(5, 5), 1: of(3, 3), 2: of(1, 1)}, 3, nil},
		{"last one gone", map[int]int64{0: 5, 1: 3}, parts{0: of(5, 5)}, 0, fault.Conflict},
		{"first one gone", map[int]int64{0: 5, 1: 3}, parts{1: of(3, 3)}, 0, fault.Conflict},
		{"last one of others gone", map[int]int64{0: 5}, parts{0: of(5, 5)}, 2, fault.Conflict},
		{"shorter", map[int]int64{0: 5}, parts{0: of(5, 4)}, 0, fault.Corrupt},
		{"longer", map[int]int64{0: 5}, parts{0: of(5, 6)}, 0, fault.Corrupt},
		{"one of others shorter", nil, parts{0: of(5, 4)}, 0, fault.Corrupt},
		{"sent again by others", map[int]int64{0: 5}, parts{0: of(4, 4)}, 0, fault.Conflict},
		{"gap", map[int]int64{0: 5, 2: 1}, parts{0: of(5, 5), 2: of(1, 1)}, 3, fault.Selection},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := sentparts.New[string](false, nil)
			for n, size := range tt.sent {
				s.Begin(n)
				s.Sent(n, of(size, size))
			}
			err := s.Listed(tt.found, tt.label)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Parts()
			if !errors.Is(err, tt.kind) || err == nil && len(got) != len(tt.found) {
				t.Errorf("%v, %v; want %v", got, err, tt.kind)
			}
		})
	}
}

// TestLabels checks that a label counts all known parts, listed and sent.
func TestLabels(t *testing.T) {
	s := sentparts.New[string](true, nil)
	if !s.Unlisted() {
		t.Error("a resumed value is listed before it is used")
	}
	if err := s.Listed(parts{0: of(1, 1), 1: of(1, 1)}, 7); err != nil || s.Unlisted() {
		t.Error(err)
	}
	for _, tt := range []struct{ n, want int }{{0, 7}, {8, 9}, {2, 9}} {
		if got := s.Begin(tt.n); got != tt.want {
			t.Errorf("label of part %d: %d, want %d", tt.n, got, tt.want)
		}
	}
}

// TestOver checks that Parts fails after End, and that an empty listing is a conflict if parts were
// sent.
func TestOver(t *testing.T) {
	s := sentparts.New[string](false, nil)
	if err := s.Listed(nil, 0); err != nil || !s.Empty() {
		t.Errorf("of a new value: %v", err)
	}
	s.Sent(0, of(1, 1))
	if err := s.Listed(nil, 0); !errors.Is(err, fault.Conflict) {
		t.Errorf("want conflict, got %v", err)
	}
	if err := sentparts.New[string](true, nil).Listed(nil, 0); !errors.Is(err, fault.Conflict) {
		t.Errorf("want conflict, got %v", err)
	}
	s.End()
	if _, err := s.Parts(); !errors.Is(err, fault.Conflict) || !s.Over() || !errors.Is(s.Going(), fault.Conflict) {
		t.Errorf("want conflict, got %v", err)
	}
}
