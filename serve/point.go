package serve

import (
	"net/http"
	"strings"

	"github.com/zargo-io/zargo/zarr/store"
)

// point sends elements of variables, usually those at one position: JSON, CSV or npy.
func point(c *call) error {
	s, err := c.selected("f")
	if err != nil {
		return err
	}
	return s.send(c, map[string]sender{"json": (*call).sendTree, "csv": (*call).sendTable, "npy": (*call).sendFile})
}

// sender responds with a selection.
type sender func(*call, *selected) error

// send responds in the format of the parameter f. The default is a format of Options.Formats that
// the client accepts, or JSON.
func (s *selected) send(c *call, formats map[string]sender) error {
	f := s.params.Get("f")
	if f == "" {
		f = "json"
		for name, own := range c.o.Formats {
			c.w.Header().Set("Vary", "Origin, Accept")
			if strings.Contains(c.Header.Get("Accept"), own.MediaType()) {
				f = name
			}
		}
	}
	if send, ok := formats[f]; ok {
		return send(c, s)
	}
	if own, ok := c.o.Formats[f]; ok {
		return c.sendFormat(s, own)
	}
	return refuse(http.StatusBadRequest, "the format %q is unknown", f)
}

// sendFormat responds with a table in a format of Options.Formats.
func (c *call) sendFormat(s *selected, f Format) error {
	b, err := c.bandsOf(s.vars...)
	if err != nil {
		return err
	}
	var need store.Amount
	for _, d := range b.dims {
		if labels, ok := s.vars[0].Coord(d.Name); ok {
			if err := addNeed(&need, labels); err != nil {
				return err
			}
		}
	}
	if err := b.admit(&need); err != nil {
		return err
	}
	w := c.stream(f.MediaType())
	if w == nil {
		return nil
	}
	if err := f.Write(c.ctx(), w, s.from, s.vars); err != nil {
		return err
	}
	return w.Flush()
}
