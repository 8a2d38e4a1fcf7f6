package page

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	neturl "net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// hostile is the name of a variable that would be code if it were HTML or a word of a shell.
const hostile = `<img src=x onerror='alert(1)'>$(touch "x"), 50%;`

// TestPage draws variables of datasets of both formats in a browser, and compares them with the commands
// that the page shows.
func TestPage(t *testing.T) {
	b := open(t)
	program, url := command(t, "--max-bytes", "32MiB")
	b.send("POST", "/url", object{"url": url + "/"}, nil)
	b.wait(`document.querySelectorAll("#dataset option").length === 3`)
	b.named(1)
	for _, format := range []string{"v2", "v3"} {
		b.choose("#dataset", format)
		b.variable("t2m")
		b.same(program)
		b.choose("#palette", "magma")
		b.same(program)
		b.keys("#sliders input", right+right+right)
		b.same(program)
		if got := b.text("#sliders output"); got != "2026-01-01T18:00:00  (4 of 8)" {
			t.Errorf("the slider is at %q", got)
		}

		// The middle of the element in row 3 and column 2 of the picture.
		b.clickAt("#map", 8*2+4, 8*3+4)
		rows := b.cells(program)
		lat := "57" // north is at the top in both
		if got, want := b.text("#series-place"), "t2m at lat "+lat+", lon -18"; got != want || len(rows) != 9 {
			t.Errorf("the series is %q of %d rows, want %q of 9", got, len(rows), want)
		}
		b.wait(`document.querySelector("#place").textContent === "lat ` + lat + `, lon -18: ` + rows[4][1] + ` K"`)
		b.keys("#map", down+right+right+left+shift+right+shift+enter)
		b.wait(`document.querySelector("#series-place").textContent === "t2m at lat 56, lon -7"`)
		b.cells(program)
		b.choose("#along", "lon")
		b.wait(`document.querySelector("#series-place").textContent === "t2m at time 2026-01-01T18:00:00, lat 56"`)
		b.cells(program)
		b.shot(format)
		b.choose("#rows", "time")
		b.same(program)

		// A link reopens what is seen.
		commands := b.text("#picture-command") + b.text("#cat-command")
		b.send("POST", "/refresh", object{}, nil)
		b.same(program)
		b.cells(program)
		if got := b.text("#picture-command") + b.text("#cat-command"); got != commands {
			t.Errorf("reopened: %s, want %s", got, commands)
		}

		b.variable("p")
		b.choose("#palette", "viridis")
		b.fill("#range", "2%:98%")
		b.same(program)
		b.clickAt("#map", 4, 4)
		b.cells(program)
		b.fill("#range", "-1:1015.5")
		b.choose("#first", "at the bottom")
		b.same(program)
		b.choose("#first", "automatic")

		b.variable(hostile)
		b.same(program)
		if b.keys("#map", space); len(b.cells(program)) != 32 {
			t.Error("the series of two dimensions is not along the first")
		}
		if n := len(b.elements("img, b, #attributes script")); n != 0 {
			t.Errorf("%d elements are made of names", n)
		}
		b.named(20)

		b.variable("plain") // its dimensions have no names
		b.keys("#sliders label:first-child input", right)
		b.keys("#sliders label:last-child input", right+right)
		b.keys("#map", right+space)
		b.same(program)
		b.choose("#along", "dim_2")
		b.wait(`document.querySelector("#series-place").textContent === "plain at dim_0 1, dim_1 2, dim_3 3"`)
		if got := fmt.Sprint(b.cells(program)[1:]); got != "[[0 true] [1 false] [2 true] [3 true]]" {
			t.Errorf("the bools are %s", got)
		}
		b.variable("time")
		b.cells(program)
	}
	b.quiet(url)
}

