package describing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/internal/bits/jsontext"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// Info is the command info.
type Info struct {
	URL    string `arg:"" name:"url" help:"The array or group."`
	JSON   bool   `name:"json" help:"Print one JSON object."`
	Tuning bool   `name:"tuning" help:"Print the settings of the store at the URL instead, each with its reason. This makes no request."`
	Stored bool   `name:"stored" help:"Also list the stored objects, and print their number and size, and the compression ratio."`
	session.SeparatorFlag
}

// Run prints one node.
func (c *Info) Run(ctx context.Context, s *session.Session) error {
	if c.Tuning {
		return c.tuning(ctx, s)
	}
	p, n, err := s.OpenNode(ctx, c.URL, c.Options()...)
	if err != nil {
		return err
	}
	defer p.Release()
	info, err := describe(n)
	if err != nil {
		return p.Fail(err)
	}
	info.URL = p.Where
	if info.Attributes, err = meta.EncodeAttr(jsontext.Quoted(n.Attrs())); err != nil {
		return p.Fail(err)
	}
	if a, ok := n.(*zarr.Array); ok {
		if err := info.look(ctx, p, a); err != nil {
			return p.Fail(err)
		}
		info.setFillMissing(a)
	}
	if c.Stored {
		if err := info.count(ctx, s, p, n); err != nil {
			return p.Fail(err)
		}
	}
	if err := info.georeference(ctx, s, p, n); err != nil {
		return p.Fail(err)
	}
	if c.JSON {
		return p.Fail(info.printJSON(ctx, s.Out, p, n))
	}
	var unread error
	var members []row
	counted := false // otherwise the number of members is unknown
	if g, ok := n.(*zarr.Group); ok {
		unread, err = eachMember(p, g.Members(ctx), func(_ zarr.Node, d nodeInfo) {
			members = append(members, tableRow(&d, true))
		})
		if err != nil {
			return p.Fail(err)
		}
		counted = unread == nil || len(members) > 0
	}
	err = info.print(s.Out, n.Attrs())
	if err == nil && counted {
		err = printMembers(s.Out, members)
	}
	if err != nil {
		return p.Fail(err)
	}
	return p.Fail(unread)
}

// printJSON prints the node as a JSON object. For a group, the last member of the object is the
// list of the group's members.
func (i *nodeInfo) printJSON(ctx context.Context, out io.Writer, p *session.Place, n zarr.Node) error {
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
	unread, err := eachMember(p, g.Members(ctx), func(_ zarr.Node, d nodeInfo) {
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

// layoutInfo describes the layouts of the chunk keys found in the store.
type layoutInfo struct {
	Flat   bool `json:"flat"`
	Nested bool `json:"nested"`
}

// look finds the layout of an array's chunk keys in the store if the metadata does not declare the
// layout.
func (i *nodeInfo) look(ctx context.Context, p *session.Place, a *zarr.Array) error {
	if !a.Metadata().NoSeparator {
		return nil
	}
	l, err := upkeep.CheckKeys(ctx, a)
	switch {
	case errors.Is(err, fault.Refused): // the metadata can still be printed
		i.Warning = "the metadata does not say whether chunks are flat (0.0) or nested (0/0), and looking was refused: " +
			strings.TrimPrefix(p.Fail(err).Error(), p.Where+": ")
	case err != nil:
		return err
	case l.Looked:
		i.Layout = &layoutInfo{l.Flat, l.Nested}
		i.Warning = session.LayoutWarning(l)
	}
	return nil
}

// tuning prints the settings of the store at the URL. The URL need not contain a node. For an
// archive, tuning prints the settings of the store that contains the archive, without opening the
// archive.
func (c *Info) tuning(ctx context.Context, s *session.Session) error {
	l, err := s.ParseURL(c.URL)
	if err != nil {
		return err
	}
	outer := l
	outer.Inside = nil
	p, err := s.Open(ctx, outer)
	if err != nil {
		return err
	}
	t := store.TuningOf(p.Store)
	if err := p.Close(); err != nil {
		return p.Fail(err)
	}
	info := tuningInfo{URL: l.String(), Reason: t.Reason}
	for _, n := range t.Settings() {
		info.Numbers = append(info.Numbers, numberInfo{strings.ReplaceAll(n.Name, " ", "_"), n.Value, n.Unit, n.Reason})
	}
	if c.JSON {
		return render.JSON(s.Out, info)
	}
	w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "store\t%s\n", render.OneLine(info.URL))
	for _, n := range t.Settings() {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\n", n.Name, n.Value, n.Unit, n.Reason)
	}
	fmt.Fprintf(w, "all\t%s\n", t.Reason)
	return w.Flush()
}

type numberInfo struct {
	Name   string `json:"name"`
	Value  int64  `json:"value"`
	Unit   string `json:"unit"`
	Reason string `json:"reason"`
}

// tuningInfo is the JSON form of a store's settings.
type tuningInfo struct {
	URL     string       `json:"url"`
	Reason  string       `json:"reason"`
	Numbers []numberInfo `json:"numbers"`
}
