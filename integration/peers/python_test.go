package peers

import (
	"context"
	"maps"
	"os"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/bucket"
)

// Environment variables. pythonEnv names the Python with requirements.txt, zarr2Env the Python with
// requirements-zarr2.txt, and python313Env the Python with requirements-py313.txt.
const (
	pythonEnv    = "ZARGO_PEERS_PYTHON"
	zarr2Env     = "ZARGO_PEERS_ZARR2"
	python313Env = "ZARGO_PEERS_PYTHON313"
)

// job is one task of a peer.
type job struct {
	ID    int    `json:"id"`
	Do    string `json:"do"` // "write" or "read" for a row; "save" or "load" for the dataset; "save-masked" or "look-masked" for the dataset of TestMasked; "save-random" for one of TestRandomDatasets; "save-labels" for one of TestRandomLabels; "save-reductions" for one of TestRandomReductions; "write-type" or "read-type" for an array of TestTypes, "write-chain" or "read-chain" of TestCodecs, "write-boxes" or "read-boxes" of TestShards or TestRectilinear
	Peer  string `json:"peer"`
	Place string `json:"place"` // a directory or a URL
	Path  string `json:"path"`
	Row   *Row   `json:"row,omitempty"`

	Format      int    `json:"format,omitempty"`
	Consolidate string `json:"consolidate,omitempty"` // the directory to which consolidated metadata is added before the load

	Array any `json:"array,omitempty"`

	lack bool // the job is expected to fail
}

// said is the result of one job.
type said struct {
	ID     int
	SHA256 string           // sum of the bytes that it wrote or read
	Groups map[string]saved // the groups of the dataset that it saved, or found to be correct
	Values []string         // the elements that it read
	Hex    string           // the elements that it read, for jobs with boxes

	Error   string // the reason for a refusal or failure
	Differs string // the difference that it found in the data
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
