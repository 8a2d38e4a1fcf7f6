// Package stream appends what a reader gives, bounded, for every codec whose format is only to be
// had as an io.Reader.
//
//	var a stream.Appender
//	dst, err := a.Append(dst, reader, limit, len(src))
//
// An [Appender] belongs to one goroutine at a time.
package stream
