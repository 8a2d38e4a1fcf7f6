package serving

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/zargo-io/zargo/cmd/zargo/internal/argument"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/serve"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Serve is the command serve.
type Serve struct {
	Datasets    []string `arg:"" name:"dataset" help:"The URL of a group or an array, or ID=URL. The default ID is the last segment of the path."`
	Addr        string   `default:"127.0.0.1:8080" help:"Address to listen at. Port 0 is any free port, and an address without a host is that of all interfaces." placeholder:"HOST:PORT"`
	Socket      string   `help:"Listen at a Unix socket instead, which only this user can open." placeholder:"PATH"`
	Writable    bool     `help:"Accept PUT and DELETE of values, on the condition of an ETag."`
	Refresh     string   `default:"never" help:"When to open a dataset again: never, request, or after a time such as 30s. Stored values are always current." placeholder:"RULE"`
	MaxBytes    string   `help:"Maximum number of bytes that a request may read from a store. The default is 256MiB." placeholder:"SIZE"`
	MaxRequests int64    `help:"Maximum number of requests that a request may send to a store. The default is 10000." placeholder:"N"`
	MaxBody     string   `help:"Maximum length of the body of a PUT. The default is 64MiB." placeholder:"SIZE"`
	MaxMem      string   `name:"max-mem" help:"Approximate memory of the process, such as 1GiB, unless single chunks need more. The default is 160MiB." placeholder:"SIZE"`
	Concurrent  int      `help:"Maximum number of requests that run at the same time. As many others wait. The default is 64." placeholder:"N"`
	Origin      []string `help:"An origin whose pages may send requests from a browser, such as https://example.org. May be repeated." placeholder:"ORIGIN"`
	Host        []string `help:"A name by which clients may reach a server at a loopback address, such as that of a proxy before it. May be repeated." placeholder:"NAME"`
	View        []string `help:"Serve another form of a dataset at /datasets/ID/views/NAME/zarr: ID/NAME=FILE, or ID/NAME={…}. The file or the text is a JSON object with chunks, shards, codecs, format, decode, sel and vars. May be repeated." placeholder:"ID/NAME=FORM"`
	FollowLinks bool     `help:"Follow symbolic links out of a directory."`

	Idle  time.Duration `help:"End after this time without a client, such as 1m. An open connection is a client. The server closes connections after two minutes without a request." placeholder:"TIME"`
	Quiet bool          `help:"Log only the requests that fail because of the server or of a store."`
}

