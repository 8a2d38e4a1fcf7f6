package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// kindLink is a symbolic link, which a command that deletes does not follow.
const kindLink = "link"

// maxLinks is how many symbolic links that stand for no node have a line of their own: a screenful.
const maxLinks = 20

// links are the symbolic links of a listing that does not follow them, beside the nodes that
// reading finds behind them.
type links struct {
	nodes map[string]*usage
	above map[string]bool // paths of nodes, and of all folders above them; true for links
	few   []string        // links that are none of these
	n     int64
}

func newLinks(nodes map[string]*usage) *links {
	l := &links{nodes: nodes, above: map[string]bool{}}
	for path := range nodes {
		for ; path != ""; path = path[:max(strings.LastIndexByte(path, '/'), 0)] {
			l.above[path] = false
		}
	}
	return l
}

func (l *links) add(key string) {
	l.n++
	if _, ok := l.above[key]; ok {
		l.above[key] = true
	} else if len(l.few) < maxLinks {
		l.few = append(l.few, key)
	}
}

// show gives links lines in the place of the nodes behind them.
func (l *links) show() {
	for path := range l.nodes {
		for up := path; up != ""; up = up[:max(strings.LastIndexByte(up, '/'), 0)] {
			if l.above[up] {
				delete(l.nodes, path)
			}
		}
	}
	for path, link := range l.above {
		if link {
			l.few = append(l.few, path)
		}
	}
	for _, path := range l.few {
		l.nodes[path] = &usage{Kind: kindLink, Path: path, Objects: 1}
	}
}

// linksStay says in a report about deleted objects what becomes of symbolic links; empty where
// there are none.
func linksStay(n int64) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "; 1 is a symbolic link, and what it leads to stays"
	}
	return fmt.Sprintf("; %d are symbolic links, and what they lead to stays", n)
}

// localPath is the absolute path of a place in the file system; false for all else.
func localPath(l openurl.Location) (string, bool) {
	if l.Scheme != "file" || len(l.Inside) > 0 {
		return "", false
	}
	path, err := filepath.Abs(l.Path)
	return path, err == nil
}

// isLink reports whether a place is itself a symbolic link, and gives its path.
func isLink(l openurl.Location) (string, bool) {
	path, ok := localPath(l)
	if !ok {
		return "", false
	}
	fi, err := os.Lstat(path)
	return path, err == nil && fi.Mode()&os.ModeSymlink != 0
}

// removeFolder removes the folder of a place after all in it was deleted, as far as it is empty.
// The working directory stays.
func removeFolder(ctx context.Context, l openurl.Location) error {
	path, ok := localPath(l)
	if !ok || isWhole(l) {
		return nil
	}
	here, err := os.Stat(".")
	if fi, e := os.Stat(path); err == nil && e == nil && os.SameFile(here, fi) {
		return nil
	}
	err = store.RemoveFolders(ctx, dir.New(filepath.Dir(path)), filepath.Base(path))
	if errors.Is(err, fault.Path) {
		return nil // a name that no key may have
	}
	return err
}
