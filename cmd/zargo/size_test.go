package main

import "testing"

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int{"1": 1, "4000000": 4000000, "512KiB": 512 << 10, "4 MiB": 4 << 20, "1GiB": 1 << 30,
		"": 0, "0": 0, "-1": 0, "MiB": 0, "4MB": 0, "1.5MiB": 0, "9223372036854775807KiB": 0} {
		got, err := parseSize("--chunk-size", text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}
