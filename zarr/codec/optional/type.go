package optional

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Name is the name of the data type and of the codec. ShortName is their name in development
// versions of zarrs.
const (
	Name      = "zarrs.optional"
	ShortName = "optional"
)

// maxDepth is the maximum number of optional types around a value. Real types have one or two.
const maxDepth = 8

// AddType returns a table with the data type. The inner type is one of t.
func AddType(t *dtype.Table) *dtype.Table {
	f := func(config json.RawMessage) (dtype.Type, error) { return parse(t, config) }
	return t.With(Name, f).With(ShortName, f)
}

// Of returns the data type whose elements are of the type inner or missing. It returns
// errors.ErrUnsupported if the size of inner varies, and fault.Limit for more than eight optional
// types around a value or elements of more than dtype.MaxSize bytes.
func Of(inner dtype.Type) (*dtype.Struct, error) {
	if inner.Size() == 0 {
		return nil, fault.Newf(errors.ErrUnsupported, "optional elements of %v, which has no fixed size", inner)
	}
	depth := 1
	for t := inner; ; depth++ {
		f, ok := formOf(t)
		if !ok {
			break
		}
		t = f.inner
	}
	if depth > maxDepth {
		return nil, errDepth()
	}
	s, err := dtype.NewStruct(dtype.Field{Name: "valid", Type: dtype.Bool}, dtype.Field{Name: "value", Type: inner})
	if err != nil {
		return nil, err
	}
	return s.WithForm(form{inner}), nil
}

func errDepth() error {
	return fault.Newf(fault.Limit, "optional types are nested more than %d deep", maxDepth)
}

// parse returns the type of a configuration. It parses nested optional types in a loop, not by the
// table, and so limits their number before it parses further.
func parse(t *dtype.Table, config json.RawMessage) (dtype.Type, error) {
	depth := 1
	for ; ; depth++ {
		if depth > maxDepth {
			return nil, errDepth()
		}
		var members map[string]json.RawMessage
		var name string
		if json.Unmarshal(config, &members) != nil || json.Unmarshal(members["name"], &name) != nil {
			return nil, fault.Newf(fault.Metadata, "the configuration must be the name and the configuration of the inner type")
		}
		for m := range members {
			if m != "name" && m != "configuration" {
				return nil, fault.Newf(fault.Metadata, "the configuration has an unknown member %.40q", m)
			}
		}
		if name != Name && name != ShortName {
			break
		}
		config = members["configuration"]
	}
	inner, err := t.ParseV3(config)
	if err != nil {
		return nil, err
	}
	for range depth {
		s, err := Of(inner)
		if err != nil {
			return nil, err
		}
		inner = s
	}
	return inner, nil
}

// form is the metadata of an optional type.
type form struct{ inner dtype.Type }

// formOf returns the form of an optional type.
func formOf(t dtype.Type) (form, bool) {
	s, ok := t.(*dtype.Struct)
	if !ok {
		return form{}, false
	}
	f, ok := s.Form().(form)
	return f, ok
}

func (f form) String() string { return "optional{" + f.inner.String() + "}" }

func (f form) V3() (json.RawMessage, error) {
	raw, err := f.inner.V3()
	if err != nil {
		return nil, err
	}
	inner := named{Config: json.RawMessage("{}")} // zarrs requires both members
	into := any(&inner)
	if raw[0] == '"' {
		into = &inner.Name
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return nil, err
	}
	config, err := json.Marshal(inner)
	if err != nil {
		return nil, err
	}
	return json.Marshal(named{Name, config})
}

// named is a data type or a codec in metadata.
type named struct {
	Name   string          `json:"name"`
	Config json.RawMessage `json:"configuration"`
}

func (f form) ParseFill(raw json.RawMessage) ([]byte, error) {
	if string(bytes.TrimSpace(raw)) == "null" {
		return make([]byte, 1+f.inner.Size()), nil
	}
	var one []json.RawMessage
	if json.Unmarshal(raw, &one) != nil || len(one) != 1 {
		return nil, fault.Newf(fault.Metadata, "the fill value of %v must be null or a list of one value, is %.80s", f, raw)
	}
	if _, nested := formOf(f.inner); !nested && string(one[0]) == "null" {
		return nil, fault.Newf(fault.Metadata, "null is not a fill value of %v", f.inner)
	}
	fill, err := f.inner.ParseFill(one[0], 3)
	return slices.Concat([]byte{1}, fill), err
}

func (f form) FormatFill(fill []byte) (json.RawMessage, error) {
	if fill[0] == 0 {
		return json.RawMessage("null"), nil
	}
	one, err := f.inner.FormatFill(fill[1:], 3)
	return slices.Concat(json.RawMessage("["), one, json.RawMessage("]")), err
}
