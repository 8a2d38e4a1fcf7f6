package render

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Safe is a writer of text that escapes the characters that a terminal may interpret or that change
// the direction of text: control characters except tab and line feed, format characters such as
// bidirectional overrides, and bytes that are not UTF-8. The escapes are those of JSON strings, so
// that JSON remains valid and keeps its meaning. Flush must be called after the last Write.
type Safe struct {
	w    io.Writer
	part []byte // the start of a character whose end was not yet written
	buf  []byte
}

// NewSafe returns a writer that writes to w.
func NewSafe(w io.Writer) *Safe { return &Safe{w: w} }

// Write implements [io.Writer].
func (s *Safe) Write(b []byte) (int, error) {
	if len(s.part) == 0 && harmless(b) {
		return s.w.Write(b)
	}
	n := len(b)
	if len(s.part) > 0 {
		b = append(s.part, b...)
		s.part = nil
	}
	s.buf = s.buf[:0]
	for len(b) > 0 {
		if !utf8.FullRune(b) {
			s.part = bytes.Clone(b)
			break
		}
		r, size := utf8.DecodeRune(b)
		s.buf = appendSafe(s.buf, r, size)
		b = b[size:]
	}
	if _, err := s.w.Write(s.buf); err != nil {
		return 0, err
	}
	return n, nil
}

// Flush writes the rest of the text, and flushes the writer below if it is buffered.
func (s *Safe) Flush() error {
	if len(s.part) > 0 {
		b := s.part
		s.part, s.buf = nil, s.buf[:0]
		for range b {
			s.buf = appendSafe(s.buf, utf8.RuneError, 1)
		}
		if _, err := s.w.Write(s.buf); err != nil {
			return err
		}
	}
	if f, ok := s.w.(flusher); ok {
		return f.Flush()
	}
	return nil
}

// harmless reports whether all bytes are printable ASCII characters, tabs and line feeds. It looks
// at eight bytes at once, because each byte of an exported array goes through it.
func harmless(b []byte) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; len(b) >= 8; b = b[8:] {
		x := binary.LittleEndian.Uint64(b)
		below, above := (x-' '*ones)&^x, x+ones|x // the high bits of bytes below ' ' or above '~'
		if (below|above)&high != 0 && !printable(b[:8]) {
			return false
		}
	}
	return printable(b)
}

// printable is harmless for a few bytes.
func printable(b []byte) bool {
	for _, c := range b {
		if (c < ' ' || c >= 0x7f) && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// appendSafe appends a character that has size bytes in UTF-8. A size of 1 with the character
// U+FFFD is a byte that is not UTF-8.
func appendSafe(dst []byte, r rune, size int) []byte {
	switch {
	case r == utf8.RuneError && size == 1:
		return append(dst, `\ufffd`...)
	case r == '\n' || r == '\t' || unicode.IsGraphic(r):
		return utf8.AppendRune(dst, r)
	case r > 0xffff:
		high, low := utf16.EncodeRune(r)
		return fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(dst, `\u%04x`, r)
}
