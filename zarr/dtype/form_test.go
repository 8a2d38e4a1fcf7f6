package dtype

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

// pairForm is a Form with the name "x.pair" and the fill value null.
type pairForm struct{}

func (pairForm) String() string                             { return "x.pair" }
func (pairForm) V3() (json.RawMessage, error)               { return json.RawMessage(`"x.pair"`), nil }
func (pairForm) FormatFill([]byte) (json.RawMessage, error) { return json.RawMessage("null"), nil }
func (pairForm) ParseFill(raw json.RawMessage) ([]byte, error) {
	if string(raw) != "null" {
		return nil, fault.Newf(fault.Metadata, "not null")
	}
	return []byte{1, 2, 3}, nil
}

// TestForm checks the metadata of a Struct with a Form, alone and as a field.
func TestForm(t *testing.T) {
	plain, err := NewStruct(Field{Name: "a", Type: Int8}, Field{Name: "b", Type: Int16})
	if err != nil {
		t.Fatal(err)
	}
	s := plain.WithForm(pairForm{})
	if plain.Formed() || plain.Form() != nil || !s.Formed() || s.Form() != (pairForm{}) || s.Size() != 3 {
		t.Errorf("%v has the form %v, %v the form %v", plain, plain.Form(), s, s.Form())
	}
	if raw, err := s.V3(); err != nil || string(raw) != `"x.pair"` || s.String() != "x.pair" {
		t.Errorf("%v: %s, %v", s, raw, err)
	}
	if fill, err := s.ParseFill(json.RawMessage("null"), 3); err != nil || string(fill) != "\x01\x02\x03" {
		t.Errorf("fill value %v, %v", fill, err)
	}
	if raw, err := s.FormatFill(make([]byte, 3), 3); err != nil || string(raw) != "null" {
		t.Errorf("fill value %s, %v", raw, err)
	}
	if _, err := s.FormatFill(nil, 3); !errors.Is(err, fault.Metadata) {
		t.Errorf("fill value of another size: %v", err)
	}
	_, err1 := s.V2(Little)
	_, err2 := s.ParseFill(json.RawMessage("0"), 2)
	_, err3 := s.FormatFill(make([]byte, 3), 2)
	for _, err := range []error{err1, err2, err3} {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("in v2: %v", err)
		}
	}
	for _, same := range []Type{InOrder(s, Big), s.WithForm(s.Form())} {
		if !Equal(s, same) {
			t.Errorf("%v is not %v", same, s)
		}
	}
	if u, _, _ := Uniform(s); !Equal(s, u) {
		t.Errorf("%v is not %v", u, s)
	}
	if Equal(s, plain) || Equal(plain, s) || !Equal(plain, s.WithForm(nil)) {
		t.Error("Equal does not compare forms")
	}
	outer, err := NewStruct(Field{Name: "s", Type: s})
	if err != nil || !outer.Formed() || outer.Form() != nil {
		t.Errorf("%v: formed %v, %v", outer, outer.Formed(), err)
	}
	if raw, err := outer.V3(); err != nil || string(raw) != `{"name":"struct","configuration":{"fields":[{"name":"s","data_type":"x.pair"}]}}` {
		t.Errorf("%s, %v", raw, err)
	}
	if outer.WithForm(nil).Formed() != true {
		t.Error("a nested form was forgotten")
	}
}
