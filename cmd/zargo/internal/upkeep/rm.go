package upkeep

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/cost"
	"github.com/zargo-io/zargo/cmd/zargo/internal/describing"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// Rm is the command rm.
type Rm struct {
	URL    string `arg:"" name:"url" help:"The array, or the group with all nodes below it. With --force any directory or bucket."`
	DryRun bool   `name:"dry-run" help:"Print the objects and bytes of each node that would be deleted, and the requests and the cost, without deleting."`
	Force  bool   `short:"f" help:"Also delete a location that is neither an array nor a group, or a whole bucket."`
	cost.Prices
	session.ConsolidateFlag

	seen func(store.Entry) // called for each object to delete, whose key is relative to the URL; or nil
}

// isLink returns the path of a location, and whether the path itself is a symbolic link.
func isLink(l openurl.Location) (string, bool) {
	path, ok := session.LocalPath(l)
	if !ok {
		return "", false
	}
	fi, err := os.Lstat(path)
	return path, err == nil && fi.Mode()&os.ModeSymlink != 0
}

// removeFolder removes the directory of a location if it is empty. It is called after the contents
// were deleted. It does not remove the working directory.
func removeFolder(ctx context.Context, l openurl.Location) error {
	path, ok := session.LocalPath(l)
	if !ok || isWhole(l) {
		return nil
	}
	here, err := os.Stat(".")
	if fi, e := os.Stat(path); err == nil && e == nil && os.SameFile(here, fi) {
		return nil
	}
	err = store.RemoveFolders(ctx, dir.New(filepath.Dir(path)), filepath.Base(path))
	if errors.Is(err, fault.Path) {
		return nil // the name is not a valid key
	}
	return err
}

// Run deletes everything stored below a URL.
func (c *Rm) Run(ctx context.Context, s *session.Session) error {
	if err := c.CheckDry(c.DryRun); err != nil {
		return err
	}
	l, err := s.ParseURL(c.URL)
	if err != nil {
		return err
	}
	l = session.NodeOf(l)
	if c.DryRun {
		return c.dryRun(ctx, s, l)
	}
	return c.run(ctx, s, l)
}

func (c *Rm) run(ctx context.Context, s *session.Session, l openurl.Location) error {
	if isWhole(l) && !c.Force && !c.DryRun {
		return exit.Usagef("%s is a whole bucket or file system: pass --force to delete it", render.OneLine(l.String()))
	}
	link, ok := isLink(l)
	p, n, err := s.OpenRooted(ctx, c.URL)
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
	defer p.Release()
	if ok {
		if err := c.link(ctx, s, link); err != nil {
			return err
		}
		return c.After(ctx, s, p, n)
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
		return p.Fail(err)
	}
	return c.After(ctx, s, p, n)
}

// remove deletes the objects of r, which are below l.
func (c *Rm) remove(ctx context.Context, s *session.Session, l openurl.Location, r *upkeep.Removal) error {
	s.FoundOut()
	s.Far.Begin(progress.Work{Unit: "objects", Total: r.Objects, Ahead: s.Far.Deleted.Load})
	err := r.Run(ctx)
	if err == nil && !c.DryRun {
		err = removeFolder(ctx, l)
	}
	if err != nil && ctx.Err() != nil {
		return exit.Resume(err, "continue with the same command")
	}
	if err != nil || c.DryRun {
		return err
	}
	fmt.Fprintf(s.Out, "deleted %s, %s%s\n", render.Plural(int(r.Objects), "object"), render.Size(big.NewInt(r.Bytes)), describing.LinksStay(r.Links))
	return nil
}

// rest deletes what an interrupted removal, or an unfinished copy, has left. done is false if the
// objects below l are of another kind.
func (c *Rm) rest(ctx context.Context, s *session.Session, l openurl.Location) (done bool, err error) {
	p, err := s.Open(ctx, l)
	if err != nil {
		return false, err
	}
	defer p.Release()
	r, err := upkeep.PlanRest(ctx, p.Store, "", upkeep.RemoveOptions{Seen: c.seen})
	if errors.Is(err, fault.NotFound) {
		return false, nil
	}
	if err == nil {
		err = c.remove(ctx, s, l, r)
	}
	if err != nil {
		return true, p.Fail(err)
	}
	if q, n := s.OpenCopied(ctx, l); n != nil { // the interrupted removal did not update it
		defer q.Release()
		return true, c.After(ctx, s, q, n)
	}
	return true, nil
}

// link deletes a symbolic link at the path of the URL.
func (c *Rm) link(ctx context.Context, s *session.Session, path string) error {
	st := dir.New(filepath.Dir(path))
	if err := st.Delete(ctx, filepath.Base(path), store.DeleteOptions{}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.Out, "deleted 1 object, 0%s\n", describing.LinksStay(1))
	return err
}

// dryRun prints the objects that would be deleted and the requests. du reads the nodes with
// requests that the command itself does not send.
func (c *Rm) dryRun(ctx context.Context, s *session.Session, l openurl.Location) error {
	if _, ok := isLink(l); ok {
		_, err := fmt.Fprintf(s.Out, "%s  %s  1 object  0\n1 object to delete%s\n", ".", describing.KindLink, describing.LinksStay(1))
		return err
	}
	du := &describing.Du{URL: c.URL}
	all, err := du.Show(ctx, s, func(each func(store.Entry)) error {
		s.Rehearse()
		c.seen = each
		return c.run(ctx, s, l)
	})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.Out, "%s to delete%s\n", render.Plural(int(all.Objects), "object"), describing.LinksStay(all.Links)); err != nil {
		return err
	}
	return s.Rehearsed.Planned().Print(s.Out, c.Prices)
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
func (c *Rm) folder(ctx context.Context, s *session.Session, l openurl.Location, none error) error {
	p, err := s.Open(ctx, l)
	if err != nil {
		return err
	}
	defer p.Release()
	var objects, size, linked int64
	for e, err := range store.ListAll(ctx, p.Store, "", store.ListOptions{NoFollow: true}) {
		if err != nil {
			return p.Fail(err)
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
	s.FoundOut()
	s.Far.Begin(progress.Work{Unit: "objects", Total: objects, Ahead: s.Far.Deleted.Load})
	if err := store.DeleteBelow(ctx, p.Store, ""); err != nil {
		return p.Fail(err)
	}
	if c.DryRun {
		return nil
	}
	if err := removeFolder(ctx, l); err != nil {
		return p.Fail(err)
	}
	_, err = fmt.Fprintf(s.Out, "deleted %s, %s%s\n", render.Plural(int(objects), "object"), render.Size(big.NewInt(size)), describing.LinksStay(linked))
	return err
}
