package serve

import (
	"cmp"
	"embed"
	"net/http"
	"path"
)

// page sends the page that draws variables, or one of its files. The page sends requests only to this
// server.
func page(c *call) error {
	if err := c.reads(); err != nil {
		return err
	}
	name := cmp.Or(c.PathValue("file"), "index.html")
	body, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		return refuse(http.StatusNotFound, "there is no such path")
	}
	kinds := map[string]string{".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
	c.w.Header().Set("Content-Security-Policy", "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'")
	c.w.Header().Set("Cache-Control", "no-cache")
	return c.send(kinds[path.Ext(name)]+"; charset=utf-8", body)
}

//go:embed page
var pageFiles embed.FS
