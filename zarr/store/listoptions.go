package store

import (
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// ListOptions select what a listing yields. The zero value selects every key below the prefix.
//
// KeyPrefix and StartAfter are compared byte by byte with the path of an entry below the listing's
// prefix; the path of a Dir ends with its slash there. So a long level is divided among several
// listings by the beginnings of its names, and a listing in order goes on where another one ended.
// A store sends them to its provider where that has such parameters (S3, GCS), and filters
// elsewhere: then what is left out is listed all the same and costs requests.
type ListOptions struct {
	// Depth says where the listing stops.
	Depth Depth
	// KeyPrefix selects the paths that begin with it: "c/1" selects "c/1", "c/10" and "c/1/0". With
	// OneLevel the level begins after it, so that "c/1" gives "c/10" and the Dir "c/1", but "c/1/"
	// gives what is in "c/1".
	KeyPrefix string
	// StartAfter selects the paths that are greater than it: "c/1" leaves out "c/1" and all before
	// it, but not "c/1/0".
	StartAfter string
	// NoFollow lists a symbolic link as an entry of its own, of size 0, whatever it leads to. By
	// default links are followed. A prefix that is a link or lies behind one is fault.Refused.
	// Stores without links ignore it.
	NoFollow bool
}

// Depth says how far List descends.
type Depth uint8

const (
	// Deep lists every key below the prefix.
	Deep Depth = iota
	// OneLevel stops at the next slash.
	OneLevel
)

// Check refuses, with fault.Path, a prefix that [CheckPrefix] refuses, and options with which no
// key could begin. Every store calls it before any request.
func (o ListOptions) Check(prefix string) error {
	if err := CheckPrefix(prefix); err != nil {
		return err
	}
	if err := checkBeginning("KeyPrefix", o.KeyPrefix); err != nil {
		return err
	}
	return checkBeginning("StartAfter", o.StartAfter)
}

// checkBeginning refuses what is not the beginning of a key.
func checkBeginning(what, s string) error {
	if s == "" {
		return nil
	}
	key := s
	if len(key) < MaxKey {
		key += "x" // "a/" and "." are beginnings of keys, and no keys
	}
	if CheckKey(key) != nil {
		return fault.Newf(fault.Path, "%s %q is not the beginning of a key", what, s)
	}
	return nil
}

// Match reports whether KeyPrefix and StartAfter select e, an entry of a listing of prefix. It is
// the filter of stores whose provider has no such parameters.
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
