package spec

import (
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Separated returns m with chunk keys that use separator. The empty separator leaves m unchanged.
// It returns fault.Selection if the document specifies another separator.
func Separated(m *meta.Array, separator string) (*meta.Array, error) {
	switch {
	case separator == "" || separator == m.Keys.Separator || m.Keys.Name == "v2" && len(m.Shape) < 2:
		return m, nil
	case !m.NoSeparator:
		return nil, fault.Newf(fault.Selection, "the metadata specifies the separator %q of chunk keys, not %q", m.Keys.Separator, separator)
	}
	other := *m
	other.Keys.Separator = separator
	return &other, nil
}

// keys returns the encoding of chunk keys.
func (s Spec) keys(format int) (meta.KeyEncoding, error) {
	bad := func(format string, args ...any) (meta.KeyEncoding, error) {
		return meta.KeyEncoding{}, fault.Newf(fault.Metadata, format, args...)
	}
	k := s.Keys
	if k.Name == "" {
		if k.Name = "default"; format == 2 {
			k.Name = "v2"
		}
	}
	switch {
	case k.Name != "v2" && (k.Name != "default" || format == 2):
		return bad("format v%d does not have the chunk key encoding %q", format, k.Name)
	case k.Suffix != "" && format == 2:
		return bad("format v2 does not support chunk keys with a suffix")
	case k.Separator == "":
		k.Separator = s.Separator
	case s.Separator != "" && s.Separator != k.Separator:
		return bad("Separator is %q, but Keys has the separator %q", s.Separator, k.Separator)
	}
	switch k.Separator {
	case "":
		if k.Separator = "/"; format == 2 {
			k.Separator = "."
		}
	case "/", ".":
	default:
		return bad("separator must be %q or %q, is %q", "/", ".", k.Separator)
	}
	return k, nil
}
