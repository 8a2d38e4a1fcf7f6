package serve

import "net/http"

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

// send responds in the format of the parameter f, which is JSON by default.
func (s *selected) send(c *call, formats map[string]sender) error {
	f := s.params.Get("f")
	if f == "" {
		f = "json"
	}
	send, ok := formats[f]
	if !ok {
		return refuse(http.StatusBadRequest, "the format %q is unknown", f)
	}
	return send(c, s)
}
