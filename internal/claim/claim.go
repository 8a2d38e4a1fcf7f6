package claim

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Member is the name of the attribute or member that holds the record.
const Member = "zargo_claim"

// What a change does.
const (
	Append = "append" // of an array, or of several arrays of a group
	Resize = "resize"
)

// Claim is the record. One without an ID says that no change is under way, only that some were given up.
type Claim struct {
	ID    string    // of the change, 32 hexadecimal digits
	What  string    // Append or Resize
	Axis  int       // of an array
	Dim   string    // of a group: the name of the axis
	From  int       // the extent along the axis before the change
	To    int       // that after it
	Since time.Time // when the change began, by the clock of who makes it
	Was   []int     // before a Resize that deletes: the shape

	// Abandoned is how far along each axis changes that were given up may have written, or may still write: a request may arrive after
	// the process that sent it was taken for dead. nil: nowhere.
	Abandoned []int
}

// stored is the JSON form.
type stored struct {
	ID        string     `json:"id,omitempty"`
	What      string     `json:"what,omitempty"`
	Axis      int        `json:"axis,omitempty"`
	Dim       string     `json:"dim,omitempty"`
	From      int        `json:"from,omitempty"`
	To        int        `json:"to,omitempty"`
	Since     *time.Time `json:"since,omitempty"`
	Was       []int      `json:"was,omitempty"`
	Abandoned []int      `json:"abandoned,omitempty"`
}

// New is a claim of a change that begins now.
func New(what string) Claim {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return Claim{ID: hex.EncodeToString(b[:]), What: what, Since: time.Now().UTC().Truncate(time.Second)}
}

// Parse reads the value of the member; nil is no claim. fault.Metadata: it is none.
func Parse(raw []byte) (Claim, error) {
	if raw == nil {
		return Claim{}, nil
	}
	var s stored
	if err := json.Unmarshal(raw, &s); err != nil {
		return Claim{}, fault.Newf(fault.Metadata, "%s: %w", Member, err)
	}
	c := Claim{ID: s.ID, What: s.What, Axis: s.Axis, Dim: s.Dim, From: s.From, To: s.To, Was: s.Was, Abandoned: s.Abandoned}
	if s.Since != nil {
		c.Since = *s.Since
	}
	if c.Axis < 0 || c.From < 0 || c.To < 0 || slices.Min(slices.Concat([]int{0}, c.Abandoned, c.Was)) < 0 {
		return Claim{}, fault.Newf(fault.Metadata, "%s: a number is negative", Member)
	}
	return c, nil
}

// JSON is the value of the member; nil where there is nothing to say, and no member.
func (c Claim) JSON() json.RawMessage {
	if c.ID == "" && c.Abandoned == nil {
		return nil
	}
	s := stored{ID: c.ID, Abandoned: c.Abandoned}
	if c.ID != "" {
		s.What, s.Axis, s.Dim, s.From, s.To, s.Since, s.Was = c.What, c.Axis, c.Dim, c.From, c.To, &c.Since, c.Was
	}
	b, err := json.Marshal(s)
	if err != nil {
		return nil // it cannot be: a time in UTC and numbers
	}
	return b
}

// Under reports whether a change is under way.
func (c Claim) Under() bool { return c.ID != "" }

// GivenUp is what is left of a claim on an array of the rank once its change was given up: how far it may have written.
func (c Claim) GivenUp(rank int) Claim {
	to := make([]int, rank)
	if c.Under() && c.What == Append && c.Axis < rank {
		to[c.Axis] = c.To
	}
	n := Farther(Farther(c.Abandoned, to), c.Was)
	return Claim{Abandoned: trim(n[:min(len(n), rank)])}
}

// Farther is the farther along each axis of two extents; nil where both are nothing.
func Farther(a, b []int) []int {
	n := make([]int, max(len(a), len(b)))
	copy(n, a)
	for i, to := range b {
		n[i] = max(n[i], to)
	}
	return trim(n)
}

// Beyond is what is left once the array has a shape: what was written within it was written again.
func (c Claim) Beyond(shape []int) Claim {
	n := slices.Clone(c.Abandoned)
	for i := range n {
		if i >= len(shape) || n[i] <= shape[i] {
			n[i] = 0
		}
	}
	return Claim{Abandoned: trim(n)}
}

// trim gives nil for a list of zeros.
func trim(n []int) []int {
	if len(n) == 0 || slices.Max(n) == 0 {
		return nil
	}
	return n
}

// String says what is under way, for errors.
func (c Claim) String() string {
	where := fmt.Sprintf("axis %d", c.Axis)
	if c.Dim != "" {
		where = fmt.Sprintf("dimension %q", c.Dim)
	}
	return fmt.Sprintf("%s of %s from %d to %d, begun %s,", article(c.What), where, c.From, c.To, c.Since.Format(time.RFC3339))
}

func article(what string) string {
	if what == Append {
		return "an append"
	}
	return "a " + what
}
