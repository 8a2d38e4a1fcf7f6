package provider

import (
	"strings"
	"testing"
)

func TestPageText(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"html", "<html><head><title>403</title><style>p{color:red}</style></head><body>\n<p>Blocked by <b>proxy</b> &amp; policy</p></body>", "403 Blocked by proxy & policy"},
		{"text", "Forbidden by corporate proxy\r\n", "Forbidden by corporate proxy"},
		{"control characters", "a\x1b[31mred\x07\x00\u202e\u009b b", "a[31mred b"},
		{"escaped control characters", "a&#27;[31m&#x202e;", "a[31m"},
		{"not UTF-8", "a\xff\xfeb", "ab"},
		{"unfinished", "denied <a href='x", "denied"},
		{"unfinished script", "denied <script>alert(1)", "denied"},
		{"nothing", "<p></p> \n", ""},
		{"long", strings.Repeat("é", 300), strings.Repeat("é", 200) + "…"},
		{"longer than is kept", strings.Repeat("<p>", 4000) + "end", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := PageText([]byte(c.page)); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