// TestKeyboard uses the page of a server below another path without a mouse, and checks its order of focus
// and its contrast.
func TestKeyboard(t *testing.T) {
	b := open(t)
	program, url := command(t, "--max-bytes", "32MiB")
	target := must(neturl.Parse(url))
	proxy := httptest.NewServer(http.StripPrefix("/below", httputil.NewSingleHostReverseProxy(target)))
	t.Cleanup(proxy.Close)
	b.send("POST", "/url", object{"url": proxy.URL + "/below/#dataset=v2&var=t2m&at=5,1,2&palette=cividis&first=bottom"}, nil)
	b.same(program)
	if got := run[string](b, "return document.documentElement.lang + ' ' + document.title"); got != "en t2m · v2 · zargo" {
		t.Errorf("the language and the title are %q", got)
	}
	b.send("POST", "/window/rect", object{"width": 1280, "height": 600}, nil) // the page can scroll
	b.press(tab)
	b.press(enter) // to the map
	before := run[float64](b, "return scrollY")
	b.press(down, up, up, right, space)
	b.wait(`document.querySelector("#series-place").textContent === "t2m at lat 58, lon -17"`)
	b.cells(program)
	if after := run[float64](b, "return scrollY"); after != before {
		t.Errorf("the keys of the map scroll the page from %v to %v", before, after)
	}
	var order []string
	for range 13 {
		b.press(tab)
		order = append(order, run[string](b, "const e = document.activeElement; return e.id || e.tagName"))
	}
	if got, want := strings.Join(order, " "), "rows cols palette range keep first size method picture-copy along table-title cat-copy SUMMARY"; got != want {
		t.Errorf("the order of focus is %s, want %s", got, want)
	}
	b.click("#picture-copy")
	b.wait(`document.querySelector("#status").textContent.startsWith("The command is ")`)
	b.click("#keep")
	b.same(program)
	if command := b.text("#picture-command"); !strings.Contains(command, proxy.URL+"/below/datasets/v2/zarr/t2m ") || !strings.Contains(command, " --range=2") {
		t.Errorf("the command of the kept range is %s", command)
	}
	b.send("POST", "/window/rect", object{"width": 1280, "height": 1500}, nil)
	for _, scheme := range []string{"light", "dark"} {
		b.send("POST", "/goog/cdp/execute", object{"cmd": "Emulation.setEmulatedMedia", "params": object{"features": []object{{"name": "prefers-color-scheme", "value": scheme}}}}, nil)
		for _, weak := range run[[]string](b, contrast) {
			t.Errorf("%s: %s", scheme, weak)
		}
		b.shot(scheme)
	}
	b.send("POST", "/window/rect", object{"width": 500, "height": 1100}, nil)
	if run[bool](b, "return document.documentElement.scrollWidth > innerWidth") {
		t.Error("a narrow page scrolls sideways")
	}
	b.shot("narrow")
	b.quiet(proxy.URL + "/below")
}

// contrast returns the elements whose text has a contrast below 4.5, which WCAG 2.2 demands.
const contrast = `
const channels = (c) => c.match(/[\d.]+/g).map(Number);
const light = (c) => channels(c).slice(0, 3).map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const behind = (e) => { const c = getComputedStyle(e).backgroundColor; return channels(c)[3] === 0 ? behind(e.parentElement) : c; };
const weak = [], all = [...document.querySelectorAll("body *")].filter((e) => e.checkVisibility() && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()));
for (const e of all) {
  const style = getComputedStyle(e), [a, b] = [light(e instanceof SVGElement ? style.fill : style.color), light(behind(e))].sort((x, y) => y - x);
  if ((a + 0.05) / (b + 0.05) < 4.5) weak.push(e.tagName + " " + e.textContent + " " + (a + 0.05) / (b + 0.05));
}
return all.length > 30 ? weak : ["only " + all.length + " elements have text"];`

// TestErrors checks that errors are texts of the page.
func TestErrors(t *testing.T) {
	b := open(t)
	program, url := command(t, "--max-bytes", "32MiB")
	b.send("POST", "/url", object{"url": url + "/#dataset=v3&var=large&size=2048&at=x&rows=9&palette=red"}, nil)
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() {}, "The request needs more of the source than a request may use (status 413). It needs up to 2,0"},
		{func() { // all elements exceed --max-bytes, and one for each of 256 rows does not
			b.choose("#size", "256")
			if b.same(program); !strings.Contains(b.text("#status"), "one for each pixel") {
				t.Errorf("the status is %q", b.text("#status"))
			}
		}, ""},
		{func() { b.fill("#range", "5:1") }, `The parameter range cannot be "5:1" (status 400).`},
		{func() { b.fill("#range", "") }, ""},
		{func() { run[any](b, "location.hash = '#dataset=v3&var=%3Cb%3Enone'") }, "The dataset has no variable <b>none."},
		{func() { run[any](b, "location.hash = '#dataset=none'") }, "There is no such dataset (status 404)."},
		{func() { b.choose("#dataset", "v2"); b.variable("time") }, ""},
		{func() {
			run[any](b, "globalThis.fetch = () => Promise.reject(new TypeError('x')); location.hash = '#dataset=v3'")
		}, "The server does not respond."},
	} {
		step.do()
		if step.want == "" {
			b.wait(`document.querySelector("#error").textContent === ""`)
		} else {
			b.wait(fmt.Sprintf("document.querySelector('#error').textContent.includes(%q)", step.want))
		}
		if b.text("#error") != "" && b.text("#picture-command") != "" {
			t.Errorf("%s: a command is shown: %s", step.want, b.text("#picture-command"))
		}
	}
	for _, message := range b.log("browser") {
		if !strings.Contains(message, "Failed to load resource") {
			t.Error(message)
		}
	}
}

