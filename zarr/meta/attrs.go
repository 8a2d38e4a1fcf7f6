package meta

import (
	"bytes"
	"encoding"
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/zargo-io/zargo/zarr/fault"
)

// EncodeAttrs returns attributes as a v2 .zattrs document, with members sorted by name. A
// json.Number is written unchanged. NaN and the infinities, which JSON lacks, become the bare
// tokens NaN, Infinity and -Infinity, as in zarr-python. EncodeAttrs returns fault.Type for values
// that JSON cannot represent.
func EncodeAttrs(attrs Attrs) ([]byte, error) { return indent(attributes(attrs)) }

// EncodeAttr returns the value of one attribute, encoded as by [EncodeAttrs] but without white
// space.
func EncodeAttr(value any) ([]byte, error) { return appendValue(nil, value, 0) }

// SetAttrs replaces the attributes of a v3 document by attrs and returns the new document. All
// other bytes of the document are unchanged. key names the document in errors.
func SetAttrs(key string, doc []byte, attrs Attrs) ([]byte, error) {
	value, err := attributes(attrs)
	if err != nil {
		return nil, place{key: key}.member("attributes").err(err)
	}
	return setMember(key, doc, "attributes", value)
}

// setMember returns a copy of a v3 document with the value of the named member replaced or added.
func setMember(key string, doc []byte, name string, value json.RawMessage) ([]byte, error) {
	o, err := document(key, doc, Parser{})
	if err != nil {
		return nil, err
	}
	if err := o.format("3"); err != nil {
		return nil, err
	}
	open := bytes.IndexByte(doc, '{') + 1
	space := doc[open : open+len(doc[open:])-len(bytes.TrimLeft(doc[open:], " \t\r\n"))]
	if i := bytes.LastIndexByte(space, '\n'); i >= 0 { // the document is indented
		step := string(space[i+1:])
		value = indented(value, step, step)
	}
	for _, m := range o.all {
		if m.name == name {
			from := open - 1 + m.from
			return slices.Concat(doc[:from], value, doc[from+len(m.raw):]), nil
		}
	}
	return insert(doc, name, value), nil
}

// SetSeparator adds the separator of chunk keys, "." or "/", to a .zarray document that lacks it,
// and returns the document. All other bytes of the document are unchanged. key names the document
// in errors.
func SetSeparator(key string, doc []byte, sep string) ([]byte, error) {
	o, err := document(key, doc, Parser{})
	if err != nil {
		return nil, err
	}
	if err := o.format("2"); err != nil {
		return nil, err
	}
	const name = "dimension_separator"
	value := appendString(nil, sep)
	if raw := o.get(name); raw != nil {
		return nil, o.member(name).bad("the separator is already %s", brief(raw))
	}
	if _, err := o.member(name).oneOf(value, ".", "/"); err != nil {
		return nil, err
	}
	return insert(doc, name, value), nil
}

// insert adds a member at the start of a document. It copies the white space after the opening
// brace to separate the new member from the next one.
func insert(doc []byte, name string, value []byte) []byte {
	open := bytes.IndexByte(doc, '{') + 1
	space := doc[open : len(doc)-len(bytes.TrimLeft(doc[open:], " \t\r\n"))]
	return slices.Concat(doc[:open], space, appendString(nil, name), []byte(": "), value, []byte(","), doc[open:])
}

func attributes(attrs Attrs) (json.RawMessage, error) {
	if attrs == nil {
		return json.RawMessage("{}"), nil
	}
	return appendValue(nil, attrs, 0)
}

// appendString appends s, encoded as a JSON string, to dst.
func appendString(dst []byte, s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // strings cannot fail
	return append(dst, bytes.TrimRight(b.Bytes(), "\n")...)
}

// appendValue appends a Go value, encoded as JSON, to dst. It encodes values as encoding/json does,
// except for NaN and the infinities.
func appendValue(dst []byte, v any, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, fault.Newf(fault.Type, "attributes are nested more than %d deep", maxDepth)
	}
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case string:
		return appendString(dst, v), nil
	case float64:
		return appendFloat(dst, v, v)
	case float32:
		return appendFloat(dst, float64(v), v)
	case json.Number:
		if s := (&scanner{b: []byte(v)}); len(v) == 0 || s.number() != nil || s.i != len(v) {
			return nil, fault.Newf(fault.Type, "%q is not a JSON number", string(v))
		}
		return append(dst, v...), nil
	case map[string]any:
		if v == nil {
			return append(dst, "null"...), nil
		}
		var err error
		dst = append(dst, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, name), ':')
			if dst, err = appendValue(dst, v[name], depth+1); err != nil {
				return nil, err
			}
		}
		return append(dst, '}'), nil
	}
	r := reflect.ValueOf(v)
	if _, own := v.(json.Marshaler); !own {
		if _, own := v.(encoding.TextMarshaler); !own {
			return appendReflect(dst, r, depth)
		}
	}
	return appendOther(dst, v)
}

// appendReflect encodes values of kinds that can contain floats. It leaves other kinds to
// encoding/json.
func appendReflect(dst []byte, r reflect.Value, depth int) ([]byte, error) {
	switch r.Kind() {
	case reflect.Float32, reflect.Float64:
		return appendFloat(dst, r.Float(), r.Interface())
	case reflect.Pointer:
		if r.IsNil() {
			return append(dst, "null"...), nil
		}
		return appendValue(dst, r.Elem().Interface(), depth+1)
	case reflect.Slice, reflect.Array:
		if r.Kind() == reflect.Slice && (r.IsNil() || r.Type().Elem().Kind() == reflect.Uint8) {
			break // null, or base64
		}
		dst = append(dst, '[')
		for i := range r.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = appendValue(dst, r.Index(i).Interface(), depth+1); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case reflect.Map:
		if r.IsNil() || r.Type().Key().Kind() != reflect.String {
			break
		}
		m := make(map[string]any, r.Len())
		for k, v := range r.Seq2() {
			m[k.String()] = v.Interface()
		}
		return appendValue(dst, m, depth)
	}
	return appendOther(dst, r.Interface())
}

func appendFloat(dst []byte, f float64, v any) ([]byte, error) {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...), nil
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...), nil
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...), nil
	}
	return appendOther(dst, v)
}

func appendOther(dst []byte, v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fault.Newf(fault.Type, "attribute cannot be encoded: %w", err)
	}
	return append(dst, bytes.TrimRight(b.Bytes(), "\n")...), nil
}

// byteOrderMark is U+FEFF in UTF-8. Some editors write it before documents, and parsers may ignore
// it (RFC 8259, section 8.1), as zarr-python and TensorStore do.
var byteOrderMark = []byte("\xef\xbb\xbf")

// trimSpace returns a document without byte order mark and surrounding white space.
func trimSpace(doc []byte) []byte {
	return bytes.Trim(bytes.TrimPrefix(doc, byteOrderMark), " \t\r\n")
}
