package serve

import (
	"math"
	"net/http"
	"strconv"
	"strings"
)

// wkt is a geometry in longitudes and latitudes: a POINT or MULTIPOINT, or the rings of a POLYGON.
type wkt struct {
	kind   string
	points [][2]float64
	rings  [][][2]float64
}

// maxPoints is the maximum number of positions of a geometry.
const maxPoints = 1000

// parseWKT parses a geometry (OGC 06-103r4, section 7) with two coordinates for each position.
func parseWKT(text string) (wkt, error) {
	kind, list, _ := strings.Cut(strings.TrimSpace(text), "(")
	g := wkt{kind: strings.ToUpper(strings.TrimSpace(kind))}
	list, ok := strings.CutSuffix(list, ")")
	if !ok {
		return g, refuse(http.StatusBadRequest, "the parameter coords must be a geometry such as POINT(10 50)")
	}
	most := maxPoints
	switch g.kind {
	case "POINT", "MULTIPOINT":
		if g.kind == "POINT" {
			most = 1
		}
		if g.kind == "MULTIPOINT" && strings.Contains(list, "(") {
			parts, ok := inParentheses(list)
			if list = strings.Join(parts, ","); !ok {
				return g, errWKT
			}
		}
		g.points, ok = parsePositions(list, most)
	case "POLYGON":
		var parts []string
		parts, ok = inParentheses(list)
		for _, part := range parts {
			ring, fits := parsePositions(part, most)
			if most -= len(ring); !fits || len(ring) < 4 || ring[0] != ring[len(ring)-1] {
				return g, errWKT
			}
			g.rings = append(g.rings, ring)
		}
	default:
		return g, refuse(http.StatusBadRequest, "the geometry must be a POINT, a MULTIPOINT or a POLYGON")
	}
	if !ok {
		return g, errWKT
	}
	return g, nil
}

var errWKT = refuse(http.StatusBadRequest, "the geometry is malformed: it must have at most %d positions, "+
	"latitudes from -90 to 90, longitudes from -360 to 720, and closed rings", maxPoints)

// inParentheses returns the parts of a list such as "(a), (b)".
func inParentheses(list string) (parts []string, ok bool) {
	for {
		list, ok = strings.CutPrefix(strings.TrimSpace(list), "(")
		part, rest, closed := strings.Cut(list, ")")
		if !ok || !closed {
			return nil, false
		}
		parts = append(parts, part)
		if rest = strings.TrimSpace(rest); rest == "" {
			return parts, true
		}
		if list, ok = strings.CutPrefix(rest, ","); !ok {
			return nil, false
		}
	}
}

// parsePositions parses a list such as "10 50, 11 51" of at most the given length.
func parsePositions(list string, most int) (all [][2]float64, ok bool) {
	for text := range strings.SplitSeq(list, ",") {
		cells := strings.Fields(text)
		if len(cells) != 2 || len(all) == most {
			return nil, false
		}
		var p [2]float64
		for i, cell := range cells {
			f, err := strconv.ParseFloat(cell, 64)
			if err != nil || strings.Trim(cell, "0123456789+-.eE") != "" {
				return nil, false
			}
			p[i] = f
		}
		if p[0] < -360 || p[0] > 720 || math.Abs(p[1]) > 90 {
			return nil, false
		}
		all = append(all, p)
	}
	return all, true
}

// bounds returns the smallest and the largest coordinates of rings.
func bounds(rings [][][2]float64) (box [2][2]float64) {
	box = [2][2]float64{rings[0][0], rings[0][0]}
	for _, ring := range rings {
		for _, p := range ring {
			for i := range p {
				box[0][i], box[1][i] = min(box[0][i], p[i]), max(box[1][i], p[i])
			}
		}
	}
	return box
}

// turn is the period of longitudes.
const turn = 360
