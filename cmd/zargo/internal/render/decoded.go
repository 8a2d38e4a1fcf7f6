package render

import "github.com/zargo-io/zargo/zarr/dtype"

// Decoded is a data type for printing decoded numbers. NaN is a missing value: null in JSON, and an
// empty cell in CSV.
type Decoded struct {
	dtype.Type // float32 or float64; for times, uint64

	// Text returns the text of an element. It is nil for numbers. An empty text is a missing value.
	Text func(b []byte) string
}

// decoded returns the function that formats decoded elements.
func (s spelling) decoded(t Decoded) (element, error) {
	switch s.form {
	case formJSON:
		s.nan = "null"
	case formCSV:
		s.nan = ""
	}
	if t.Text == nil {
		return elements(t.Type, s)
	}
	return func(dst, b []byte) []byte {
		if text := t.Text(b); text != "" {
			return s.word(dst, text)
		}
		if s.form == formText {
			return append(dst, "NaT"...)
		}
		return append(dst, s.nan...)
	}, nil
}
