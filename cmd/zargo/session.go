package main

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/alecthomas/kong"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
)

// session is the state of one run.
type session struct {
	globals
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

// newSession returns a session that opens stores by the flags in g, and by the openers in own. If
// readOnly is true, no store is changed.
func newSession(g globals, own openurl.Mux, readOnly bool, far *progress, slow *late) *session {
	n, _ := parseSize("--byte-rate", g.ByteRate) // check reports the error
	s := &session{globals: g, far: far, slow: slow, env: os.Getenv, codecs: codecs()}
	s.how = opening{
		inFlight: g.Inflight, trust: g.TrustHost, allowHTTP: g.AllowHTTP, readOnly: readOnly, trustLocks: g.TrustLocks, hedge: g.Hedge, notify: slow.notify, own: own,
		fleet: g.Fleet, requests: g.RequestRate, bytes: float64(n),
	}
	s.stores = s.counted(s.how.schemes())
	return s
}

// opened notes the format of an opened node, which nodes that are opened later are expected to
// have.
func (s *session) opened(n zarr.Node) { s.format = n.Format() }

// expecting returns a context for opening nodes of the same hierarchy as the last opened node.
func (s *session) expecting(ctx context.Context) context.Context {
	return node.Expecting(ctx, s.format)
}

// options returns the options of every node that the run opens.
func (s *session) options(more ...zarr.Option) []zarr.Option {
	opts := append([]zarr.Option{zarr.WithReport(&s.report), zarr.OnFinding(s.found), zarr.Extensions(s.codecs, dataTypes())}, more...)
	if s.Inflight > 0 {
		opts = append(opts, zarr.Limit(zarr.Limits{InFlight: s.Inflight}))
	}
	return opts
}

// globals are the flags that all commands have.
type globals struct {
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
}

// check returns an error for a flag with an invalid value.
func (g *globals) check() error {
	switch {
	case g.Timeout < 0:
		return usagef("--timeout must not be negative, is %v", g.Timeout)
	case g.Inflight < 0:
		return usagef("--inflight must not be negative, is %d", g.Inflight)
	case g.Fleet < 0:
		return usagef("--fleet must not be negative, is %d", g.Fleet)
	case !(g.RequestRate >= 0):
		return usagef("--request-rate must not be negative, is %v", g.RequestRate)
	case g.ByteRate != "":
		_, err := parseSize("--byte-rate", g.ByteRate)
		return err
	}
	return nil
}
