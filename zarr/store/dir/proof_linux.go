package dir

import (
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
)

// A listing of a directory may omit a file that is replaced while the directory is read, because
// readdir need not return names that are added or removed at that time (POSIX). On btrfs and tmpfs,
// for example, a rename moves the name to another place in the directory. A listing with
// store.ListOptions.Complete therefore compares the directory's time of last change before and
// after it reads the names. Every create, rename and remove sets this time, and no program can set
// it to an arbitrary value, unlike the modification time.

// proves reports that listings with store.ListOptions.Complete are checked.
const proves = true

const (
	// tick is more than the resolution of the times of all file systems in local. The kernel takes
	// them from a clock that advances every 10 ms at most. If a directory has changed within the
	// tick before the listing, another change may set the same time.
	tick = 50 * time.Millisecond
	// coarseTick replaces tick if the time is a whole second, because the file system may store
	// only seconds (ext4 with inodes of 128 bytes).
	coarseTick = time.Second + tick
)

// local reports whether only this machine changes the directories of a file system. Its argument is
// the type of statfs (linux/magic.h and the headers of the modules).
func local(fileSystem uint32) bool {
	switch fileSystem {
	case
		0xef53,     // ext2, ext3, ext4
		0x58465342, // XFS
		0x9123683e, // btrfs
		0xca451a4e, // bcachefs
		0xf2f52010, // F2FS
		0x2fc12fc1, // ZFS
		0x01021994, // tmpfs
		0x858458f6, // ramfs
		0x794c7630: // overlayfs
		return true
	}
	return false
}

// settled returns nil if a later change of the open directory will change its time. fi is the stat
// of the directory, and now a time before the stat was made.
func settled(dir *os.File, fi os.FileInfo, now time.Time) error {
	var st syscall.Statfs_t
	if err := syscall.Fstatfs(int(dir.Fd()), &st); err != nil || !local(uint32(st.Type)) {
		return fault.Newf(errors.ErrUnsupported, "the file system of %s does not prove that a listing is complete", dir.Name())
	}
	at := changed(fi)
	wait := tick
	if at.Nanosecond() == 0 {
		wait = coarseTick
	}
	if now.Sub(at) < wait {
		return fault.Newf(fault.Conflict, "%s was changed less than %v before the listing", dir.Name(), wait)
	}
	return nil
}

// unchanged returns nil if the open directory has not changed since the stat fi was made.
func unchanged(dir *os.File, fi os.FileInfo) error {
	now, err := dir.Stat()
	if err != nil {
		return err
	}
	if !changed(now).Equal(changed(fi)) {
		return fault.Newf(fault.Conflict, "%s was changed during the listing", dir.Name())
	}
	return nil
}

// changed returns the time of the last change of a file's inode.
func changed(fi os.FileInfo) time.Time {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Now()
	}
	return time.Unix(st.Ctim.Unix())
}
