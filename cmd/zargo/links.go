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

// links collects the symbolic links of a listing that does not follow links. It also contains the
// nodes that were found by reading through the links.
type links struct {
	nodes  map[string]*usage
	above  map[string]bool // paths of nodes and of all directories above them; true for links
	others []string        // links whose paths are not in above, at most maxLinks
	n      int64
}

// kindLink is the kind of a symbolic link. Commands that delete do not follow symbolic links.
const kindLink = "link"

// maxLinks is the maximum number of listed symbolic links that do not lead to a node. 20 links fill
// about one screen.
const maxLinks = 20

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

// show removes the nodes behind the links, and adds one line for each link.
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

// linksStay returns the text about symbolic links in a report about deleted objects, or "" if n is
// 0.
func linksStay(n int64) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "; 1 is a symbolic link, whose target remains"
	}
	return fmt.Sprintf("; %d are symbolic links, whose targets remain", n)
}

// localPath returns the absolute path of a file URL. It returns false for other URLs.
func localPath(l openurl.Location) (string, bool) {
	if l.Scheme != "file" || len(l.Inside) > 0 {
		return "", false
	}
	path, err := filepath.Abs(l.Path)
	return path, err == nil
}

// isLink returns the path of a location, and whether the path itself is a symbolic link.
func isLink(l openurl.Location) (string, bool) {
	path, ok := localPath(l)
	if !ok {
		return "", false
	}
	fi, err := os.Lstat(path)
	return path, err == nil && fi.Mode()&os.ModeSymlink != 0
}

// removeFolder removes the directory of a location if it is empty. It is called after the contents
// were deleted. It does not remove the working directory.
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
		return nil // the name is not a valid key
	}
	return err
}
