package store

import (
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// ListOptions selects what a listing yields. The zero value selects every key below the prefix.
//
// KeyPrefix and StartAfter are compared byte by byte with an entry's path below the listing's
// prefix. For this comparison the path of a Dir ends with a slash. KeyPrefix divides a level with
// many entries among several listings. StartAfter continues an ordered listing where another one
// ended.
//
// Stores send KeyPrefix and StartAfter to providers that have such parameters (S3, GCS). For other
// providers the store filters the entries, and entries that it omits still cost requests.
type ListOptions struct {
	// Depth sets how far the listing descends.
	Depth Depth
	// KeyPrefix selects paths that start with it: "c/1" selects "c/1", "c/10" and "c/1/0". With
	// OneLevel, "c/1" yields "c/10" and the Dir "c/1", and "c/1/" yields the children of "c/1".
	KeyPrefix string
	// StartAfter selects the paths that sort after it: "c/1" excludes "c/1" and all paths before
	// it, but not "c/1/0".
	StartAfter string
	// NoFollow lists each symbolic link as an entry of size 0, regardless of the target. By default
	// links are followed. With NoFollow a listing returns fault.Refused if the prefix is a link or
	// has a link among its parent directories. Stores without links ignore NoFollow.
	NoFollow bool
	// Complete requires that the listing contains every key that existed from its start to its end.
	// A store that provides [Listings] with Proves checks this, and ends the listing with
	// fault.Conflict if keys changed during it or shortly before it, and with errors.ErrUnsupported
	// if it cannot check. The caller may then list again. Other stores ignore Complete.
	Complete bool
}

// Depth is how far List descends.
type Depth uint8

const (
	// Deep lists every key below the prefix.
	Deep Depth = iota
	// OneLevel lists only the next level: paths end at the first slash after the prefix.
	OneLevel
)

// Check returns fault.Path if prefix fails [CheckPrefix], or if no key can start with KeyPrefix or
// StartAfter. Every store calls Check before it makes a request.
func (o ListOptions) Check(prefix string) error {
	if err := CheckPrefix(prefix); err != nil {
		return err
	}
	if err := checkBeginning("KeyPrefix", o.KeyPrefix); err != nil {
		return err
	}
	return checkBeginning("StartAfter", o.StartAfter)
}

// checkBeginning returns fault.Path if s is not the beginning of any key. The parameter what is the
// name of the option for the error.
func checkBeginning(what, s string) error {
	if s == "" {
		return nil
	}
	key := s
	if len(key) < MaxKey { // "a/" and "." are not keys, but beginnings of keys
		key += "x" // "a/" and "." are not keys but beginnings of keys
	}
	if CheckKey(key) != nil {
		return fault.Newf(fault.Path, "%s %q is not the beginning of a key", what, s)
	}
	return nil
}

// Match reports whether KeyPrefix and StartAfter select the entry e of a listing below prefix.
// Stores whose provider lacks these parameters call it to filter entries.
func (o ListOptions) Match(prefix string, e Entry) bool {
	if o.KeyPrefix == "" && o.StartAfter == "" {
		return true
	}
	path := e.Key
	if prefix != "" {
		path = strings.TrimPrefix(path[min(len(prefix), len(path)):], "/")
	}
	if e.Dir {
		path += "/"
	}
	return strings.HasPrefix(path, o.KeyPrefix) && path > o.StartAfter
}
