package serve

import (
	"maps"
	"net/http"
	"slices"

	"github.com/zargo-io/zargo/zarr/store"
)

// routes returns the handler of all paths. Other paths are 404.
func routes(o *Options, sources map[string]*source) *http.ServeMux {
	mux := http.NewServeMux()
	handle := func(pattern string, e endpoint) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			out := w.(*response) // of Server.ServeHTTP
			out.err = e(&call{Request: r, w: out, o: o, src: sources[r.PathValue("id")]})
		})
	}
	list := func(c *call) error {
		if err := c.reads(); err != nil {
			return err
		}
		c.w.Header().Set("Cache-Control", "no-cache")
		return c.sendJSON(append([]string{}, slices.Sorted(maps.Keys(sources))...))
	}
	handle("/{$}", page)
	handle("/page/{file}", page)
	handle("/datasets", list)
	handle("/datasets/{$}", list)
	handle("/", func(*call) error { return refuse(http.StatusNotFound, "there is no such path") })
	for pattern, e := range ofDataset() {
		handle("/datasets/{id}"+pattern, func(c *call) error {
			if c.src == nil {
				return refuse(http.StatusNotFound, "there is no such dataset")
			}
			c.w.source = store.Name(c.src.Store)
			return e(c)
		})
	}
	return mux
}

// ofDataset returns the endpoints of each dataset, by the rest of the path after its ID.
func ofDataset() map[string]endpoint {
	return map[string]endpoint{
		"":               overview,
		"/{$}":           overview,
		"/zarr":          keys,
		"/zarr/{key...}": keys,
		"/keys":          variables,
		"/dict":          dict,
		"/info":          info,
		"/point":         point,
		"/slice":         slice,
		"/stats":         stats,
		"/position":      position,
		"/area":          area,

		"/tiles/{z}/{x}/{y}": tile,

		"/views/{view}/zarr":          viewKeys,
		"/views/{view}/zarr/{key...}": viewKeys,
	}
}
