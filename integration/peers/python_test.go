package peers

import (
	"context"
	"maps"
	"os"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/bucket"
)

// pythonEnv names the Python that has requirements.txt, zarr2Env the one that has
// requirements-zarr2.txt, and python313Env the one that has requirements-py313.txt.
const (
	pythonEnv    = "ZARGO_PEERS_PYTHON"
	zarr2Env     = "ZARGO_PEERS_ZARR2"
	python313Env = "ZARGO_PEERS_PYTHON313"
)

// job is one thing that a peer is asked to do.
type job struct {
	ID    int    `json:"id"`
	Do    string `json:"do"` // "write" or "read" a row; "save" or "load" the dataset; "save-masked" or "look-masked" that of TestMasked; "write-type" or "read-type" an array of TestTypes, "write-chain" or "read-chain" one of TestCodecs, "write-boxes" or "read-boxes" one of TestShards or TestRectilinear
	Peer  string `json:"peer"`
	Place string `json:"place"` // a folder or a URL
	Path  string `json:"path"`
	Row   *Row   `json:"row,omitempty"`

	Format      int    `json:"format,omitempty"`
	Consolidate string `json:"consolidate,omitempty"` // the folder in which to add consolidated metadata before it is loaded

	Array any `json:"array,omitempty"`

	lack bool // it is known not to work
}

// said is what a peer says of one job.
type said struct {
	ID     int
	SHA256 string           // it wrote or read these bytes
	Groups map[string]saved // it saved these groups of the dataset, or found them as they should be
	Values []string         // it read these elements
	Hex    string           // and these of one that has boxes

	Error   string // it refused or failed
	Differs string // it read something else
}

func (s said) done() bool { return s.Error == "" && s.Differs == "" }

// needPython skips a test that could not ask anything.
func needPython(t *testing.T) {
	t.Helper()
	for env, file := range map[string]string{pythonEnv: "requirements.txt", zarr2Env: "requirements-zarr2.txt", python313Env: "requirements-py313.txt"} {
		if os.Getenv(env) == "" {
			bucket.Lack(t, env+" does not name a Python with "+file)
		}
	}
}

// ask has the peers do all the jobs, all the peers at once and each a few at a time, and gives what
// they say in the same order.
func ask(t *testing.T, jobs []job) []said {
	t.Helper()
	of := map[string][]int{} // the indexes of a library's jobs
	for i, j := range jobs {
		of[library(j.Peer)] = append(of[library(j.Peer)], i)
	}
	all := make([]said, len(jobs))
	err := concurrency.Each(t.Context(), max(len(of), 1), maps.Keys(of), func(ctx context.Context, name string) error {
		h, err := pythons.hand(name)
		if err != nil {
			return err
		}
		return h.ask(ctx, jobs, of[name], all)
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
