package numcodecs_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"

	"github.com/zargo-io/zargo/integration/numcodecs"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// objectID is a codec of objects.
type objectID struct {
	name, id string
	cases    int
	exact    bool
	config   func(r *rand.Rand) numcodecs.Config
	item     func(r *rand.Rand, c numcodecs.Config) any // returns one object, for encoding/json
}

func objectIDs() []objectID {
	return []objectID{
		{"vlen-utf8", "vlen-utf8", 500, true, nil, func(r *rand.Rand, _ numcodecs.Config) any { return word(r) }},
		{"vlen-bytes", "vlen-bytes", 500, true, nil, func(r *rand.Rand, _ numcodecs.Config) any { return blob(r) }},
		{"vlen-array", "vlen-array", 1000, true, arrayConfig, numbers},
		{"json2", "json2", 2000, true, jsonConfig, func(r *rand.Rand, c numcodecs.Config) any { return object(r, 4, false, c["allow_nan"] != false) }},
		{"msgpack2", "msgpack2", 2000, true, msgpackConfig, func(r *rand.Rand, _ numcodecs.Config) any { return object(r, 4, true, true) }},
		{"categorize", "categorize", 1000, true, labelConfig, func(r *rand.Rand, _ numcodecs.Config) any { return label(r.IntN(12)) }},
	}
}

// TestObjects encodes and decodes arrays of objects with numcodecs and zargo, and compares the
// objects and the stored bytes.
func TestObjects(t *testing.T) {
	each(t, tryObjectIDs)
}

func tryObjectIDs(t *testing.T, j *numcodecs.Judge, _ bool) {
	for _, id := range objectIDs() {
		t.Run(id.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, uint64(len(id.name))))
			cases := id.cases
			if !*full {
				cases = min(cases, 8)
			}
			for i := range cases {
				tryObjects(t, j, id, r)
				if t.Failed() {
					t.Fatalf("case %d", i)
				}
			}
		})
	}
}

func tryObjects(t *testing.T, j *numcodecs.Judge, id objectID, r *rand.Rand) {
	t.Helper()
	var c numcodecs.Config
	if id.config != nil {
		c = id.config(r)
	}
	array := make([]any, r.IntN(12))
	for i := range array {
		array[i] = id.item(r, c)
	}
	list, err := json.Marshal(array)
	if err != nil {
		t.Fatal(err)
	}
	config := c.JSON(id.id)
	about := func(what string, why any) { t.Helper(); t.Errorf("%s %s of %.2000s: %v", config, what, list, why) }
	q := numcodecs.Question{Config: config, DType: "|O"}
	theirs, err := j.Encode(q, list)
	if err != nil {
		about("numcodecs encodes", err)
		return
	}
	back, err := j.Decode(q, theirs)
	if err != nil {
		about("numcodecs decodes its own", err)
		return
	}

	typ, _, err := dtype.Standard().ParseV2(json.RawMessage(`"|O"`), string(config))
	if err != nil {
		about("data type", err)
		return
	}
	chain, err := codec.Builtin().Chain([]codec.Spec{codec.FromNumcodecs(id.id, config)}, codec.Repr{Shape: []int{len(array)}, Type: typ})
	if err != nil {
		about("chain", err)
		return
	}
	got := make([][]byte, len(array))
	if err := chain.Decode(codec.Block{Items: got}, theirs, nil); err != nil {
		about("zargo decodes numcodecs'", err)
		return
	}
	if told := tell(t, typ, got); !same(told, back) {
		about("zargo decodes numcodecs'", string(told)+", want "+string(back))
	}
	ours, err := chain.Encode(nil, codec.Block{Items: listen(t, typ, array)}, nil)
	if err != nil {
		about("zargo encodes", err)
		return
	}
	if id.exact && !bytes.Equal(ours, theirs) {
		about("zargo encodes", differ(ours, theirs))
	}
	if again, err := j.Decode(q, ours); err != nil || !same(again, back) {
		about("numcodecs decodes zargo's", string(again))
	}
}

