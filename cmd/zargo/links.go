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

// kindLink is a symbolic link. Commands that delete do not follow it.
const kindLink = "link"

// maxLinks is the maximum number of symbolic links without a node that are listed: about one
// screen.
const maxLinks = 20

// links collects the symbolic links of a listing that does not follow them, together with the nodes
// found behind them by reading.
type links struct {
	nodes  map[string]*usage
	above  map[string]bool // paths of nodes and of all directories above them; true for links
	others []string        // links whose paths are not in above, at most maxLinks
	n      int64
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
	} else if len(l.others) < maxLinks {
		l.others = append(l.others, key)
	}
}

// show replaces the nodes behind each link by one line for the link.
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
			l.others = append(l.others, path)
		}
	}
	for _, path := range l.others {
		l.nodes[path] = &usage{Kind: kindLink, Path: path, Objects: 1}
	}
}

// linksStay returns the part of a report about deleted objects that describes symbolic links, or ""
// for none.
func linksStay(n int64) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "; 1 is a symbolic link, and what it leads to stays"
	}
	return fmt.Sprintf("; %d are symbolic links, and what they lead to stays", n)
}

// localPath returns the absolute path of a file URL, and false for any other.
func localPath(l openurl.Location) (string, bool) {
	if l.Scheme != "file" || len(l.Inside) > 0 {
		return "", false
	}
	path, err := filepath.Abs(l.Path)
	return path, err == nil
}

// isLink returns the path of a location and whether it is itself a symbolic link.
func isLink(l openurl.Location) (string, bool) {
	path, ok := localPath(l)
	if !ok {
		return "", false
	}
	fi, err := os.Lstat(path)
	return path, err == nil && fi.Mode()&os.ModeSymlink != 0
}

// removeFolder removes the directory of a location, after its contents were deleted, if it is
// empty. It keeps the working directory.
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
		return nil // a name that is not a valid key
	}
	return err
}
