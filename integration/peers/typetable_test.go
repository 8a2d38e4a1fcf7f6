package peers

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// The sizes of all arrays of TestTypes. Both axes end within a chunk. The boxes are written in this
// order. They omit the chunk (0, 1), which is a part of a shard, and the chunks (2, 0) and (3, 0),
// which are a whole shard.
var (
	typedShape, typedChunks, typedShards = []int{7, 5}, []int{2, 3}, []int{4, 3}
	typedBoxes                           = [][][2]int{{{0, 2}, {0, 3}}, {{2, 4}, {0, 5}}, {{4, 7}, {3, 5}}}
)

// kind is a data type with the values of its arrays.
type kind struct {
	Name   string          `json:"-"`
	Numpy  json.RawMessage `json:"numpy"`  // a numpy data type, one of ml_dtypes, "string" or "bytes"
	V3     json.RawMessage `json:"v3"`     // TensorStore's data_type, which cannot be derived from numpy's name
	Fill   string          `json:"fill"`   // in memory form, as hex
	Values []string        `json:"values"` // every element, in the same form

	typ dtype.Type
}

// kinds returns the data types of TestTypes: all types of zarr-python or TensorStore, and two that
// neither has. The names are numpy's if numpy has the type.
func kinds() []kind {
	var all []kind
	add := func(name, spelled string) {
		t, err := dtype.Parse(spelled)
		if err != nil {
			panic(err) // the types are constant
		}
		if name != "mixed" {
			t, _, _ = dtype.Uniform(t) // the byte order is a property of the array
		}
		all = append(all, newKind(name, t))
	}
	for _, t := range typeList() {
		add(t.String(), t.String())
	}
	for _, name := range []string{"M8[D]", "M8[s]", "M8[25us]", "M8[ns]", "m8[h]", "m8[10ms]", "m8[ns]", "S1", "S6", "U1", "U3", "V5", "V16"} {
		add(name, "<"+name)
	}
	add("r40", "r40")
	add("string", "string")
	add("bytes", "bytes")
	add("struct", `[["n","<i2"],["x","<f8"],["s","|S3"],["t","<M8[s]"]]`)
	add("mixed", `[["n","<i2"],["x",">f8"]]`)
	add("pair", `[["re","<f4"],["im","<i4"]]`)
	add("nested", `[["a","|u1"],["b",[["c","<i4"],["d","<U2"]]]]`)
	add("subarray", `[["a","|u1"],["b","<i2",[2,3]]]`)
	for _, name := range []string{
		"bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
		"float8_e8m0fnu", "float4_e2m1fn", "int2", "int4", "uint4",
	} {
		add(name, name)
	}
	return all
}

