package processes

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
)

func containsClaim(doc []byte) bool { return bytes.Contains(doc, []byte(`"zargo_claim"`)) }

// xarray is a Python process that opens groups.
type xarray struct {
	in  io.Writer
	out *bufio.Scanner
}

func newXarray(t *testing.T) *xarray {
	t.Helper()
	python := os.Getenv("ZARGO_PEERS_PYTHON")
	if python == "" {
		bucket.Lack(t, "ZARGO_PEERS_PYTHON does not name a Python with integration/peers/requirements.txt")
	}
	cmd := exec.Command(python, "python/look.py")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	return &xarray{in, bufio.NewScanner(out)}
}

// see opens a group with xarray, with and without consolidated metadata, and compares the data.
// There must be n rows with consolidated metadata, and at least as many without it if no process
// was killed in between.
func (x *xarray) see(t *testing.T, place string, n int) {
	t.Helper()
	if _, err := fmt.Fprintln(x.in, place); err != nil {
		t.Fatal(err)
	}
	if !x.out.Scan() {
		t.Fatal("xarray ended")
	}
	var said struct {
		Rows  int
		Hours []int64 // hours since the first time, as decoded by xarray
		Wrong int     // number of wrong elements
		Error string
	}
	succeed(t, json.Unmarshal(x.out.Bytes(), &said))
	if said.Error != "" || said.Rows != n || said.Wrong != 0 || len(said.Hours) != n {
		t.Fatalf("xarray reads %+v, want %d rows", said, n)
	}
	for i, h := range said.Hours {
		if h != int64(i) {
			t.Fatalf("xarray reads the hours %v", said.Hours)
		}
	}
}
