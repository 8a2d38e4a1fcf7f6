//go:build !linux

package hugepages

func wanted() bool { return false }

func interior(b []byte) []byte { return b }

func advise([]byte) bool { return false }

func undo([]byte) {}
