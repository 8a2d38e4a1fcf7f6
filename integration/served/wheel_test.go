package served

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/integration/bucket"
)

// TestWheel builds the wheel of python/ twice, installs it into a fresh environment and runs the tests
// in wheel/. No server and no socket remains afterwards.
func TestWheel(t *testing.T) {
	python := os.Getenv("ZARGO_PEERS_PYTHON313")
	if python == "" {
		bucket.Lack(t, "ZARGO_PEERS_PYTHON313 does not name a Python with requirements-py313.txt")
	}
	if os.Getenv("ZARR_TEST_S3_URL") == "" {
		bucket.Lack(t, "ZARR_TEST_S3_URL is not set")
	}
	runs := func(env []string, line ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), line[0], line[1:]...)
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
		return string(out)
	}
	folder := t.TempDir()
	var wheels [2]string
	for i := range wheels {
		out := runs(nil, python, "../../python/wheel.py", "--version", "1.2.3", "--out", filepath.Join(folder, "dist", string(rune('a'+i))))
		wheels[i] = strings.TrimSpace(out)
	}
	if a, b := must(os.ReadFile(wheels[0])), must(os.ReadFile(wheels[1])); !bytes.Equal(a, b) {
		t.Error("two builds differ")
	}

	// The environment has the packages of python as its own, so that pip finds zarr without a network.
	venv := filepath.Join(folder, "venv")
	runs(nil, python, "-m", "venv", venv)
	mine := filepath.Join(venv, "bin", "python")
	const site = "import sysconfig; print(sysconfig.get_path('purelib'))"
	pth := filepath.Join(strings.TrimSpace(runs(nil, mine, "-c", site)), "peers.pth")
	if err := os.WriteFile(pth, []byte(runs(nil, python, "-c", site)), 0o600); err != nil {
		t.Fatal(err)
	}
	runs(nil, mine, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheels[0])

	runtime := must(os.MkdirTemp("", "w")) // shorter than t.TempDir, for the limit of a socket's path
	t.Cleanup(func() { _ = os.RemoveAll(runtime) })
	out := runs([]string{"PYTHONDONTWRITEBYTECODE=1", "XDG_RUNTIME_DIR=" + runtime}, mine, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider",
		"-o", "asyncio_mode=auto", "-o", "asyncio_default_fixture_loop_scope=function", "wheel")
	t.Log(out)
	if !strings.Contains(out, "passed") || strings.Contains(out, "skipped") {
		t.Error("tests were skipped")
	}
	sockets := func() []string { return must(filepath.Glob(filepath.Join(runtime, "zargo", "*.s"))) }
	for end := time.Now().Add(time.Minute); len(sockets()) > 0 && time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond)
	}
	if left := sockets(); len(left) > 0 {
		t.Errorf("sockets remain: %s", left)
	}
	for _, name := range must(filepath.Glob("/proc/[0-9]*/cmdline")) {
		if line, _ := os.ReadFile(name); bytes.Contains(line, []byte(runtime)) { // it may have ended
			t.Errorf("a process remains: %q", line)
		}
	}
}
