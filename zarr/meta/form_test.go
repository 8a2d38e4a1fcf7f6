package meta

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// maybe is the form of a structure whose fill value is null.
type maybe struct{}

func (maybe) String() string               { return "x.maybe" }
func (maybe) V3() (json.RawMessage, error) { return json.RawMessage(`"x.maybe"`), nil }
func (maybe) ParseFill(raw json.RawMessage) ([]byte, error) {
	if string(raw) != "null" {
		return nil, fault.Newf(fault.Metadata, "not null")
	}
	return []byte{5}, nil
}
func (maybe) FormatFill([]byte) (json.RawMessage, error) { return json.RawMessage("null"), nil }

// TestNullFill parses the fill value null of a structure with a form, without findings, and writes
// it. Other types have no fill value null in v3.
func TestNullFill(t *testing.T) {
	s, err := dtype.NewStruct(dtype.Field{Name: "a", Type: dtype.Int8})
	if err != nil {
		t.Fatal(err)
	}
	s = s.WithForm(maybe{})
	with := Parser{
		Types:   dtype.Standard().With("x.maybe", func(json.RawMessage) (dtype.Type, error) { return s, nil }),
		Lenient: func(f rule.Finding) error { return errors.New(f.Text) },
	}
	doc := strings.Replace(edit(t, valid3, `"float32"`, `{"name":"x.maybe","configuration":{"name":"int8"}}`), `"fill_value":0`, `"fill_value":null`, 1)
	n, err := with.V3("k", []byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	a := n.(*Array)
	if string(a.Fill) != "\x05" {
		t.Errorf("fill value %v", a.Fill)
	}
	if out, err := a.EncodeV3(); err != nil || !strings.Contains(string(out), `"fill_value": null`) {
		t.Errorf("%s, %v", out, err)
	}
	if err := with.parse(strings.Replace(doc, "null", "0", 1)); !errors.Is(err, fault.Metadata) {
		t.Errorf("fill value 0: %v", err)
	}
	if err := with.parse(edit(t, valid3, `"fill_value":0`, `"fill_value":null`)); !errors.Is(err, fault.Metadata) {
		t.Errorf("null for a number: %v", err)
	}
}
