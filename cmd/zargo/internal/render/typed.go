package render

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// typed returns the function that formats elements other than plain numbers: small numbers, times,
// text, bytes and structures.
func (s spelling) typed(t dtype.Type) (element, error) {
	switch t := t.(type) {
	case dtype.Basic:
		if one := s.small(t); one != nil {
			return one, nil
		}
	case dtype.DateTime:
		return func(dst, b []byte) []byte {
			return s.word(dst, t.Format(dtype.Instant(binary.LittleEndian.Uint64(b))))
		}, nil
	case dtype.TimeDelta:
		return func(dst, b []byte) []byte {
			if n := int64(binary.LittleEndian.Uint64(b)); n != dtype.NaT {
				return strconv.AppendInt(dst, n, 10)
			}
			return s.word(dst, "NaT")
		}, nil
	case dtype.S:
		return func(dst, b []byte) []byte { return s.text(dst, []byte(dtype.Text(b))) }, nil
	case dtype.U:
		return func(dst, b []byte) []byte {
			r := make([]rune, len(b)/4)
			for i := range r {
				r[i] = rune(binary.LittleEndian.Uint32(b[4*i:]))
			}
			return s.text(dst, []byte(dtype.Runes(r)))
		}, nil
	case dtype.V, dtype.R:
		return s.bytes, nil
	case Items:
		return s.varied(t)
	case *dtype.Struct:
		return s.structure(t)
	}
	return nil, fault.Newf(errors.ErrUnsupported, "elements of %v cannot be printed as text", t)
}

// word formats a word that needs no escapes. In JSON it is quoted.
func (s spelling) word(dst []byte, w string) []byte {
	if s.form == formJSON {
		return append(append(append(dst, '"'), w...), '"')
	}
	return append(dst, w...)
}

// text formats text. If the text is not UTF-8, it is formatted as bytes in JSON, and with escapes
// in other formats.
func (s spelling) text(dst, b []byte) []byte {
	switch {
	case s.form == formJSON && utf8.Valid(b):
		return appendJSON(dst, string(b))
	case s.form == formJSON:
		return s.bytes(dst, b)
	case s.form == formCSV && utf8.Valid(b):
		return AppendCell(dst, string(b))
	case s.form == formCSV:
		q := strconv.Quote(string(b))
		return AppendCell(dst, q[1:len(q)-1])
	}
	return strconv.AppendQuote(dst, string(b))
}

// bytes formats bytes as {"b64": …} in JSON, base64 in CSV and hexadecimal in text.
func (s spelling) bytes(dst, b []byte) []byte {
	switch s.form {
	case formJSON:
		return append(base64.StdEncoding.AppendEncode(append(dst, `{"b64": "`...), b), `"}`...)
	case formCSV:
		return base64.StdEncoding.AppendEncode(dst, b)
	}
	return hex.AppendEncode(append(dst, "0x"...), b)
}

func appendJSON(dst []byte, s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // encoding a string cannot fail
	return append(dst, bytes.TrimRight(b.Bytes(), "\n")...)
}

// AppendCell appends a CSV cell, quoted if necessary (RFC 4180).
func AppendCell(dst []byte, s string) []byte {
	if s != "" && !strings.ContainsAny(s, ",\"\r\n") && strings.TrimSpace(s) == s {
		return append(dst, s...)
	}
	return append(append(append(dst, '"'), strings.ReplaceAll(s, `"`, `""`)...), '"')
}

// structure returns the function that formats a structure: as an object in JSON, as one cell that
// contains such an object in CSV, and as a tuple in text.
func (s spelling) structure(t *dtype.Struct) (element, error) {
	if s.form == formCSV {
		one, err := jsonSpelling().structure(t)
		return func(dst, b []byte) []byte { return AppendCell(dst, string(one(nil, b))) }, err
	}
	fields := t.Fields()
	ones := make([]element, len(fields))
	for i, f := range fields {
		one, err := elements(f.Type, s)
		if err != nil {
			return nil, err
		}
		ones[i] = one
	}
	open, end := byte('('), byte(')')
	if s.form == formJSON {
		open, end = '{', '}'
	}
	return func(dst, b []byte) []byte {
		dst = append(dst, open)
		for i, f := range fields {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			if s.form == formJSON {
				dst = append(appendJSON(dst, f.Name), ": "...)
			}
			dst = appendNested(dst, b[f.Offset:f.Offset+f.Size()], f.Shape, ones[i])
		}
		return append(dst, end)
	}, nil
}

