// Package jsontext has one spelling for every JSON value, and reads the JSON that Python writes
// into it.
//
//	text, err := jsontext.Canon(nil, []byte(`{"a": [1, NaN]}`), jsontext.Tokens)   // {"a":[1,{"float":"NaN"}]}
//
// The canonical spelling is JSON of RFC 8259 without white space, in which strings escape only what
// they have to, numbers and the order of members are as they were, and what JSON lacks is an object
// of one member: {"float":"NaN"}, {"float":"Infinity"} and {"float":"-Infinity"} for the tokens
// that Python has, {"b64":"AP8="} for bytes. Two values with the same text are the same value.
//
// Errors: fault.Corrupt for what is no JSON, fault.Limit for values nested more than [MaxDepth]
// deep. Everything here is pure and may be used from any number of goroutines.
package jsontext
