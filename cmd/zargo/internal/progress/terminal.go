package progress

import (
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/alecthomas/kong"
	"github.com/vbauerster/cupwriter"
)

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && cupwriter.New(f, false).IsTerminal()
}

// CanMove reports whether a terminal of type term can move its cursor. Windows terminals have no
// type.
func CanMove(term string) bool {
	return term != "dumb" && (term != "" || runtime.GOOS == "windows")
}

// MaxColumns is the maximum width and height of a plot in characters. It bounds the memory of a
// plot.
const MaxColumns = 10_000

// DefaultColumns is the width of output in characters if it is not printed to a terminal.
const DefaultColumns = 80

// ColumnsOf returns the width of the terminal w, or DefaultColumns if w is not a terminal.
func ColumnsOf(w io.Writer) int {
	if !IsTerminal(w) {
		return DefaultColumns
	}
	if width, _, err := cupwriter.New(w, false).GetTermSize(); err == nil && width > 0 {
		return min(width, MaxColumns)
	}
	return DefaultColumns
}

// Flag is the value of --progress. Without a value, the flag means always.
type Flag string

// The values of --progress.
const (
	Auto   Flag = "auto"
	Always Flag = "always"
	Never  Flag = "never"
)

// IsBool reports that the flag needs no value.
func (Flag) IsBool() bool { return true }

// Decode parses the flag.
func (f *Flag) Decode(c *kong.DecodeContext) error {
	*f = Always
	if c.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	switch v := Flag(fmt.Sprint(c.Scan.Pop().Value)); v {
	case Auto, Always, Never:
		*f = v
		return nil
	default:
		return fmt.Errorf("must be auto, always or never, is %q", string(v))
	}
}

// Showing determines how progress is shown.
type Showing int

// The ways to show progress.
const (
	NotShown Showing = iota
	InLines          // print a line every few seconds
	Live             // update one line of a terminal
)

// Shown returns how progress is shown on errOut.
func (f Flag) Shown(errOut io.Writer, env func(string) string) Showing {
	switch {
	case f == Never:
		return NotShown
	case IsTerminal(errOut) && CanMove(env("TERM")):
		return Live
	case f == Always:
		return InLines
	}
	return NotShown
}
