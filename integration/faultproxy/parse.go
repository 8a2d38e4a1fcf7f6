package faultproxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Parse returns a copy of base with the members of the JSON object in text replaced. It returns an
// error for unknown members and invalid values.
func Parse(text []byte, base Config) (Config, error) {
	next := base
	next.Overrides = nil // decoding would overwrite the elements of the old slice
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&next); err != nil {
		return base, fmt.Errorf("faultproxy: config: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return base, fmt.Errorf("faultproxy: config has more than one JSON value")
	}
	if next.Overrides == nil {
		next.Overrides = base.Overrides
	}
	if err := next.check(); err != nil {
		return base, err
	}
	return next.own(), nil
}
