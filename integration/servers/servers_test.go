package servers

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestProgram runs the Python tests of the program.
func TestProgram(t *testing.T) { run(t, "servers_test.py") }

// TestCompose compares docker-compose.yml with the program.
func TestCompose(t *testing.T) { run(t, "compose_test.py") }

func run(t *testing.T, tests string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no python3, and CI=true: %v", err)
		}
		t.Skipf("SKIPPED: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-B", tests)
	cmd.WaitDelay = 10 * time.Second // for processes that a failing test leaves
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