// fill replaces the text of an input and leaves it.
func (b browser) fill(css, text string) {
	b.t.Helper()
	b.send("POST", b.element(css)+"/clear", object{}, nil)
	b.keys(css, text+enter)
}

// named checks that controls are shown, and that each has a name and a role for screen readers.
func (b browser) named(least int) {
	b.t.Helper()
	n := 0
	for _, e := range b.elements("button, select, input, summary, canvas[tabindex], [tabindex], a, [role=img], [role=region]") {
		var shown bool
		if b.send("GET", e+"/displayed", nil, &shown); !shown {
			continue
		}
		var name, role string
		b.send("GET", e+"/computedlabel", nil, &name)
		b.send("GET", e+"/computedrole", nil, &role)
		if n++; strings.TrimSpace(name) == "" || role == "" || role == "none" {
			b.t.Errorf("a control with the role %q has the name %q", role, name)
		}
	}
	if n < least {
		b.t.Errorf("%d controls are shown, want at least %d", n, least)
	}
}

// quiet checks that the browser has reported nothing, and that all requests were sent to the server.
func (b browser) quiet(url string) {
	b.t.Helper()
	for _, message := range b.log("browser") {
		b.t.Error(message)
	}
	n := 0
	for _, to := range b.requests() {
		if n++; !strings.HasPrefix(to, url+"/") && to != "data:," {
			b.t.Errorf("a request to %s", to)
		}
	}
	if n < 20 {
		b.t.Errorf("%d requests are in the log", n)
	}
}

// variable chooses a variable.
func (b browser) variable(name string) {
	b.t.Helper()
	b.wait(fmt.Sprintf("[...document.querySelectorAll('#variables button')].some(b => b.textContent.startsWith(%q))", name))
	for _, button := range b.elements("#variables button") {
		var text string
		if b.send("GET", button+"/property/textContent", nil, &text); strings.HasPrefix(text, name) {
			b.send("POST", button+"/click", object{}, nil)
			return
		}
	}
	b.t.Fatalf("no variable %q", name)
}

// drawn waits until the map is drawn.
func (b browser) drawn() {
	b.t.Helper()
	b.wait(`document.querySelector("#status").textContent.startsWith("Drawn") && !document.querySelector("#plane[aria-busy]")`)
}

// same compares the map with the picture of the command that the page shows.
func (b browser) same(program string) {
	b.t.Helper()
	b.drawn()
	text := b.text("#picture-command")
	got := decode(b.t, must(base64.StdEncoding.DecodeString(strings.TrimPrefix(run[string](b, `return document.querySelector("#map").toDataURL("image/png")`), "data:image/png;base64,"))))
	folder, _ := shell(b.t, program, text)
	want := decode(b.t, must(os.ReadFile(filepath.Join(folder, "map.png"))))
	if got.Rect != want.Rect {
		b.t.Fatalf("%s: the map has %v pixels, want %v", text, got.Rect, want.Rect)
	}
	if !bytes.Equal(got.Pix, want.Pix) {
		b.t.Errorf("%s: the map differs", text)
	}
}

// decode decodes a PNG picture.
func decode(t *testing.T, file []byte) *image.NRGBA {
	t.Helper()
	from := must(png.Decode(bytes.NewReader(file)))
	to := image.NewNRGBA(from.Bounds())
	for y := range to.Rect.Dy() {
		for x := range to.Rect.Dx() {
			to.Set(x, y, color.NRGBAModel.Convert(from.At(x, y)))
		}
	}
	return to
}

// cells compares the table of the series with the output of the command that the page shows.
func (b browser) cells(program string) [][]string {
	b.t.Helper()
	b.wait(`!document.querySelector("#plot[aria-busy]") && document.querySelector("#table tr")`)
	got := run[[][]string](b, `return [...document.querySelectorAll("#table tr")].map(r => [...r.cells].map(c => c.textContent))`)
	text := b.text("#cat-command")
	_, out := shell(b.t, program, text)
	want := must(csv.NewReader(strings.NewReader(out)).ReadAll())
	if !slices.EqualFunc(got, want, slices.Equal) {
		b.t.Errorf("%s: the table is %q, want %q", text, got, want)
	}
	return got
}

// shell runs a command that a user copied, in an empty folder, and returns the folder and the output.
func shell(t *testing.T, program, text string) (folder, out string) {
	t.Helper()
	folder = t.TempDir()
	c := exec.CommandContext(t.Context(), "sh", "-c", text)
	c.Dir, c.Env = folder, append(os.Environ(), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
	var why bytes.Buffer
	c.Stderr = &why
	printed, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", text, err, why.Bytes())
	}
	return folder, string(printed)
}

