package tables

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// trials are configurations that are tried, in this order, for codecs that need one.
func trials() []string {
	return []string{"", `{"endian":"little"}`, `{"order":[1,0]}`,
		`{"chunk_shape":[1,2],"codecs":["bytes"],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}`,
		`{"dtype":"<f4"}`, `{"dtype":"<i2"}`, `{"dtype":"<f4","astype":"<i2","scale":1,"offset":0}`, `{"dtype":"<f4","digits":3}`, `{"encode_dtype":"<f4","decode_dtype":"<f4"}`,
		`{"keepbits":3}`, `{"elementsize":4}`, `{"elementsize":1}`, `{"labels":["a"],"dtype":"|O"}`, `{"labels":["a"],"dtype":"|S1"}`,
		`{"scale":"1","offset":"0"}`, `{"data_type":"float64"}`, `{"scale":1,"offset":0}`}
}

// notes are what a registry cannot tell.
func notes() map[string]string {
	return map[string]string{
		"sharding_indexed": "at most 8 in each other; index of a fixed size",
		"vlen-utf8":        "fewer than 2^32 elements in a chunk",
		"vlen-bytes":       "fewer than 2^32 elements in a chunk",
	}
}

// codecs lists the codecs, those that have a name in v3 and an id in v2 in one row. Each is bound, makes bytes of a chunk, and
// makes the chunk of them again.
func codecs() (string, error) {
	registry := codec.Builtin()
	const prefix = "numcodecs."
	ids := map[string][2]string{} // v3's name, and numcodecs', by what both end with
	var order []string
	for _, name := range registry.Names() {
		id, old := strings.CutPrefix(name, prefix)
		if _, seen := ids[id]; !seen {
			order = append(order, id)
		}
		pair := ids[id]
		if old {
			pair[1] = name
		} else {
			pair[0] = name
		}
		ids[id] = pair
	}
	slices.Sort(order)
	var rows [][]string
	for _, id := range order {
		pair := ids[id]
		name := cmp.Or(pair[0], pair[1])
		of, wrote, err := try(registry, name)
		if err != nil {
			return "", err
		}
		written := "yes"
		if !wrote {
			written = "no"
		}
		v2 := ""
		if pair[1] != "" {
			v2 = id
		}
		rows = append(rows, []string{code(name), code(v2), of, "yes", written, notes()[id]})
	}
	return table([]string{"v3 name", "v2 id", "from and to", "read", "written", "limits"}, rows), nil
}

// try binds a codec to a small chunk in whichever place it takes, and codes the chunk there and back.
func try(t *codec.Table, name string) (of string, wrote bool, err error) {
	chunks := []struct {
		in codec.Repr
		b  codec.Block
	}{
		{codec.Repr{Shape: []int{2, 2}, Type: dtype.Uint8, Fill: []byte{0}}, codec.Block{Bytes: []byte{1, 0, 1, 1}}},
		{codec.Repr{Shape: []int{2, 2}, Type: dtype.Float32, Fill: make([]byte, 4)}, codec.Block{Bytes: make([]byte, 16)}},
		{codec.Repr{Shape: []int{2, 2}, Type: dtype.Int16, Fill: make([]byte, 2)}, codec.Block{Bytes: make([]byte, 8)}},
		{codec.Repr{Shape: []int{2, 2}, Type: dtype.Bool, Fill: []byte{0}}, codec.Block{Bytes: []byte{1, 0, 1, 1}}},
		{codec.Repr{Shape: []int{2, 2}, Type: dtype.String, Fill: []byte{}}, codec.Block{Items: [][]byte{[]byte("a"), {}, []byte("a"), []byte("a")}}},
		{codec.Repr{Shape: []int{2, 2}, Type: dtype.Bytes, Fill: []byte{}}, codec.Block{Items: [][]byte{[]byte("a"), {}, []byte("a"), []byte("a")}}},
	}
	serial := codec.Spec{Name: "bytes", Config: json.RawMessage(`{"endian":"little"}`)}
	var first error
	for _, c := range chunks {
		for _, config := range trials() {
			s := codec.Spec{Name: name}
			if config != "" {
				s.Config = json.RawMessage(config)
			}
			for _, place := range []struct {
				of    string
				specs []codec.Spec
			}{{"array to bytes", []codec.Spec{s}}, {"array", []codec.Spec{s, serial}}, {"bytes", []codec.Spec{serial, s}}} {
				chain, err := t.Chain(place.specs, c.in)
				if err != nil {
					first = cmp.Or(first, err)
					continue
				}
				wrote, err := thereAndBack(chain, c.in, c.b)
				if err != nil {
					return "", false, fmt.Errorf("codec %q %s as %s: %w", name, config, place.of, err)
				}
				return place.of, wrote, nil
			}
		}
	}
	return "", false, fmt.Errorf("codec %q fits nothing that is tried here: add a configuration to trials: %w", name, first)
}

// thereAndBack tells whether a chunk can be encoded; it is then the same chunk again.
func thereAndBack(c *codec.Chain, in codec.Repr, b codec.Block) (bool, error) {
	stored, err := c.Encode(nil, b, nil)
	if errors.Is(err, errors.ErrUnsupported) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	back := codec.Block{}
	if b.Items != nil {
		back.Items = make([][]byte, len(b.Items))
	} else {
		back.Bytes = make([]byte, len(b.Bytes))
	}
	if err := c.Decode(back, stored, nil); err != nil {
		return false, err
	}
	if !bytes.Equal(back.Bytes, b.Bytes) || !slices.EqualFunc(back.Items, b.Items, bytes.Equal) {
		return false, fmt.Errorf("a chunk of %v is another one when it is read", in.Type)
	}
	return true, nil
}
