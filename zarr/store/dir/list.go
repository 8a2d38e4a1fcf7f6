package dir

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// List implements [store.Store]. It reads large directories in parts, so a long listing takes
// little memory. It skips entries that disappear during the listing. Names that [store.CheckKey]
// refuses, which the Store cannot read, have size -1.
func (s *Store) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		err := o.Check(prefix)
		if err == nil {
			err = s.list(ctx, prefix, o, yield)
		}
		if err != nil && err != errStop {
			yield(store.Entry{}, s.failed("list", prefix, err))
		}
	}
}

// batch is the number of names that are read from a directory at a time. So many names take about
// one system call and little memory.
const batch = 512

// errStop ends a walk when the consumer of the listing stops.
var errStop = errors.New("stop")

func (s *Store) list(ctx context.Context, prefix string, o store.ListOptions, yield func(store.Entry, error) bool) error {
	// The listing starts at the directory of the prefix and of KeyPrefix up to its last slash.
	level := prefix
	if i := strings.LastIndexByte(o.KeyPrefix, '/'); i >= 0 {
		level = strings.TrimPrefix(prefix+"/"+o.KeyPrefix[:i], "/")
	}
	if level != "" {
		if err := s.checkNames(level); err != nil {
			return err
		}
	}
	t, err := s.enter(false)
	if err != nil {
		return err
	}
	defer t.close()
	w := walk{s: s, t: t, ctx: ctx, prefix: prefix, o: o, yield: yield, above: s.above(level)}
	path, below := s.root, ""
	if level != "" {
		path, below = s.join(level), level+"/"
		if n := s.firstLink(t, path); n > 0 {
			w.link = path[len(s.join("")):n]
		}
	}
	if o.NoFollow && w.link != "" {
		if len(w.link) > len(prefix) {
			return nil // the link is in KeyPrefix, so all matching keys are behind it
		}
		return fault.Newf(fault.Refused, "%w", &linkError{s.join(w.link)})
	}
	if err = w.folder(path, below); err == nil && (w.lost || !w.gave) {
		err = s.proven(t, path)
	}
	return err
}

// above returns the parents of the directory at a prefix, starting with the root.
func (s *Store) above(prefix string) (folders []string) {
	if prefix == "" {
		return nil
	}
	folders = append(folders, s.root)
	for i, c := range prefix {
		if c == '/' {
			folders = append(folders, s.join(prefix[:i]))
		}
	}
	return folders
}

type walk struct {
	s      *Store
	t      tree
	ctx    context.Context
	prefix string // prefix of the listing
	o      store.ListOptions
	yield  func(store.Entry, error) bool
	gave   bool     // set if an entry was yielded
	lost   bool     // set if a directory or a file was absent
	link   string   // first symbolic link in the path of the current directory, or ""
	above  []string // parents of the current directory, outermost first; a link to one is a loop
}

// folder yields the entries of the directory at path, whose keys start with prefix.
func (w *walk) folder(path, prefix string) error {
	w.above = append(w.above, path)
	defer func() { w.above = w.above[:len(w.above)-1] }()
	return w.eachName(path, func(d os.DirEntry) error {
		key := prefix + d.Name()
		if !w.wants(key) {
			return nil
		}
		if store.CheckKey(key) != nil || checkNames(key) != nil {
			return w.give(store.Entry{Key: key, Size: -1})
		}
		full := path + "/" + d.Name()
		if d.Type()&os.ModeSymlink != 0 && w.link == "" {
			w.link = key
			defer func() { w.link = "" }()
			if w.o.NoFollow {
				return w.give(store.Entry{Key: key})
			}
		}
		kind, fi := w.look(full, d)
		switch kind {
		case loop, special:
			if w.link == key {
				w.link = "" // the link is not followed
			}
			return w.give(store.Entry{Key: key, Size: -1})
		case folderKind:
			if w.o.Depth == store.Deep {
				return w.folder(full, key+"/")
			}
			if !w.o.Match(w.prefix, store.Entry{Key: key, Dir: true}) {
				return nil
			}
			any, err := w.holdsKey(full, key+"/")
			if errors.Is(err, fs.ErrPermission) {
				any, err = true, nil // it may hold keys, which the consumer cannot read
			}
			if err != nil || !any {
				return err
			}
			return w.give(store.Entry{Key: key, Dir: true})
		}
		var err error
		if fi == nil {
			if fi, err = w.info(full, d); err != nil {
				return w.vanished(err)
			}
		}
		in, err := infoOf(w.t, full, fi)
		if err != nil {
			return w.vanished(err)
		}
		return w.give(store.Entry{Key: key, Size: in.size, Version: in.version()})
	})
}

