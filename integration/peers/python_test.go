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

// job is one thing that a peer is asked to do.
type job struct {
	Do    string `json:"do"` // "write" or "read" a row; "save" or "load" the dataset
	Peer  string `json:"peer"`
	Place string `json:"place"` // a folder or a URL
	Path  string `json:"path"`
	Row   *Row   `json:"row,omitempty"`

	Format      int    `json:"format,omitempty"`
	Consolidate string `json:"consolidate,omitempty"` // the folder in which to add consolidated metadata before it is loaded

	lack bool // it is known not to work
}

// said is what a peer says of one job.
type said struct {
	SHA256 string           // it wrote or read these bytes
	Groups map[string]saved // it saved these groups of the dataset, or found them as they should be

	Error   string // it refused or failed
	Differs string // it read something else
}

func (s said) done() bool { return s.Error == "" && s.Differs == "" }

// needPython skips a test that could not ask anything.
func needPython(t *testing.T) {
	t.Helper()
	if os.Getenv(pythonEnv) == "" {
		bucket.Lack(t, pythonEnv+" does not name a Python with requirements.txt")
	}
}

// ask has the peers do all the jobs, a few at a time, and gives what they say in the same order.
func ask(t *testing.T, jobs []job) []said {
	t.Helper()
	b, err := json.Marshal(jobs)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "jobs.json")
	if err := os.WriteFile(file, b, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Getenv(pythonEnv), "-W", "ignore", filepath.Join("python", "run.py"), file)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "AWS_EC2_METADATA_DISABLED=true")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("run.py: %v\n%s", err, stderr.Bytes())
	}
	var all []said
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var s said
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.UseNumber() // as zargo gives attributes
		if err := d.Decode(&s); err != nil {
			t.Fatalf("run.py says %q: %v", lines.Bytes(), err)
		}
		all = append(all, s)
	}
	if err := lines.Err(); err != nil || len(all) != len(jobs) {
		t.Fatalf("run.py says %d lines, want %d (%v)\n%s", len(all), len(jobs), err, stderr.Bytes())
	}
	return all
}
