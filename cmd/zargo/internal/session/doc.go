// Package session has the state of one run of the command, and opens the nodes and files that URLs
// name. Its errors and warnings name the URLs, without secrets.
//
// A [Session] knows the flags that all commands share, but no command. It must not be used
// concurrently, except for its warnings, its report and its progress. Callers release each [Place].
package session