// wants reports whether the options may select the key or a key below it. Names of other keys are
// skipped without a stat.
func (w *walk) wants(key string) bool {
	if w.o.KeyPrefix == "" && w.o.StartAfter == "" {
		return true
	}
	path := key
	if w.prefix != "" {
		path = key[len(w.prefix)+1:]
	}
	below := path + "/" // the start of all keys in the directory
	return strings.HasPrefix(path, w.o.KeyPrefix) && (below > w.o.StartAfter || strings.HasPrefix(w.o.StartAfter, below))
}

// info returns the lstat of a name. For a link it describes the link.
func (w *walk) info(full string, d os.DirEntry) (os.FileInfo, error) {
	if w.s.confined {
		return w.t.lstat(full) // d might use its path
	}
	return d.Info()
}

func (w *walk) give(e store.Entry) error {
	if !w.o.Match(w.prefix, e) {
		return nil
	}
	if !w.gave {
		w.s.mark(w.t)
	}
	w.gave = true
	e.Link = w.link
	if !w.yield(e, nil) {
		return errStop
	}
	return nil
}

// look returns the kind of a name and, for a link, the info of its target. A link without a target,
// or with a target that the Store may not open, is special. The info is then nil.
func (w *walk) look(full string, d os.DirEntry) (kind, os.FileInfo) {
	switch mode := d.Type(); {
	case mode.IsRegular():
		return regular, nil
	case mode.IsDir():
		return folderKind, nil
	case mode&os.ModeSymlink == 0:
		return special, nil
	}
	fi, err := w.t.stat(full)
	switch {
	case err != nil:
		return special, nil
	case fi.Mode().IsRegular():
		return regular, fi
	case !fi.IsDir():
		return special, nil
	}
	for _, up := range w.above {
		if upper, err := w.t.stat(up); err == nil && os.SameFile(fi, upper) {
			return loop, nil
		}
	}
	return folderKind, fi
}

// holdsKey reports whether there is a value at any depth below the directory at path. It stops at
// the first value.
func (w *walk) holdsKey(path, prefix string) (bool, error) {
	found := false
	deep := walk{s: w.s, t: w.t, ctx: w.ctx, above: w.above, o: store.ListOptions{NoFollow: w.o.NoFollow}, yield: func(store.Entry, error) bool {
		found = true
		return false
	}}
	err := deep.folder(path, prefix)
	if err == errStop {
		err = nil
	}
	w.lost = w.lost || deep.lost
	return found, err
}

// eachName calls f for each name in a directory, except hidden names. If the directory does not
// exist, eachName does nothing.
func (w *walk) eachName(path string, f func(os.DirEntry) error) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	dir, err := w.t.openFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return w.vanished(err)
	}
	defer func() { _ = dir.Close() }()
	now := time.Now()
	fi, err := dir.Stat()
	if err != nil || !fi.IsDir() {
		return w.vanished(err)
	}
	if w.o.Complete {
		if err := settled(dir, fi, now); err != nil {
			return err
		}
	}
	for {
		names, err := dir.ReadDir(batch)
		for _, d := range names {
			if strings.HasPrefix(d.Name(), hidden) {
				continue
			}
			if err := f(d); err != nil {
				return err
			}
		}
		if err == io.EOF {
			if w.o.Complete {
				return unchanged(dir, fi)
			}
			return nil
		}
		if err != nil {
			return w.vanished(err)
		}
		if err := w.ctx.Err(); err != nil {
			return err
		}
	}
}

// vanished handles the error for a name that may have disappeared. It sets w.lost if the name is
// absent, and returns other errors unchanged.
func (w *walk) vanished(err error) error {
	if absent(err) {
		w.lost = true
		return nil
	}
	return err
}
