// Package dir is a store in a folder. A key is the path of a file below it, and the file holds the
// value's bytes and nothing else, so zarr-python's LocalStore and TensorStore's file driver read
// what this writes and the other way round.
//
//	st := dir.New("/data/era5.zarr")
//	_, err := st.Put(ctx, "t2m/zarr.json", doc, store.PutOptions{IfAbsent: true})
//
// # Writes
//
// A value is written to a temporary file beside its place and renamed into it, so a reader, and any
// process after a SIGKILL, finds the old value or the new one. Temporary names begin with
// ".zargo-tmp-". They are never listed, no key may use them (fault.Path), and no Zarr name begins
// so. A killed writer may leave one behind:
//
//	find ROOT -name '.zargo-tmp-*' -mmin +60 -delete
//
// A value in parts (store.PutParts) has such a file for each part until it is committed, so that
// another process can go on with it: where that is wanted, what is deleted must be older. Commit
// joins them in a new file, which takes room for both until they are removed, and no copying on
// file systems that share blocks (btrfs, XFS).
//
// Files get mode 0666 and folders 0777, both less the umask. A Put whose way is blocked, because a
// parent of the key is a file or the key is a folder, is fault.Path (with IfVersion fault.Conflict:
// no value is there). Delete leaves empty folders; a listing does not show them, and
// store.RemoveFolders removes them.
//
// # Locks
//
// Every Put and Delete, conditional or not, takes the lock under which a conditional one compares,
// so writers in one process or in many lose nothing, whether they replace whole values or change
// parts of them. The lock is a flock on the value's own file, held for a look and a rename; nothing
// is made for it and nothing stays, and the kernel frees it when its holder dies. A name that is
// free is not locked but taken by link(2), which fails if another took it first. Where a symbolic
// link or another special file is in the place of the value, or where there are no links, and
// always on Windows, the lock is a file ".zargo-tmp-lock-<hash>" beside the value, which is removed
// with the lock (on Windows it is opened without sharing). Within a process there is a mutex as
// well. To lock a value one must be allowed to read it, else replacing it is fault.Refused.
//
// IfAbsent is link(2) (MoveFile on Windows) and needs no lock where there are links. IfVersion
// needs one: without, it is errors.ErrUnsupported, and a plain write goes ahead. There is none to
// rely on
//
//   - on NFS, SMB, AFS, GPFS, BeeGFS, OrangeFS, PanFS, and on folders of the host in a virtual machine (9p, vboxsf, vmhgfs): another
//     machine may write, whose lock or whose rename does not show here at once;
//   - on FUSE (sshfs, gcsfuse, rclone, virtiofs, ntfs-3g …), which does not say what is behind it. File systems on object stores
//     often have neither atomic renames nor stable inodes: open the bucket itself;
//   - on systems without flock or LockFileEx (solaris, aix, js, plan9), and on file systems that refuse it (Lustre without the
//     mount option flock).
//
// Linux names the file system (statfs), macOS and FreeBSD say whether it is local; other systems
// are not asked. [TrustLocks] relies on the locks all the same; zarr.SingleWriter needs none.
// CephFS, GFS2, OCFS2, and Lustre with the mount option flock, have locks that hold between
// machines. (Lustre's localflock does not, and looks the same.) What is not kept out: zarr-python
// and TensorStore, which know nothing of these locks.
//
// A Version is inode, size and modification time. That survives ABA because every write is a new
// file and sets its own time: the clock's nanoseconds, never a time this Store gave before, and
// under IfVersion always later than that of the value replaced, also where the clock steps back or
// the file system keeps whole seconds. Another program that changes a file in place and keeps size
// and time is not noticed.
//
// # Absence
//
// Only a proven absence is fault.NotFound. It is fault.Refused instead
//
//   - when the folder in which something was found or put before is gone, or another is in its place: it was renamed, removed,
//     unmounted, mounted over, or a link in its path was changed. Nothing is written there either. If it comes back, or is
//     meant to be another, [New] opens it again;
//   - when the key's path is or leads through a symbolic link to what is not there, such as a file that git-annex has not
//     fetched;
//   - when a file is in the place of a folder, or a folder with keys below it in the place of a value. No Zarr writer does that;
//     a link that was copied as a text looks so. Empty folders are nothing;
//   - when there is something that is neither a file nor a folder.
//
// What cannot be known: a disk that is not mounted when its mount point is opened looks like an
// empty folder, in which a Put makes what it needs; and of a folder below the root that vanishes,
// an unmounted disk in the middle of the tree for instance, only the absence shows, as in a bucket.
// Make the folder that may vanish the root. A value that is found is returned without a look at the
// root, which costs nothing; an absence costs one more stat, as does a Put.
//
// # Symbolic links
//
// By default links are followed wherever they lead, when reading and listing, and in the folders of
// a key that is written. A Put to a link's own name replaces the link. A link to a folder that
// contains the link, which would begin a loop, is not listed. A link that leads nowhere is listed
// with the size -1, as is what is neither a file nor a folder; a listing of a prefix at or behind
// such a link is fault.Refused. With [Confined] no link is followed out of the root.
//
// Deletes follow no link. Delete of a link's own name removes the link. A value behind a link in
// the folders of the key is fault.Refused. store.DeleteBelow removes links and what is in real
// folders, and store.RemoveFolders real folders. Delete opens the folders of the key one by one
// from the root down and compares each with the one that it looked at, so it holds against links
// that are exchanged while it runs; one key takes about three times as long as without. What a link
// in the path of the root leads to is the root. The one exception is a write that stores no object,
// such as that of a chunk of fill values (store.DeleteOptions.AsPut): it follows links as Put does.
//
// # Durability
//
// Nothing is flushed to the disk by default, as with the other Zarr implementations: after a power
// failure or a crash of the kernel recent values may be lost or, on some file systems, empty.
// [Sync] flushes file and folder before Put returns; that costs about a disk seek for each value.
//
// # Network file systems
//
// Rename and link are atomic on NFS and SMB; another client may see the old value until its
// attribute cache expires (3 s to 60 s on NFS; with TrustLocks mount with actimeo=0 or noac). flock
// works between NFS clients on Linux with NFSv4, and with lockd on v3.
//
// # Keys
//
// Every key that store.CheckKey lets pass works on Linux, if no segment is longer than 255 bytes
// (fault.Path). Windows refuses the characters <>:"|?*, names such as CON, and segments that end in
// a dot or a space. File systems that ignore case (macOS, Windows) hold "A" and "a" as one key. "a"
// and "a/b" cannot both hold a value.
//
// All methods may be called concurrently.
package dir
