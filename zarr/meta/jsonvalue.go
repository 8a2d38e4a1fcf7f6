package meta

import (
	"encoding/json"
	"math"

	"github.com/zargo-io/zargo/zarr/fault"
)

// member is one member of an object: its name, the text of its value, and where in the object's text that begins.
type member struct {
	name string
	raw  []byte
	from int
}

// members splits the text of an object. Of members with the same name the last one counts, at the place of the first.
func members(obj []byte) ([]member, error) {
	s := &scanner{b: obj, bare: true}
	var out []member
	at := map[string]int{}
	s.space()
	err := s.each('}', func() error {
		s.space()
		name, err := s.unquote()
		if err != nil {
			return err
		}
		s.space()
		s.i++ // the colon
		s.space()
		from := s.i
		if err := s.skip(); err != nil {
			return err
		}
		m := member{name, s.b[from:s.i], from}
		if i, again := at[name]; again {
			out[i] = m
			return nil
		}
		at[name] = len(out)
		out = append(out, m)
		return nil
	})
	return out, err
}

// elements splits the text of a list.
func elements(list []byte) ([][]byte, error) {
	s := &scanner{b: list, bare: true}
	var out [][]byte
	s.space()
	err := s.each(']', func() error {
		s.space()
		from := s.i
		err := s.skip()
		if len(out) == maxElements {
			return fault.Newf(fault.Limit, "a list of more than %d", maxElements)
		}
		out = append(out, s.b[from:s.i])
		return err
	})
	return out, err
}

// decode makes Go values of checked text, as encoding/json does but for numbers, which become json.Number, and bare
// tokens, which become float64.
func (s *scanner) decode() (any, error) {
	switch c := s.peek(); c {
	case '{':
		m := map[string]any{}
		err := s.each('}', func() error {
			s.space()
			name, err := s.unquote()
			if err != nil {
				return err
			}
			s.space()
			s.i++ // the colon
			m[name], err = s.decode()
			return err
		})
		return m, err
	case '[':
		list := []any{}
		err := s.each(']', func() error {
			v, err := s.decode()
			list = append(list, v)
			return err
		})
		return list, err
	case '"':
		return s.unquote()
	}
	from := s.i
	if err := s.value(); err != nil {
		return nil, err
	}
	switch word := string(s.b[from:s.i]); word {
	case "true", "false":
		return word == "true", nil
	case "null":
		return nil, nil
	case "NaN":
		return math.NaN(), nil
	case "Infinity":
		return math.Inf(1), nil
	case "-Infinity":
		return math.Inf(-1), nil
	default:
		return json.Number(word), nil
	}
}
