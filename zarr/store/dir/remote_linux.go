package dir

import "syscall"

// remote returns the name of the open file's file system if its locks are unreliable. Locks are
// unreliable on network file systems, and on file systems such as FUSE that hide an underlying file
// system. The result is "" for local file systems, and for Lustre, CephFS, GFS2 and OCFS2, whose
// locks work between machines.
func remote(fd int) string {
	var st syscall.Statfs_t
	for {
		switch syscall.Fstatfs(fd, &st) {
		case nil:
		case syscall.EINTR:
			continue
		default:
			return ""
		}
		break
	}
	switch uint32(st.Type) { // values are from linux/magic.h and the headers of the modules
	case 0x6969:
		return "NFS"
	case 0x517b, 0xff534d42, 0xfe534d42:
		return "SMB"
	case 0x65735546:
		return "FUSE"
	case 0x01021997:
		return "9p"
	case 0x5346414f, 0x6b414653:
		return "AFS"
	case 0x73757245:
		return "Coda"
	case 0x47504653:
		return "GPFS"
	case 0x19830326:
		return "BeeGFS"
	case 0x20030528:
		return "OrangeFS"
	case 0xaad7aaea:
		return "PanFS"
	case 0x786f4256:
		return "vboxsf"
	case 0xbacbacbc:
		return "vmhgfs"
	}
	return ""
}