// appendNested appends the values of a field. If the field is an array, it appends nested lists.
func appendNested(dst, b []byte, shape []int, one element) []byte {
	if len(shape) == 0 {
		return one(dst, b)
	}
	dst = append(dst, '[')
	step := len(b) / shape[0]
	for i := range shape[0] {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendNested(dst, b[i*step:(i+1)*step], shape[1:], one)
	}
	return append(dst, ']')
}

// small returns the function that formats numbers of a type outside the core specification with at
// most 16 bits per component. It returns nil for other types.
func (s spelling) small(t dtype.Basic) element {
	switch t {
	case dtype.Int2, dtype.Int4:
		return func(dst, b []byte) []byte { return strconv.AppendInt(dst, int64(int8(b[0])), 10) }
	case dtype.Uint2, dtype.Uint4:
		return func(dst, b []byte) []byte { return strconv.AppendUint(dst, uint64(b[0]), 10) }
	case dtype.BFloat16, dtype.ComplexBFloat16:
		return shortFloat[dtype.BF16](s, t)
	case dtype.ComplexFloat16:
		return s.complex(s.half, 2)
	case dtype.Float8E3M4, dtype.ComplexFloat8E3M4:
		return shortFloat[dtype.F8E3M4](s, t)
	case dtype.Float8E4M3, dtype.ComplexFloat8E4M3:
		return shortFloat[dtype.F8E4M3](s, t)
	case dtype.Float8E4M3B11FNUZ, dtype.ComplexFloat8E4M3B11FNUZ:
		return shortFloat[dtype.F8E4M3B11FNUZ](s, t)
	case dtype.Float8E4M3FN, dtype.ComplexFloat8E4M3FN:
		return shortFloat[dtype.F8E4M3FN](s, t)
	case dtype.Float8E4M3FNUZ, dtype.ComplexFloat8E4M3FNUZ:
		return shortFloat[dtype.F8E4M3FNUZ](s, t)
	case dtype.Float8E5M2, dtype.ComplexFloat8E5M2:
		return shortFloat[dtype.F8E5M2](s, t)
	case dtype.Float8E5M2FNUZ, dtype.ComplexFloat8E5M2FNUZ:
		return shortFloat[dtype.F8E5M2FNUZ](s, t)
	case dtype.Float8E8M0FNU, dtype.ComplexFloat8E8M0FNU:
		return shortFloat[dtype.F8E8M0FNU](s, t)
	case dtype.Float6E2M3FN, dtype.ComplexFloat6E2M3FN:
		return shortFloat[dtype.F6E2M3FN](s, t)
	case dtype.Float6E3M2FN, dtype.ComplexFloat6E3M2FN:
		return shortFloat[dtype.F6E3M2FN](s, t)
	case dtype.Float4E2M1FN, dtype.ComplexFloat4E2M1FN:
		return shortFloat[dtype.F4E2M1FN](s, t)
	}
	return nil
}

// shortFloat returns the function that formats a small float, or a complex number of two small
// floats, with the fewest digits that parse to the same value.
func shortFloat[T dtype.SmallFloat](s spelling, t dtype.Basic) element {
	part := func(dst, b []byte) []byte {
		var bits uint16
		for i, c := range b {
			bits |= uint16(c) << (8 * i)
		}
		v := T(bits)
		f := float64(v.Float32())
		if f == f {
			for digits := range 9 {
				d, err := strconv.ParseFloat(strconv.FormatFloat(f, 'e', digits, 64), 64)
				if err == nil && dtype.Round[T](d) == v {
					f = d
					break
				}
			}
		}
		return s.float(dst, f, 64)
	}
	if len(t.String()) > 8 && t.String()[:8] == "complex_" {
		return s.complex(part, t.Size()/2)
	}
	return part
}
