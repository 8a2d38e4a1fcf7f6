// Package slurm runs transfers as job arrays of a real Slurm cluster: eight indices on two nodes.
// One node is lost or disconnected while its tasks run, and some indices run twice concurrently.
//
// The package contains only tests:
//
//	python3 integration/servers/servers.py run slurm -- go test ./integration/slurm
package slurm
