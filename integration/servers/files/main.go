package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8088", "host:port to listen on")
	root := flag.String("root", ".", "the folder to serve")
	flag.Parse()
	r, err := os.OpenRoot(*root)
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Addr: *listen, Handler: files{r}, ReadHeaderTimeout: time.Minute}
	log.Fatal(server.ListenAndServe())
}

type files struct{ root *os.Root }

func (s files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	f, info, err := s.open(strings.TrimPrefix(r.URL.Path, "/"))
	if err != nil {
		code := http.StatusInternalServerError
		if errors.Is(err, fs.ErrNotExist) {
			code = http.StatusNotFound
		}
		http.Error(w, err.Error(), code)
		return
	}
	defer func() { _ = f.Close() }()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("ETag", fmt.Sprintf(`"%x-%x"`, info.ModTime().UnixNano(), info.Size()))
	http.ServeContent(w, r, "", time.Time{}, f)
}

// open opens a regular file. For any other name it returns fs.ErrNotExist.
func (s files) open(name string) (*os.File, fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, nil, fs.ErrNotExist
	}
	info, err := s.root.Stat(name) // before Open, which would block on a pipe
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) {
		return nil, nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := s.root.Open(name)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err != nil { // of the open file, not of a file that has replaced it
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
