package meta

import (
	"bytes"
	"strings"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/rule"
)

// spelledFill reports a violation if an accepted fill value does not have the JSON form that the
// format specifies for the data type.
func (p place) spelledFill(raw []byte, t dtype.Type, format int) error {
	if !p.judged() {
		return nil
	}
	s, ok := t.(*dtype.Struct)
	if ok && s.Form() != nil {
		return nil // the form accepts one spelling
	}
	if ok && format == 3 && raw[0] == '{' {
		return p.spelledFields(raw, s)
	}
	form, err := t.FormatFill(t.DefaultFill(), format)
	if err != nil || len(form) == 0 {
		return nil
	}
	if want := otherForm(raw, form, t, format); want != "" {
		return p.lenient(rule.FillSpelling, brief(raw)+" is not "+want)
	}
	return nil
}

// spelledFields checks the fill values of a structure's fields.
func (p place) spelledFields(raw []byte, s *dtype.Struct) error {
	o, err := p.object(raw)
	if err != nil {
		return err
	}
	for _, f := range s.Fields() {
		if value := o.get(f.Name); value != nil && f.Shape == nil {
			if err := o.member(f.Name).spelledFill(value, f.Type, 3); err != nil {
				return err
			}
		}
	}
	return nil
}

// otherForm returns "" if the fill value raw has the specified form, or else a description of that
// form. The argument form is the default fill value of the type, as an example of the specified
// form.
func otherForm(raw, form []byte, t dtype.Type, format int) string {
	number := raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
	_, basic := t.(dtype.Basic)
	pair := basic && form[0] == '['
	switch t := t.(type) {
	case dtype.R:
		if format == 3 && raw[0] != '[' {
			return "a list of bytes"
		}
	case dtype.V:
		if raw[0] == '[' {
			return "a string"
		}
	case *dtype.Struct:
		if format == 3 && !t.Legacy() && raw[0] != '{' {
			return "an object"
		}
	}
	switch {
	case (string(form) == "true" || string(form) == "false") && number:
		return "true or false"
	case number && isText(t):
		return "a string"
	case pair && raw[0] != '[':
		return "a list of two numbers"
	case integral(t, form) && firstFraction(raw) != nil:
		return "an integer without fraction and exponent"
	case basic && (string(form) == "0.0" || string(form) == "0") && quotedNumber(raw) && !bytes.HasPrefix(raw, []byte(`"0x`)):
		return "a number"
	case format == 3 && basic && bytes.HasPrefix(raw, []byte(`"0x`)) && len(raw) != len(`"0x"`)+2*t.Size():
		return "0x and the bits of the data type"
	case basic && raw[0] == '"' && bytes.ContainsAny(raw, "nf") && !bytes.HasPrefix(raw, []byte(`"0x`)) && !bytes.Contains(raw, []byte("N")) && !bytes.Contains(raw, []byte("I")):
		return `"NaN", "Infinity" or "-Infinity"`
	case basic && bytes.Contains(raw, []byte(signedInfinity)):
		return plainInfinity
	case format < 3 && pair:
		parts, err := elements(raw)
		if err == nil && (quotedNumber(parts[0]) || quotedNumber(parts[1])) {
			return "a list of two numbers"
		}
	}
	return ""
}

// plainInfinity is the specified form of infinity. signedInfinity is another form that is accepted.
const (
	plainInfinity  = `"Infinity"`
	signedInfinity = `"+Infinity"`
)

// integral reports whether the fill values of a data type are written as integers or lists of
// integers. The argument form is the default fill value of the type.
func integral(t dtype.Type, form []byte) bool {
	switch t := t.(type) {
	case dtype.DateTime, dtype.TimeDelta, dtype.R:
		return true
	case dtype.VarLen:
		return t == dtype.Bytes
	}
	return string(form) == "0"
}

// quotedNumber reports whether a value is a string that represents neither NaN nor an infinity.
func quotedNumber(raw []byte) bool {
	return raw[0] == '"' && !strings.Contains(string(raw), "N") && !strings.Contains(string(raw), "I")
}

// isText reports whether fill values of a data type must not be numbers. Old writers wrote 0 for
// them.
func isText(t dtype.Type) bool {
	switch t.(type) {
	case dtype.S, dtype.U, dtype.V, dtype.R, dtype.VarLen, *dtype.Struct:
		return true
	}
	return false
}
