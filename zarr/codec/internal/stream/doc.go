// Package stream appends the bytes of a reader to a slice, up to a limit. It is used by codecs
// whose decoder is an io.Reader.
//
//	var a stream.Appender
//	dst, err := a.Append(dst, reader, limit, len(src))
//
// An [Appender] must be used by one goroutine at a time.
package stream
