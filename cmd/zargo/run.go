package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
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
		return complain(errOut, err) // invalid struct tags, which would fail every test
	}
	addExamples(parser.Model.Node, "", examples())
	command, err := parser.Parse(args)
	if helped {
		return 0
	}
	if err != nil {
		return complain(errOut, usagef("%v (see zargo --help)", err))
	}
	begun, name := time.Now(), nameOf(command)
	var log *jsonLog
	if flags.LogJSON {
		log = newJSONLog(errOut)
		errOut = log
	}
	far := newProgress(flags.Progress.shown(errOut, os.Getenv), errOut)
	defer far.end() // also after a panic
	slow := newLate(far)
	defer slow.end()
	s := newSession(flags.globals, p.own, !flags.writes(command.Command()), far, slow)
	s.inPipe, s.columns = !isTerminal(out), columnsOf(out)
	s.whole = handlesAll(command.Command())
	buffered := bufio.NewWriterSize(newOutput(out, far), 1<<16)
	safe := render.NewSafe(buffered)
	s.in, s.out, s.raw = in, safe, buffered
	err = s.do(far.traced(ctx), command)
	far.end()
	// Print the output before an error, because the first lines of an interrupted listing are
	// useful.
	if e := cmp.Or(safe.Flush(), buffered.Flush()); e != nil && err == nil {
		err = e
	}
	if flags.Verbose && log == nil {
		fmt.Fprintf(errOut, "zargo: %v\n", &s.report)
	}
	if s.stats != nil {
		_ = s.stats.print(errOut)
	}
	if err == nil {
		s.printWarnings(errOut)
	}
	if err != nil && ctx.Err() != nil {
		err = interrupted(err, context.Cause(ctx))
	}
	switch {
	case log != nil:
		return log.end(&s.report, name, time.Since(begun), err)
	case err != nil:
		return complain(errOut, err)
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

func (s *session) do(ctx context.Context, command *kong.Context) error {
	s.given = map[string]bool{}
	for _, p := range command.Path {
		if p.Flag != nil {
			s.given[p.Flag.Name] = true
		}
	}
	if err := s.check(); err != nil {
		return err
	}
	if s.Timeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, s.Timeout, errTimeout(s.Timeout))
		defer cancel()
		ctx = limited
	}
	command.BindTo(ctx, (*context.Context)(nil))
	err := command.Run(s)
	return expire(context.Cause(ctx), err)
}

func newProgram() *program { return &program{openurl.Mux{"mem": openurl.Mem()}} }
