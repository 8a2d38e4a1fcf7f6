package main

import (
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/alecthomas/kong"
	"github.com/vbauerster/cupwriter"
)

// progressFlag is the value of --progress. Without a value, the flag means always.
type progressFlag string

const (
	progressAuto   progressFlag = "auto"
	progressAlways progressFlag = "always"
	progressNever  progressFlag = "never"
)

// IsBool reports that the flag needs no value.
func (progressFlag) IsBool() bool { return true }

// Decode parses the flag.
func (f *progressFlag) Decode(c *kong.DecodeContext) error {
	*f = progressAlways
	if c.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	switch v := progressFlag(fmt.Sprint(c.Scan.Pop().Value)); v {
	case progressAuto, progressAlways, progressNever:
		*f = v
		return nil
	default:
		return fmt.Errorf("must be auto, always or never, is %q", string(v))
	}
}

// showing determines how progress is shown.
type showing int

const (
	notShown showing = iota
	inLines          // print a line every few seconds
	live             // update one line of a terminal
)

// shown returns how progress is shown on errOut.
func (f progressFlag) shown(errOut io.Writer, env func(string) string) showing {
	switch {
	case f == progressNever:
		return notShown
	case isTerminal(errOut) && canMove(env("TERM")):
		return live
	case f == progressAlways:
		return inLines
	}
	return notShown
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && cupwriter.New(f, false).IsTerminal()
}

// canMove reports whether a terminal of type term can move its cursor. Windows terminals have no
// type.
func canMove(term string) bool {
	return term != "dumb" && (term != "" || runtime.GOOS == "windows")
}
