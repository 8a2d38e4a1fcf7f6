package serve

import (
	"net/http"
	"slices"
)

// slice is point with pictures.
func slice(c *call) error {
	s, err := c.selected(slices.Concat([]string{"f"}, pictureParams)...)
	if err != nil {
		return err
	}
	for name := range s.params {
		if name != "f" && s.params.Get("f") != "png" {
			return refuse(http.StatusBadRequest, "the parameter %s is only for f=png", name)
		}
	}
	return s.send(c, map[string]sender{"json": (*call).sendTree, "csv": (*call).sendTable, "npy": (*call).sendFile, "png": (*call).sendPicture})
}
