package cf_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// variable is a line of testdata/values.jsonl.
type variable struct {
	Type    string         `json:"type"`
	Attrs   map[string]any `json:"attrs"`
	Stored  []any          `json:"stored"`
	Decoded []*float64     `json:"decoded"`
	DType   string         `json:"dtype"` // of the values that xarray returns
}

// stored returns the stored values as numbers of a Go type.
func stored[S cf.Number](t *testing.T, values []any) []S {
	t.Helper()
	out := make([]S, len(values))
	for i, v := range values {
		text, ok := v.(string)
		if !ok {
			text = v.(json.Number).String()
		}
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			out[i] = S(n)
			continue
		}
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = S(f)
	}
	return out
}

// decoded returns the decoded values and the number of missing ones.
func decoded[S cf.Number](t *testing.T, c *cf.Coding, values []any) ([]float64, int) {
	t.Helper()
	src := stored[S](t, values)
	dst, missing := make([]float64, len(src)), make([]bool, len(src))
	n, err := cf.Missing(c, missing, src)
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, cf.Decode(c, dst, src))
	l, err := cf.LoopOf[S](c)
	succeed(t, err)
	one := make([]S, len(src))
	succeed(t, cf.Unify(c, l, one, src))
	for i, m := range missing {
		if v := one[i]; m != (v != v || l.Has && v == l.Missing) || !m && v != src[i] || !l.Several && v == v && v != src[i] {
			t.Errorf("value %d is missing: %v, unified from %v to %v by %+v", i, m, src[i], v, l)
		}
		if !m && !l.Flipped && dst[i] != float64(float64(src[i])*l.Scale)+l.Offset {
			t.Errorf("value %d is %v, decoded %v by %+v", i, src[i], dst[i], l)
		}
		if m != math.IsNaN(dst[i]) {
			t.Errorf("value %d is missing: %v, decoded: %v", i, m, dst[i])
		}
	}
	return dst, n
}

func values(t *testing.T, c *cf.Coding, typ string, src []any) ([]float64, int) {
	t.Helper()
	switch typ {
	case "int8":
		return decoded[int8](t, c, src)
	case "int16":
		return decoded[int16](t, c, src)
	case "int32":
		return decoded[int32](t, c, src)
	case "uint8":
		return decoded[uint8](t, c, src)
	case "uint16":
		return decoded[uint16](t, c, src)
	case "uint32":
		return decoded[uint32](t, c, src)
	case "float16", "float32":
		return decoded[float32](t, c, src)
	case "float64":
		return decoded[float64](t, c, src)
	}
	t.Fatal(typ)
	return nil, 0
}

// TestValues compares decoded values with those of xarray; testdata/generate_values.py wrote them.
// xarray scales in float32 or float16 where zargo scales in float64, so they may differ by the
// precision of the type.
func TestValues(t *testing.T) {
	text, err := os.ReadFile("testdata/values.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range bytes.Lines(text) {
		var v variable
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		succeed(t, d.Decode(&v))
		typ, err := dtype.Parse(v.Type)
		if err != nil {
			t.Fatal(err)
		}
		c, err := cf.New(cf.Variable{Name: "v", Type: typ, Attrs: v.Attrs}, cf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		offset, _ := v.Attrs["add_offset"].(json.Number)
		add, _ := offset.Float64()
		precision := map[string]float64{"float16": 1. / 1024, "float32": 1. / (1 << 22), "float64": 1. / (1 << 51)}[v.DType]
		got, _ := values(t, c, v.Type, v.Stored)
		for i, want := range v.Decoded {
			switch {
			case want == nil && math.IsNaN(got[i]):
			case want != nil && math.Abs(got[i]-*want) <= precision*(math.Abs(*want)+2*math.Abs(add)):
			default:
				t.Errorf("%s: value %d is %v, %v", line, i, got[i], c.Findings())
			}
		}
		n++
	}
	if n != 600 {
		t.Errorf("%d variables, want 600", n)
	}
}
