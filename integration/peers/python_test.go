package peers

import (
	"context"
	"maps"
	"os"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/bucket"
)

// Environment variables: pythonEnv names the Python with requirements.txt, zarr2Env the one with
// requirements-zarr2.txt, python313Env the one with requirements-py313.txt.
const (
	pythonEnv    = "ZARGO_PEERS_PYTHON"
	zarr2Env     = "ZARGO_PEERS_ZARR2"
	python313Env = "ZARGO_PEERS_PYTHON313"
)

// job is one task of a peer.
type job struct {
	ID    int    `json:"id"`
	Do    string `json:"do"` // "write" or "read" a row; "save" or "load" the dataset; "save-masked" or "look-masked" that of TestMasked; "save-random" a dataset of TestRandomDatasets; "write-type" or "read-type" an array of TestTypes, "write-chain" or "read-chain" one of TestCodecs, "write-boxes" or "read-boxes" one of TestShards or TestRectilinear
	Peer  string `json:"peer"`
	Place string `json:"place"` // a directory or a URL
	Path  string `json:"path"`
	Row   *Row   `json:"row,omitempty"`

	Format      int    `json:"format,omitempty"`
	Consolidate string `json:"consolidate,omitempty"` // the directory in which to add consolidated metadata before the load

	Array any `json:"array,omitempty"`

	lack bool // the job is expected to fail
}

// said is the result of one job.
type said struct {
	ID     int
	SHA256 string           // of the bytes that it wrote or read
	Groups map[string]saved // the groups of the dataset that it saved, or found to be correct
	Values []string         // the elements that it read
	Hex    string           // the elements that it read, for jobs with boxes

	Error   string // why it refused or failed
	Differs string // how the data that it read differ
}

func (s said) done() bool { return s.Error == "" && s.Differs == "" }

// needPython skips a test if a Python is missing.
func needPython(t *testing.T) {
	t.Helper()
	for env, file := range map[string]string{pythonEnv: "requirements.txt", zarr2Env: "requirements-zarr2.txt", python313Env: "requirements-py313.txt"} {
		if os.Getenv(env) == "" {
			bucket.Lack(t, env+" does not name a Python with "+file)
		}
	}
}

// ask sends the jobs to the peers, to all peers concurrently and to each a few at a time, and
// returns the results in the order of the jobs.
func ask(t *testing.T, jobs []job) []said {
	t.Helper()
	of := map[string][]int{} // the indexes of each library's jobs
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
