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

// Member is the name of the attribute or member that holds the claim.
const Member = "zargo_claim"

// What a change does.
const (
	Append  = "append" // of an array, or of several arrays of a group
	Resize  = "resize"
	Migrate = "migration" // of a v2 array to v3, which leaves the shape as it is
)

// Claim says that a change is in progress, and whose it is. The zero Claim says that none is.
type Claim struct {
	ID    string    // of the change, 32 hexadecimal digits; a group append has one for all documents
	What  string    // Append, Resize or Migrate
	Axis  int       // of an array
	Dim   string    // of a group: the name of the axis
	From  int       // the extent along the axis before the change
	To    int       // the extent after the change
	Since time.Time // when the change began, by the clock of the process that makes it
	Was   []int     // of a Resize that deletes: the previous shape

	// Ends are further extents that arrays of a group may have: those of appends from the same
	// From which were taken over before it was known whether they had committed an array.
	Ends []int
}

// maxEnds bounds Ends. 16 appends in a row would have to be taken over, none of which got as far
// as to commit an array.
const maxEnds = 16

// stored is the JSON form. Abandoned is read of documents of earlier versions, see [ParseRecord].
type stored struct {
	ID        string     `json:"id,omitempty"`
	What      string     `json:"what,omitempty"`
	Axis      int        `json:"axis,omitempty"`
	Dim       string     `json:"dim,omitempty"`
	From      int        `json:"from,omitempty"`
	To        int        `json:"to,omitempty"`
	Since     *time.Time `json:"since,omitempty"`
	Was       []int      `json:"was,omitempty"`
	Ends      []int      `json:"ends,omitempty"`
	Abandoned []int      `json:"abandoned,omitempty"`
}

// New returns a claim of a change that begins now.
func New(what string) Claim {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return Claim{ID: hex.EncodeToString(b[:]), What: what, Since: time.Now().UTC().Truncate(time.Second)}
}

// Parse reads the value of the member; nil is no claim. fault.Metadata: the value is not a claim.
func Parse(raw []byte) (Claim, error) {
	s, err := parse(raw)
	if err != nil || s.ID == "" {
		return Claim{}, err
	}
	c := Claim{ID: s.ID, What: s.What, Axis: s.Axis, Dim: s.Dim, From: s.From, To: s.To, Was: s.Was, Ends: s.Ends}
	if s.Since != nil {
		c.Since = *s.Since
	}
	return c, nil
}

func parse(raw []byte) (s stored, err error) {
	if raw == nil {
		return s, nil
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return stored{}, fault.Newf(fault.Metadata, "%s: %w", Member, err)
	}
	numbers := slices.Concat([]int{s.Axis, s.From, s.To}, s.Abandoned, s.Was, s.Ends)
	if slices.Min(numbers) < 0 {
		return stored{}, fault.Newf(fault.Metadata, "%s: a number is negative", Member)
	}
	return s, nil
}

// JSON returns the value of the member; nil for the zero Claim, which has no member.
func (c Claim) JSON() json.RawMessage {
	if c.ID == "" {
		return nil
	}
	b, err := json.Marshal(stored{
		ID: c.ID, What: c.What, Axis: c.Axis, Dim: c.Dim, From: c.From, To: c.To,
		Since: &c.Since, Was: c.Was, Ends: c.Ends,
	})
	if err != nil {
		return nil // it cannot be: a time in UTC and numbers
	}
	return b
}

// Under reports whether a change is in progress.
func (c Claim) Under() bool { return c.ID != "" }

// Reached reports whether an array of a group that has so many rows may have those of the append,
// or of one that it took over.
func (c Claim) Reached(rows int) bool {
	return rows > c.From && (rows == c.To || slices.Contains(c.Ends, rows))
}

// After returns the claim of a group append that takes the place of old and begins at the same
// row: arrays may still get the length that old would have given them.
func (c Claim) After(old Claim) Claim {
	c.Ends = nil
	for _, n := range append(slices.Clone(old.Ends), old.To) {
		if n != c.To && !slices.Contains(c.Ends, n) {
			c.Ends = append(c.Ends, n)
		}
	}
	if n := len(c.Ends); n > maxEnds {
		c.Ends = c.Ends[n-maxEnds:]
	}
	return c
}

// String describes the change, for errors.
func (c Claim) String() string {
	if c.What == Migrate {
		return fmt.Sprintf("a migration, begun %s,", c.Since.Format(time.RFC3339))
	}
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
