package codec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// FromNumcodecs returns the Spec of a codec of v2 metadata from the id and the configuration of
// numcodecs. The configuration may contain the id.
func FromNumcodecs(id string, config json.RawMessage) Spec {
	s := Spec{Name: numcodecs + id, Config: config}
	var members map[string]json.RawMessage
	if json.Unmarshal(config, &members) != nil {
		return s // Bind reports the error
	}
	if _, ok := members["id"]; ok {
		delete(members, "id")
		var b bytes.Buffer
		out := json.NewEncoder(&b)
		out.SetEscapeHTML(false) // "<f4" is a data type
		if out.Encode(members) == nil {
			s.Config = bytes.TrimSpace(b.Bytes())
		}
	}
	return s
}

// parseNamed reads a codec as in v3 metadata.
func parseNamed(text string) (Spec, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return Spec{}, fault.Newf(fault.Metadata, "codec %.200q: %v", text, err)
	}
	var s Spec
	if json.Unmarshal(m["name"], &s.Name) != nil {
		return Spec{}, fault.Newf(fault.Metadata, "codec %.200q has no name", text)
	}
	for key, raw := range m {
		switch key {
		case "name":
		case "configuration":
			s.Config = raw
		case "must_understand": // ignored: an unknown codec is always an error
			if string(raw) != "true" && string(raw) != "false" {
				return Spec{}, fault.Newf(fault.Metadata, "codec %.200q: must_understand must be true or false, is %.80s", text, raw)
			}
		default:
			return Spec{}, fault.Newf(fault.Metadata, "codec %.200q: unknown member %.80q", text, key)
		}
	}
	return checked(text, s)
}

// checked returns an error if the Spec cannot be written to metadata.
func checked(text string, s Spec) (Spec, error) {
	if s.Name == "" || strings.ContainsAny(s.Name, " \t\n\"{},") {
		return Spec{}, fault.Newf(fault.Metadata, "codec %.200q has no valid name", text)
	}
	if s.Config == nil {
		return s, nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, s.Config); err != nil || b.Bytes()[0] != '{' {
		return Spec{}, fault.Newf(fault.Metadata, "codec %.200q: the configuration is not a JSON object", text)
	}
	s.Config = b.Bytes()
	return s, nil
}

// String returns the codec in the form that the command line accepts: a short form such as "zstd:3"
// if there is one, else the name and the configuration. The short form omits the element size of
// blosc if that is the size of the data type.
func (s Spec) String() string {
	if short, ok := s.short(); ok {
		return short
	}
	var b bytes.Buffer
	if err := json.Compact(&b, s.Config); err != nil {
		return s.Name + string(s.Config)
	}
	return s.Name + b.String()
}

func (s Spec) short() (string, bool) {
	c := openConfig(s.Config)
	if len(c.members) == 0 && c.err == nil {
		switch s.Name {
		case "zstd", "gzip", "blosc", "transpose", numcodecs + "zlib", numcodecs + "gzip", numcodecs + "zstd":
			return s.Name + "{}", true // the name alone would be read as the default
		}
		return s.Name, true
	}
	text := s.Name
	const lo, hi = -1 << 31, 1<<31 - 1
	switch s.Name {
	case "zstd", "gzip", numcodecs + "zlib", numcodecs + "gzip", numcodecs + "zstd":
		text = fmt.Sprintf("%s:%d", strings.Replace(s.Name, numcodecs+"zlib", "zlib", 1), c.integer("level", 0, lo, hi))
		if s.Name == "zstd" && c.boolean("checksum", false) {
			text += ":checksum"
		}
	case "bytes":
		text += ":" + c.text("endian", "little", "little", "big")
	case "transpose":
		raw, _ := c.take("order")
		var list []int
		if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
			return "", false
		}
		text += ":" + strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ",")
	case "blosc":
		c.take("typesize")
		text += fmt.Sprintf(":%s:%d", c.text("cname", "zstd", cnames[:]...), c.integer("clevel", 5, 0, 9))
		shuffle, block := c.text("shuffle", "", "noshuffle", "shuffle", "bitshuffle"), c.integer("blocksize", 0, 0, hi)
		if shuffle != "" || block != 0 {
			text += ":" + shuffle
		}
		if block != 0 {
			text += fmt.Sprintf(":%d", block)
		}
	default:
		id, _ := cutNumcodecs(s.Name)
		return shortNumcodecs(id, c)
	}
	return text, c.close() == nil
}

func cutNumcodecs(name string) (id string, ok bool) { return strings.CutPrefix(name, numcodecs) }

func orEmpty(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage(`{}`)
	}
	return raw
}
