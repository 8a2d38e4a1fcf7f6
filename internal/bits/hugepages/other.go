//go:build !linux

package hugepages

func system() policy { return unknown }

func interior(b []byte) []byte { return b }

func advise([]byte) bool { return false }

func populate([]byte) bool { return false }

func undo([]byte) {}