// command builds the command and serves the datasets v2 and v3 until the test ends.
func command(t *testing.T, args ...string) (program, url string) {
	folder := t.TempDir()
	program = filepath.Join(folder, "zargo")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/zargo-io/zargo/cmd/zargo").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, format := range []int{2, 3} {
		weather(t, dir.New(filepath.Join(folder, fmt.Sprint("v", format))), format)
	}
	c := exec.Command(program, append([]string{"serve", "--addr", "127.0.0.1:0", "v2", "v3"}, args...)...)
	c.Dir = folder
	out := must(c.StdoutPipe())
	succeed(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait() // it reports the signal
	})
	if _, err := fmt.Fscanf(out, "serving %s\n", &url); err != nil {
		t.Fatal(err)
	}
	return program, url
}

// weather writes a dataset. The latitudes of v2 decrease, and those of v3 increase.
func weather(t *testing.T, st store.Store, format int) {
	const times, rows, columns = 8, 31, 61
	lat, lon, hours := make([]float64, rows), make([]float64, columns), make([]int64, times)
	for i := range lat {
		lat[i] = 60 - float64(i)
	}
	if format == 3 {
		slices.Reverse(lat)
	}
	for i := range lon {
		lon[i] = -20 + float64(i)
	}
	for i := range hours {
		hours[i] = 6 * int64(i)
	}
	t2m, p := make([]float32, times*rows*columns), make([]int16, times*rows*columns)
	for i := range t2m {
		h, y, x := float64(hours[i/(rows*columns)]), lat[i/columns%rows], lon[i%columns]
		t2m[i], p[i] = float32(310-y/2+6*math.Sin(x/8+y/13)+4*math.Sin(h/24*2*math.Pi)), int16(1500*math.Cos((x-h/4)/14)*math.Sin(y/9))
		if math.Hypot(y-38, x-25) < 5 {
			t2m[i] = -999
		}
		if x < -16 && y > 50 {
			p[i] = math.MinInt16
		}
	}
	of := func(name, units string, t dtype.Type, attrs map[string]any, shape []int, dims ...string) dataset.VarSpec {
		if attrs == nil {
			attrs = map[string]any{}
		}
		attrs["units"] = units
		return dataset.VarSpec{Name: name, Spec: zarr.Spec{Shape: shape, DType: t, Dims: dims, Attrs: attrs}}
	}
	vars := []dataset.VarSpec{
		of("time", "hours since 2026-01-01", dtype.Int64, nil, []int{times}, "time"),
		of("lat", "degrees_north", dtype.Float64, nil, []int{rows}, "lat"),
		of("lon", "degrees_east", dtype.Float64, nil, []int{columns}, "lon"),
		of("t2m", "K", dtype.Float32, map[string]any{"_FillValue": -999.0, "long_name": "2 metre temperature"}, []int{times, rows, columns}, "time", "lat", "lon"),
		of("p", "hPa", dtype.Int16, map[string]any{"_FillValue": math.MinInt16, "scale_factor": 0.01, "add_offset": 1000.0, "long_name": "pressure"}, []int{times, rows, columns}, "time", "lat", "lon"),
		of(hostile, "<b>1</b>", dtype.Float32, map[string]any{"<i>a</i>": "<script>alert(1)</script>"}, []int{rows, columns}, "lat", "lon"),
		of("large", "1", dtype.Float64, nil, []int{3000, 2000}, "y", "x"),
	}
	vars[3].Chunks = []int{3, 16, 32}
	vars[6].Chunks = []int{1, 2000}
	plain := must(zarr.Create(t.Context(), st, "plain", zarr.Spec{Format: format, Shape: []int{2, 3, 4, 5}, DType: dtype.Bool}))
	succeed(t, zarr.Write(t.Context(), plain, []bool{true, false, true, true}, zarr.At(1), zarr.At(2), zarr.All, zarr.At(3)))
	d := must(dataset.Create(t.Context(), st, "", dataset.Spec{Format: format, Vars: vars}, dataset.Options{}))
	large := make([]float64, 200*2000)
	for i := range large {
		large[i] = float64(i%2000) * float64(i/2000)
	}
	must(d.Write(t.Context(), dataset.Stored("time", hours), dataset.Stored("lat", lat), dataset.Stored("lon", lon),
		dataset.Stored("t2m", t2m), dataset.Stored("p", p), dataset.Stored(hostile, t2m[:rows*columns])))
	succeed(t, zarr.Write(t.Context(), must(d.Var("large")).Array(), large, zarr.Range(0, 200)))
}
