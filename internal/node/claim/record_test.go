package claim

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"
)

// elements returns the elements of boxes.
func elements(boxes ...Box) map[[2]int]bool {
	all := map[[2]int]bool{}
	for _, b := range boxes {
		for i := b.Lo[0]; i < b.Hi[0]; i++ {
			for k := b.Lo[1]; k < b.Hi[1]; k++ {
				all[[2]int{i, k}] = true
			}
		}
	}
	return all
}

// TestRecordForgetsNothing checks that an element outside the shape that a change may have written
// is in Left, and that an element inside the shape that has been written since is in Left or Kept.
func TestRecordForgetsNothing(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		var record Record
		shape := []int{3, 3}
		ever, dirty := map[[2]int]bool{}, map[[2]int]bool{}
		for range 30 {
			switch r.IntN(4) {
			case 0: // an abandoned append
				axis := r.IntN(2)
				c := Claim{ID: "x", What: Append, Axis: axis, From: shape[axis], To: shape[axis] + 1 + r.IntN(3)}
				record = record.GivenUp(c, shape)
				b := Whole(shape)
				b.Lo[axis], b.Hi[axis] = c.From, c.To
				for at := range elements(b) {
					ever[at], dirty[at] = true, true
				}
			case 1: // an append, or a growth that stores fill values
				shape[r.IntN(2)] += 1 + r.IntN(3)
				record = record.Written(shape)
			case 2: // a Resize that deletes
				shape = []int{1 + r.IntN(shape[0]), 1 + r.IntN(shape[1])}
				record = record.Deleted(shape).Written(shape)
				for at := range ever {
					dirty[at] = dirty[at] || at[0] >= shape[0] || at[1] >= shape[1]
				}
			case 3: // a change of metadata only
				shape = []int{1 + r.IntN(shape[0]), 1 + r.IntN(shape[1])}
			}
			for at := range elements(Whole(shape)) {
				dirty[at] = false
			}
			left, all := elements(record.Left...), elements(slices.Concat(record.Left, record.Kept)...)
			for at := range ever {
				if dirty[at] && !left[at] || !all[at] {
					t.Fatalf("seed %d: shape %v, %v is not in %+v", seed, shape, at, record)
				}
			}
			if len(record.Left) > maxBoxes || len(record.Kept) > maxBoxes {
				t.Fatalf("seed %d: %+v", seed, record)
			}
			if again, err := ParseRecord(record.JSON(), nil, shape); err != nil || !reflect.DeepEqual(again, record) {
				t.Fatalf("seed %d: %+v, %v, was %+v", seed, again, err, record)
			}
		}
	}
}

// TestOutside checks that the boxes contain each element outside a shape once.
func TestOutside(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		b := Box{Lo: []int{r.IntN(5), r.IntN(5)}, Hi: []int{r.IntN(9), r.IntN(9)}}
		shape := []int{r.IntN(9), r.IntN(9)}
		got, sum := b.Outside(shape), 0
		for _, o := range got {
			sum += len(elements(o))
		}
		want := elements(b)
		for at := range want {
			if at[0] < shape[0] && at[1] < shape[1] {
				delete(want, at)
			}
		}
		if !reflect.DeepEqual(elements(got...), want) || sum != len(want) {
			t.Fatalf("%v outside %v: %v", b, shape, got)
		}
	}
}

// TestClaimText checks that claims and records are read as they were written, and that a claim
// without an ID, from an earlier version, is read as a record.
func TestClaimText(t *testing.T) {
	c := New(Append)
	c.Dim, c.From, c.To = "time", 3, 9
	other := New(Append)
	other.From, other.To = 3, 5
	c = c.After(other)
	got, err := Parse(c.JSON())
	if err != nil || !reflect.DeepEqual(got, c) || !got.Reached(5) || !got.Reached(9) || got.Reached(3) || got.Reached(4) {
		t.Errorf("%+v, %v", got, err)
	}
	old := json.RawMessage(`{"abandoned":[0,9]}`)
	if c, err := Parse(old); err != nil || c.Under() || c.JSON() != nil {
		t.Errorf("%+v, %v", c, err)
	}
	r, err := ParseRecord(nil, old, []int{2, 3})
	if want := []Box{{Lo: []int{0, 0}, Hi: []int{2, 9}}}; err != nil || !reflect.DeepEqual(r.Left, want) {
		t.Errorf("%+v, %v", r, err)
	}
	var many Record
	for range 200 {
		many = many.Take(New(Append).ID)
	}
	if len(many.Taken) != maxTaken {
		t.Errorf("%d claims", len(many.Taken))
	}
}

// TestString checks that the text of a claim describes the change.
func TestString(t *testing.T) {
	since := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct {
		c    Claim
		want string
	}{
		{Claim{What: Append, Axis: 1, From: 2, To: 4}, "an append of axis 1 from 2 to 4"},
		{Claim{What: Append, Dim: "time", From: 2, To: 4}, `an append of dimension "time" from 2 to 4`},
		{Claim{What: Resize, Was: []int{5, 6}}, "a resize of the shape [5 6]"},
		{Claim{What: Resize}, "a resize"},
		{Claim{What: Migrate}, "a migration"},
	} {
		tt.c.Since = since
		if got, want := tt.c.String(), tt.want+", begun 2026-01-02T03:04:05Z,"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
