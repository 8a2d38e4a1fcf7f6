package serve

import (
	"bytes"
	"html"
)

// overview sends the dataset as text.
func overview(c *call) error {
	d, err := c.dataset()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := d.Print(&text); err != nil {
		return err
	}
	return c.send("text/html; charset=utf-8", []byte("<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>"+html.EscapeString(c.src.ID)+"</title>\n<pre>"+html.EscapeString(text.String())+"</pre>\n"))
}