// Run serves until the run is interrupted.
func (c *Serve) Run(ctx context.Context, s *session.Session) error {
	memory, err := argument.SizeOr("--max-mem", c.MaxMem, serveMemory)
	if err != nil {
		return err
	}
	defer session.KeepTo(memory)()
	o, err := c.options(s)
	if err != nil {
		return err
	}
	bodies, arrays, view := shares(memory, len(c.View))
	o.Memory = session.LimitsOf(bodies).Bytes
	limits := zarr.Limit(zarr.Limits{Shared: session.LimitsOf(arrays)}) // of all datasets
	if !c.FollowLinks {
		s.Confine()
	}
	var datasets []serve.Dataset
	for _, text := range c.Datasets {
		d, err := c.open(ctx, s, text)
		if err != nil {
			return err
		}
		defer func() { _ = d.Store.Close() }() // puts are complete when their requests end
		d.Zarr = s.Options(limits)
		datasets = append(datasets, d)
	}
	for _, text := range c.View {
		if err := addView(ctx, s, datasets, text, view); err != nil {
			return err
		}
	}
	l, name, err := c.listen(ctx)
	if err != nil {
		return err
	}
	if a, ok := l.Addr().(*net.TCPAddr); ok && a.IP.IsLoopback() {
		host, _, _ := net.SplitHostPort(c.Addr)
		o.Hosts = append([]string{"localhost", "127.0.0.1", "::1", strings.ToLower(host)}, c.Host...)
	}
	server, err := serve.New(o, datasets...)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	if _, err = fmt.Fprintf(s.Raw, "serving %s\n", name); err == nil {
		err = flush(s.Raw)
	}
	if err != nil {
		return errors.Join(err, l.Close())
	}
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	if c.Idle > 0 {
		l = newIdle(l, c.Idle, cancel)
	}
	if err := server.Serve(running, l, o.Limits.Time); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// serveMemory is the default of --max-mem.
const serveMemory = 160 << 20

// shares divides memory among the bodies of responses, the chunks of all datasets, and each of the
// views.
func shares(memory int64, views int) (bodies, arrays, view int64) {
	arrays = memory / 2
	if views > 0 {
		arrays /= 2
		view = arrays / int64(views)
	}
	const least = 1 << 20
	return max(memory/5, least), max(arrays, least), max(view, least)
}

func flush(w io.Writer) error {
	if f, ok := w.(interface{ Flush() error }); ok {
		return f.Flush()
	}
	return nil
}

// defaultTime is the maximum duration of a request without --timeout.
const defaultTime = time.Minute

// options returns the options of the server.
func (c *Serve) options(s *session.Session) (o serve.Options, err error) {
	o = serve.Options{Writable: c.Writable, Origins: c.Origin, Log: s.Log}
	o.Limits = serve.Limits{Requests: c.MaxRequests, Concurrent: c.Concurrent, Time: s.Timeout}
	if o.Limits.Time == 0 {
		o.Limits.Time = defaultTime
	}
	if c.Quiet {
		o.Log = slog.New(failures{s.Log.Handler()})
	}
	switch {
	case c.Idle < 0:
		return o, exit.Usagef("--idle must not be negative, is %v", c.Idle)
	case c.MaxRequests < 0:
		return o, exit.Usagef("--max-requests must not be negative, is %d", c.MaxRequests)
	case c.Concurrent < 0:
		return o, exit.Usagef("--concurrent must not be negative, is %d", c.Concurrent)
	}
	if o.Limits.Bytes, err = argument.SizeOr("--max-bytes", c.MaxBytes, 0); err != nil {
		return o, err
	}
	if o.Limits.Body, err = argument.SizeOr("--max-body", c.MaxBody, 0); err != nil {
		return o, err
	}
	switch c.Refresh {
	case "never":
	case "request":
		o.Refresh = serve.EachRequest
	default:
		if o.Refresh, err = time.ParseDuration(c.Refresh); err != nil || o.Refresh <= 0 {
			return o, exit.Usagef("--refresh must be never, request or a time such as 30s, is %q", c.Refresh)
		}
	}
	return o, nil
}

// failures is a log without records of requests that succeed.
type failures struct{ slog.Handler }

func (f failures) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && f.Handler.Enabled(ctx, level)
}

// open opens the store of a dataset, and checks that it has a node. A dataset that clients will write
// may be empty.
func (c *Serve) open(ctx context.Context, s *session.Session, text string) (serve.Dataset, error) {
	id, url, ok := strings.Cut(text, "=")
	if !ok || strings.ContainsAny(id, "/:?|") {
		id, url = "", text
	}
	p, err := s.Locate(ctx, url)
	if err != nil {
		return serve.Dataset{}, err
	}
	_, err = zarr.Open(ctx, p.Store, "", s.Options()...)
	switch {
	case c.Writable && store.IsReadOnly(p.Store):
		err = fault.ReadOnly
	case c.Writable && errors.Is(err, fault.NotFound):
		err = nil
	}
	if err != nil {
		p.Release()
		return serve.Dataset{}, p.Fail(err)
	}
	if id == "" {
		id = session.LastSegment(p.Where)
	}
	return serve.Dataset{ID: id, Store: p.Store, Zarr: s.Options()}, nil
}

// listen returns the listener, and its name for clients.
func (c *Serve) listen(ctx context.Context) (net.Listener, string, error) {
	if c.Socket != "" {
		l, err := listenSocket(ctx, c.Socket)
		return l, "unix:" + render.OneLine(c.Socket), exit.At(c.Socket, err)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return nil, "", err
	}
	return l, "http://" + l.Addr().String(), nil
}
