package main

import (
	"errors"
	"iter"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// members calls add for each node, with the node's description. It omits nodes whose metadata is
// malformed or unsupported, and returns an error about them in unread. Any other error ends the
// listing.
func (p *place) members(nodes iter.Seq2[zarr.Node, error], add func(zarr.Node, nodeInfo)) (unread, err error) {
	var first error
	listed, broken := 0, 0
	for m, err := range nodes {
		var of *fault.MetaError
		if err != nil && !errors.As(err, &of) {
			return nil, err
		}
		var d nodeInfo
		if err == nil {
			d, err = describe(m)
		}
		if err != nil {
			if broken++; first == nil {
				first = err
			}
			continue
		}
		listed++
		add(m, d)
	}
	if broken == 0 || listed == 0 && broken == 1 { // may be the consolidated metadata
		return first, nil
	}
	text := first.Error()
	if _, after, ok := strings.Cut(text, " in "+store.Name(p.Store)+": "); ok {
		text = after // the key of the document identifies the node
	}
	which := ": "
	if broken > 1 {
		which = ", the first: "
	}
	return reword(render.Plural(broken, "member")+" cannot be read"+which+text, first), nil
}
