package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// linkedTree creates a hierarchy "g" with links to another hierarchy, "ext", which also contains
// files that do not belong to Zarr.
func linkedTree(t *testing.T, p *program) {
	t.Helper()
	t.Chdir(t.TempDir())
	do(t, p, "create ext --group")
	do(t, p, "create ext/x --shape 4 --chunks 2 --dtype int8")
	write(t, "ext/notes.txt", []byte("precious"))
	write(t, "ext/sub/data.bin", []byte("precious"))
	do(t, p, "create g --group")
	do(t, p, "create g/a --shape 4 --chunks 2 --dtype int8")
	link(t, "../ext", "g/linked")
	link(t, "../../ext/sub", "g/a/c")
	link(t, "../ext/notes.txt", "g/notes.txt")
	link(t, "nowhere", "g/dangling")
}

func link(t *testing.T, to, name string) {
	t.Helper()
	succeed(t, os.MkdirAll(filepath.Dir(name), 0o777))
	if err := os.Symlink(to, name); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
}

// kept fails the test if a target of linkedTree's links was deleted.
func kept(t *testing.T) {
	t.Helper()
	for _, name := range []string{"ext/zarr.json", "ext/x/zarr.json", "ext/notes.txt", "ext/sub/data.bin"} {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("it was deleted through a link: %v", err)
		}
	}
}

// gone fails the test if a file or link with the name exists.
func gone(t *testing.T, name string) {
	t.Helper()
	if _, err := os.Lstat(name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s stays: %v", name, err)
	}
}

func has(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("it does not say %q:\n%s", w, text)
		}
	}
}

// TestRemoveLinks checks that rm removes the links and directories of a hierarchy but not the
// targets of links, and that the dry run reports this.
func TestRemoveLinks(t *testing.T) {
	p := newProgram()
	linkedTree(t, p)
	has(t, do(t, p, "rm g --dry-run"), "linked     link ", "a/c        link ", "notes.txt  link ", "dangling   link ",
		"6 objects to delete", "4 are symbolic links, whose targets remain")
	if _, err := os.Lstat("g/linked"); err != nil {
		t.Errorf("after a dry run: %v", err)
	}
	has(t, do(t, p, "rm g"), "deleted 6 objects", "4 are symbolic links, whose targets remain")
	gone(t, "g")
	kept(t)
}

// TestRemoveOfALink checks that rm of a link removes the link, and that rm refuses a path through a
// link.
func TestRemoveOfALink(t *testing.T) {
	p := newProgram()
	linkedTree(t, p)
	fails(t, zargo(t, p, "rm g/linked/x"), 8, "symbolic link", "follow")
	kept(t)
	has(t, do(t, p, "rm g/linked --dry-run"), "1 object to delete", "whose target remains")
	has(t, do(t, p, "rm g/linked"), "deleted 1 object", "whose target remains")
	gone(t, "g/linked")
	fails(t, zargo(t, p, "rm g/dangling"), 8, "--force")
	do(t, p, "rm g/dangling --force")
	gone(t, "g/dangling")
	fails(t, zargo(t, p, "rm g/notes.txt"), 8, "--force")
	kept(t)
}

// TestRemoveFolderWithLinks checks that rm --force of a directory that is not a node follows no
// links and leaves no directories.
func TestRemoveFolderWithLinks(t *testing.T) {
	p := newProgram()
	linkedTree(t, p)
	write(t, "folder/deep/er/file", []byte("x"))
	link(t, "../../ext", "folder/deep/linked")
	has(t, do(t, p, "rm folder --dry-run"), "2 objects to delete", "1 is a symbolic link, whose target remains")
	has(t, do(t, p, "rm folder --force"), "deleted 2 objects", "1 is a symbolic link")
	gone(t, "folder")
	kept(t)
}

// TestRemoveLeavesNoFolders checks that no empty directory remains after deleting a node below a
// group, or a whole hierarchy.
func TestRemoveLeavesNoFolders(t *testing.T) {
	p := newProgram()
	t.Chdir(t.TempDir())
	do(t, p, "create w --group")
	do(t, p, "create w/a --shape 2,2 --chunks 1,1 --dtype int8")
	write(t, "w/a/c/0/0", []byte{1})
	do(t, p, "rm w/a")
	gone(t, "w/a")
	do(t, p, "create w/b --shape 2,2 --chunks 1,1 --dtype int8")
	write(t, "w/b/c/1/0", []byte{1})
	do(t, p, "rm w")
	gone(t, "w")
}

// TestRepairFollowsNoLink checks that orphans behind a link remain, and that the dry run and the
// repair report them.
func TestRepairFollowsNoLink(t *testing.T) {
	p := newProgram()
	t.Chdir(t.TempDir())
	do(t, p, "create x --shape 4 --chunks 2 --dtype int8")
	write(t, "other/0", []byte{1, 1})
	write(t, "other/7", []byte{1, 1})
	link(t, "../other", "x/c")
	for _, flags := range []string{" --dry-run", ""} {
		r := zargo(t, p, "validate x --repair --delete-orphans"+flags)
		has(t, r.out, "orphans behind symbolic links are kept: 1")
	}
	if _, err := os.Stat("other/7"); err != nil {
		t.Error(err)
	}
}
