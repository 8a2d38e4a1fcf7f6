package rule

import (
	"bytes"
	"encoding/json"
)

// MarshalJSON returns an object with the members "severity", "code" (of the rule), "path",
// "message" and "source". The object also has "key" and "pointer" unless they are empty. zargo
// validate --json prints this form.
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

// MarshalText returns s.String(), so that JSON objects can have severities as keys.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
