package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr"
)

type infoCmd struct {
	URL    string `arg:"" name:"url" help:"The array or group."`
	JSON   bool   `name:"json" help:"Print one JSON object."`
	Tuning bool   `name:"tuning" help:"Print the settings of the store at the URL instead, each with its reason. This makes no request."`
	Stored bool   `name:"stored" help:"Also list the stored objects, and print their number and size, and the compression ratio."`
	separatorFlag
}

// Run prints one node.
func (c *infoCmd) Run(ctx context.Context, s *session) error {
	if c.Tuning {
		return c.tuning(ctx, s)
	}
	p, n, err := s.openNode(ctx, c.URL, c.options()...)
	if err != nil {
		return err
	}
	defer p.release()
	info, err := describe(n)
	if err != nil {
		return p.fail(err)
	}
	info.URL = p.where
	if info.Attributes, err = attributes(n); err != nil {
		return p.fail(err)
	}
	if a, ok := n.(*zarr.Array); ok {
		if err := info.look(ctx, p, a); err != nil {
			return p.fail(err)
		}
		info.setFillMissing(ctx, a)
	}
	if c.Stored {
		if err := info.count(ctx, s, p, n); err != nil {
			return p.fail(err)
		}
	}
	if err := info.georeference(ctx, s, p, n); err != nil {
		return p.fail(err)
	}
	if c.JSON {
		return p.fail(info.printJSON(ctx, s.out, p, n))
	}
	var unread error
	var members []row
	counted := false // otherwise the number of members is unknown
	if g, ok := n.(*zarr.Group); ok {
		unread, err = p.members(g.Members(ctx), func(_ zarr.Node, d nodeInfo) {
			members = append(members, tableRow(&d, true))
		})
		if err != nil {
			return p.fail(err)
		}
		counted = unread == nil || len(members) > 0
	}
	err = info.print(s.out, n.Attrs())
	if err == nil && counted {
		err = printMembers(s.out, members)
	}
	if err != nil {
		return p.fail(err)
	}
	return p.fail(unread)
}

// printJSON prints the node as a JSON object. For a group, the last member of the object is the
// list of the group's members.
func (i *nodeInfo) printJSON(ctx context.Context, out io.Writer, p *place, n zarr.Node) error {
	g, ok := n.(*zarr.Group)
	if !ok {
		return render.JSON(out, i)
	}
	var b bytes.Buffer
	if err := render.JSON(&b, i); err != nil {
		return err
	}
	list := &jsonList{out: out, indent: "  "}
	list.head = append(bytes.TrimSuffix(bytes.Clone(b.Bytes()), []byte("\n}\n")), ",\n  \"members\": "...)
	unread, err := p.members(g.Members(ctx), func(_ zarr.Node, d nodeInfo) {
		d.Path = d.Name
		list.add(d)
	})
	if err != nil {
		return err
	}
	if unread != nil && list.n+len(list.held) == 0 { // the number of members is unknown
		_, err = out.Write(b.Bytes())
	} else {
		err = list.close("\n}\n")
	}
	if err != nil {
		return err
	}
	return unread
}

// print prints the node as text.
func (i *nodeInfo) print(out io.Writer, attrs map[string]any) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%s\t%s\n", name, render.OneLine(fmt.Sprintf(format, args...)))
	}
	row(i.Kind, "%s", i.URL)
	row("format", "v%d", i.Format)
	if d := i.arrayInfo; d != nil {
		row("shape", "%s", list(d.Shape))
		row("chunks", "%s", d.lengths(d.Chunks))
		if d.NumShards != nil {
			row("shards", "%s", d.lengths(d.Shards))
		}
		row("dtype", "%s", d.dtypeText())
		fill := "undefined"
		if d.Fill != nil {
			fill = string(d.Fill)
		}
		row("fill", "%s%s", fill, i.fillNote())
		row("codecs", "%s", d.codecText())
		if d.Dims != nil {
			row("dims", "%s", d.dimText())
		}
		in := amount(d.NumChunks, "chunk")
		if d.NumShards != nil {
			in += " in " + amount(d.NumShards, "shard")
		}
		size := "varying"
		if d.Bytes != nil {
			size = render.Size(d.Bytes)
		}
		row("bytes", "%s in %s", size, in)
	}
	i.rows(row)
	if i.Storage != nil {
		row("stored", "%s", i.Storage.text(i))
	}
	if i.Warning != "" {
		row("warning", "%s", i.Warning)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := i.georefInfo.print(out); err != nil {
		return err
	}
	return printAttrs(out, attrs)
}

func printMembers(out io.Writer, members []row) error {
	if len(members) == 0 {
		_, err := io.WriteString(out, "no members\n")
		return err
	}
	if _, err := io.WriteString(out, "members\n"); err != nil {
		return err
	}
	return printTable(out, "  ", members)
}

// printAttrs prints the attributes sorted by name, each value as JSON on one line.
func printAttrs(out io.Writer, attrs map[string]any) error {
	if len(attrs) == 0 {
		return nil
	}
	if _, err := io.WriteString(out, "attributes\n"); err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		value, err := render.AttrValue(attrs[name])
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "  %s\t%s\n", render.OneLine(name), render.OneLine(value))
	}
	return w.Flush()
}

func (d *arrayInfo) codecText() string {
	parts := make([]string, len(d.Codecs))
	for i, c := range d.Codecs {
		parts[i] = c.Name
		if len(c.Config) > 0 && string(c.Config) != "{}" {
			parts[i] += string(c.Config)
		}
	}
	return strings.Join(parts, ", ")
}

func (d *arrayInfo) dimText() string {
	parts := make([]string, len(d.Dims))
	for i, name := range d.Dims {
		parts[i] = "-"
		if name != nil {
			parts[i] = *name
		}
	}
	return strings.Join(parts, ", ")
}

// amount formats n followed by the singular or plural of thing.
func amount(n *big.Int, thing string) string {
	if n.IsInt64() && n.Int64() == 1 {
		return "1 " + thing
	}
	return n.String() + " " + thing + "s"
}
