package store

import (
	"context"
	"iter"
)

// Store holds values under keys (see [CheckKey]). All methods may be called concurrently.
//
// Errors are *fault.KeyError with a kind of package fault. If the context is cancelled or expired,
// the error matches context.Canceled or context.DeadlineExceeded in errors.Is, and no kind. The
// exception is a *fault.Interrupted, which also matches fault.Throttled or fault.Unavailable: the
// store had received that failure and was repeating the request. Every verb returns fault.Path for
// a key that fails [CheckKey], before it makes a request.
type Store interface {
	// Get reads the bytes that o selects from the value of key, and appends them to buf. It returns
	// an error if not all of them arrive.
	//
	// The Value's Bytes start with the contents of buf. If buf has the capacity, Bytes share its
	// array, so that nothing is allocated. The store keeps no reference to the array. After an
	// error the Value is zero, and the spare capacity of buf may have been overwritten.
	//
	// If a transfer ends early, Get returns fault.Unavailable with a *TruncatedError that contains
	// the bytes that arrived. Other errors are:
	//
	//   - fault.NotFound if the key is proven absent and o.IfVersion is not set
	//   - fault.Refused if the key is misplaced: it is the parent of other keys or is below another
	//     key, in a store that cannot hold both, such as a directory
	//   - fault.Conflict if o.IfVersion is set and the key is absent or has another version
	//   - fault.Unchanged if o.IfNotVersion is set and the key has that version
	//   - fault.Limit if the selection is longer than o.Max. If the store announces the length, the
	//     error is a [*TooLong] and is returned before memory is allocated.
	//   - fault.Corrupt if the value is shorter than the selected range
	//   - fault.Selection if the range is empty or negative, without making a request
	Get(ctx context.Context, key string, o GetOptions, buf []byte) (Value, error)

	// Put sets the value of key. Concurrent readers see the old value or the new one, never a
	// mixture, even if the writer is killed. The value may be empty. Put does not modify value or
	// keep a reference to it. Put returns the Version that a Get of the new value would return. It
	// fails with:
	//
	//   - fault.Exists if o.IfAbsent is set and the key holds a value
	//   - fault.Conflict if o.IfVersion is set and the key is absent or has another version
	//   - errors.ErrUnsupported if the store cannot honour the condition; a condition is never
	//     ignored
	Put(ctx context.Context, key string, value []byte, o PutOptions) (Version, error)

	// Delete removes key and its value. If o.IfVersion is set and the key is absent or has another
	// version, Delete returns fault.Conflict. Otherwise an absent key is not an error. A store with
	// symbolic links removes the link and not its target. If a parent directory of the key is a
	// link, Delete returns fault.Refused, unless o.AsPut is set.
	Delete(ctx context.Context, key string, o DeleteOptions) error

	// List yields the entries below prefix that o selects, each once and in any order. prefix is ""
	// for the whole store, or a path without a trailing slash: "a" lists "a/b" but neither "a" nor
	// "ab".
	//
	// With Deep, List yields keys. With OneLevel, it yields the keys without a further slash, and
	// for all longer keys with the same next segment one Entry with Dir set. For a prefix without
	// keys, List yields nothing. After an error, which is yielded with a zero Entry, the listing
	// ends. Changes made during the listing may be missing from it.
	List(ctx context.Context, prefix string, o ListOptions) iter.Seq2[Entry, error]

	// Close releases the resources of the store, such as connections and descriptors. Stored values
	// remain. Calls after Close fail or succeed, depending on the store, but do not panic.
	Close() error
}

// Version identifies one value of a key. Its text is opaque; providers use ETags, generations or
// counters. Two values of a key that differ in any byte never have the same Version. An empty
// Version means that the version is unknown. A store that never returns a Version refuses IfVersion
// with errors.ErrUnsupported.
type Version string

// Value is the result of a Get.
type Value struct {
	Bytes   []byte  // the caller's buffer with the selected bytes appended
	Size    int64   // size in bytes of the whole stored value, for any range
	Version Version // version of the value that the bytes belong to
}

// GetOptions sets the range and the conditions of a Get. The zero value reads the whole value
// unconditionally.
type GetOptions struct {
	Range        Range
	IfVersion    Version // read only this version, else fault.Conflict
	IfNotVersion Version // read only if the version differs, else fault.Unchanged
	Max          int64   // maximum number of bytes to read, else fault.Limit; 0 means no limit
}

// PutOptions sets the condition of a Put. At most one field may be set; otherwise the Put returns
// fault.Selection.
type PutOptions struct {
	IfAbsent  bool    // write only if the key does not hold a value, else fault.Exists
	IfVersion Version // write only over this version, else fault.Conflict
}

// DeleteOptions sets the condition of a Delete.
type DeleteOptions struct {
	IfVersion Version // delete only this version, else fault.Conflict

	// AsPut marks a delete that takes the place of a write. For example, a chunk of fill values is
	// written by deleting its key. In a store with symbolic links, Delete with AsPut follows links
	// among the parent directories of the key, as Put does. Without AsPut, Delete follows no link.
	AsPut bool
}

// Entry is a key or a directory in a listing.
type Entry struct {
	Key     string  // full key; for a Dir, the path without a trailing slash
	Size    int64   // bytes of the value; 0 for a Dir; -1 if the listing does not report it
	Version Version // empty if the listing does not report it
	Dir     bool    // the entry stands for all keys below Key + "/"

	// Link is the first symbolic link that the listing followed on the path to Key, or "". With
	// NoFollow, Link equals Key if Key is a link.
	Link string
}

// TruncatedError contains the bytes of a Get that arrived before the connection broke. Package
// retry uses it to resume the Get after these bytes.
type TruncatedError struct {
	// Value has the Size and Version that the store announced. Its Bytes are the caller's buffer
	// with the arrived bytes appended.
	Value Value
	Want  int64 // number of selected bytes, of which only some arrived
	Err   error
}

func (e *TruncatedError) Error() string { return "truncated transfer: " + e.Err.Error() }

// Unwrap returns Err.
func (e *TruncatedError) Unwrap() error { return e.Err }
