package crs

import "strings"

// wkt contains the parts of a WKT text that zargo uses.
type wkt struct {
	name     string // of the coordinate reference system
	code     Code   // in the member ID (WKT 2) or AUTHORITY (WKT 1) of the system itself
	balanced bool   // every bracket is closed, and no text follows
}

// parseWKT reads the name and the code of a coordinate reference system in WKT 1 or WKT 2 (ISO
// 19162). It skips all nested members in one pass.
func parseWKT(text string) wkt {
	var w wkt
	var id []string // of ID or AUTHORITY: authority and code
	depth, word, inID := 0, "", false
	for i := 0; i < len(text); {
		switch text[i] {
		case '"':
			s, next, ok := quoted(text, i)
			if !ok {
				return w
			}
			switch {
			case depth == 1 && w.name == "":
				w.name = s
			case depth == 2 && inID:
				id = append(id, s)
			}
			i = next
			continue
		case '[', '(':
			depth++
			if depth == 2 {
				inID = strings.EqualFold(word, "ID") || strings.EqualFold(word, "AUTHORITY")
			}
			word = ""
		case ']', ')':
			if depth == 2 && inID {
				if word != "" {
					id = append(id, word)
				}
				if c := (Code{}); len(id) >= 2 && w.code == c && plain(id[0]) && plain(id[1]) {
					w.code = Code{strings.ToUpper(id[0]), id[1]}
				}
				id, inID = nil, false
			}
			word = ""
			if depth--; depth < 0 {
				return w
			}
			if depth == 0 {
				w.balanced = strings.TrimSpace(text[i+1:]) == ""
				return w
			}
		case ',':
			if depth == 2 && inID && word != "" {
				id = append(id, word)
			}
			word = ""
		case ' ', '\n', '\t', '\r':
		default:
			start := i
			for i < len(text) && !strings.ContainsRune("\"[](), \n\t\r", rune(text[i])) {
				i++
			}
			word = text[start:i]
			continue
		}
		i++
	}
	return w
}

// quoted returns the string literal that begins at position i, and the position after it. WKT
// writes a double quote in a string as two double quotes.
func quoted(text string, i int) (s string, next int, ok bool) {
	start := i + 1
	for j := start; j < len(text); j++ {
		if text[j] != '"' {
			continue
		}
		if j+1 < len(text) && text[j+1] == '"' {
			j++
			continue
		}
		return strings.ReplaceAll(text[start:j], `""`, `"`), j + 1, true
	}
	return "", 0, false
}
