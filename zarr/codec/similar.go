package codec

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/zargo-io/zargo/internal/bits/similar"
	"github.com/zargo-io/zargo/zarr/fault"
)

// unknown returns the error for a name that is not in the table. The error suggests a similar name.
// If the similar name is that of an unsupported codec, the error states why the codec is
// unsupported.
func (t *Table) unknown(s Spec, in Repr) error {
	like := similar.Name(s.Name, t.Names(), bare)
	if like == "" {
		return fault.Newf(errors.ErrUnsupported, "unknown codec %.80q", s.Name)
	}
	if f := t.factories[like]; f != nil && bare(like) == bare(s.Name) {
		if _, err := f(json.RawMessage(`{}`), in); errors.Is(err, errors.ErrUnsupported) {
			return named(like, err)
		}
	}
	return fault.Newf(errors.ErrUnsupported, "unknown codec %.80q (did you mean %q?)", s.Name, like)
}

// bare returns a name in lower case and without the prefix of numcodecs.
func bare(name string) string { return strings.ToLower(strings.TrimPrefix(name, numcodecs)) }
