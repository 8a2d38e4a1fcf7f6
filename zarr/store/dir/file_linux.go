package dir

import (
	"os"
	"syscall"
)

// file is a descriptor opened for reading. An *os.File would cost a try to register it with the poller and four
// allocations for each Get.
type file struct {
	n  int
	of *os.File // that owns it, or nil
}

func fileOf(f *os.File) file { return file{int(f.Fd()), f} }

func openFile(path string) (file, error) {
	flags := syscall.O_RDONLY | syscall.O_CLOEXEC | syscall.O_NONBLOCK // a pipe must not make us wait for its writer
	for {
		fd, err := syscall.Open(path, flags, 0)
		switch err {
		case syscall.EINTR:
		case syscall.EAGAIN:
			flags &^= syscall.O_NONBLOCK // leased to somebody who gives it back on a blocking open
		default:
			return file{n: fd}, err
		}
	}
}

func (f file) fd() int { return f.n }

func (f file) info() (info, error) {
	var st syscall.Stat_t
	for {
		err := syscall.Fstat(f.n, &st)
		if err == syscall.EINTR {
			continue
		}
		in := info{size: st.Size, mtime: st.Mtim.Nano(), inode: st.Ino}
		switch st.Mode & syscall.S_IFMT {
		case syscall.S_IFREG:
		case syscall.S_IFDIR:
			in.kind = folderKind
		default:
			in.kind = special
		}
		return in, err
	}
}

// readAt reads up to len(b) bytes; 0 without an error is the end.
func (f file) readAt(b []byte, off int64) (int, error) {
	for {
		n, err := syscall.Pread(f.n, b, off)
		if err != syscall.EINTR {
			return max(n, 0), err
		}
	}
}

func (f file) close() {
	if f.of != nil {
		_ = f.of.Close()
		return
	}
	_ = syscall.Close(f.n)
}
