package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/internal/node/document"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
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
		kong.Bind(flags),
		kong.Vars{"version": version()},
	)
	if err != nil {
		return complain(errOut, err) // invalid struct tags, which would fail every test
	}
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
	far := &progress{how: flags.Progress.shown(errOut, os.Getenv), out: errOut}
	defer far.end() // also after a panic
	slow := &late{out: far}
	defer slow.end()
	s := &session{program: p, flags: flags, in: in, far: far, slow: slow, env: os.Getenv, codecs: codecs(), how: opening{flags.Inflight, flags.TrustHost, flags.AllowHTTP, !flags.writes(command.Command()), flags.TrustLocks, flags.Hedge, slow.notify, flags.rates()}}
	s.stores = s.counted(s.schemes(s.how))
	s.inPipe, s.columns = !isTerminal(out), columnsOf(out)
	buffered := bufio.NewWriterSize(afterProgress{out, far}, 1<<16)
	s.whole = handlesAll(command.Command())
	safe := render.NewSafe(buffered)
	s.out, s.raw = safe, buffered
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
		return log.end(s, name, time.Since(begun), err)
	case err != nil:
		return complain(errOut, err)
	}
	return 0
}

// session is the state of one run.
type session struct {
	*program
	flags   *cli
	given   map[string]bool // names of the flags on the command line
	how     opening         // how stores are opened
	stores  openurl.Mux     // opens URLs according to how
	in      io.Reader
	out     io.Writer // text; unsafe characters are escaped, see render.Safe
	raw     io.Writer // values, files and pictures, unchanged
	far     *progress
	slow    *late
	format  int   // of the node that was opened last; 0 before
	above   error // why a group above the last opened node could not be read
	inPipe  bool  // out is not a terminal
	columns int   // of the terminal, or defaultColumns
	env     func(string) string
	codecs  *codec.Table // as codecs returns
	report  zarr.Report
	stats   *stats // nil without --stats

	rehearsed *rehearsed // nil if the run is not a dry run that counts writes
	warnings
}

