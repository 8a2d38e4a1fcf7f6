package main

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// writeFile creates or replaces a file with the contents that fill writes. It writes to a temporary
// file in the same directory, and renames it on success or removes it on failure. If name exists
// and is not a regular file, such as a pipe or a device, writeFile writes to it directly.
func writeFile(name string, fill func(io.Writer) error) (err error) {
	mode := os.FileMode(0o666) // before the umask
	old, err := os.Stat(name)
	if err == nil {
		if !old.Mode().IsRegular() {
			return writeInto(name, fill)
		}
		mode = old.Mode().Perm()
	}
	temp := filepath.Join(filepath.Dir(name), ".zargo-tmp-"+rand.Text()[:12])
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	err = errors.Join(fill(f), f.Close())
	if err == nil {
		err = os.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}

func writeInto(name string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(fill(f), f.Close())
}
