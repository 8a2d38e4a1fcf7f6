package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/zargo-io/zargo/internal/account"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
)

// program is the state shared by runs: the stores of mem:// URLs.
type program struct {
	mem openurl.Opener
}

func newProgram() *program { return &program{mem: openurl.Mem()} }

// cli is the grammar of the command line.
type cli struct {
	Timeout     time.Duration `help:"Give up after this long, such as 30s or 5m." placeholder:"TIME"`
	Inflight    int           `help:"Bound the chunks that are worked on, and the requests that are sent, at once." placeholder:"N"`
	Fleet       int           `help:"How many processes use the same buckets at the same time, such as the tasks of a job: each keeps to its share of the rates below, and of what a provider takes from a new client." placeholder:"N"`
	RequestRate float64       `help:"Most requests in a second to each bucket, of all processes of the fleet together." placeholder:"N"`
	ByteRate    string        `help:"Most bytes of values in a second from and to each bucket, of all processes of the fleet together: 4000000, 100MiB." placeholder:"SIZE"`

	Hedge    bool         `default:"true" negatable:"" help:"Make a read of a bucket once more whose first byte takes much longer than that of others, and use the one that comes first; at most 3 % of all."`
	Verbose  bool         `short:"v" help:"Report on standard error what was requested."`
	Progress progressFlag `help:"Show on standard error how far long work is also where that is no terminal, a line every few seconds; --progress=never: nowhere. Without it a terminal alone shows it, as with --progress=auto."`

	TrustHost []string `help:"A host that a URL of Google Cloud Storage or Azure may name as its endpoint or domain, to send credentials to; may be given again." placeholder:"HOST"`
	AllowHTTP bool     `name:"allow-http" help:"Send signed requests of S3 over http to the endpoint that a URL names, wherever that is."`

	TrustLocks bool `help:"Rely on locks also on network file systems and FUSE, where parts of chunks and metadata are not changed otherwise."`

	Version kong.VersionFlag `name:"version" help:"Print the version."`

	Info        infoCmd        `cmd:"" help:"Show what an array or a group is."`
	Ls          lsCmd          `cmd:"" help:"List the members of a group."`
	Du          duCmd          `cmd:"" help:"Show what is stored of an array or of each node of a group: objects and bytes."`
	Attrs       attrsCmd       `cmd:"" help:"Print or change attributes."`
	Create      createCmd      `cmd:"" help:"Create an array or a group."`
	Put         putCmd         `cmd:"" help:"Write a .npy file into an array."`
	Append      appendCmd      `cmd:"" help:"Make an array, or several of a group, longer and write .npy files behind what is there."`
	Cat         catCmd         `cmd:"" help:"Print an array or a part of it."`
	Copy        copyCmd        `cmd:"" help:"Copy an array, or a group with all that is below it, to another store, other chunks, codecs or format."`
	Transfer    transferCmd    `cmd:"" help:"Copy by a plan that many machines run."`
	Plan        planCmd        `cmd:"" help:"Show which requests reading or writing an array takes, and what they cost, without making them."`
	Consolidate consolidateCmd `cmd:"" help:"Gather the metadata of a hierarchy in one document, or check it."`
	Rm          rmCmd          `cmd:"" help:"Delete an array, or a group with all that is below it."`
	Migrate     migrateCmd     `cmd:"" help:"Give v1 and v2 nodes v3 metadata; chunks stay as they are."`
	Validate    validateCmd    `cmd:"" help:"Hold metadata, keys and chunks against the rules, or print values for the conformance tests."`
	Diff        diffCmd        `cmd:"" help:"Compare two arrays or hierarchies: metadata and values."`
	Hash        hashCmd        `cmd:"" help:"Write the SHA-256 of all that is stored below a URL, or check it."`
	Census      censusCmd      `cmd:"" help:"Count what is stored of arrays: chunks that are there, absent and corrupt, inner chunks too, and bytes."`
	Bucket      bucketCmd      `cmd:"" help:"Find out what a bucket really does."`
	Completion  completionCmd  `cmd:"" help:"Print a script that completes this command's words in a shell."`
	VersionCmd  versionCmd     `cmd:"" name:"version" help:"Print the version."`
	Help        helpCmd        `cmd:"" help:"Show this, or the help of a command."`
}

