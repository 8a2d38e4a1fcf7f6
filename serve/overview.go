package serve

import (
	"bytes"
	"html"
	"strings"
)

// overview sends the dataset as text.
func overview(c *call) error {
	d, err := c.dataset()
	if err != nil {
		return err
	}
	var printed bytes.Buffer
	if err := d.Print(&printed); err != nil {
		return err
	}
	// Findings are last, and may contain the address of the source.
	text, _, _ := strings.Cut(printed.String(), "\nFinding:")
	return c.send("text/html; charset=utf-8", []byte("<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>"+html.EscapeString(c.src.ID)+"</title>\n<pre>"+html.EscapeString(text)+"</pre>\n"))
}
