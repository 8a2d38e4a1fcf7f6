package serve_test

import (
	"testing"

	"github.com/zargo-io/zargo/serve"
)

// TestPage checks the headers of the page and of its files. Package integration/page tests what they do.
func TestPage(t *testing.T) {
	url := start(t, serve.Options{})
	const policy = "Content-Security-Policy: default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
	for path, want := range map[string][]string{
		"/":              {"Content-Type: text/html; charset=utf-8", `<html lang="en">`},
		"/page/page.css": {"Content-Type: text/css; charset=utf-8"},
		"/page/main.js":  {"Content-Type: text/javascript; charset=utf-8"},
		"/page/icon.svg": {"Content-Type: image/svg+xml; charset=utf-8"},
	} {
		send(t, "GET", url+path).expect(t, 200, append(want, policy, "X-Content-Type-Options: nosniff", "Cache-Control: no-cache")...)
		send(t, "HEAD", url+path).expect(t, 200, "=", policy)
		send(t, "POST", url+path).expect(t, 405)
	}
	for _, path := range []string{"/page", "/page/", "/page/none", "/page/page.go", "/index.html", "/x"} {
		send(t, "GET", url+path).expect(t, 404, "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'")
	}
}
