package arrayspec

import (
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Separated returns m with chunk keys that use separator. The empty separator leaves m unchanged.
// fault.Selection: the document specifies another separator.
func Separated(m *meta.Array, separator string) (*meta.Array, error) {
	switch {
	case separator == "" || separator == m.Keys.Separator || m.Keys.Name == "v2" && len(m.Shape) < 2:
		return m, nil
	case !m.NoSeparator:
		return nil, fault.Newf(fault.Selection, "the separator of chunk keys is %q by the metadata, not %q", m.Keys.Separator, separator)
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
		return bad("v%d has no keys of chunks called %q", format, k.Name)
	case k.Suffix != "" && format == 2:
		return bad("v2 has no keys of chunks with a suffix")
	case k.Separator == "":
		k.Separator = s.Separator
	case s.Separator != "" && s.Separator != k.Separator:
		return bad("Separator %q and Keys with %q", s.Separator, k.Separator)
	}
	switch k.Separator {
	case "":
		if k.Separator = "/"; format == 2 {
			k.Separator = "."
		}
	case "/", ".":
	default:
		return bad("separator %q is neither %q nor %q", k.Separator, "/", ".")
	}
	return k, nil
}
