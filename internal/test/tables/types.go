package tables

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// types returns a table of the data types by their v3 name.
func types() (string, error) {
	t := dtype.Standard()
	var rows [][]string
	for _, name := range t.Names() {
		typ, config, err := sample(t, name)
		if err != nil {
			return "", err
		}
		spelled := code(name)
		if config != "" {
			spelled += " of " + code(config)
		}
		rows = append(rows, typeRow(spelled, name, typ))
	}
	for _, more := range []struct{ name, raw string }{
		{"r24", `"r24"`},
		{"struct", `{"name":"struct","configuration":{"fields":[{"name":"a","data_type":"int16"},{"name":"b","data_type":"float64"}]}}`},
		{"structured", `{"name":"structured","configuration":{"fields":[["a","int16"],["b","float64"]]}}`},
	} {
		typ, err := t.ParseV3(json.RawMessage(more.raw))
		if err != nil {
			return "", err
		}
		rows = append(rows, typeRow(code(more.name), more.name, typ))
	}
	return table([]string{"v3 name", "written in v3", "v2, little-endian", "bytes", "Go"}, rows), nil
}

// sample parses the data type with a name, with a configuration if the data type requires one.
func sample(t *dtype.Table, name string) (dtype.Type, string, error) {
	typ, err := t.ParseV3(json.RawMessage(strconv.Quote(name)))
	if err == nil {
		return typ, "", nil
	}
	for _, c := range configs() {
		if typ, again := t.ParseV3(json.RawMessage(fmt.Sprintf(`{"name":%q,"configuration":%s}`, name, c))); again == nil {
			return typ, c, nil
		}
	}
	return nil, "", fmt.Errorf("data type %q accepts none of the configurations: %w", name, err)
}

// configs returns the configurations that are tried in turn for data types that require a
// configuration.
func configs() []string {
	return []string{`{"unit":"s","scale_factor":1}`, `{"length_bytes":8}`}
}

func typeRow(spelled, name string, typ dtype.Type) []string {
	written := "yes"
	if raw, err := typ.V3(); err != nil {
		written = "no"
	} else if !strings.Contains(string(raw), `"`+name+`"`) {
		written = "as " + code(nameIn(raw))
	}
	order := dtype.NoOrder
	if typ.HasOrder() {
		order = dtype.Little
	}
	v2 := ""
	if raw, err := typ.V2(order); err == nil {
		if v2 = code(string(raw)); raw[0] == '"' {
			v2 = code(nameIn(raw))
		}
	}
	size := "any"
	if n := typ.Size(); n > 0 {
		size = strconv.Itoa(n)
	}
	return []string{spelled, written, v2, size, code(strings.ReplaceAll(typ.Go().String(), "github.com/zargo-io/zargo/zarr/", ""))}
}

// nameIn returns the name in the JSON form of a data type, which is a string or an object.
func nameIn(raw []byte) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var o struct{ Name string }
	_ = json.Unmarshal(raw, &o) // the JSON was just encoded, so it is valid
	return o.Name
}
