package store

import (
	"context"
	"iter"
)

// Store holds values under keys (see [CheckKey]). All methods may be called concurrently.
//
// Errors are *fault.KeyError with a kind of package fault, except that a cancelled or expired
// context stays reachable by errors.Is(err, context.Canceled) or DeadlineExceeded and has no kind.
// A key that fails [CheckKey] is refused with fault.Path by every verb before any request is made.
type Store interface {
	// Get appends the bytes of key that o selects to buf and returns all of them, or an error.
	//
	// The Value's Bytes are buf's own array when it has the capacity, so a caller who passes a
	// buffer of the right capacity allocates nothing; Bytes includes what buf held before. The
	// store keeps no reference to it. On error the Value is zero, and the spare capacity of buf may
	// have been written to.
	//
	// fault.NotFound: the key is proven absent, and o pins no version. Of a path that has keys
	// below it, or lies below a key, a store in which only one of the two can be, such as a
	// directory, says fault.Refused: one of them is misplaced. fault.Conflict: o.IfVersion is set
	// and the key is absent or holds another version. fault.Unchanged: o.IfNotVersion is set and
	// the key holds that version. fault.Limit: the selected bytes are more than o.Max; decided on
	// the announced length, before allocating. Where that length is known the error is a
	// [*TooLong]. fault.Corrupt: the value is shorter than the selected range. fault.Selection: the
	// range is empty or negative; no request is made. A transfer that ends early is
	// fault.Unavailable and carries a *TruncatedError with what did arrive.
	Get(ctx context.Context, key string, o GetOptions, buf []byte) (Value, error)

	// Put replaces key's value. Concurrent readers see the old value or the new one, never a
	// mixture, and so it stays when the writer is killed. value is not kept and not changed; it may
	// be empty. The Version returned is the one that a Get of the new value would return.
	//
	// fault.Exists: o.IfAbsent is set and the key holds a value.
	// fault.Conflict: o.IfVersion is set and the key is absent or holds another version.
	// errors.ErrUnsupported: the store cannot honour the condition; it never ignores one.
	Put(ctx context.Context, key string, value []byte, o PutOptions) (Version, error)

	// Delete removes key. An absent key is no error, unless o.IfVersion is set: then it is
	// fault.Conflict. In a store with symbolic links it removes a link, not what the link leads to,
	// and a value behind a link in the folders of the key is fault.Refused, unless o.AsPut is set.
	Delete(ctx context.Context, key string, o DeleteOptions) error

	// List yields the entries below prefix that o selects, each once, in no promised order. prefix
	// is "" for the whole store, else a path without a trailing slash: "a" lists "a/b" but neither
	// "a" nor "ab". With Deep it yields keys; with OneLevel it yields the keys with no further
	// slash, and one Entry with Dir set for each longer path's next segment. A prefix with nothing
	// below it yields nothing. An error is yielded once, last, with a zero Entry. Changes made
	// during the listing may or may not show.
	List(ctx context.Context, prefix string, o ListOptions) iter.Seq2[Entry, error]

	// Close gives back what the store holds (connections, descriptors). Values stay. Calls after
	// Close fail or work, at the store's choice, but do not panic.
	Close() error
}

// Version names one value a key has had. It is opaque: an ETag, a generation, a counter. Two values
// of one key that differ in a byte never have the same Version. Empty means unknown: a store that
// never returns one cannot honour IfVersion and says errors.ErrUnsupported.
type Version string

// Value is what Get returns.
type Value struct {
	Bytes   []byte  // the caller's buffer with the selected bytes appended
	Size    int64   // bytes of the whole stored value, whatever the range
	Version Version // the version those bytes belong to
}

// GetOptions select and condition a Get. The zero value reads the whole value unconditionally.
type GetOptions struct {
	Range        Range
	IfVersion    Version // read only this version, else fault.Conflict
	IfNotVersion Version // read only another version than this, else fault.Unchanged
	Max          int64   // refuse to read more bytes than this (fault.Limit); 0 is no limit
}

// PutOptions condition a Put. At most one of the two may be set; both are an error of kind
// fault.Selection.
type PutOptions struct {
	IfAbsent  bool    // write only if the key holds no value, else fault.Exists
	IfVersion Version // write only over this version, else fault.Conflict
}

// DeleteOptions condition a Delete.
type DeleteOptions struct {
	IfVersion Version // delete only this version, else fault.Conflict

	// AsPut is set where the delete is how a write stores a value that needs no object, such as a
	// chunk of fill values. A store with symbolic links then follows those in the folders of the
	// key, as its Put does. Otherwise it follows none.
	AsPut bool
}

// Entry is one row of a listing.
type Entry struct {
	Key     string  // the full key from the store's root; for a Dir the path without a trailing slash
	Size    int64   // bytes of the value; 0 for a Dir; -1 where the listing does not tell
	Version Version // may be empty where listing does not tell
	Dir     bool    // there are keys below Key + "/"
	Link    string  // the first symbolic link that was followed on the way to Key, or with NoFollow Key where it is one; else ""
}

// TruncatedError carries the bytes of a Get that arrived before the connection broke. The retry
// layer resumes after them.
type TruncatedError struct {
	Value Value // Bytes: the bytes that arrived, in the caller's buffer after what that held; Size and Version as announced
	Want  int64 // bytes that should have arrived
	Err   error
}

func (e *TruncatedError) Error() string { return "transfer cut: " + e.Err.Error() }

// Unwrap gives the cause.
func (e *TruncatedError) Unwrap() error { return e.Err }
