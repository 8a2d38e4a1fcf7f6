// Package session has the state of one run of the command, and opens the nodes and files that URLs
// name. Its errors and warnings name the URLs, without secrets.
//
// A [Session] knows the flags that all commands share, but no command. Its methods that open a
// [Place] are safe for concurrent use only where their comments say so; callers release the place.
package session
