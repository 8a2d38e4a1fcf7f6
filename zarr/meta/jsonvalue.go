package meta

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
)

// member is one member of an object: its name, the text of its value, and the offset of that text
// in the object.
type member struct {
	name string
	raw  []byte
	from int
}

// members splits the text of an object. Of several members with the same name, only one is
// returned: the last value, at the position of the first.
func members(obj []byte) ([]member, error) {
	s := &scanner{b: obj, bare: true}
	out := gathered{all: make([]member, 0, 1+min(len(obj)/64, few-1))} // members of array documents have about 60 bytes
	s.space()
	err := s.eachMember(func(name string) error {
		s.space()
		from := s.i
		if err := s.skip(); err != nil {
			return err
		}
		out.put(member{name, s.b[from:s.i], from})
		return nil
	})
	return out.all, err
}

// gathered is a list of members that can be found by name.
type gathered struct {
	all []member
	at  map[string]int // index of each member, if there are more than few
}

// few is the maximum number of members that are searched linearly, which is faster than a map for
// up to 16 members. An array document has 11.
const few = 16

func (x *gathered) put(m member) {
	i, again := x.find(m.name)
	if again {
		x.all[i] = m
		return
	}
	if x.all = append(x.all, m); x.at != nil {
		x.at[m.name] = len(x.all) - 1
	} else if len(x.all) > few {
		x.at = make(map[string]int, 2*few)
		for i, m := range x.all {
			x.at[m.name] = i
		}
	}
}

func (x *gathered) find(name string) (int, bool) {
	if x.at != nil {
		i, ok := x.at[name]
		return i, ok
	}
	i := slices.IndexFunc(x.all, func(m member) bool { return m.name == name })
	return i, i >= 0
}

// elements splits the text of a list. It returns fault.Limit for more than maxElements elements.
func elements(list []byte) ([][]byte, error) {
	s := &scanner{b: list, bare: true}
	var out [][]byte
	s.space()
	err := s.each(']', func() error {
		s.space()
		from := s.i
		err := s.skip()
		if len(out) == maxElements {
			return fault.Newf(fault.Limit, "the list has more than %d elements", maxElements)
		}
		out = append(out, s.b[from:s.i])
		return err
	})
	return out, err
}

// eachMember calls f for each member of a checked object. At each call the scanner is at the start
// of the member's value.
func (s *scanner) eachMember(f func(name string) error) error {
	return s.each('}', func() error {
		s.space()
		name, err := s.unquote()
		if err != nil {
			return err
		}
		s.space()
		s.i++ // the colon
		return f(name)
	})
}

// decode decodes checked text as encoding/json does, except that numbers become json.Number and
// bare tokens become float64.
func (s *scanner) decode() (any, error) {
	switch c := s.peek(); c {
	case '{':
		m := map[string]any{}
		err := s.eachMember(func(name string) (err error) {
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
