package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/attributes/derived"
	"github.com/zargo-io/zargo/internal/bits/jsontext"
	"github.com/zargo-io/zargo/internal/copying/copyspec"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// maker holds the state of NewPlan while it makes a plan.
type maker struct {
	o       *Options
	p       *Plan
	new     store.Store    // the target's documents
	tmp     store.Store    // the documents of temporary arrays
	made    int            // number of temporary arrays
	parts   bool           // a part of an array is copied
	nodes   []derived.Node // of the target
	get     int64          // cost of a request to the source in bytes, see requestCost
	request int64          // cost of a request to the target
	stages  []Stage
	least   int64                        // smallest sufficient memory, if it is more than Options.Memory
	largest string                       // path of the array that needs it
	unread  map[string]map[string][]byte // documents of arrays that are copied as stored, by path in the target
}

// extends reports whether the copy at a path keeps the unknown members of the metadata of its
// source. Such members may be ignored by readers. A copy in another format lacks them, which
// extends reports by Options.Dropped.
func (m *maker) extends(to string, unknown map[string]json.RawMessage, from, format int) bool {
	if len(unknown) == 0 || from == format {
		return len(unknown) > 0
	}
	if m.o.Dropped != nil {
		names := strings.Join(slices.Sorted(maps.Keys(unknown)), ", ")
		m.o.Dropped(strings.TrimPrefix(strings.TrimPrefix(to, m.o.Target.Path), "/"), fmt.Sprintf("the copy lacks members of the metadata that v%d does not define: %s", from, names))
	}
	return false
}

// replace stores other documents of a planned node.
func (m *maker) replace(ctx context.Context, to string, docs node.Docs) error {
	for _, d := range docs {
		if d.Bytes == nil {
			continue
		}
		if _, err := m.new.Put(ctx, node.Join(to, d.Name), d.Bytes, store.PutOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// emptyNames writes the dimension names of a v3 array to its copy in v3 if one of them is "". For
// Array.Dims and new arrays, "" is the absence of a name, but readers distinguish "" from null.
func (m *maker) emptyNames(ctx context.Context, a *zarr.Array, to string) error {
	if a.Format() != 3 || !slices.Contains(a.Dims(), "") {
		return nil
	}
	docs, err := a.Documents()
	if err != nil {
		return err
	}
	var of struct {
		Names json.RawMessage `json:"dimension_names"`
	}
	text, err := jsontext.Canon(nil, docs[node.Join(a.Path(), "zarr.json")], jsontext.Tokens) // attributes may contain NaN
	if err == nil {
		err = json.Unmarshal(text, &of)
	}
	if err != nil || !strings.Contains(string(of.Names), `""`) {
		return err
	}
	key := node.Join(to, "zarr.json")
	v, err := m.new.Get(ctx, key, store.GetOptions{}, nil)
	if errors.Is(err, fault.NotFound) {
		return nil // the copy has format v2
	}
	if err != nil {
		return err
	}
	doc, err := meta.Edit(key, v.Bytes, map[string]json.RawMessage{"dimension_names": of.Names})
	if err != nil {
		return err
	}
	return m.replace(ctx, to, node.Docs{{Name: "zarr.json", Bytes: doc}})
}

func (m *maker) add(stage int, s *Step) {
	for len(m.stages) <= stage {
		m.stages = append(m.stages, Stage{})
	}
	m.stages[stage].Steps = append(m.stages[stage].Steps, *s)
}

// derive changes the attributes of the target that describe the positions or the extent of copied
// parts.
func (m *maker) derive(ctx context.Context) error {
	if !m.parts {
		return nil
	}
	dropped, err := copyspec.Derive(ctx, m.new, m.nodes, m.o.Zarr...)
	if err != nil {
		return err
	}
	for _, d := range dropped {
		if m.o.Dropped != nil {
			m.o.Dropped(d.Path, d.String())
		}
	}
	return nil
}

// note records the part of array a that is copied to a path.
func (m *maker) note(a *zarr.Array, to string, start, shape []int) {
	n := derived.Node{Path: to, Array: true}
	dims := a.Dims()
	for d, was := range a.Shape() {
		name, first := "", 0
		if d < len(dims) {
			name = dims[d]
		}
		if start != nil {
			first = start[d]
		}
		m.parts = m.parts || shape[d] != was
		n.Axes = append(n.Axes, derived.Range(name, was, first, 1, shape[d]))
	}
	m.nodes = append(m.nodes, n)
}
