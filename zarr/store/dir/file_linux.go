package dir

import (
	"io"
	"os"
	"syscall"
)

// file is a file descriptor. It is used instead of an *os.File, which would be registered with the
// poller, need four allocations, and make four fcntl calls for a write.
type file struct {
	n  int
	of *os.File // the owner of the descriptor, or nil
}

func fileOf(f *os.File) file { return file{int(f.Fd()), f} }

func openFile(path string) (file, error) {
	// O_NONBLOCK prevents a wait for the writer of a pipe.
	flags := syscall.O_RDONLY | syscall.O_CLOEXEC | syscall.O_NONBLOCK
	for {
		fd, err := syscall.Open(path, flags, 0)
		switch err {
		case syscall.EINTR:
		case syscall.EAGAIN:
			// Another process has a lease on the file. A blocking open breaks the lease.
			flags &^= syscall.O_NONBLOCK
		default:
			return file{n: fd}, err
		}
	}
}

// createFile creates a file for writing. It fails if the file exists.
func createFile(path string) (file, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_EXCL|syscall.O_CLOEXEC, 0o666)
		if err == nil {
			return file{n: fd}, nil
		}
		if err != syscall.EINTR {
			return file{}, &os.PathError{Op: "open", Path: path, Err: err}
		}
	}
}

// most is the maximum number of bytes in one write call. Linux limits a call to 2 GiB minus a page.
const most = 1 << 30

func (f file) write(b []byte) error {
	for len(b) > 0 {
		n, err := syscall.Write(f.n, b[:min(len(b), most)])
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return os.NewSyscallError("write", err)
		case n <= 0:
			return io.ErrUnexpectedEOF
		default:
			b = b[n:]
		}
	}
	return nil
}

func (f file) sync() error {
	for {
		if err := syscall.Fsync(f.n); err != syscall.EINTR {
			return os.NewSyscallError("fsync", err)
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

// readAt reads up to len(b) bytes. At the end of the file it returns 0 and no error.
func (f file) readAt(b []byte, off int64) (int, error) {
	for {
		n, err := syscall.Pread(f.n, b, off)
		if err != syscall.EINTR {
			return max(n, 0), err
		}
	}
}

// close closes the file. On file systems that write late, such as NFS, it may return the error of
// an earlier write.
func (f file) close() error {
	if f.of != nil {
		return f.of.Close()
	}
	// Linux has closed the descriptor even if it returns EINTR.
	if err := syscall.Close(f.n); err != syscall.EINTR {
		return os.NewSyscallError("close", err)
	}
	return nil
}
