// Package jsontext converts JSON, including the extensions of Python's json module, to a canonical
// form and back.
//
//	text, err := jsontext.Canon(nil, []byte(`{"a": [1, NaN]}`), jsontext.Tokens)
//	// text is {"a":[1,{"float":"NaN"}]}
//
// The canonical form is JSON of RFC 8259 without white space. Strings contain only the escapes that
// are required. Numbers keep their digits, and objects keep the order of their members. A value
// that JSON cannot represent becomes an object with one member: {"float":"NaN"},
// {"float":"Infinity"} and {"float":"-Infinity"} for the tokens of Python, and an object such as
// {"b64":"AP8="} for bytes. Values with the same text are equal.
//
// # Errors
//
// Functions return fault.Corrupt for input that is not JSON, and fault.Limit for values that are
// nested more than [MaxDepth] levels deep.
//
// # Concurrency
//
// The package is pure and safe for concurrent use.
package jsontext
