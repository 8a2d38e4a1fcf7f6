// Package slurm runs transfers as job arrays of a real Slurm cluster: eight indices on two nodes,
// of which one is lost or cut off while its tasks run, and indices that run twice at once.
//
// The package has tests only:
//
//	python3 integration/servers/servers.py run slurm -- go test ./integration/slurm
package slurm
