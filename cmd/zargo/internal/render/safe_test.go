package render

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestSafe checks that dangerous characters are escaped, also if they are divided between two
// writes, and that JSON keeps its meaning.
func TestSafe(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":                   "plain\ttext\n",
		"é 日本\u3000😀\u00a0":               "é 日本\u3000😀\u00a0",
		"\x1b[31m\r\x7f\b":                `\u001b[31m\u000d\u007f\u0008`,
		"\u009b31m\u0085":                 `\u009b31m\u0085`,
		"\u202ea\u2066\u200f\ufeff\u2028": `\u202ea\u2066\u200f\ufeff\u2028`,
		"\U000e0041":                      `\udb40\udc41`,
		"a\x9bb\xe2\x80":                  `a\ufffdb\ufffd\ufffd`,
	} {
		for cut := range len(in) + 1 {
			var b bytes.Buffer
			s := NewSafe(&b)
			for _, part := range []string{in[:cut], in[cut:]} {
				if n, err := s.Write([]byte(part)); n != len(part) || err != nil {
					t.Fatal(n, err)
				}
			}
			if err := s.Flush(); err != nil || b.String() != want {
				t.Errorf("%q cut at %d: %q, want %q, %v", in, cut, b.String(), want, err)
			}
		}
	}
	value := map[string]any{"\u009bname": "\u202e\U000e0041\x1b\n\t\x7f"}
	var b bytes.Buffer
	s := NewSafe(&b)
	if err := JSON(s, value); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || len(got) != 1 || got["\u009bname"] != value["\u009bname"] {
		t.Errorf("%q, %v", b.String(), err)
	}
	for _, c := range b.Bytes() {
		if c >= 0x7f || c < ' ' && c != '\n' {
			t.Errorf("%q", b.String())
		}
	}
}

// TestHarmless compares the test of eight bytes at once with that of one: every byte at every
// position, with neighbours at both ends of the range.
func TestHarmless(t *testing.T) {
	for _, around := range []byte{' ', 'a', '~', '\n'} {
		for at := range 19 {
			for c := range 256 {
				b := bytes.Repeat([]byte{around}, 19)
				b[at] = byte(c)
				if got, want := harmless(b), printable(b); got != want {
					t.Errorf("%q: %v, want %v", b, got, want)
				}
			}
		}
	}
}

// TestOneLine checks that names and messages keep their white space, but not line feeds.
func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{" lead": " lead", "trail ": "trail ", "a\nb\t": `a\nb\t`, "\u2003x": `\u2003x`, "\u009b": `\u009b`, "a\xff": `a\xff`, "\ufffd": `\ufffd`} {
		if got := OneLine(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := Message("\n a\nb \n"); got != " a; b " {
		t.Errorf("%q", got)
	}
}
