package peers

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
)

var (
	treeCases = flag.Int("trees", 12, "number of random trees of TestTrees")
	treeSeed  = flag.Int("treeseed", 1, "seed of the first random tree of TestTrees")
)

// TestTrees builds random trees with zarr-python, xarray and the file system, and runs the commands
// that walk trees: ls, copy, diff, validate, consolidate and migrate. Each must agree with
// zarr-python and xarray, or an error or a warning must name the difference; see python/trees.py.
func TestTrees(t *testing.T) {
	text := judged(t, "python/trees.py", strconv.Itoa(*treeCases), strconv.Itoa(*treeSeed))
	if strings.Contains(text, "seed ") || !strings.Contains(text, strconv.Itoa(*treeCases)+" trees") {
		t.Error(text)
	}
}

// TestRoundTrips copies arrays of every data type, with the fill values, orders, keys, shards and
// attributes that formats treat differently, from v2 to v3 and back, from v3 to v2 and back, and
// migrates them. zarr-python must read the same from each, or an error must name the cause; see
// python/roundtrips.py.
func TestRoundTrips(t *testing.T) {
	if text := judged(t, "python/roundtrips.py"); !strings.HasSuffix(text, " cells\n") || strings.Count(text, "\n") != 1 {
		t.Error(text)
	}
}

// judged builds the command, and returns the output of a script that runs it.
func judged(t *testing.T, script string, args ...string) string {
	t.Helper()
	if os.Getenv(python313Env) == "" {
		bucket.Lack(t, python313Env+" does not name a Python with requirements-py313.txt")
	}
	dir, err := os.MkdirTemp("", "zargo-trees") // other users can enter it
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "zargo")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/zargo-io/zargo/cmd/zargo").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), os.Getenv(python313Env), append([]string{script, program}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%.2000s", err, out, &stderr)
	}
	return string(out)
}
