package dtype

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zargo-io/zargo/zarr/fault"
)

// unquote parses a JSON string. It returns an error for half a surrogate pair and for invalid
// UTF-8, which encoding/json would replace by U+FFFD.
func unquote(raw json.RawMessage) (string, error) {
	var s string
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", fault.Newf(fault.Metadata, "fill value %s is not a string", abbreviate(raw))
	}
	const replaced = string(utf8.RuneError)
	meant := strings.Count(string(raw), replaced) + strings.Count(strings.ToLower(string(raw)), `\ufffd`)
	if !utf8.Valid(raw) || strings.Count(s, replaced) > meant {
		return "", fault.Newf(fault.Metadata, "fill value %s is not valid Unicode text", abbreviate(raw))
	}
	return s, nil
}

// appendString appends a JSON string with only the necessary escapes.
func appendString(dst []byte, s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // strings cannot fail
	return append(dst, bytes.TrimRight(b.Bytes(), "\n")...)
}

// strictConfig decodes a configuration. It must be an object, and all its members must be in names.
func strictConfig(config json.RawMessage, into any, names ...string) error {
	var members map[string]json.RawMessage
	if len(config) == 0 {
		return fault.Newf(fault.Metadata, "the data type must have a configuration")
	}
	if err := json.Unmarshal(config, &members); err != nil || members == nil {
		return fault.Newf(fault.Metadata, "the configuration is not an object")
	}
	for name := range members {
		if !slices.Contains(names, name) {
			return fault.Newf(errors.ErrUnsupported, "unknown member %.40q of the configuration", name)
		}
	}
	// If a name occurs twice, only its last member counts, even if the first is invalid. Encoding
	// the map members drops the others.
	last, err := json.Marshal(members)
	if err != nil {
		return fault.Newf(fault.Metadata, "configuration %s: %v", abbreviate(config), err)
	}
	if err := json.Unmarshal(last, into); err != nil {
		return fault.Newf(fault.Metadata, "configuration %s: %v", abbreviate(config), err)
	}
	return nil
}
