package main

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

type rmCmd struct {
	URL    string `arg:"" name:"url" help:"The array, or the group with all nodes below it. With --force any directory or bucket."`
	DryRun bool   `name:"dry-run" help:"Print the objects and bytes of each node that would be deleted, and the requests and the cost, without deleting."`
	Force  bool   `short:"f" help:"Also delete a location that is neither an array nor a group, or a whole bucket."`
	priceFlags
	consolidateFlag

	seen func(store.Entry) // called for each object to delete, whose key is relative to the URL; or nil
}

// Run deletes everything stored below a URL.
func (c *rmCmd) Run(ctx context.Context, s *session) error {
	if err := c.checkDry(c.DryRun); err != nil {
		return err
	}
	l, err := s.parseURL(c.URL)
	if err != nil {
		return err
	}
	l = nodeOf(l)
	if c.DryRun {
		return c.dryRun(ctx, s, l)
	}
	return c.run(ctx, s, l)
}

func (c *rmCmd) run(ctx context.Context, s *session, l openurl.Location) error {
	if isWhole(l) && !c.Force && !c.DryRun {
		return usagef("%s is a whole bucket or file system: pass --force to delete it", render.OneLine(l.String()))
	}
	link, ok := isLink(l)
	p, n, err := s.openRooted(ctx, c.URL)
	var of *fault.MetaError
	switch {
	case ok && err != nil && c.Force:
		return c.link(ctx, s, link)
	case ok && err != nil:
		return fmt.Errorf("%w; the path is a symbolic link: pass --force to delete the link", err)
	case errors.Is(err, fault.NotFound) || errors.As(err, &of):
		if done, rest := c.rest(ctx, s, l); done {
			return rest
		}
		return c.folder(ctx, s, l, err)
	case err != nil:
		return err
	}
	defer p.release()
	if ok {
		if err := c.link(ctx, s, link); err != nil {
			return err
		}
		return c.after(ctx, s, p, n)
	}
	o := upkeep.RemoveOptions{}
	if c.seen != nil {
		o.Seen = func(e store.Entry) {
			e.Key = strings.TrimPrefix(strings.TrimPrefix(e.Key, n.Path()), "/")
			c.seen(e)
		}
	}
	r, err := upkeep.PlanRemove(ctx, n, o)
	if err == nil {
		err = c.remove(ctx, s, l, r)
	}
	if err != nil {
		return p.fail(err)
	}
	return c.after(ctx, s, p, n)
}

// remove deletes the objects of r, which are below l.
func (c *rmCmd) remove(ctx context.Context, s *session, l openurl.Location, r *upkeep.Removal) error {
	s.foundOut()
	s.far.begin(work{unit: "objects", total: r.Objects, ahead: s.far.deleted.Load})
	err := r.Run(ctx)
	if err == nil && !c.DryRun {
		err = removeFolder(ctx, l)
	}
	if err != nil && ctx.Err() != nil {
		return resume(err, "continue with the same command")
	}
	if err != nil || c.DryRun {
		return err
	}
	fmt.Fprintf(s.out, "deleted %s, %s%s\n", render.Plural(int(r.Objects), "object"), render.Size(big.NewInt(r.Bytes)), linksStay(r.Links))
	return nil
}

// rest deletes what an interrupted removal, or an unfinished copy, has left. done is false if the
// objects below l are of another kind.
func (c *rmCmd) rest(ctx context.Context, s *session, l openurl.Location) (done bool, err error) {
	p, err := s.open(ctx, l)
	if err != nil {
		return false, err
	}
	defer p.release()
	r, err := upkeep.PlanRest(ctx, p.Store, "", upkeep.RemoveOptions{Seen: c.seen})
	if errors.Is(err, fault.NotFound) {
		return false, nil
	}
	if err == nil {
		err = c.remove(ctx, s, l, r)
	}
	if err != nil {
		return true, p.fail(err)
	}
	if q, n := s.openCopied(ctx, l); n != nil { // the interrupted removal did not update it
		defer q.release()
		return true, c.after(ctx, s, q, n)
	}
	return true, nil
}

// link deletes a symbolic link at the path of the URL.
func (c *rmCmd) link(ctx context.Context, s *session, path string) error {
	st := dir.New(filepath.Dir(path))
	if err := st.Delete(ctx, filepath.Base(path), store.DeleteOptions{}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.out, "deleted 1 object, 0%s\n", linksStay(1))
	return err
}

// dryRun prints the objects that would be deleted and the requests. du reads the nodes with
// requests that the command itself does not send.
func (c *rmCmd) dryRun(ctx context.Context, s *session, l openurl.Location) error {
	if _, ok := isLink(l); ok {
		_, err := fmt.Fprintf(s.out, "%s  %s  1 object  0\n1 object to delete%s\n", ".", kindLink, linksStay(1))
		return err
	}
	du := &duCmd{URL: c.URL}
	all, err := du.show(ctx, s, func(each func(store.Entry)) error {
		s.rehearse()
		c.seen = each
		return c.run(ctx, s, l)
	})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.out, "%s to delete%s\n", render.Plural(int(all.Objects), "object"), linksStay(all.links)); err != nil {
		return err
	}
	return s.rehearsed.planned().print(s.out, c.priceFlags)
}

// isWhole reports whether a location is a whole bucket or file system.
func isWhole(l openurl.Location) bool {
	if path, err := filepath.Abs(l.Path); l.Scheme == "file" && err == nil {
		l.Path = path
	}
	up, ok := l.Parent()
	return !ok || up.Path == l.Path
}

// folder deletes everything below a place that is not a node. If the place is empty, it returns the
// error in the argument none.
func (c *rmCmd) folder(ctx context.Context, s *session, l openurl.Location, none error) error {
	p, err := s.open(ctx, l)
	if err != nil {
		return err
	}
	defer p.release()
	var objects, size, linked int64
	for e, err := range store.ListAll(ctx, p.Store, "", store.ListOptions{NoFollow: true}) {
		if err != nil {
			return p.fail(err)
		}
		if c.seen != nil {
			c.seen(e)
		}
		objects++
		size += max(0, e.Size)
		if e.Link != "" {
			linked++
		}
		if !c.Force && !c.DryRun {
			return fmt.Errorf("%w; objects are stored below it: pass --force to delete them", none)
		}
	}
	if objects == 0 {
		return none
	}
	s.foundOut()
	s.far.begin(work{unit: "objects", total: objects, ahead: s.far.deleted.Load})
	if err := store.DeleteBelow(ctx, p.Store, ""); err != nil {
		return p.fail(err)
	}
	if c.DryRun {
		return nil
	}
	if err := removeFolder(ctx, l); err != nil {
		return p.fail(err)
	}
	_, err = fmt.Fprintf(s.out, "deleted %s, %s%s\n", render.Plural(int(objects), "object"), render.Size(big.NewInt(size)), linksStay(linked))
	return err
}
