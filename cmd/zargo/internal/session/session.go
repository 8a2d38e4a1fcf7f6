package session

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"maps"
	"os"
	"time"

	"github.com/alecthomas/kong"

	"github.com/zargo-io/zargo/azure"
	"github.com/zargo-io/zargo/cmd/zargo/internal/argument"
	"github.com/zargo-io/zargo/cmd/zargo/internal/cost"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/gcs"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/openurl/all"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// Session is the state of one run.
type Session struct {
	Globals
	Given    map[string]bool // names of the flags on the command line
	own      openurl.Mux     // openers that replace others
	readOnly bool            // request read-only credentials from providers that have them
	Stores   openurl.Mux     // opens URLs by the flags
	In       io.Reader
	Out      io.Writer // text; unsafe characters are escaped, see render.Safe
	Raw      io.Writer // values, files and pictures, unchanged
	Log      *slog.Logger
	Far      *progress.Display
	Slow     *Late
	format   int   // of the node that was opened last; 0 before
	Above    error // why a group above the last opened node could not be read
	InPipe   bool  // out is not a terminal
	Columns  int   // of the terminal, or DefaultColumns
	Env      func(string) string
	Codecs   *codec.Table // as codecs returns
	Report   zarr.Report
	Stats    *cost.Stats // nil without --stats

	Rehearsed *Rehearsed // nil if the run is not a dry run that counts writes
	warnings
}

// New returns a session that opens stores by the flags in g, and by the openers in own. If
// readOnly is true, no store is changed.
func New(g Globals, own openurl.Mux, readOnly bool, far *progress.Display, slow *Late) *Session {
	s := &Session{Globals: g, own: own, readOnly: readOnly, Far: far, Slow: slow, Env: os.Getenv, Codecs: argument.KnownCodecs()}
	s.Stores = s.counted(s.schemes(g))
	return s
}

// Opened notes the format of an opened node, which nodes that are opened later are expected to
// have.
func (s *Session) Opened(n zarr.Node) { s.format = n.Format() }

// Expecting returns a context for opening nodes of the same hierarchy as the last opened node.
func (s *Session) Expecting(ctx context.Context) context.Context {
	return node.Expecting(ctx, s.format)
}

// Options returns the options of every node that the run opens.
func (s *Session) Options(more ...zarr.Option) []zarr.Option {
	opts := append([]zarr.Option{zarr.WithReport(&s.Report), zarr.OnFinding(s.found), zarr.Extensions(s.Codecs, argument.KnownTypes())}, more...)
	if s.Inflight > 0 {
		opts = append(opts, zarr.Limit(zarr.Limits{InFlight: s.Inflight}))
	}
	return opts
}

// Globals are the flags that all commands have.
type Globals struct {
	Timeout     time.Duration `help:"Fail after this time, such as 30s or 5m. For serve, the time of each request." placeholder:"TIME"`
	Inflight    int           `help:"Maximum number of chunks processed, and of requests sent, concurrently." placeholder:"N"`
	Fleet       int           `help:"Number of processes that use the same buckets concurrently, such as the tasks of a job. Each process uses its share of the rates below, and of the rate that a provider accepts from a new client." placeholder:"N"`
	RequestRate float64       `help:"Maximum number of requests per second to each bucket, for all processes of the fleet together." placeholder:"N"`
	ByteRate    string        `help:"Maximum number of bytes of values per second from and to each bucket, for all processes of the fleet together: 4000000, 100MiB." placeholder:"SIZE"`

	Hedge    bool          `default:"true" negatable:"" help:"Repeat a read of a bucket if its first byte takes much longer than usual, and use the first response. At most 9.9 % of reads are repeated."`
	Verbose  bool          `short:"v" help:"Print the number of requests and bytes on standard error."`
	LogJSON  bool          `name:"log-json" help:"Write the messages on standard error as JSON, one object a line. The last has the command, its exit code, its time, its requests, and its error."`
	Progress progress.Flag `help:"Print the progress of long work on standard error, as a line every few seconds if that is not a terminal. --progress=never prints none. The default, --progress=auto, prints it only on a terminal."`

	TrustHost []string `help:"A host that may receive credentials if a URL of Google Cloud Storage or Azure names it as endpoint or domain. May be repeated." placeholder:"HOST"`
	AllowHTTP bool     `name:"allow-http" help:"Send signed S3 requests over http to any endpoint that a URL names."`

	TrustLocks bool `help:"Rely on file locks also on network file systems and FUSE. Otherwise parts of chunks and metadata cannot be changed there."`

	Version kong.VersionFlag `name:"version" help:"Print the version."`
}

