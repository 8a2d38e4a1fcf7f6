// Package dir is a store in a directory. A key is the path of a file below the directory. The file
// contains exactly the bytes of the value, so zarr-python's LocalStore and TensorStore's file
// driver can read the files of this package, and vice versa.
//
//	st := dir.New("/data/era5.zarr")
//	_, err := st.Put(ctx, "t2m/zarr.json", doc, store.PutOptions{IfAbsent: true})
//
// # Writes
//
// A value is written to a temporary file in the same directory, which is then renamed. Readers
// therefore see the old value or the new one, even if the writer is killed. Names of temporary
// files start with ".zargo-tmp-". They are never listed, and a key that contains such a name is
// fault.Path. No name in Zarr starts with ".zargo-tmp-". A killed writer may leave temporary files
// behind, which can be removed by age:
//
//	find ROOT -name '.zargo-tmp-*' -mmin +60 -delete
//
// An upload in parts (store.PutParts) has a temporary file for each part until it is committed.
// Another process can continue an upload. If you use this, delete only files that are older than
// any unfinished upload. Commit concatenates the parts to a new file, and then removes them. Until
// then a value takes twice its disk space, except on file systems that share blocks between files
// (btrfs, XFS).
//
// Files are created with mode 0666 and directories with mode 0777, less the umask. If a parent of
// the key is a file, or if the key is a directory, Put returns fault.Path. A Put with IfVersion
// returns fault.Conflict in these cases, because the key does not have a value. Delete leaves empty
// directories behind. Listings do not show them, and store.RemoveFolders removes them.
//
// # Locks
//
// Conditional writes compare versions under a lock. Every Put and Delete takes this lock, even
// without a condition. Concurrent writers in one or several processes therefore lose no updates,
// whether they replace whole values or modify parts of them.
//
// The lock is a flock on the value's own file, held during a stat and a rename. The lock leaves no
// files behind, and the kernel releases it if the process dies. An unused name is not locked: a
// writer takes the name with link(2), which fails if another writer was first. In some cases the
// lock is a separate file ".zargo-tmp-lock-<hash>" next to the value, which is removed when the
// lock is released. These cases are keys that are symbolic links or other special files, file
// systems without hard links, and Windows, where the lock file is opened without sharing. Writers
// in the same process also exclude each other with a mutex. A process without read permission for a
// value cannot lock it, so a Put returns fault.Refused.
//
// A Put with IfAbsent uses link(2) (MoveFile on Windows) and needs no lock if hard links are
// supported. A Put with IfVersion needs a lock, and returns errors.ErrUnsupported if there are no
// reliable locks. Unconditional writes proceed without locks in this case. Locks are not reliable
//
//   - on NFS, SMB, AFS, GPFS, BeeGFS, OrangeFS and PanFS, and on host directories in a virtual
//     machine (9p, vboxsf, vmhgfs), because locks or renames of other machines may not be visible
//     immediately;
//   - on FUSE (sshfs, gcsfuse, rclone, virtiofs, ntfs-3g …), which does not report the underlying
//     file system. File systems on object stores often lack atomic renames and stable inodes; open
//     the bucket instead;
//   - on systems without flock or LockFileEx (solaris, aix, js, plan9), and on file systems that
//     refuse it (Lustre without the mount option flock).
//
// Linux reports the file system (statfs). macOS and FreeBSD report whether it is local. On other
// systems the file system is not checked. With [TrustLocks] the locks of all file systems are used.
// With zarr.SingleWriter no locks are needed. The locks of CephFS, GFS2, OCFS2, and of Lustre with
// the mount option flock, work between machines. Those of Lustre with the mount option localflock
// do not work between machines, which cannot be detected. zarr-python and TensorStore do not use
// these locks and are not excluded by them.
//
// # Versions
//
// A Version consists of the file's inode, size and modification time. Versions are not reused,
// because every write creates a new file and sets its time. The time is that of the clock in
// nanoseconds, but never a time that this Store has already set. With IfVersion the time is always
// later than that of the replaced value, even if the clock is set back or the file system stores
// whole seconds. A change by a program that modifies a file in place and keeps its size and time is
// not detected.
//
// # Absence
//
// Get returns fault.NotFound only if the key is proven to be absent. The absence is not proven and
// the error is fault.Refused
//
//   - if the directory in which a value was found or written is gone or was replaced: it was
//     removed, unmounted or mounted over, or a link in its path was changed. Writes also return
//     fault.Refused. The store works again when the directory returns; for a new directory, call
//     [New] again;
//   - if the key's path is, or contains, a symbolic link without a target, such as a file that
//     git-annex has not fetched;
//   - if a parent of the key is a file, or the key is a directory with keys below it. No Zarr
//     writer creates such keys, but a symbolic link that was copied as a text file looks like a
//     file in the place of a parent. Empty directories are ignored;
//   - if the key is neither a file nor a directory.
//
// Two cases cannot be detected. A mount point whose disk is not mounted when it is first used looks
// like an empty directory, and a Put writes to it. If a directory below the root disappears, such
// as the mount point of an unmounted disk, the keys below it are absent, as in a bucket. To detect
// this, use the directory that may disappear as the root of the Store. A Get that finds its value
// does not check the root. A Get of an absent key makes an additional stat for the check, and so
// does a Put.
//
// A listing with store.ListOptions.Complete proves that all other keys below its prefix are absent.
// It compares the time of the last change (ctime) of each directory before and after it reads the
// names. If a directory was changed during the listing or within 50 ms before it, the error is
// fault.Conflict. The error is errors.ErrUnsupported on network file systems and FUSE, and on
// systems other than Linux. A listing without this option may omit a key whose value was replaced
// while the directory was read.
//
// # Symbolic links
//
// By default reads and listings follow all links, and writes follow links among the parent
// directories of the key. A Put to a link replaces the link. A link to a directory that contains
// the link is not followed, because that would be a loop. It is listed with size -1, like a link
// without a target and any name that is neither a file nor a directory. If the prefix of a listing
// is a link without a target, or is behind such a link, the listing returns fault.Refused. With
// [Confined] links out of the root are not followed.
//
// Deletes do not follow links. Delete of a link removes the link. If a value is behind a link among
// the parent directories of its key, Delete returns fault.Refused. store.DeleteBelow removes links
// and the contents of real directories, and store.RemoveFolders removes real directories. Delete
// opens the directories of the key one by one from the root and compares each of them with its
// lstat. This takes about three times as long, but is safe against links that are exchanged during
// the call. Links in the path of the root itself are followed. There is one exception: a delete
// that replaces a write (store.DeleteOptions.AsPut), such as the delete of a chunk that has only
// fill values, follows links as Put does.
//
// # Durability
//
// By default values are not flushed to disk, as in other Zarr implementations. After a power
// failure or a kernel crash, recent values may be missing or, on some file systems, empty. [Sync]
// flushes the file and the directory before Put returns, which takes about one disk seek per value.
//
// # Network file systems
//
// Rename and link are atomic on NFS and SMB. Another client of NFS may see the old value until its
// attribute cache expires, after 3 s to 60 s. With TrustLocks, mount with actimeo=0 or noac.
// Between Linux clients flock works with NFSv4, and also with NFSv3 if lockd runs.
//
// # Keys
//
// Every key that passes store.CheckKey works on Linux, unless a segment is longer than 255 bytes
// (fault.Path). Windows refuses the characters <>:"|?*, names such as CON, and segments that end in
// a dot or a space. File systems that ignore case (macOS, Windows) treat "A" and "a" as one key.
// "a" and "a/b" cannot both have values.
//
// # Concurrency
//
// All methods may be called concurrently.
package dir
