package serve

import (
	"net/http"
	"strings"

	"github.com/zargo-io/zargo/zarr/store"
)

// keys serves the keys of a dataset, and their listings.
func keys(c *call) error {
	key := c.PathValue("key")
	if c.Method == http.MethodPut || c.Method == http.MethodDelete {
		return change(c, key)
	}
	if key == "" && c.URL.Query().Has("list") {
		return listJSON(c)
	}
	if prefix, ok := strings.CutSuffix(key, "/"); ok || key == "" {
		return listHTML(c, prefix)
	}
	if err := store.CheckKey(key); err != nil {
		return refuse(http.StatusBadRequest, "the key is invalid")
	}
	return value(c, key)
}
