package dtype

import (
	"encoding/json"
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Form is the v3 metadata of a [Struct] that is not "struct" there. Such types have their own
// codec: the codec "bytes" rejects them, and v2 cannot represent them. A Form is safe for
// concurrent use.
type Form interface {
	// String is Type.String.
	String() string
	// V3 is Type.V3.
	V3() (json.RawMessage, error)
	// ParseFill is Type.ParseFill for v3. raw may be JSON null.
	ParseFill(raw json.RawMessage) ([]byte, error)
	// FormatFill is Type.FormatFill for v3. fill has the size of an element.
	FormatFill(fill []byte) (json.RawMessage, error)
}

// WithForm returns a Struct with the fields of s and the metadata of f.
func (s *Struct) WithForm(f Form) *Struct {
	c := *s
	c.form, c.legacy = f, false
	return &c
}

// Form returns the Form of s, or nil if the metadata of s is "struct".
func (s *Struct) Form() Form { return s.form }

// Formed reports whether s, or a structure nested in s, has a Form.
func (s *Struct) Formed() bool { return s.form != nil || s.nested }

// sameForm reports whether two structures with equal fields have equal metadata.
func (s *Struct) sameForm(r *Struct) bool {
	if s.form == nil || r.form == nil {
		return s.form == nil && r.form == nil
	}
	return s.form.String() == r.form.String()
}

// only3 returns errors.ErrUnsupported for a Struct with a Form in a format before v3.
func (s *Struct) only3(format int) error {
	if s.form == nil || format >= 3 {
		return nil
	}
	return fault.Newf(errors.ErrUnsupported, "v2 has no data type %v", s)
}
