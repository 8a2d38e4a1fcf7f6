package rule

import (
	"bytes"
	"encoding/json"
)

// MarshalJSON gives an object for machines: severity, code (of the rule), path, message and source,
// and key and pointer where there are any, as zargo validate --json prints it.
func (f Finding) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	err := out.Encode(struct {
		Severity Severity `json:"severity"`
		Code     Rule     `json:"code"`
		Path     string   `json:"path"`
		Key      string   `json:"key,omitempty"`
		Pointer  string   `json:"pointer,omitempty"`
		Message  string   `json:"message"`
		Source   string   `json:"source"`
	}{f.Severity(), f.Rule, f.Path, f.Key, f.Pointer, f.Message(), f.Rule.Section()})
	return b.Bytes(), err
}

// MarshalText is String, so that counts by severity have its names in JSON.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
