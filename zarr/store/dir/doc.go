// Package dir is a store in a directory. A key is the path of a file below the directory. The file
// contains the bytes of the value and nothing else, so zarr-python's LocalStore and TensorStore's
// file driver read the files of this package, and the other way round.
//
//	st := dir.New("/data/era5.zarr")
//	_, err := st.Put(ctx, "t2m/zarr.json", doc, store.PutOptions{IfAbsent: true})
//
// # Writes
//
// A value is written to a temporary file in the same directory, which is then renamed. So readers,
// also after a SIGKILL, see the old value or the new one. Names of temporary files start with
// ".zargo-tmp-". They are never listed, no key may use them (fault.Path), and no Zarr name starts
// like this. A killed writer may leave temporary files behind:
//
//	find ROOT -name '.zargo-tmp-*' -mmin +60 -delete
//
// An upload in parts (store.PutParts) has a temporary file for each part until it is committed.
// Another process can continue it, so delete only older files if you use that. Commit concatenates
// the parts to a new file. Until the parts are removed this takes twice the disk space, except on
// file systems that share blocks (btrfs, XFS), which do not copy either.
//
// Files have mode 0666 and directories 0777, less the umask. A Put is fault.Path if a parent of the
// key is a file or the key is a directory (with IfVersion fault.Conflict: the key has no value).
// Delete leaves empty directories behind. Listings do not show them, and store.RemoveFolders
// removes them.
//
// # Locks
//
// Every Put and Delete, with or without a condition, takes the lock under which conditional ones
// compare versions. So concurrent writers, in one process or in several, lose no updates, whether
// they replace whole values or modify parts of them.
//
// The lock is a flock on the value's own file, held during a stat and a rename. It leaves no files
// behind, and the kernel releases it when its holder dies. An unused name is not locked but taken
// by link(2), which fails if another writer was first. In other cases the lock is a file
// ".zargo-tmp-lock-<hash>" beside the value, which is removed with the lock: if the key is a
// symbolic link or another special file, on file systems without links, and always on Windows,
// where it is opened without sharing. Within a process there is a mutex as well. A process that may
// not read a value cannot lock it, and its replacement is then fault.Refused.
//
// IfAbsent uses link(2) (MoveFile on Windows) and needs no lock where links are supported.
// IfVersion needs a lock. Without reliable locks it returns errors.ErrUnsupported, while
// unconditional writes proceed. Locks are not reliable
//
//   - on NFS, SMB, AFS, GPFS, BeeGFS, OrangeFS and PanFS, and on host directories in a virtual
//     machine (9p, vboxsf, vmhgfs): other machines may write, whose locks or renames are not
//     visible here immediately;
//   - on FUSE (sshfs, gcsfuse, rclone, virtiofs, ntfs-3g …), which does not report the underlying
//     file system. File systems on object stores often have neither atomic renames nor stable
//     inodes: open the bucket instead;
//   - on systems without flock or LockFileEx (solaris, aix, js, plan9), and on file systems that
//     refuse it (Lustre without the mount option flock).
//
// Linux reports the file system (statfs), macOS and FreeBSD report whether it is local. On other
// systems this is not checked. [TrustLocks] uses the locks in spite of this; zarr.SingleWriter
// needs none. The locks of CephFS, GFS2, OCFS2, and of Lustre with the mount option flock, work
// between machines. (Those of Lustre's localflock do not, which cannot be distinguished.) The locks
// do not exclude zarr-python and TensorStore, which do not use them.
//
// # Versions
//
// A Version is the file's inode, size and modification time. Versions are not reused, because every
// write creates a new file and sets its time: the clock's nanoseconds, never a time that this Store
// has set before. With IfVersion the time is always later than that of the replaced value, even if
// the clock is set back or the file system stores whole seconds. A program that modifies a file in
// place and keeps its size and time is not detected.
//
// # Absence
//
// Only a proven absence is fault.NotFound. It is fault.Refused
//
//   - if the directory in which a value was found or written before is gone or was replaced: it was
//     renamed, removed, unmounted, mounted over, or a link in its path was changed. Writes are
//     refused as well. The store works again when the directory returns; for a new directory, call
//     [New] again;
//   - if the key's path is, or contains, a symbolic link without a target, such as a file that
//     git-annex has not fetched;
//   - if a parent of the key is a file, or the key is a directory with keys below it. No Zarr
//     writer creates these, but a link that was copied as a text file looks like the former. Empty
//     directories do not count;
//   - if the key is neither a file nor a directory.
//
// Two cases cannot be detected. A mount point whose disk is not mounted when it is first used looks
// like an empty directory, in which a Put creates what it needs. If a directory below the root
// disappears, for example an unmounted disk in the middle of the tree, its keys are absent, as in a
// bucket. Open the directory that may disappear as the root. A Get that finds its value does not
// check the root; an absence costs one more stat, and so does a Put.
//
// # Symbolic links
//
// By default reads and listings follow all links, and writes follow those among the parent
// directories of the key. A Put to a link replaces the link. A link to a directory that contains
// the link is not listed, as that would be a loop. A link without a target is listed with size -1,
// like anything that is neither a file nor a directory. Listing a prefix at or behind such a link
// is fault.Refused. With [Confined] links out of the root are not followed.
//
// Deletes follow no links. Delete of a link removes the link. A value behind a link among the
// parent directories of the key is fault.Refused. store.DeleteBelow removes links and the contents
// of real directories, and store.RemoveFolders removes real directories. Delete opens the
// directories of the key one by one from the root and compares each with its lstat, so it is safe
// against links that are exchanged during the call; this makes it about three times as slow. Links
// in the path of the root itself are followed. There is one exception: a write that stores no
// object, such as that of a chunk of fill values (store.DeleteOptions.AsPut), follows links as Put
// does.
//
// # Durability
//
// By default nothing is flushed to disk, as in other Zarr implementations. After a power failure or
// a kernel crash recent values may be lost or, on some file systems, empty. [Sync] flushes file and
// directory before Put returns, at the cost of about a disk seek per value.
//
// # Network file systems
//
// Rename and link are atomic on NFS and SMB. Another client may see the old value until its
// attribute cache expires, after 3 s to 60 s on NFS; with TrustLocks mount with actimeo=0 or noac.
// flock works between Linux NFS clients with NFSv4, and with lockd on v3.
//
// # Keys
//
// Every key that passes store.CheckKey works on Linux, if no segment is longer than 255 bytes
// (fault.Path). Windows refuses the characters <>:"|?*, names such as CON, and segments that end in
// a dot or a space. File systems that ignore case (macOS, Windows) treat "A" and "a" as one key.
// "a" and "a/b" cannot both have values.
//
// # Concurrency
//
// All methods may be called concurrently.
package dir
