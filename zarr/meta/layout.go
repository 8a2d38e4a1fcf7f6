package meta

// The functions in this file change the white space of checked JSON. Those of encoding/json refuse
// the bare tokens that attributes may contain.

// compact returns a copy of checked JSON without white space between tokens.
func compact(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; c {
		case ' ', '\t', '\r', '\n':
		case '"':
			end := textEnd(raw, i)
			out = append(out, raw[i:end]...)
			i = end - 1
		default:
			out = append(out, c)
		}
	}
	return out
}

// indented returns a copy of checked JSON with a member or an element on each line, as json.Indent
// does. Each line but the first starts with prefix and one step for each level.
func indented(raw []byte, prefix, step string) []byte {
	out := make([]byte, 0, len(raw)+len(raw)/4)
	depth, opened := 0, false
	line := func() {
		out = append(append(out, '\n'), prefix...)
		for range depth {
			out = append(out, step...)
		}
	}
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '}', ']':
			depth--
			if !opened {
				line()
			}
			opened = false
			out = append(out, c)
			continue
		}
		if opened {
			line()
			opened = false
		}
		switch c {
		case '"':
			end := textEnd(raw, i)
			out = append(out, raw[i:end]...)
			i = end - 1
		case '{', '[':
			out = append(out, c)
			depth++
			opened = true
		case ',':
			out = append(out, c)
			line()
		case ':':
			out = append(out, c, ' ')
		default:
			out = append(out, c)
		}
	}
	return out
}

// textEnd returns the end of the string that starts at raw[i].
func textEnd(raw []byte, i int) int {
	for i++; i < len(raw) && raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(raw))
}
