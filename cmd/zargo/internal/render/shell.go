package render

import (
	"strings"
	"unicode"
)

// ShellArg returns text as one argument of a POSIX shell, on one line. It quotes the text only if
// it needs quotes.
func ShellArg(text string) string {
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/.:_-+=@%,", r)
	}) {
		return OneLine(text)
	}
	return ShellQuote(OneLine(text))
}

// ShellQuote quotes a word for a POSIX shell.
func ShellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
