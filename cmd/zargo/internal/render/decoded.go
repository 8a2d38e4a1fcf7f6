package render

import "github.com/zargo-io/zargo/zarr/dtype"

// Decoded is a data type for printing decoded values. NaN is a missing value: null in JSON, and an
// empty cell in CSV.
type Decoded struct {
	dtype.Type // float32 or float64; for texts, uint64

	// Text returns the text of an element. It is nil for numbers. An empty text is a missing value.
	Text func(b []byte) string

	// Bare declares that texts are numbers or booleans: they have no quotes in JSON, and missing
	// values are NaN. Otherwise missing values are NaT.
	Bare bool
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
		text := t.Text(b)
		switch {
		case text != "" && t.Bare:
			return append(dst, text...)
		case text != "":
			return s.word(dst, text)
		case s.form == formText && !t.Bare:
			return append(dst, "NaT"...)
		}
		return append(dst, s.nan...)
	}, nil
}
