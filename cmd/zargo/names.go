package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// runNames lists names only, without opening the nodes.
func (c *lsCmd) runNames(ctx context.Context, s *session) error {
	if c.Long || c.Recursive {
		return usagef("--names cannot be combined with -l or -r")
	}
	p, n, err := s.openNode(ctx, c.URL)
	var names []string
	if errors.Is(err, fault.NotFound) {
		p, names, err = c.namesAround(ctx, s, err)
	} else if err == nil {
		names, err = namesOf(ctx, n)
		err = p.fail(err)
	}
	if p != nil {
		defer p.release()
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return render.JSON(s.out, names)
	}
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintln(&b, render.OneLine(name))
	}
	_, err = io.WriteString(s.out, b.String())
	return err
}

// namesOf returns the names below a group, or the name of an array.
func namesOf(ctx context.Context, n zarr.Node) ([]string, error) {
	g, ok := n.(*zarr.Group)
	if !ok {
		if n.Name() == "" {
			return []string{"."}, nil
		}
		return []string{n.Name()}, nil
	}
	names := []string{}
	for name, err := range g.Names(ctx) {
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// namesAround returns the names of directories and objects in a place that is not a node. If the
// place is empty or cannot be listed, it returns the error in the argument none.
func (c *lsCmd) namesAround(ctx context.Context, s *session, none error) (*place, []string, error) {
	p, err := s.locate(ctx, c.URL)
	if err != nil {
		return nil, nil, err
	}
	list, err := entries(ctx, p, "", maxBrowsed)
	switch {
	case errors.Is(err, errors.ErrUnsupported), err == nil && len(list) == 0:
		return p, nil, none
	case err != nil:
		return p, nil, p.fail(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Key)
	}
	slices.Sort(names)
	return p, names, nil
}
