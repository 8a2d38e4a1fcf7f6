package concurrent

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/integration/bucket"
)

var runs = flag.Int("runs", 0, "TestTable: number of runs of each implementation; 0 skips the test")

// peer is an implementation, with the variable that names its Python.
type peer struct{ name, python string }

// The peers in the order of the table. Both Pythons have zarr-python, in different versions.
func peers() []peer {
	return []peer{
		{"zarr-python", "ZARGO_PEERS_PYTHON313"},
		{"zarr-python", "ZARGO_PEERS_PYTHON"},
		{"zarrs", "ZARGO_PEERS_PYTHON"},
		{"tensorstore", "ZARGO_PEERS_PYTHON"},
	}
}

// outcome is the output of python/writers.py.
type outcome struct {
	Version      string
	Acknowledged int
	Errors       []string
}

// tally collects the results of the runs of one scenario.
type tally struct {
	of      int
	present []int
	silent  int // largest number of writes that were acknowledged and are not stored
	failed  int // largest number of writes that returned an error
	broken  int // number of runs after which the array could not be read
}

func (t tally) String() string {
	if len(t.present) == 0 {
		return "unreadable"
	}
	least, most := t.present[0], t.present[0]
	for _, n := range t.present {
		least, most = min(least, n), max(most, n)
	}
	text := strconv.Itoa(least)
	if most > least {
		text += "–" + strconv.Itoa(most)
	}
	text += " of " + strconv.Itoa(t.of)
	if t.failed > 0 {
		text += fmt.Sprintf(", up to %d errors", t.failed)
	}
	if t.broken > 0 {
		text += fmt.Sprintf(", %d unreadable", t.broken)
	}
	return text
}

// add adds one run. An error of the read after the run is counted, because it belongs to the result
// of the implementation.
func (t *tally) add(present, acknowledged int, err error) {
	t.failed = max(t.failed, t.of-acknowledged)
	if err != nil {
		t.broken++
		return
	}
	t.present = append(t.present, present)
	t.silent = max(t.silent, acknowledged-present)
}

// TestTable prints the table of docs/evidence/concurrent-writes.md. It requires only the results of
// zargo, because the results of the peers depend on the machine.
func TestTable(t *testing.T) {
	if *runs == 0 {
		t.Skip("make concurrent-writes runs this test")
	}
	table := []string{"| implementation | 16 parts of one chunk | 16 inner chunks of one shard | 8 appends | lost without an error |", "|---|---|---|---|---|"}
	row := func(name string, run func(scenario) (present, acknowledged int, err error)) {
		cells, silent := []string{name}, 0
		for _, s := range scenarios() {
			sum := tally{of: s.processes}
			for range *runs {
				sum.add(run(s))
			}
			silent = max(silent, sum.silent)
			cells = append(cells, sum.String())
		}
		lost := "none"
		if silent > 0 {
			lost = fmt.Sprintf("up to %d", silent)
		}
		table = append(table, "| "+strings.Join(append(cells, lost), " | ")+" |")
	}
	row("zargo", func(s scenario) (int, int, error) {
		present, acknowledged, err := zargo(t, s, time.Minute)
		if err != nil || present != s.processes {
			t.Errorf("zargo, %s: %d of %d stored: %v", s.name, present, s.processes, err)
		}
		return present, acknowledged, err
	})
	for _, p := range peers() {
		python := os.Getenv(p.python)
		if python == "" {
			bucket.Lack(t, p.python+" does not name a Python")
		}
		version, err := p.version(t.Context(), python)
		if err != nil {
			t.Fatal(err)
		}
		row(version, func(s scenario) (int, int, error) {
			folder := t.TempDir()
			if err := s.create(t.Context(), folder); err != nil {
				t.Fatal(err)
			}
			out, err := p.run(t.Context(), python, s, folder)
			if err != nil {
				t.Fatalf("%s, %s: %v", version, s.name, err)
			}
			for _, e := range out.Errors {
				t.Logf("%s, %s: %s", version, s.name, e)
			}
			present, err := s.present(t.Context(), folder)
			return present, out.Acknowledged, err
		})
	}
	fmt.Println(strings.Join(table, "\n"))
}

// version returns the name and version of the peer.
func (p peer) version(ctx context.Context, python string) (string, error) {
	out, err := p.call(ctx, python)
	return out.Version, err
}

func (p peer) run(ctx context.Context, python string, s scenario, folder string) (outcome, error) {
	return p.call(ctx, python, s.name, folder+"/"+arrayPath, strconv.Itoa(s.processes))
}

// call runs the script, which prints its outcome as JSON.
func (p peer) call(ctx context.Context, python string, args ...string) (out outcome, err error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	raw, err := exec.CommandContext(ctx, python, append([]string{"-W", "ignore", "python/writers.py", p.name}, args...)...).Output()
	if err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			err = fmt.Errorf("%w: %s", err, failed.Stderr)
		}
		return out, err
	}
	return out, json.Unmarshal(raw, &out)
}
