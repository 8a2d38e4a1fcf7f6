package peers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
)

// pythonEnv names the Python that has requirements.txt.
const pythonEnv = "ZARGO_PEERS_PYTHON"

// said is one line of what a peer says of one row.
type said struct {
	Peer, Name string
	SHA256     string // it wrote or read these bytes
	Error      string // it refused or failed
	Differs    string // it read something else
}

// ask runs one of the scripts on rows at a place.
func ask(t *testing.T, script string, rows []Row, place string) []said {
	t.Helper()
	python := os.Getenv(pythonEnv)
	if python == "" {
		bucket.Lack(t, pythonEnv+" does not name a Python with requirements.txt")
	}
	b, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rows.json")
	if err := os.WriteFile(file, b, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-W", "ignore", filepath.Join("python", script), file, place)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "AWS_EC2_METADATA_DISABLED=true")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, stderr.Bytes())
	}
	var all []said
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		var s said
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatalf("%s says %q: %v", script, lines.Bytes(), err)
		}
		all = append(all, s)
	}
	if want := 2 * len(rows); len(all) != want {
		t.Fatalf("%s says %d lines, want %d: two peers, %d rows\n%s", script, len(all), want, len(rows), stderr.Bytes())
	}
	return all
}
