package peers

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
)

// linesOf starts a script of the folder python once, with a verb, a file that holds the question as JSON, and a folder, and
// gives the lines that it answers.
func linesOf(t *testing.T, script, verb string, question any, folder string) [][]byte {
	t.Helper()
	python := os.Getenv(pythonEnv)
	if python == "" {
		bucket.Lack(t, pythonEnv+" does not name a Python with requirements.txt")
	}
	b, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "question.json")
	if err := os.WriteFile(file, b, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-W", "ignore", filepath.Join("python", script), verb, file, folder)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	return bytes.Split(bytes.TrimSpace(out), []byte("\n"))
}
