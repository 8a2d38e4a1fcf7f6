package render

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMessage bounds the length of a printed text, which may come from a store. 2000 bytes are more
// than one screen.
const maxMessage = 2000

// OneLine returns text in a form that is safe to print: on one line, without control characters
// that a terminal interprets, and truncated to about maxMessage bytes.
func OneLine(text string) string {
	var b strings.Builder
	for _, r := range strings.TrimSpace(text) {
		if b.Len() > maxMessage {
			b.WriteString("…")
			break
		}
		switch {
		case r == '\n':
			b.WriteString("; ")
		case unicode.IsPrint(r) && r != utf8.RuneError:
			b.WriteRune(r)
		default:
			q := fmt.Sprintf("%+q", r)
			b.WriteString(q[1 : len(q)-1])
		}
	}
	return b.String()
}

// Plural formats a number and a noun, such as "1 chunk" or "2 chunks".
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Size formats a number of bytes. From 1024 on, it adds the size in a larger unit.
func Size(n *big.Int) string {
	f, _ := new(big.Float).SetInt(n).Float64()
	if f < 1024 {
		return n.String()
	}
	units := []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	u := -1
	for f >= 1024 && u < len(units)-1 {
		f /= 1024
		u++
	}
	return fmt.Sprintf("%v (%.1f %s)", n, f, units[u])
}

// Bytes is like Size, but returns "no bound" for math.MaxInt64.
func Bytes(n int64) string {
	if n == math.MaxInt64 {
		return "no bound"
	}
	return Size(big.NewInt(n))
}

// JSON prints a value as indented JSON, without escapes for HTML.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