// same compares two lists in JSON.
func same(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// tell formats elements like judge.py.
func tell(t *testing.T, typ dtype.Type, items [][]byte) []byte {
	t.Helper()
	list := make([]any, len(items))
	for i, b := range items {
		switch typ := typ.(type) {
		case dtype.Ragged:
			array := []json.RawMessage{}
			for k, n := 0, typ.Elem.Size(); k < len(b); k += n {
				raw, err := typ.Elem.FormatFill(b[k:k+n], 2)
				if err != nil {
					t.Fatal(err)
				}
				if raw[0] == '"' {
					raw = json.RawMessage(`{"float":` + string(raw) + `}`)
				}
				array = append(array, raw)
			}
			list[i] = array
		case dtype.VarLen:
			list[i] = map[dtype.VarLen]any{dtype.String: string(b), dtype.Bytes: b64(b), dtype.JSON: json.RawMessage(b)}[typ]
		}
	}
	out, err := json.Marshal(list)
	if err != nil {
		t.Fatalf("%v of %q", err, items)
	}
	return out
}

// listen converts the objects of a case to elements.
func listen(t *testing.T, typ dtype.Type, array []any) [][]byte {
	t.Helper()
	items := make([][]byte, len(array))
	for i, v := range array {
		switch typ := typ.(type) {
		case dtype.Ragged:
			for _, n := range v.([]any) {
				raw, err := json.Marshal(n)
				if err != nil {
					t.Fatal(err)
				}
				b, err := typ.Elem.ParseFill(raw, 2)
				if err != nil {
					t.Fatal(err)
				}
				items[i] = append(items[i], b...)
			}
		case dtype.VarLen:
			switch typ {
			case dtype.String:
				items[i] = []byte(v.(string))
			case dtype.Bytes:
				items[i] = v.(b64)
			default:
				raw, err := json.Marshal(v)
				if err != nil {
					t.Fatal(err)
				}
				items[i] = raw
			}
		}
	}
	return items
}

// b64 represents bytes, as an object with one member.
type b64 []byte

func (b b64) MarshalJSON() ([]byte, error) { return json.Marshal(map[string][]byte{"b64": b}) }

// real is a floating-point number that is formatted with a decimal point, as in Python.
type real float64

func (f real) MarshalJSON() ([]byte, error) {
	switch v := float64(f); {
	case math.IsNaN(v):
		return []byte(`{"float":"NaN"}`), nil
	case math.IsInf(v, 1):
		return []byte(`{"float":"Infinity"}`), nil
	case math.IsInf(v, -1):
		return []byte(`{"float":"-Infinity"}`), nil
	case v == math.Trunc(v) && math.Abs(v) < 1e16:
		return strconv.AppendFloat(nil, v, 'f', 1, 64), nil
	case math.Abs(v) < 1e-4 || math.Abs(v) >= 1e16:
		return strconv.AppendFloat(nil, v, 'e', -1, 64), nil
	default:
		return strconv.AppendFloat(nil, v, 'f', -1, 64), nil
	}
}

func word(r *rand.Rand) string {
	const alphabet = "abc \"\\/\x00\n\t\x1f\x7féßλ漢字😀\u2028<>&"
	all := []rune(alphabet)
	s := make([]rune, r.IntN(9))
	if r.IntN(30) == 0 {
		s = make([]rune, r.IntN(70_000))
	}
	for i := range s {
		s[i] = all[r.IntN(len(all))]
	}
	return string(s)
}

func blob(r *rand.Rand) b64 {
	b := make([]byte, r.IntN(9))
	if r.IntN(30) == 0 {
		b = make([]byte, r.IntN(70_000))
	}
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// object returns a random value.
func object(r *rand.Rand, depth int, bytes, nan bool) any {
	kinds := 8
	if depth == 0 {
		kinds = 6
	}
	switch r.IntN(kinds) {
	case 0:
		return []any{nil, true, false}[r.IntN(3)]
	case 1:
		return r.Int64() >> r.IntN(64)
	case 2:
		return r.Uint64() >> r.IntN(64)
	case 3:
		f := real(math.Float64frombits(r.Uint64()))
		if r.IntN(2) == 0 {
			f = real(math.Round(r.NormFloat64() * 1000))
		}
		if !nan && (f != f || math.IsInf(float64(f), 0)) {
			return nil
		}
		return f
	case 4:
		if bytes {
			return blob(r)
		}
		return word(r)
	case 5:
		return word(r)
	case 6:
		list := make([]any, r.IntN(5))
		if r.IntN(20) == 0 {
			list = make([]any, r.IntN(300))
		}
		for i := range list {
			list[i] = object(r, depth-1, bytes, nan)
		}
		return list
	}
	members := map[string]any{}
	for range r.IntN(20) {
		members[word(r)] = object(r, depth-1, bytes, nan)
	}
	return members
}

func jsonConfig(r *rand.Rand) numcodecs.Config {
	// sort_keys is always set: without it, encoding/json writes members in another order than a
	// Python dict.
	return sometimes(r, numcodecs.Config{"encoding": "utf-8", "ensure_ascii": r.IntN(2) == 0, "allow_nan": r.IntN(2) == 0, "sort_keys": true,
		"skipkeys": false, "check_circular": true, "indent": nil, "separators": []string{",", ":"}, "strict": r.IntN(2) == 0})
}

func msgpackConfig(r *rand.Rand) numcodecs.Config {
	return sometimes(r, numcodecs.Config{"use_single_float": false, "use_bin_type": true, "raw": false})
}

func arrayConfig(r *rand.Rand) numcodecs.Config {
	return numcodecs.Config{"dtype": []string{"<i4", ">i2", "|u1", "<f8", ">f4", "|b1", "<u8"}[r.IntN(7)]}
}

func numbers(r *rand.Rand, c numcodecs.Config) any {
	list := make([]any, r.IntN(6))
	for i := range list {
		switch c["dtype"].(string)[1] {
		case 'i':
			list[i] = r.IntN(1<<16) - 1<<15
		case 'u':
			list[i] = r.IntN(256)
		case 'f':
			list[i] = real(math.Round(r.NormFloat64()*1000) / 8)
		case 'b':
			list[i] = r.IntN(2) == 0
		}
	}
	return list
}

func label(i int) string {
	return []string{"red", "green", "blue", "", "é", "漢字😀", "violet", "red ", "Red", "x", "yellow", "long label of some length"}[i]
}

// labelConfig returns a random selection of labels, some of them twice.
func labelConfig(r *rand.Rand) numcodecs.Config {
	labels := make([]string, r.IntN(10))
	for i := range labels {
		labels[i] = label(r.IntN(12))
	}
	return numcodecs.Config{"labels": labels, "dtype": "|O", "astype": []string{"|u1", "<u2", ">i4", "|i1", "<u8"}[r.IntN(5)]}
}
