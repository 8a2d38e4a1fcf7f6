package main

import (
	"strconv"
	"strings"
	"testing"
)

// screenOf returns the lines that a terminal shows after it received text, without empty lines at
// the end.
func screenOf(t testing.TB, text string) []string {
	t.Helper()
	lines, x, y := [][]rune{nil}, 0, 0
	for text != "" {
		r := []rune(text)[0]
		text = text[len(string(r)):]
		switch r {
		case '\r':
			x = 0
		case '\n': // a terminal adds \r
			if x, y = 0, y+1; y == len(lines) {
				lines = append(lines, nil)
			}
		case 0x1b:
			end := strings.IndexAny(text, "AJ")
			if end < 1 || text[0] != '[' {
				t.Fatalf("what is %q?", text)
			}
			number, kind := text[1:end], text[end]
			text = text[end+1:]
			if kind == 'J' && number == "" {
				lines = lines[:y+1]
				lines[y] = lines[y][:min(x, len(lines[y]))]
				continue
			}
			n, err := strconv.Atoi(number)
			if err != nil || kind != 'A' {
				t.Fatalf("what is %q?", number+string(kind))
			}
			y = max(0, y-n)
		default:
			for len(lines[y]) <= x {
				lines[y] = append(lines[y], ' ')
			}
			lines[y][x] = r
			x++
		}
	}
	var shown []string
	for _, l := range lines {
		shown = append(shown, strings.TrimRight(string(l), " "))
	}
	for len(shown) > 0 && shown[len(shown)-1] == "" {
		shown = shown[:len(shown)-1]
	}
	return shown
}
