package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/zargo-io/zargo/internal/bits/jsontext"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

type attrsCmd struct {
	URL   string   `arg:"" name:"url" help:"The array or group."`
	Set   []string `sep:"none" help:"Set an attribute to a JSON value. May be repeated." placeholder:"NAME=JSON"`
	Unset []string `sep:"none" help:"Remove an attribute. May be repeated." placeholder:"NAME"`
	consolidateFlag
}

// attrsTries is the maximum number of attempts to change attributes if other writers change the
// document concurrently.
const attrsTries = 5

// Run prints the attributes, or changes some of them.
func (c *attrsCmd) Run(ctx context.Context, s *session) error {
	set := map[string]any{}
	for _, text := range c.Set {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return usagef("--set must be NAME=JSON, is %q", text)
		}
		v, err := parseJSON(value)
		if err != nil {
			return usagef(`--set %q: the value is not JSON: %v; write text as %s='"text"'`, text, err, name)
		}
		set[name] = v
	}
	if len(c.Set)+len(c.Unset) == 0 {
		if c.Consolidate {
			return usagef("--consolidate requires --set or --unset")
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

func (c *attrsCmd) print(ctx context.Context, s *session) error {
	p, n, err := s.openNode(ctx, c.URL)
	if err != nil {
		return err
	}
	defer p.release()
	doc, err := meta.EncodeAttrs(n.Attrs())
	if err != nil {
		return p.fail(err)
	}
	_, err = s.out.Write(append(bytes.TrimSpace(doc), '\n'))
	return err
}

// change opens the node and changes its attributes, on condition that no other writer changes the
// document in between.
func (c *attrsCmd) change(ctx context.Context, s *session, set map[string]any) error {
	p, n, err := s.openRooted(ctx, c.URL)
	if err != nil {
		return err
	}
	defer p.release()
	attrs := n.Attrs()
	for _, name := range c.Unset {
		delete(attrs, name)
	}
	for name, v := range set {
		attrs[name] = v
	}
	var changed zarr.Node
	switch n := n.(type) {
	case *zarr.Array:
		changed, err = n.SetAttrs(ctx, attrs)
	case *zarr.Group:
		changed, err = n.SetAttrs(ctx, attrs)
	}
	if err != nil {
		return p.fail(err)
	}
	return c.after(ctx, s, p, changed)
}

// parseJSON parses one JSON value and keeps the notation of numbers. It also accepts the bare
// tokens NaN, Infinity and -Infinity, as zarr-python stores them.
func parseJSON(text string) (any, error) {
	v, err := standardJSON(text)
	if err == nil {
		return v, nil
	}
	canon, bad := jsontext.Canon(nil, []byte(text), jsontext.Tokens)
	if bad != nil {
		return nil, err
	}
	if v, bad = standardJSON(string(canon)); bad != nil {
		return nil, err
	}
	return jsontext.Floats(v), nil
}

func standardJSON(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("unexpected text after the value")
	}
	return v, nil
}

func compact(doc []byte) ([]byte, error) {
	var b bytes.Buffer
	err := json.Compact(&b, doc)
	return b.Bytes(), err
}