// session is the state of one run.
type session struct {
	*program
	flags  *cli
	how    opening     // how stores are opened
	stores openurl.Mux // opens URLs according to how
	in     io.Reader
	out    io.Writer
	far    *progress
	inPipe bool // out is not a terminal
	env    func(string) string
	report zarr.Report
	stats  *stats // nil without --stats
	warnings
}

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
	helped := false // the help or the version was printed
	parser, err := kong.New(flags,
		kong.Name("zargo"),
		kong.Description("Look at, read and write Zarr arrays in directories and object stores."),
		kong.Writers(out, errOut),
		kong.Exit(func(int) { helped = true }),
		kong.Help(printHelp),
		kong.WithHyphenPrefixedParameters(true), // --sel -3:
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Bind(flags),
		kong.Vars{"version": version()},
	)
	if err != nil {
		return complain(errOut, err) // invalid struct tags: every test would fail
	}
	command, err := parser.Parse(args)
	if helped {
		return 0
	}
	if err != nil {
		return complain(errOut, usagef("%v (see zargo --help)", err))
	}
	far := &progress{how: flags.Progress.shown(errOut, os.Getenv), out: errOut}
	defer far.end() // also after a panic
	slow := &late{out: far}
	defer slow.end()
	s := &session{program: p, flags: flags, in: in, far: far, env: os.Getenv, how: opening{flags.Inflight, flags.TrustHost, flags.AllowHTTP, !flags.writes(command.Command()), flags.TrustLocks, flags.Hedge, slow.notify, flags.rates()}}
	s.stores = p.schemes(s.how)
	s.inPipe = !isTerminal(out)
	buffered := bufio.NewWriterSize(afterProgress{out, far}, 1<<16)
	s.out = buffered
	err = s.do(far.traced(ctx), command)
	far.end()
	// Print the output that precedes an error: the first lines of an interrupted listing are
	// useful.
	if e := buffered.Flush(); e != nil && err == nil {
		err = e
	}
	if flags.Verbose {
		fmt.Fprintf(errOut, "zargo: %v\n", &s.report)
	}
	if s.stats != nil {
		_ = printSums(errOut, s.stats.prices, "", s.stats.amount) // to standard error
	}
	if err == nil {
		s.printWarnings(errOut)
	}
	if err != nil && ctx.Err() != nil {
		err = interrupted(err, context.Cause(ctx))
	}
	if err != nil {
		return complain(errOut, err)
	}
	return 0
}

// interrupted returns the error of a run that an interrupt or SIGTERM ended. It drops err itself
// but keeps how to resume.
func interrupted(err, cause error) error {
	why := errInterrupted
	if errors.Is(cause, errTerminated) {
		why = errTerminated
	}
	var r *resumable
	if errors.As(err, &r) {
		return &resumable{why, r.how}
	}
	return why
}

// errTimeout is the cause of a context that --timeout ended.
type errTimeout time.Duration

func (e errTimeout) Error() string { return fmt.Sprintf("not done within %v", time.Duration(e)) }

func (s *session) do(ctx context.Context, command *kong.Context) error {
	switch {
	case s.flags.Timeout < 0:
		return usagef("--timeout must not be negative, is %v", s.flags.Timeout)
	case s.flags.Inflight < 0:
		return usagef("--inflight must not be negative, is %d", s.flags.Inflight)
	case s.flags.Fleet < 0:
		return usagef("--fleet must not be negative, is %d", s.flags.Fleet)
	case !(s.flags.RequestRate >= 0):
		return usagef("--request-rate must not be negative, is %v", s.flags.RequestRate)
	case s.flags.ByteRate != "" && s.how.bytes == 0:
		_, err := parseSize("--byte-rate", s.flags.ByteRate)
		return err
	case s.flags.Timeout > 0:
		limited, cancel := context.WithTimeoutCause(ctx, s.flags.Timeout, errTimeout(s.flags.Timeout))
		defer cancel()
		ctx = limited
	}
	command.BindTo(ctx, (*context.Context)(nil))
	err := command.Run(s)
	var late errTimeout
	if err != nil && errors.As(context.Cause(ctx), &late) {
		var t *transient
		if errors.As(err, &t) {
			return &transient{&expired{late, err}}
		}
		return &expired{late, err}
	}
	return err
}

// expired is an error returned after --timeout ended the run.
type expired struct {
	errTimeout
	err error
}

func (e *expired) Error() string {
	if text := e.err.Error(); strings.Contains(text, e.errTimeout.Error()) {
		return text
	}
	return fmt.Sprintf("%v (%v)", e.err, e.errTimeout)
}

func (e *expired) Unwrap() []error { return []error{e.errTimeout, e.err} }

// account returns options that count the requests made outside nodes.
func (s *session) account() account.Options {
	return account.Options{Report: account.NewReport((*account.Counts)(&s.report))}
}

// options returns the options of every node that the run opens.
func (s *session) options(more ...zarr.Option) []zarr.Option {
	opts := append([]zarr.Option{zarr.ReportTo(&s.report), zarr.Findings(s.found)}, more...)
	if s.flags.Inflight > 0 {
		opts = append(opts, zarr.Limit(zarr.Limits{InFlight: s.flags.Inflight}))
	}
	return opts
}
