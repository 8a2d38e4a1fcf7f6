package rule

import (
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Finding is one breach of a rule.
type Finding struct {
	Rule    Rule
	Path    string // of the node, below the store's root
	Key     string // of the document or the chunk, below the store's root; "" where it is about none
	Pointer string // JSON pointer of the member (RFC 6901); "" for the whole document, and for chunks
	Text    string // more than the rule's own text; "" when there is nothing to add
	Err     error  // what reading gave; nil when it went on
}

// Severity is the rule's.
func (f Finding) Severity() Severity { return f.Rule.Severity() }

// Message is the rule's text and what there is to add; what reading gave says it all.
func (f Finding) Message() string {
	switch {
	case f.Text == "":
		return f.Rule.Text()
	case f.Err != nil:
		return f.Text
	}
	return f.Rule.Text() + ": " + f.Text
}

// Error is a breach of a rule in strict mode. Its kind is the rule's, or that of Err.
type Error struct {
	Rule Rule
	Text string
	Err  error // what reading gave; nil where it would go on
}

// Error gives the code, and what is wrong.
func (e *Error) Error() string {
	return string(e.Rule) + ": " + Finding{Rule: e.Rule, Text: e.Text}.Message()
}

// Unwrap gives what reading gave, else the rule's kind.
func (e *Error) Unwrap() error {
	if e.Err != nil {
		return e.Err
	}
	return e.Rule.Kind()
}

// Of names the rule that an error of reading is about: the one that it tells itself, else one by
// its kind.
func Of(err error) Rule {
	var broken *Error
	if errors.As(err, &broken) {
		return broken.Rule
	}
	for _, r := range []Rule{NotThere, Path, Limit, Corrupt, Metadata, Unsupported} {
		if errors.Is(err, r.Kind()) {
			return r
		}
	}
	return Unreadable
}

// FromError makes a finding of an error that reading the node at a path gave, with the key and the
// member that it names.
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
