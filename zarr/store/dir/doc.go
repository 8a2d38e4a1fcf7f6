// Package dir is a store in a folder. A key is the path of a file below it, and the file holds the value's bytes and
// nothing else, so zarr-python's LocalStore and TensorStore's file driver read what this writes and the other way round.
//
//	st := dir.New("/data/era5.zarr")
//	_, err := st.Put(ctx, "t2m/zarr.json", doc, store.PutOptions{IfAbsent: true})
//
// # Writes
//
// A value is written to a temporary file beside its place and renamed into it, so a reader, and whoever comes after a
// SIGKILL, finds the old value or the new one. Temporary names begin with ".zargo-tmp-". They are never listed, no key
// may use them (fault.Path), and no Zarr name begins so. A killed writer may leave one behind:
//
//	find ROOT -name '.zargo-tmp-*' -mmin +60 -delete
//
// Files get mode 0666 and folders 0777, both less the umask. A Put whose way is blocked, because a parent of the key is a
// file or the key is a folder, is fault.Path (with IfVersion fault.Conflict: no value is there). Delete leaves empty
// folders; a listing does not show them.
//
// # Conditions
//
// IfAbsent is link(2), which fails if the name is taken (MoveFile on Windows); where there are no links, it looks and
// renames under the key's lock. IfVersion and Delete with IfVersion look and act under that lock: a mutex in the
// process and a flock between processes (a file opened without sharing on Windows), held on a file
// ".zargo-tmp-lock-<hash>" beside the value and removed with the lock. The kernel frees it when its holder dies. Where
// there is no such lock, the condition is errors.ErrUnsupported.
//
// Conditional writers never lose one another's writes. A plain Put or Delete takes part in the order within its own
// Store; one from another process that falls between the look and the rename of a conditional Put may be overwritten as
// if it had come just before. zarr-python and TensorStore know nothing of these locks either.
//
// A Version is inode, size and modification time. That survives ABA because every write is a new file and sets its own
// time: the clock's nanoseconds, never a time this Store gave before, and under IfVersion always later than that of the
// value replaced, also where the clock steps back or the file system keeps whole seconds. A foreign writer that changes
// a file in place and keeps size and time is not noticed.
//
// # Durability
//
// Nothing is flushed to the disk by default, as with the other Zarr implementations: after a power failure or a crash
// of the kernel recent values may be lost or, on some file systems, empty. [Sync] flushes file and folder before Put
// returns; that costs about a disk seek for each value.
//
// # Network file systems
//
// Rename and link are atomic on NFS and SMB; another client may see the old value until its attribute cache expires
// (3 s to 60 s on NFS; mount with actimeo=0 or noac for conditions between machines). flock works between NFS clients
// on Linux with NFSv4, and with lockd on v3; Lustre needs the mount option flock. FUSE file systems on object stores
// often have neither atomic rename nor locks nor stable inodes: open the bucket itself.
//
// # Keys
//
// Every key that store.CheckKey lets pass works on Linux, if no segment is longer than 255 bytes (fault.Path). Windows
// refuses the characters <>:"|?*, names such as CON, and segments that end in a dot or a space. File systems that ignore
// case (macOS, Windows) hold "A" and "a" as one key. "a" and "a/b" cannot both hold a value. Symbolic links are
// followed when reading and listing; a Put replaces the link itself. A link to a folder that the link lies in, which would
// begin a loop, is not listed. A key's file that is neither a regular file nor a folder is fault.Refused, and so is a key
// whose path is or leads through a link to what is not there, such as a file that git-annex has not fetched: that proves no
// absence. A listing leaves out such links, but one of a prefix at or behind such a link is fault.Refused.
//
// All methods may be called concurrently.
package dir
