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

// codecs generates the table of the codecs. A codec with a v3 name and a v2 id has one row. Each
// codec is bound and must encode and decode a chunk, unless it is unsupported in every position.
func codecs() (string, error) {
	registry := codec.Builtin()
	const prefix = "numcodecs."
	ids := map[string][2]string{} // names in v3 and in numcodecs, by their common suffix
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
		of, err := places(registry, name)
		if err != nil {
			return "", err
		}
		known := "yes"
		if of == "" {
			known = "no"
		}
		v2 := ""
		if pair[1] != "" {
			v2 = id
		}
		rows = append(rows, []string{code(name), code(v2), of, known, notes()[id]})
	}
	return table([]string{"v3 name", "v2 id", "encodes", "read and written", "limits"}, rows), nil
}

// notes returns the limits of some codecs, by the name of the codec. The registry does not contain
// these limits.
func notes() map[string]string {
	return map[string]string{
		"sharding_indexed": "at most 8 levels of nesting; an index of fixed size",
		"vlen-utf8":        "fewer than 2^32 elements in a chunk",
		"packbits":         "`packbits` of v2 is another format; its v3 name is `numcodecs.packbits`",
		"vlen-bytes":       "fewer than 2^32 elements in a chunk",
	}
}

// places tries a codec in each position of a chain: it binds the codec, and encodes and decodes a
// small chunk. It returns the positions where this succeeded, or "" if the codec is unsupported in
// all positions.
func places(t *codec.Table, name string) (string, error) {
	serial := codec.Spec{Name: "bytes", Config: json.RawMessage(`{"endian":"little"}`)}
	var of []string
	var first error
	for _, place := range []struct {
		of    string
		chain func(s codec.Spec) []codec.Spec
	}{
		{"array to bytes", func(s codec.Spec) []codec.Spec { return []codec.Spec{s} }},
		{"array", func(s codec.Spec) []codec.Spec { return []codec.Spec{s, serial} }},
		{"bytes", func(s codec.Spec) []codec.Spec { return []codec.Spec{serial, s} }},
	} {
		switch err := anyTrial(t, name, place.chain); {
		case err == nil:
			of = append(of, place.of)
		case !errors.Is(err, errors.ErrUnsupported):
			first = cmp.Or(first, err)
		}
	}
	if of == nil && first != nil {
		return "", fmt.Errorf("codec %q accepts none of the configurations: add one to trials: %w", name, first)
	}
	return strings.Join(of, "; "), nil
}

// trials returns the configurations that are tried in turn for codecs that require a configuration.
func trials() []string {
	return []string{"", `{"endian":"little"}`, `{"order":[1,0]}`,
		`{"chunk_shape":[1,2],"codecs":["bytes"],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}`,
		`{"dtype":"<f4"}`, `{"dtype":"<i2"}`, `{"dtype":"<f4","astype":"<i2","scale":1,"offset":0}`, `{"dtype":"<f4","digits":3}`, `{"encode_dtype":"<f4","decode_dtype":"<f4"}`,
		`{"keepbits":3}`, `{"elementsize":4}`, `{"elementsize":1}`, `{"labels":["a"],"dtype":"|O"}`, `{"labels":["a"],"dtype":"|S1"}`,
		`{"scale":"1","offset":"0"}`, `{"data_type":"float64"}`, `{"scale":1,"offset":0}`, `{"shape":[4]}`}
}

// anyTrial returns nil if one of the configurations succeeds for one of the chunks. Otherwise it
// returns the first error that is not errors.ErrUnsupported, or ErrUnsupported if all errors are.
func anyTrial(t *codec.Table, name string, chain func(codec.Spec) []codec.Spec) error {
	var unsupported, first error
	for _, c := range chunks() {
		if c.b.Items != nil && len(chain(codec.Spec{})) > 1 {
			continue // the codec bytes does not encode items
		}
		for _, config := range trials() {
			s := codec.Spec{Name: name}
			if config != "" {
				s.Config = json.RawMessage(config)
			}
			switch err := thereAndBack(t, chain(s), c); {
			case err == nil:
				return nil
			case errors.Is(err, errors.ErrUnsupported):
				unsupported = err
			default:
				first = cmp.Or(first, err)
			}
		}
	}
	return cmp.Or(first, unsupported)
}

// chunk is a small chunk that is encoded to try a codec.
type chunk struct {
	in codec.Repr
	b  codec.Block
}

func chunks() []chunk {
	shape := []int{2, 2}
	fixed := func(t dtype.Type, b ...byte) chunk {
		array := make([]byte, 4*t.Size())
		copy(array, b)
		return chunk{codec.Repr{Shape: shape, Type: t, Fill: make([]byte, t.Size())}, codec.Block{Bytes: array}}
	}
	items := func(t dtype.Type, a, b string) chunk {
		return chunk{codec.Repr{Shape: shape, Type: t, Fill: []byte{}}, codec.Block{Items: [][]byte{[]byte(a), []byte(b), []byte(a), []byte(a)}}}
	}
	return []chunk{fixed(dtype.Uint8, 1, 0, 1, 1), fixed(dtype.Float32), fixed(dtype.Int16), fixed(dtype.Bool, 1, 0, 1, 1),
		items(dtype.String, "a", ""), items(dtype.Bytes, "a", ""),
		items(dtype.JSON, `"a"`, "1"), items(dtype.Ragged{Elem: dtype.Int16, Order: dtype.Little}, "ab", "")}
}

// thereAndBack encodes and decodes a chunk. It returns an error if the result differs from the
// chunk.
func thereAndBack(t *codec.Table, specs []codec.Spec, c chunk) error {
	chain, err := t.Chain(specs, c.in)
	if err != nil {
		return err
	}
	stored, err := chain.Encode(nil, c.b, nil)
	if err != nil {
		return err
	}
	back := codec.Block{Bytes: make([]byte, len(c.b.Bytes)), Items: make([][]byte, len(c.b.Items))}
	if err := chain.Decode(back, stored, nil); err != nil {
		return err
	}
	if !bytes.Equal(back.Bytes, c.b.Bytes) || !slices.EqualFunc(back.Items, c.b.Items, bytes.Equal) {
		return fmt.Errorf("a chunk of %v differs after encoding and decoding", c.in.Type)
	}
	return nil
}
