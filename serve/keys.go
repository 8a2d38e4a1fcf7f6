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
	if prefix, ok := strings.CutSuffix(key, "/"); ok || key == "" {
		if c.URL.Query().Has("list") {
			return listJSON(c, prefix)
		}
		return listHTML(c, prefix)
	}
	if err := store.CheckKey(key); err != nil {
		return refuse(http.StatusBadRequest, "the key is invalid")
	}
	return value(c, key)
}

// viewKeys serves the keys of a view.
func viewKeys(c *call) error {
	if err := c.reads(); err != nil {
		return err
	}
	view, ok, err := c.src.view(c.ctx(), c.PathValue("view"))
	if err != nil {
		return err
	}
	if !ok {
		return refuse(http.StatusNotFound, "there is no such view")
	}
	c.src = view
	if p, ok := view.values.(planner); ok {
		// A key with an error is not computed: it is absent, invalid or a prefix.
		if need, err := p.Plan(c.PathValue("key")); err == nil {
			if err := c.o.Limits.admit(need); err != nil {
				return err
			}
		}
	}
	return keys(c)
}

// planner is a store of computed values that knows what a value needs from its source at most.
type planner interface {
	Plan(key string) (store.Amount, error)
}
