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

	"github.com/zargo-io/zargo/zarr/meta"
)

// OneLine returns stored text, such as a name or the value of an attribute, in a form that is safe
// to print: on one line, with escapes instead of control characters that a terminal interprets, of
// other characters that are not printable and of bytes that are not UTF-8, and truncated to about
// maxMessage bytes. It does not remove white space.
func OneLine(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if b.Len() > maxMessage {
			b.WriteString("…")
			break
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case unicode.IsPrint(r) && r != utf8.RuneError:
			b.WriteRune(r)
		default:
			q := fmt.Sprintf("%+q", r)
			b.WriteString(q[1 : len(q)-1])
		}
		i += size
	}
	return b.String()
}

// maxMessage bounds the length of a printed text, which may come from a store. 2000 bytes are more
// than one screen.
const maxMessage = 2000

// Message returns the text of an error or a warning on one line. It is like [OneLine], but joins
// the lines of the text with "; " and removes line feeds at both ends. Other white space at the
// ends may be that of a name.
func Message(text string) string {
	return OneLine(strings.ReplaceAll(strings.Trim(text, "\n"), "\n", "; "))
}

// AttrValue returns the JSON of an attribute's value, in which NaN and the infinities are bare
// tokens.
func AttrValue(v any) (string, error) {
	doc, err := meta.EncodeAttr(v)
	return string(doc), err
}

// Print prints v as JSON if asJSON is set, and otherwise by text.
func Print[T any](out io.Writer, asJSON bool, v T, text func(io.Writer, T) error) error {
	if asJSON {
		return JSON(out, v)
	}
	return text(out, v)
}

// Stored formats the size of stored objects. The sizes of unsized more objects are unknown.
func Stored(size, unsized int64) string {
	text := Size(big.NewInt(size))
	if unsized > 0 {
		text += fmt.Sprintf(" and %s of unknown size", Plural(int(unsized), "object"))
	}
	return text
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