// Check returns an error for a flag with an invalid value.
func (g *Globals) Check() error {
	switch {
	case g.Timeout < 0:
		return exit.Usagef("--timeout must not be negative, is %v", g.Timeout)
	case g.Inflight < 0:
		return exit.Usagef("--inflight must not be negative, is %d", g.Inflight)
	case g.Fleet < 0:
		return exit.Usagef("--fleet must not be negative, is %d", g.Fleet)
	case !(g.RequestRate >= 0):
		return exit.Usagef("--request-rate must not be negative, is %v", g.RequestRate)
	case g.ByteRate != "":
		_, err := argument.Size("--byte-rate", g.ByteRate)
		return err
	}
	return nil
}

// schemes returns the openers of all URL schemes, by the flags in g.
func (s *Session) schemes(g Globals) openurl.Mux {
	rate, _ := argument.Size("--byte-rate", g.ByteRate) // check reports the error
	of := all.Options{
		MaxInFlight: g.Inflight,
		RequestRate: g.RequestRate,
		ByteRate:    float64(rate),
		Hedge:       g.Hedge,
		Limits:      concurrency.Default().Share(g.Fleet),
		Retry:       []retry.Option{retry.Notify(s.Slow.notify)},
		GCS:         []gcs.Option{gcs.TrustHost(g.TrustHost...)},
		Azure:       []azure.Option{azure.TrustHost(g.TrustHost...)},
	}
	if g.AllowHTTP {
		of.S3 = append(of.S3, s3.AllowHTTP())
	}
	if s.readOnly {
		of.GCS, of.Azure = append(of.GCS, gcs.ReadOnly()), append(of.Azure, azure.ReadOnly())
	}
	m := all.With(of)
	m["file"] = openurl.Dir(dir.TrustLocks(g.TrustLocks))
	maps.Copy(m, s.own)
	return m
}

// ShareWith makes n processes share the rates of stores that are opened afterwards, unless --fleet
// is set.
func (s *Session) ShareWith(n int) {
	if s.Fleet == 0 && n > 1 {
		s.Fleet = n
		s.Stores = s.counted(s.schemes(s.Globals))
	}
}

// Confine makes stores of directories that are opened afterwards refuse symbolic links that lead out
// of them.
func (s *Session) Confine() {
	m := s.schemes(s.Globals)
	m["file"] = openurl.Dir(dir.TrustLocks(s.TrustLocks), dir.Confined(true))
	s.Stores = s.counted(m)
}

// OpenPlain opens a store with at most inFlight concurrent requests, unless --inflight is set, and
// without repeated reads. The report does not count its requests.
func (s *Session) OpenPlain(ctx context.Context, l openurl.Location, inFlight int) (store.Store, error) {
	g := s.Globals
	g.Inflight, g.Hedge = cmp.Or(g.Inflight, inFlight), false
	return s.schemes(g).OpenLocation(ctx, l)
}

// counted returns the openers of m, whose stores count every request in the run's report. The store
// of an archive's file is one of them.
func (s *Session) counted(m openurl.Mux) openurl.Mux {
	count := zarr.WithReport(&s.Report)
	for scheme, open := range m {
		m[scheme] = func(ctx context.Context, l openurl.Location) (store.Store, error) {
			st, err := open(ctx, l)
			if err == nil {
				st, _ = count.Count(st)
			}
			return st, err
		}
	}
	return m
}
