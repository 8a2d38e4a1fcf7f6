package serve

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// Dataset is a dataset to serve.
type Dataset struct {
	ID      string      // one segment of a path
	Store   store.Store // remains open; the caller closes it after the server
	Path    string      // of the group or array in the store; "" is the root
	Zarr    []zarr.Option
	Options dataset.Options

	// Views are stores of other forms of the dataset, by name, such as with other chunks.
	Views map[string]View
}

// View opens a store whose values are computed from those of st, the store of a dataset below its
// Path. The store is served at /datasets/ID/views/NAME/zarr, as that of the dataset is. It is
// read-only, and opened at first use and as Options.Refresh demands. It must not keep the context. If it
// has a method Plan(key) (store.Amount, error), as stores of package view, a value that needs more of
// the source than a request may use is refused before it is computed. If it has a method
// Refresh(context.Context) error, that is called instead of opening it again.
type View func(ctx context.Context, st store.Store) (store.Store, error)

// Options are the options of a server. The zero value serves read-only, with the default limits.
type Options struct {
	// Refresh is the time after which an opened dataset is opened again before it is used. The
	// default opens each dataset once. Values below /zarr are always read from the store.
	Refresh time.Duration

	// Writable permits PUT and DELETE of values on a condition.
	Writable bool

	Limits Limits

	// Formats are further formats of point and slice, by the value of the parameter f. Without f, a
	// client gets the format whose media type its header Accept names, so media types must differ.
	// The names of the formats of package serve keep their meaning.
	Formats map[string]Format

	// Memory is the budget for bodies in flight. The default is half of concurrency.Default.
	Memory *concurrency.Budget

	// Origins are the origins whose pages may send requests from a browser, such as
	// "https://example.org". "*" permits all. By default no other origin may.
	Origins []string

	// Hosts are the permitted values of the Host header, without the port. A server that only
	// listens on the loopback interface sets them, so that pages of other sites cannot reach it by a
	// name that they control. By default all hosts are permitted.
	Hosts []string

	// Log gets one record for each request. The default is none.
	Log *slog.Logger

	// Trace is added to the context of each request, for example to count the requests to the
	// source.
	Trace *store.Trace
}

// Format is a format of tables for point and slice, beside those of package serve.
type Format interface {
	// MediaType returns the media type of the response, without parameters.
	MediaType() string

	// Write writes the selected elements of variables of d, which have the same dimensions. It reads
	// only these and the index coordinates of their dimensions. ctx ends at the deadline of the
	// request. After an error, the client sees that the body is incomplete.
	Write(ctx context.Context, w io.Writer, d *dataset.Dataset, vars []*dataset.Variable) error
}

// EachRequest is the value of Options.Refresh for datasets that are opened for each request.
const EachRequest time.Duration = 1

// withDefaults returns the options with a value for each limit, a budget and a log.
func (o Options) withDefaults() Options {
	o.Limits = o.Limits.withDefaults()
	if o.Memory == nil {
		b := concurrency.Default().Bytes
		o.Memory = b.Child(b.Size() / 2)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// methods returns the methods that some endpoint accepts.
func (o *Options) methods() []string {
	all := []string{http.MethodGet, http.MethodHead, http.MethodOptions}
	if o.Writable {
		all = append(all, http.MethodPut, http.MethodDelete)
	}
	return all
}