func newKind(name string, t dtype.Type) kind {
	numpy, err := json.Marshal(name)
	switch t.(type) {
	case dtype.Basic, dtype.VarLen:
	default:
		numpy, err = t.V2(dtype.Little)
	}
	if err != nil {
		panic(err) // the types are constant
	}
	v3, err := t.V3()
	if err != nil {
		v3 = json.RawMessage("null") // v3 does not have this type
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	r := rand.New(rand.NewPCG(h.Sum64(), 0))
	k := kind{Name: name, Numpy: numpy, V3: v3, Fill: hex.EncodeToString(valueOf(r, t, true)), typ: t}
	for range typedShape[0] * typedShape[1] {
		k.Values = append(k.Values, hex.EncodeToString(valueOf(r, t, false)))
	}
	return k
}

// valueOf returns a random element in memory form. Numbers have any bits, except that the fill
// value of floats is 1: [Matrix] tests other fill values in metadata.
func valueOf(r *rand.Rand, t dtype.Type, fill bool) []byte {
	const letters = "aé漢𝄞Z"
	switch t := t.(type) {
	case *dtype.Struct:
		var b []byte
		for _, f := range t.Fields() {
			for range f.Elems() {
				b = append(b, valueOf(r, f.Type, fill)...)
			}
		}
		return b
	case dtype.U:
		b := make([]byte, t.Size())
		for i := range r.IntN(int(t) + 1) {
			copy(b[4*i:], raw([]rune{pickRune(r, letters)}))
		}
		return b
	case dtype.S:
		b := make([]byte, t.Size())
		for i := range r.IntN(int(t) + 1) {
			b[i] = byte(1 + r.IntN(255))
		}
		return b
	case dtype.VarLen:
		var b []byte
		for range r.IntN(9) {
			b = append(b, string(pickRune(r, letters))...)
		}
		if t == dtype.Bytes && len(b) > 0 {
			b[0] = 0xff // not valid UTF-8
		}
		return b
	case dtype.Basic:
		if one := map[bool]string{true: "[1,1]", false: "1"}[strings.HasPrefix(t.String(), "complex")]; fill && t != dtype.Bool {
			b, err := t.ParseFill(json.RawMessage(one), 3)
			if err != nil {
				panic(err) // every float of the table can represent 1
			}
			return b
		}
	}
	b := make([]byte, t.Size())
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	switch t {
	case dtype.Bool:
		b[0] &= 1
	case dtype.Uint4, dtype.Float4E2M1FN:
		b[0] &= 0xf
	case dtype.Int2:
		b[0] = byte(int8(b[0]) >> 6) // sign extended
	case dtype.Int4:
		b[0] = byte(int8(b[0]) >> 4)
	}
	return b
}

func pickRune(r *rand.Rand, of string) rune {
	runes := []rune(of)
	return runes[r.IntN(len(runes))]
}

// typed is one array of TestTypes.
type typed struct {
	Name      string `json:"name"` // also used as path
	Kind      string `json:"kind"`
	Format    int    `json:"format"`
	Endian    string `json:"endian"` // "little" or "big"; "" for types without byte order
	Memory    string `json:"memory"` // "C" or "F"
	Separator string `json:"separator"`
	Sharded   bool   `json:"sharded"`

	kind kind
}

// typedArrays returns an array of every kind in each byte order or, in little-endian, column by
// column, in both formats, with both separators, and in v3 with and without shards.
func typedArrays() []typed {
	var all []typed
	for _, k := range kinds() {
		for _, format := range []int{2, 3} {
			if !k.spelled(format, dtype.Little) || k.Name == "mixed" && format == 3 || k.Name == "r40" && format == 2 {
				continue
			}
			layouts := []typed{{Memory: "C"}, {Memory: "F"}}
			if k.typ.HasOrder() {
				layouts = []typed{{Memory: "C", Endian: "little"}, {Memory: "F", Endian: "little"}}
				if k.spelled(format, dtype.Big) {
					layouts = append(layouts, typed{Memory: "C", Endian: "big"})
				}
			}
			for _, a := range layouts {
				for _, a.Separator = range []string{".", "/"} {
					for _, a.Sharded = range []bool{false, true}[:format-1] {
						a.Kind, a.Format, a.kind = k.Name, format, k
						a.Name = strings.Join([]string{k.Name, fmt.Sprint("v", format), a.Memory, a.Endian, map[string]string{".": "dot", "/": "slash"}[a.Separator], map[bool]string{true: "shards", false: "chunks"}[a.Sharded]}, "-")
						all = append(all, a)
					}
				}
			}
		}
	}
	return all
}

// spelled reports whether a format has the data type. v3 does not have structures with subarrays.
// v2 does not have the small numbers of TensorStore, and has bfloat16 only in little-endian order.
func (k kind) spelled(format int, order dtype.Order) bool {
	var err error
	if format == 3 {
		_, err = k.typ.V3()
	} else {
		_, err = k.typ.V2(order)
	}
	return err == nil
}

func (a typed) spec() zarr.Spec {
	order := map[string]dtype.Order{"little": dtype.Little, "big": dtype.Big}[a.Endian]
	s := zarr.Spec{
		Format: a.Format, Shape: typedShape, Chunks: typedChunks, DType: a.kind.typ, Order: a.Memory, Separator: a.Separator,
		Codecs: []codec.Spec{codec.Gzip(1)},
	}
	if a.Sharded {
		s.Shards = typedShards
	}
	if _, vary := a.kind.typ.(dtype.VarLen); !vary {
		s.Codecs = append(s.Codecs, codec.Bytes(order))
	}
	stored := a.kind.typ
	if a.Format == 2 {
		stored = dtype.InOrder(stored, max(order, dtype.Little)) // the fill value of a structure is also in this order
	}
	fill, err := stored.FormatFill(unhex(a.kind.Fill), a.Format)
	if err != nil {
		panic(err) // the types are constant
	}
	s.Fill = fill
	return s
}

// expected returns every element that a reader must see.
func (k kind) expected() []string {
	out := make([]string, len(k.Values))
	for i := range out {
		out[i] = k.Fill
	}
	for _, box := range typedBoxes {
		eachOf(box, typedShape, func(i int) { out[i] = k.Values[i] })
	}
	return out
}

// part returns the elements of a box, in C order.
func (k kind) part(box [][2]int) (out [][]byte) {
	eachOf(box, typedShape, func(i int) { out = append(out, unhex(k.Values[i])) })
	return out
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err) // the types are constant
	}
	return b
}
