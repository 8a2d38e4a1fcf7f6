package rule

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Finding is one violation of a rule. Packages cf, crs, multiscale and dataset return findings of
// the rule [Convention] about attributes that they ignored or corrected.
type Finding struct {
	Rule Rule

	// Path of the node, relative to the store's root. Package crs returns paths relative to the
	// node that it reads: "" for the node, ".." for the group above it, or the name of the grid
	// mapping variable or of the coordinate. Packages cf and multiscale leave Path empty.
	Path string

	Key     string // key of the document or the chunk, relative to the store's root; "" if the finding is about neither
	Pointer string // JSON pointer of the member (RFC 6901), from the attributes for the rule Convention; "" for the whole document, and for chunks
	Text    string // details beyond the text of the rule; may be ""
	Err     error  // error of a read that failed; nil if reading continued
	Unused  bool   // the member follows its convention, but is not used
}

// String returns the place of the finding and its text, or the text of the rule if Text is empty.
func (f Finding) String() string {
	place := strings.Join(slices.DeleteFunc([]string{f.Path, f.Key, f.Pointer}, func(s string) bool { return s == "" }), " ")
	if place == "" {
		place = "/"
	}
	return place + ": " + cmp.Or(f.Text, f.Rule.Text())
}

// Severity returns the severity of the rule.
func (f Finding) Severity() Severity { return f.Rule.Severity() }

// Message returns the text of the rule followed by f.Text. If Err is set and Text is not empty, it
// returns Text only.
func (f Finding) Message() string {
	switch {
	case f.Text == "":
		return f.Rule.Text()
	case f.Err != nil:
		return f.Text
	}
	return f.Rule.Text() + ": " + f.Text
}

// Error is the error for a violation of a rule in strict mode. It wraps Err if that is set, and
// otherwise the kind of the rule.
type Error struct {
	Rule Rule
	Text string
	Err  error // error of a read that failed; nil if a lenient reader would continue
}

// Error returns the code of the rule and the description of the violation.
func (e *Error) Error() string {
	return string(e.Rule) + ": " + Finding{Rule: e.Rule, Text: e.Text}.Message()
}

// Unwrap returns Err if it is set, else the kind of the rule.
func (e *Error) Unwrap() error {
	if e.Err != nil {
		return e.Err
	}
	return e.Rule.Kind()
}

// Of returns the rule whose violation caused a read error: the Rule of a wrapped [*Error], or the
// rule that matches the kind of err, or else Unreadable.
func Of(err error) Rule {
	if broken, ok := errors.AsType[*Error](err); ok {
		return broken.Rule
	}
	for _, r := range []Rule{NotThere, Path, Limit, Corrupt, Metadata, Unsupported} {
		if errors.Is(err, r.Kind()) {
			return r
		}
	}
	return Unreadable
}

// FromError returns the finding for an error of reading the node at path. It copies the Key and the
// Pointer of the error if there are any.
func FromError(path string, err error) Finding {
	f := Finding{Rule: Of(err), Path: path, Text: err.Error(), Err: err}
	var m *fault.MetaError
	var c *fault.ChunkError
	switch {
	case errors.As(err, &c):
		f.Key, f.Text = c.Key, c.Err.Error()
	case errors.As(err, &m):
		f.Key, f.Pointer, f.Text = m.Key, m.Pointer, m.Err.Error()
	}
	return f
}
