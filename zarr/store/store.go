package store

import (
	"context"
	"iter"
)

// Store holds values under keys (see [CheckKey]). All methods may be called concurrently.
//
// Errors are *fault.KeyError with a kind of package fault. The error of a cancelled or expired
// context has no kind and matches context.Canceled or context.DeadlineExceeded in errors.Is. Every
// verb refuses a key that fails [CheckKey] with fault.Path, before any request.
type Store interface {
	// Get appends the bytes of key that o selects to buf and returns all of them, or an error.
	//
	// The Value's Bytes start with the contents of buf. They share its array if that has the
	// capacity, so a caller that passes a buffer of the right capacity allocates nothing. The store
	// keeps no reference to the array. On error the Value is zero, and the spare capacity of buf
	// may have been overwritten.
	//
	// A transfer that ends early is fault.Unavailable and carries a *TruncatedError with the bytes
	// that arrived. Other errors:
	//
	//   - fault.NotFound: the key is proven absent, and o pins no version.
	//   - fault.Refused: the key is misplaced. It is the parent of other keys, or below another
	//     key, in a store that cannot hold both, such as a directory.
	//   - fault.Conflict: o.IfVersion is set and the key is absent or has another version.
	//   - fault.Unchanged: o.IfNotVersion is set and the key has that version.
	//   - fault.Limit: the selection is longer than o.Max. This is decided before allocating if the
	//     store announces the length; then the error is a [*TooLong].
	//   - fault.Corrupt: the value is shorter than the selected range.
	//   - fault.Selection: the range is empty or negative. No request is made.
	Get(ctx context.Context, key string, o GetOptions, buf []byte) (Value, error)

	// Put replaces key's value. Concurrent readers see the old value or the new one, never a
	// mixture, even if the writer is killed. value may be empty; it is neither kept nor changed.
	// Put returns the Version that a Get of the new value would return.
	//
	//   - fault.Exists: o.IfAbsent is set and the key holds a value.
	//   - fault.Conflict: o.IfVersion is set and the key is absent or has another version.
	//   - errors.ErrUnsupported: the store cannot honour the condition. It never ignores one.
	Put(ctx context.Context, key string, value []byte, o PutOptions) (Version, error)

	// Delete removes key. An absent key is not an error, unless o.IfVersion is set: then it is
	// fault.Conflict. A store with symbolic links removes the link and not its target. A key with a
	// link among its parent directories is fault.Refused, unless o.AsPut is set.
	Delete(ctx context.Context, key string, o DeleteOptions) error

	// List yields the entries below prefix that o selects, each once, in any order. prefix is ""
	// for the whole store, else a path without a trailing slash: "a" lists "a/b" but neither "a"
	// nor "ab".
	//
	// With Deep it yields keys. With OneLevel it yields the keys without a further slash, and one
	// Entry with Dir set for the next segment of all longer keys. A prefix without keys yields
	// nothing. An error is yielded once, last, with a zero Entry. Changes made during the listing
	// may or may not be seen.
	List(ctx context.Context, prefix string, o ListOptions) iter.Seq2[Entry, error]

	// Close releases the resources of the store, such as connections and descriptors. Stored values
	// remain. Calls after Close fail or succeed, depending on the store, but do not panic.
	Close() error
}

// Version identifies one value that a key has had. It is opaque: an ETag, a generation, a counter.
// Two values of a key that differ in any byte never have the same Version. An empty Version means
// unknown. A store that never returns one refuses IfVersion with errors.ErrUnsupported.
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

// PutOptions condition a Put. At most one of them may be set; otherwise the Put is fault.Selection.
type PutOptions struct {
	IfAbsent  bool    // write only if the key holds no value, else fault.Exists
	IfVersion Version // write only over this version, else fault.Conflict
}

// DeleteOptions condition a Delete.
type DeleteOptions struct {
	IfVersion Version // delete only this version, else fault.Conflict

	// AsPut marks a delete that stands for writing a value without an object, such as a chunk of
	// fill values. A store with symbolic links then follows those among the parent directories of
	// the key, as its Put does. Otherwise it follows none.
	AsPut bool
}

// Entry is one row of a listing.
type Entry struct {
	Key     string  // the full key; of a Dir the path without a trailing slash
	Size    int64   // bytes of the value; 0 for a Dir; -1 if the listing does not report it
	Version Version // empty if the listing does not report it
	Dir     bool    // there are keys below Key + "/"

	// Link is the first symbolic link on the path to Key that was followed. With NoFollow it is Key
	// if Key is a link. Otherwise it is "".
	Link string
}

// TruncatedError carries the bytes of a Get that arrived before the connection broke. Package retry
// resumes after them.
type TruncatedError struct {
	// Value has the announced Size and Version. Its Bytes are the caller's buffer with the bytes
	// that arrived appended.
	Value Value
	Want  int64 // selected bytes, of which only some arrived
	Err   error
}

func (e *TruncatedError) Error() string { return "transfer cut: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *TruncatedError) Unwrap() error { return e.Err }