// cli is the grammar of the command line.
type cli struct {
	Timeout     time.Duration `help:"Fail after this time, such as 30s or 5m." placeholder:"TIME"`
	Inflight    int           `help:"Maximum number of chunks processed, and of requests sent, concurrently." placeholder:"N"`
	Fleet       int           `help:"Number of processes that use the same buckets concurrently, such as the tasks of a job. Each process uses its share of the rates below, and of the rate that a provider accepts from a new client." placeholder:"N"`
	RequestRate float64       `help:"Maximum number of requests per second to each bucket, for all processes of the fleet together." placeholder:"N"`
	ByteRate    string        `help:"Maximum number of bytes of values per second from and to each bucket, for all processes of the fleet together: 4000000, 100MiB." placeholder:"SIZE"`

	Hedge    bool         `default:"true" negatable:"" help:"Repeat a read of a bucket if its first byte takes much longer than usual, and use the first response. At most 9.9 % of reads are repeated."`
	Verbose  bool         `short:"v" help:"Print the number of requests and bytes on standard error."`
	LogJSON  bool         `name:"log-json" help:"Write the messages on standard error as JSON, one object a line. The last has the command, its exit code, its time, its requests, and its error."`
	Progress progressFlag `help:"Print the progress of long work on standard error, as a line every few seconds if that is not a terminal. --progress=never prints none. The default, --progress=auto, prints it only on a terminal."`

	TrustHost []string `help:"A host that may receive credentials if a URL of Google Cloud Storage or Azure names it as endpoint or domain. May be repeated." placeholder:"HOST"`
	AllowHTTP bool     `name:"allow-http" help:"Send signed S3 requests over http to any endpoint that a URL names."`

	TrustLocks bool `help:"Rely on file locks also on network file systems and FUSE. Otherwise parts of chunks and metadata cannot be changed there."`

	Version kong.VersionFlag `name:"version" help:"Print the version."`

	Info        infoCmd        `cmd:"" help:"Describe an array or a group."`
	Ls          lsCmd          `cmd:"" help:"List the members of a group."`
	Du          duCmd          `cmd:"" help:"Print the number of stored objects and bytes of an array, or of each node of a group."`
	Attrs       attrsCmd       `cmd:"" help:"Print or change attributes."`
	Create      createCmd      `cmd:"" help:"Create an array or a group."`
	Put         putCmd         `cmd:"" help:"Write a .npy file into an array."`
	Append      appendCmd      `cmd:"" help:"Extend an array, or several arrays of a group, and write .npy files after the existing elements."`
	Blank       blankCmd       `cmd:"" help:"Set a part of an array, or of the arrays of a group, to missing values, and delete chunks that have no other values."`
	Resize      resizeCmd      `cmd:"" help:"Change the shape of an array."`
	Cat         catCmd         `cmd:"" help:"Print an array or a part of it."`
	Plot        plotCmd        `cmd:"" help:"Plot the values along one axis in the terminal."`
	Picture     pictureCmd     `cmd:"" help:"Draw a picture of two dimensions of an array, as a PNG file or on the terminal."`
	Stats       statsCmd       `cmd:"" help:"Print the minimum, maximum, mean and standard deviation of an array, and count missing elements."`
	Hist        histCmd        `cmd:"" help:"Print a histogram of an array."`
	Dump        dumpCmd        `cmd:"" help:"Print a dataset as CDL, as ncdump does."`
	Copy        copyCmd        `cmd:"" help:"Copy an array, or a group with all nodes below it, to another store, chunk shape, codec or format."`
	Transfer    transferCmd    `cmd:"" help:"Copy according to a plan that several machines can run."`
	Pyramid     pyramidCmd     `cmd:"" help:"Create the levels of an image pyramid: an array with fewer and fewer elements along its horizontal dimensions."`
	Plan        planCmd        `cmd:"" help:"Print the requests and the cost of reading or writing an array, without making the requests."`
	Consolidate consolidateCmd `cmd:"" help:"Write consolidated metadata of a hierarchy, or check it."`
	Rm          rmCmd          `cmd:"" help:"Delete an array, or a group with all nodes below it."`
	Migrate     migrateCmd     `cmd:"" help:"Write v3 metadata for v1 and v2 nodes. Chunks remain unchanged."`
	Validate    validateCmd    `cmd:"" help:"Check metadata, keys and chunks against the rules, or print values for the conformance tests."`
	Diff        diffCmd        `cmd:"" help:"Compare the metadata and values of two arrays or hierarchies."`
	Hash        hashCmd        `cmd:"" help:"Write the SHA-256 of all objects stored below a URL, or check it."`
	Census      censusCmd      `cmd:"" help:"Count the stored, absent and corrupt chunks of arrays, including inner chunks, and their bytes."`
	Bucket      bucketCmd      `cmd:"" help:"Check how a bucket behaves."`
	Completion  completionCmd  `cmd:"" help:"Print a completion script for a shell."`
	VersionCmd  versionCmd     `cmd:"" name:"version" help:"Print the version."`
	Help        helpCmd        `cmd:"" help:"Print this help, or the help of a command."`
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

// interrupted returns the error of a run that an interrupt or SIGTERM ended. If err has a hint on
// how to resume, the result has the same hint.
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

// errTimeout is the cause of cancellation after --timeout.
type errTimeout time.Duration

func (e errTimeout) Error() string {
	return fmt.Sprintf("the timeout of %v has expired", time.Duration(e))
}

func (s *session) do(ctx context.Context, command *kong.Context) error {
	s.given = map[string]bool{}
	for _, p := range command.Path {
		if p.Flag != nil {
			s.given[p.Flag.Name] = true
		}
	}
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

// expired is the error of a run that --timeout ended.
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

// opened notes the format of an opened node, which nodes that are opened later are expected to
// have.
func (s *session) opened(n zarr.Node) { s.format = n.Format() }

// expecting returns a context for opening nodes of the same hierarchy as the last opened node.
func (s *session) expecting(ctx context.Context) context.Context {
	return document.Expecting(ctx, s.format)
}

// options returns the options of every node that the run opens.
func (s *session) options(more ...zarr.Option) []zarr.Option {
	opts := append([]zarr.Option{zarr.WithReport(&s.report), zarr.OnFinding(s.found), zarr.Extensions(s.codecs, dataTypes())}, more...)
	if s.flags.Inflight > 0 {
		opts = append(opts, zarr.Limit(zarr.Limits{InFlight: s.flags.Inflight}))
	}
	return opts
}

func newProgram() *program { return &program{openurl.Mux{"mem": openurl.Mem()}} }
