// Package msgpack turns MessagePack into JSON text and back, for the objects that numcodecs'
// msgpack2 stores.
//
//	text, err := msgpack.Decode(nil, []byte{0x92, 1, 0xc0}, false)   // [1,null]
//
// The text is the canonical spelling of package internal/jsontext, in which bytes and the numbers
// that JSON lacks are objects of one member. Floating-point numbers have a point or an exponent
// there, and integers have not, so that each comes back as what it was. Source: the MessagePack
// specification (github.com/msgpack/msgpack), and what Python's msgpack makes of it.
//
// Our own, since libraries decode into Go values, whose size nothing bounds, and lose what
// distinguishes text from bytes: here no count is believed before there are bytes for it, and the
// text has at most six bytes and a few for each byte that is read.
//
// Errors of Decode: fault.Corrupt for bytes that are not one value, fault.Limit for values nested
// more than jsontext.MaxDepth deep, errors.ErrUnsupported for extension types, for keys that are no
// text, and for maps that stand for something else in the text. Errors of Encode: fault.Type for
// numbers that are too large and for text that is no UTF-8.
package msgpack
