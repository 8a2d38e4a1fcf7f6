package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/openurl"
)

// run parses the arguments, runs the command and returns the exit code. It treats the end of ctx as
// an interrupt.
func (p *program) run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	if len(args) > 0 && args[0] == "help" {
		args = append(append([]string(nil), args[1:]...), "--help")
	}
	if len(args) > 0 && strings.HasPrefix(args[0], "--array_path") {
		args = append([]string{"validate"}, args...) // the Zarr conformance tests pass only this flag
	}
	flags := &cli{}
	helped := false // help or the version was printed
	parser, err := kong.New(flags,
		kong.Name("zargo"),
		kong.Description("Look at, read and write Zarr arrays in directories and object stores."),
		kong.Writers(out, errOut),
		kong.Exit(func(int) { helped = true }),
		kong.Help(printHelp),
		kong.WithHyphenPrefixedParameters(true), // --sel -3:
		kong.KindMapper(reflect.String, kong.MapperFunc(decodeText)),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Vars{"version": version()},
	)
	if err != nil {
		return exit.Complain(errOut, err) // invalid struct tags, which would fail every test
	}
	addExamples(parser.Model.Node, "", examples())
	command, err := parser.Parse(args)
	if helped {
		return 0
	}
	if err != nil {
		return exit.Complain(errOut, exit.Usagef("%v (see zargo --help)", err))
	}
	begun, name := time.Now(), nameOf(command)
	var log *session.JSONLog
	if flags.LogJSON {
		log = session.NewJSONLog(errOut)
		errOut = log
	}
	far := progress.New(flags.Progress.Shown(errOut, os.Getenv), errOut)
	defer far.End() // also after a panic
	slow := session.NewLate(far)
	defer slow.End()
	s := session.New(flags.Globals, p.own, !flags.writes(command.Command()), far, slow)
	s.InPipe, s.Columns = !progress.IsTerminal(out), progress.ColumnsOf(out)
	s.Whole = handlesAll(command.Command())
	buffered := bufio.NewWriterSize(progress.NewOutput(out, far), 1<<16)
	safe := render.NewSafe(buffered)
	s.In, s.Out, s.Raw = in, safe, buffered
	s.Log = slog.New(slog.NewTextHandler(errOut, nil))
	if log != nil {
		s.Log = log.Logger()
	}
	err = perform(far.Traced(ctx), s, command)
	far.End()
	// Print the output before an error, because the first lines of an interrupted listing are
	// useful.
	if e := cmp.Or(safe.Flush(), buffered.Flush()); e != nil && err == nil {
		err = e
	}
	if flags.Verbose && log == nil {
		fmt.Fprintf(errOut, "zargo: %v\n", &s.Report)
	}
	if s.Stats != nil {
		_ = s.Stats.Print(errOut)
	}
	if err == nil {
		s.PrintWarnings(errOut)
	}
	if err != nil && ctx.Err() != nil {
		err = exit.Interrupted(err, context.Cause(ctx))
	}
	switch {
	case log != nil:
		return log.End(&s.Report, name, time.Since(begun), err)
	case err != nil:
		return exit.Complain(errOut, err)
	}
	return 0
}

// program is the state that runs share: openers that replace those of other programs. The opener of
// mem:// URLs holds their contents.
type program struct {
	own openurl.Mux
}

// nameOf returns the name of a command without its arguments, such as "transfer run".
func nameOf(command *kong.Context) string {
	name, _, _ := strings.Cut(command.Command(), " <")
	return name
}

// perform runs a command with its flags, for at most the time of --timeout.
func perform(ctx context.Context, s *session.Session, command *kong.Context) error {
	s.Given = map[string]bool{}
	for _, p := range command.Path {
		if p.Flag != nil {
			s.Given[p.Flag.Name] = true
		}
	}
	if err := s.Check(); err != nil {
		return err
	}
	if s.Timeout > 0 && nameOf(command) != "serve" { // there it is the time of each request
		limited, cancel := context.WithTimeoutCause(ctx, s.Timeout, exit.Timeout(s.Timeout))
		defer cancel()
		ctx = limited
	}
	command.BindTo(ctx, (*context.Context)(nil))
	err := command.Run(s)
	return exit.Expire(context.Cause(ctx), err)
}

func newProgram() *program { return &program{openurl.Mux{"mem": openurl.Mem()}} }
