// Package jsontext converts JSON, including the extensions of Python's json module, to a canonical
// form and back.
//
//	text, err := jsontext.Canon(nil, []byte(`{"a": [1, NaN]}`), jsontext.Tokens)
//	// text is {"a":[1,{"float":"NaN"}]}
//
// The canonical form is JSON of RFC 8259 without white space. Strings contain only the escapes that
// are required. Numbers keep their digits and objects the order of their members. A value that JSON
// lacks is an object with one member: {"float":"NaN"}, {"float":"Infinity"} and
// {"float":"-Infinity"} for the tokens of Python, {"b64":"AP8="} for bytes. Values with the same
// text are equal.
//
// # Errors
//
// Input that is not JSON is fault.Corrupt. Values that are nested more than [MaxDepth] deep are
// fault.Limit.
//
// # Concurrency
//
// The package is pure and safe for concurrent use.
package jsontext
