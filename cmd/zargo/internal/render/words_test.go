package render

import (
	"strings"
	"testing"
)

// TestMessage checks that the lines of a message are joined and that escapes are printed.
func TestMessage(t *testing.T) {
	for _, r := range []struct{ name, in, want string }{
		{"plain", "é ok", "é ok"},
		{"lines", "a\nb\n", "a; b"},
		{"escape sequence", "a\x1b[31mb", `a\x1b[31mb`},
		{"return", "a\rb", `a\rb`},
		{"bidi override", "a\u202eb", `a\u202eb`},
	} {
		t.Run(r.name, func(t *testing.T) {
			if got := Message(r.in); got != r.want {
				t.Errorf("%q, want %q", got, r.want)
			}
		})
	}
	if n := len(OneLine(strings.Repeat("x", 1<<20))); n > maxMessage+10 {
		t.Errorf("%d bytes", n)
	}
}
