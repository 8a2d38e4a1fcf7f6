package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/alecthomas/kong"
)

// helpCmd adds help to the list of commands. run replaces "help x" by "x --help" before parsing.
type helpCmd struct {
	Command []string `arg:"" optional:"" help:"The command to describe."`
}

// printHelp prints kong's help. The help for the whole program also contains the URLs and the exit
// codes.
func printHelp(o kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(o, ctx); err != nil {
		return err
	}
	if ctx.Selected() != nil {
		return nil
	}
	fmt.Fprint(ctx.Stdout, "\nURL:\n"+
		"  a path, file:///path, mem://name/path, s3://bucket/path?region=…&endpoint=…, gs://bucket/path,\n"+
		"  azblob://container/path?storage_account=…, https://host/path (reads), and a zip archive in any of them:\n"+
		"  URL|zip:path (reads)\n"+
		"\nExit codes:\n")
	for _, e := range exits() {
		fmt.Fprintf(ctx.Stdout, "  %3d  %s\n", e.code, e.means)
	}
	return nil
}

type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run(s *session) error {
	_, err := fmt.Fprintln(s.out, version())
	return err
}

// version returns the versions of the module and of Go, and the commit if it is known.
func version() string {
	version, commit, changed := "unknown", "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		for _, kv := range info.Settings {
			switch {
			case kv.Key == "vcs.revision":
				commit = " " + kv.Value[:min(12, len(kv.Value))]
			case kv.Key == "vcs.modified" && kv.Value == "true":
				changed = " with changes"
			}
		}
	}
	return fmt.Sprintf("zargo %s%s%s %s %s/%s", version, commit, changed, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
