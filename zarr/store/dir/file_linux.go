package dir

import (
	"io"
	"os"
	"syscall"
)

// file is a descriptor opened for reading or for writing. An *os.File would cost a try to register
// it with the poller, four allocations, and for writing four calls of fcntl.
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
			flags &^= syscall.O_NONBLOCK // leased to a process that gives it back on a blocking open
		default:
			return file{n: fd}, err
		}
	}
}

// createFile creates a file that is not there yet.
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

// most is how much is written at once: Linux writes at most 2 GiB less a page.
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

// readAt reads up to len(b) bytes; 0 without an error is the end.
func (f file) readAt(b []byte, off int64) (int, error) {
	for {
		n, err := syscall.Pread(f.n, b, off)
		if err != syscall.EINTR {
			return max(n, 0), err
		}
	}
}

// close is an error where the file system writes late, such as NFS.
func (f file) close() error {
	if f.of != nil {
		return f.of.Close()
	}
	if err := syscall.Close(f.n); err != syscall.EINTR { // Linux has closed it then
		return os.NewSyscallError("close", err)
	}
	return nil
}
