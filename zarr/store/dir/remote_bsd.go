//go:build darwin || freebsd

package dir

import "syscall"

// remote returns the name of the open file's file system, or "" if the system reports that the file
// system is local.
func remote(fd int) string {
	const local = 0x1000 // MNT_LOCAL, sys/mount.h
	var st syscall.Statfs_t
	if err := syscall.Fstatfs(fd, &st); err != nil || uint64(st.Flags)&local != 0 {
		return ""
	}
	name := make([]byte, 0, len(st.Fstypename))
	for _, c := range st.Fstypename {
		if c == 0 {
			break
		}
		name = append(name, byte(c))
	}
	return string(name)
}
