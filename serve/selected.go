package serve

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr/fault"
)

// selected is the part of a dataset that the query of a request selects.
type selected struct {
	vars   []*dataset.Variable // of the parameter var
	from   *dataset.Dataset    // with the selection
	dims   []string            // of the whole dataset
	params url.Values          // the endpoint's own parameters
}

// maxVars is the maximum number of variables of a request.
const maxVars = 100

// selected returns the selection of a request. The parameter var contains names of variables, and
// sel a text for dataset.Parse. Each isel is a position, such as time=3. Parameters with the name of a dimension are texts for dataset.Text.
// The endpoint's own parameters take precedence over dimensions. All others are refused.
func (c *call) selected(own ...string) (*selected, error) {
	d, err := c.dataset()
	if err != nil {
		return nil, err
	}
	query, err := url.ParseQuery(c.URL.RawQuery)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "the query is malformed")
	}
	s, names := &selected{params: url.Values{}}, []string(nil)
	var labels []dataset.Query
	of := map[string]bool{} // the dimensions of the variables
	for _, text := range query["var"] {
		parts := strings.Split(text, ",")
		if _, err := d.Var(text); err == nil { // a name may contain commas
			parts = []string{text}
		}
		for _, name := range parts {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 || len(names) > maxVars {
		return nil, refuse(http.StatusBadRequest, "the parameter var must name a variable, or up to %d separated by commas", maxVars)
	}
	for _, name := range names {
		v, err := variable(d, name)
		if err != nil {
			return nil, err
		}
		for _, dim := range v.Dims() {
			of[dim.Name] = true
		}
	}
	for name, texts := range query {
		switch {
		case name == "var":
		case name == "sel":
			for _, text := range texts {
				q, err := dataset.Parse(text)
				if err != nil {
					return nil, err
				}
				labels = append(labels, q...)
			}
		case name == "isel":
			for _, text := range texts {
				eq := max(strings.LastIndexByte(text, '='), 0)
				i, err := strconv.Atoi(strings.TrimPrefix(text[eq:], "="))
				if err != nil {
					return nil, refuse(http.StatusBadRequest, "the parameter isel must be DIMENSION=POSITION, is %q", text)
				}
				labels = append(labels, dataset.At(text[:eq], i))
			}
		case slices.Contains(own, name) && len(texts) == 1:
			s.params[name] = texts
		case slices.Contains(own, name):
			return nil, refuse(http.StatusBadRequest, "the parameter %s occurs %d times", name, len(texts))
		case !of[name]:
			return nil, refuse(http.StatusBadRequest, "%q is neither a parameter nor a dimension of the variables", name)
		default:
			for _, text := range texts {
				labels = append(labels, dataset.Text(name, text))
			}
		}
	}
	for _, dim := range d.Dims() {
		s.dims = append(s.dims, dim.Name)
	}
	if d, err = d.Sel(labels...); err != nil {
		return nil, err
	}
	s.from = d
	for _, name := range names {
		v, err := variable(d, name)
		if err != nil {
			return nil, err
		}
		s.vars = append(s.vars, v)
	}
	return s, nil
}

// variable returns a variable that a client named.
func variable(d *dataset.Dataset, name string) (*dataset.Variable, error) {
	v, err := d.Var(name)
	if errors.Is(err, fault.NotFound) {
		return nil, refuse(http.StatusNotFound, "the dataset has no variable %q", name)
	}
	return v, err
}

// one returns the only variable of a request.
func (s *selected) one() (*dataset.Variable, error) {
	if len(s.vars) != 1 {
		return nil, refuse(http.StatusBadRequest, "the response is of one variable, and the parameter var names %d", len(s.vars))
	}
	return s.vars[0], nil
}
