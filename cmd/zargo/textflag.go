package main

import (
	"errors"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// decodeText parses the value of a text flag or argument. Because values such as -3: may begin with
// a hyphen, kong accepts the end of the line and the next flag as values. Both are errors here; a
// value that begins with two hyphens must follow an equals sign.
func decodeText(c *kong.DecodeContext, target reflect.Value) error {
	t := c.Scan.Peek()
	if t.IsEOL() || t.Type == kong.UntypedToken && len(t.String()) > 2 && strings.HasPrefix(t.String(), "--") {
		return errors.New("missing value")
	}
	target.SetString(c.Scan.Pop().String())
	return nil
}
