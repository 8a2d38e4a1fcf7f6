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

// Member is the name of the attribute or member that has the claim.
const Member = "zargo_claim"

// The kinds of changes.
const (
	Append  = "append" // to an array or to several arrays of a group
	Resize  = "resize"
	Migrate = "migration" // of a v2 array to v3, which does not change the shape
)

// Claim identifies the change that is in progress. The zero Claim means that no change is in
// progress.
type Claim struct {
	ID    string    // 32 hexadecimal digits; a group append uses the same ID in all documents
	What  string    // Append, Resize or Migrate
	Axis  int       // in the document of an array, the axis of an Append
	Dim   string    // in the document of a group, the name of the axis of an Append
	From  int       // extent along the axis before an Append
	To    int       // extent along the axis after an Append
	Since time.Time // start of the change, by the clock of its process
	// Renewed is the time at which the process last renewed the claim, or zero. A process renews
	// its claim while it lives.
	Renewed time.Time
	Was     []int // previous shape, for a Resize that deletes chunks

	// Ends are other extents that arrays of the group may have: the values of To of earlier appends
	// with the same From. These appends were taken over, but each of them may have committed an
	// array before.
	Ends []int

	// Done is the mark of a completed Migrate. It remains in the v2 documents, so that no change is
	// made through them. A claim that is Done is not in progress.
	Done bool

	// Pending means that an append to a group has not yet claimed all arrays. No array has the
	// extent To yet.
	Pending bool
}

// maxEnds bounds Ends. More than 16 consecutive appends would have to be taken over before one of
// them commits an array.
const maxEnds = 16

// stored is the JSON form of a Claim. Only earlier versions wrote Abandoned; see [ParseRecord].
type stored struct {
	ID        string     `json:"id,omitempty"`
	What      string     `json:"what,omitempty"`
	Axis      int        `json:"axis,omitempty"`
	Dim       string     `json:"dim,omitempty"`
	From      int        `json:"from,omitempty"`
	To        int        `json:"to,omitempty"`
	Since     *time.Time `json:"since,omitempty"`
	Renewed   *time.Time `json:"renewed,omitempty"`
	Was       []int      `json:"was,omitempty"`
	Ends      []int      `json:"ends,omitempty"`
	Pending   bool       `json:"pending,omitempty"`
	Done      bool       `json:"done,omitempty"`
	Abandoned []int      `json:"abandoned,omitempty"`
}

// New returns a claim, with a random ID, for a change that begins now.
func New(what string) Claim {
	var b [16]byte
	_, _ = rand.Read(b[:]) // crypto/rand.Read never fails
	return Claim{ID: hex.EncodeToString(b[:]), What: what, Since: time.Now().UTC().Truncate(time.Second)}
}

// Parse decodes the value of the member zargo_claim. It returns the zero Claim for a nil value, and
// fault.Metadata if the value is not a claim.
func Parse(raw []byte) (Claim, error) {
	s, err := parse(raw)
	if err != nil || s.ID == "" {
		return Claim{}, err
	}
	c := Claim{ID: s.ID, What: s.What, Axis: s.Axis, Dim: s.Dim, From: s.From, To: s.To, Was: s.Was, Ends: s.Ends, Pending: s.Pending, Done: s.Done && s.What == Migrate}
	if s.Since != nil {
		c.Since = *s.Since
	}
	if s.Renewed != nil {
		c.Renewed = *s.Renewed
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
		return stored{}, fault.Newf(fault.Metadata, "%s: numbers must not be negative", Member)
	}
	return s, nil
}

// JSON encodes c as the value of the member zargo_claim. It returns nil for the zero Claim, which
// is not stored.
func (c Claim) JSON() json.RawMessage {
	if c.ID == "" {
		return nil
	}
	var renewed *time.Time
	if !c.Renewed.IsZero() {
		renewed = &c.Renewed
	}
	b, err := json.Marshal(stored{
		Renewed: renewed, ID: c.ID, What: c.What, Axis: c.Axis, Dim: c.Dim, From: c.From, To: c.To,
		Since: &c.Since, Was: c.Was, Ends: c.Ends, Pending: c.Pending, Done: c.Done,
	})
	if err != nil {
		return nil // unreachable: numbers, strings and a time in UTC can be encoded
	}
	return b
}

// Under reports whether a change is in progress: c is neither the zero Claim nor Done.
func (c Claim) Under() bool { return c.ID != "" && !c.Done }

// Alive returns the last time at which the process of the claim is known to have lived.
func (c Claim) Alive() time.Time {
	if c.Renewed.After(c.Since) {
		return c.Renewed
	}
	return c.Since
}

// Reached reports whether an array with this number of rows may contain the rows of the append c,
// or the rows of an append that c took over.
func (c Claim) Reached(rows int) bool {
	return rows > c.From && (rows == c.To && !c.Pending || slices.Contains(c.Ends, rows))
}

// After returns the claim of a group append that replaces old and starts at the same row. Arrays
// may still get the length that old sets, unless old is pending.
func (c Claim) After(old Claim) Claim {
	ends := slices.Clone(old.Ends)
	if !old.Pending {
		ends = append(ends, old.To)
	}
	c.Ends = nil
	for _, n := range ends {
		if (n != c.To || c.Pending) && !slices.Contains(c.Ends, n) {
			c.Ends = append(c.Ends, n)
		}
	}
	if n := len(c.Ends); n > maxEnds {
		c.Ends = c.Ends[n-maxEnds:]
	}
	return c
}

// String returns a description of the change for error messages.
func (c Claim) String() string {
	what := article(c.What)
	switch {
	case c.Was != nil:
		what += fmt.Sprintf(" of the shape %v", c.Was)
	case c.Dim != "":
		what += fmt.Sprintf(" of dimension %q from %d to %d", c.Dim, c.From, c.To)
	case c.What == Append:
		what += fmt.Sprintf(" of axis %d from %d to %d", c.Axis, c.From, c.To)
	}
	what = fmt.Sprintf("%s, begun %s,", what, c.Since.Format(time.RFC3339))
	if !c.Renewed.IsZero() {
		what += fmt.Sprintf(" last renewed %s,", c.Renewed.Format(time.RFC3339))
	}
	return what
}

func article(what string) string {
	if what == Append {
		return "an append"
	}
	return "a " + what
}
