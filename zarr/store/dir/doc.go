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
// files start with ".zargo-tmp-". They are never listed, and a key with such a name is fault.Path.
// No Zarr name starts like this. A killed writer may leave temporary files behind, which can be
// removed by age:
//
//	find ROOT -name '.zargo-tmp-*' -mmin +60 -delete
//
// An upload in parts (store.PutParts) has a temporary file for each part until it is committed.
// Another process can continue an upload, so if you use that, delete only files that are older than
// any upload. Commit concatenates the parts to a new file, which takes twice the disk space until
// the parts are removed. File systems that share blocks (btrfs, XFS) neither take the space nor
// copy the data.
//
// Files have mode 0666 and directories 0777, less the umask. If a parent of the key is a file, or
// if the key is a directory, Put returns fault.Path. With IfVersion it returns fault.Conflict,
// because the key has no value. Delete leaves empty directories behind. Listings do not show them,
// and store.RemoveFolders removes them.
//
// # Locks
//
// Every Put and Delete, with or without a condition, takes the lock under which conditional writes
// compare versions. So concurrent writers lose no updates, in one process or in several, whether
// they replace whole values or modify parts of them.
//
// The lock is a flock on the value's own file, held during a stat and a rename. It leaves no files
// behind, and the kernel releases it if its holder dies. An unused name is not locked. It is taken
// by link(2), which fails if another writer was first. In other cases the lock is a file
// ".zargo-tmp-lock-<hash>" next to the value, which is removed when the lock is released. These
// cases are a key that is a symbolic link or another special file, file systems without links, and
// Windows, where the lock file is opened without sharing. Within a process there is also a mutex. A
// process without read permission for a value cannot lock it; replacing the value returns
// fault.Refused.
//
// IfAbsent uses link(2) (MoveFile on Windows) and needs no lock if links are supported. IfVersion
// needs a lock. Without reliable locks it returns errors.ErrUnsupported, while unconditional writes
// proceed. Locks are not reliable
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
// systems this is not checked. [TrustLocks] uses the locks of all file systems; zarr.SingleWriter
// needs no locks. The locks of CephFS, GFS2, OCFS2, and of Lustre with the mount option flock, work
// between machines. The locks of Lustre with the mount option localflock do not, and this cannot be
// detected. The locks do not exclude zarr-python and TensorStore, which do not use them.
//
// # Versions
//
// A Version consists of the file's inode, size and modification time. Versions are not reused,
// because every write creates a new file and sets its time. The time is the clock's nanoseconds,
// but never a time that this Store has set before. With IfVersion the time is always later than
// that of the replaced value, even if the clock is set back or the file system stores whole
// seconds. A change by a program that modifies a file in place and keeps its size and time is not
// detected.
//
// # Absence
//
// Only a proven absence is fault.NotFound. An absence is not proven, and the error is
// fault.Refused,
//
//   - if the directory in which a value was found or written is gone or was replaced: it was
//     removed, unmounted, mounted over, or a link in its path was changed. Writes also return
//     fault.Refused. The store works again when the directory returns; for a new directory, call
//     [New] again;
//   - if the key's path is, or contains, a symbolic link without a target, such as a file that
//     git-annex has not fetched;
//   - if a parent of the key is a file, or the key is a directory with keys below it. No Zarr
//     writer creates these, but a link that was copied as a text file looks like the former. Empty
//     directories are ignored;
//   - if the key is neither a file nor a directory.
//
// Two cases cannot be detected. A mount point whose disk is not mounted when it is first used looks
// like an empty directory, and a Put writes to it. If a directory below the root disappears, such
// as the mount point of an unmounted disk, its keys are absent, as in a bucket. To detect this,
// open the directory that may disappear as the root. A Get that finds its value does not check the
// root. A Get of an absent key makes an additional stat for the check, and so does a Put.
//
// # Symbolic links
//
// By default reads and listings follow all links, and writes follow those among the parent
// directories of the key. A Put to a link replaces the link. A link to a directory that contains
// the link is not listed, because that would be a loop. A link without a target is listed with size
// -1, like any name that is neither a file nor a directory. If the prefix of a listing is such a
// link or is behind one, the listing returns fault.Refused. With [Confined] links out of the root
// are not followed.
//
// Deletes do not follow links. Delete of a link removes the link. If a value is behind a link among
// the parent directories of its key, Delete returns fault.Refused. store.DeleteBelow removes links
// and the contents of real directories, and store.RemoveFolders removes real directories. Delete
// opens the directories of the key one by one from the root and compares each with its lstat. It is
// therefore safe against links that are exchanged during the call, and takes about three times as
// long. Links in the path of the root itself are followed. There is one exception: a delete that
// stands for a write (store.DeleteOptions.AsPut), such as that of a chunk of fill values, follows
// links as Put does.
//
// # Durability
//
// By default nothing is flushed to disk, as in other Zarr implementations. After a power failure or
// a kernel crash recent values may be lost or, on some file systems, empty. [Sync] flushes the file
// and the directory before Put returns, which takes about one disk seek per value.
//
// # Network file systems
//
// Rename and link are atomic on NFS and SMB. Another client may see the old value until its
// attribute cache expires, after 3 s to 60 s on NFS. With TrustLocks, mount with actimeo=0 or noac.
// flock works between Linux NFS clients with NFSv4, and with lockd on NFSv3.
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
