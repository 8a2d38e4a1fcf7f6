package upkeep

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/argument"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Attrs is the command attrs.
type Attrs struct {
	URL   string   `arg:"" name:"url" help:"The array or group."`
	Set   []string `sep:"none" help:"Set an attribute to a JSON value. May be repeated." placeholder:"NAME=JSON"`
	Unset []string `sep:"none" help:"Remove an attribute. May be repeated." placeholder:"NAME"`
	session.ConsolidateFlag
}

// attrsTries is the maximum number of attempts to change attributes if other writers change the
// document concurrently.
const attrsTries = 5

// Run prints the attributes, or changes some of them.
func (c *Attrs) Run(ctx context.Context, s *session.Session) error {
	set := map[string]any{}
	for _, text := range c.Set {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return exit.Usagef("--set must be NAME=JSON, is %q", text)
		}
		v, err := argument.JSON(value)
		if err != nil {
			return exit.Usagef(`--set %q: the value is not JSON: %v; write text as %s='"text"'`, text, err, name)
		}
		set[name] = v
	}
	if len(c.Set)+len(c.Unset) == 0 {
		if c.Consolidate {
			return exit.Usagef("--consolidate requires --set or --unset")
		}
		return c.print(ctx, s)
	}
	for try := 1; ; try++ {
		err := c.change(ctx, s, set)
		if !errors.Is(err, fault.Conflict) || try == attrsTries {
			return err
		}
	}
}

func (c *Attrs) print(ctx context.Context, s *session.Session) error {
	p, n, err := s.OpenNode(ctx, c.URL)
	if err != nil {
		return err
	}
	defer p.Release()
	doc, err := meta.EncodeAttrs(n.Attrs())
	if err != nil {
		return p.Fail(err)
	}
	_, err = s.Out.Write(append(bytes.TrimSpace(doc), '\n'))
	return err
}

// change opens the node and changes its attributes, on condition that no other writer changes the
// document in between.
func (c *Attrs) change(ctx context.Context, s *session.Session, set map[string]any) error {
	p, n, err := s.OpenRooted(ctx, c.URL)
	if err != nil {
		return err
	}
	defer p.Release()
	attrs := n.Attrs()
	for _, name := range c.Unset {
		delete(attrs, name)
	}
	maps.Copy(attrs, set)
	var changed zarr.Node
	switch n := n.(type) {
	case *zarr.Array:
		changed, err = n.SetAttrs(ctx, attrs)
	case *zarr.Group:
		changed, err = n.SetAttrs(ctx, attrs)
	}
	if err != nil {
		return p.Fail(err)
	}
	return c.After(ctx, s, p, changed)
}
