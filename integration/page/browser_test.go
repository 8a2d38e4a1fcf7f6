package page

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zargo-io/zargo/integration/bucket"
)

// browser is a session of WebDriver (W3C).
type browser struct {
	t   *testing.T
	url string // of the session
}

// object is an object of JSON.
type object = map[string]any

// open starts a browser that resolves no name and reaches only 127.0.0.1. It ends with the test.
func open(t *testing.T) browser {
	program, driver := os.Getenv("ZARGO_TEST_BROWSER"), os.Getenv("ZARGO_TEST_CHROMEDRIVER")
	if program == "" || driver == "" {
		bucket.Lack(t, "ZARGO_TEST_BROWSER and ZARGO_TEST_CHROMEDRIVER do not name Chromium and ChromeDriver")
	}
	cmd := exec.Command(driver, "--port=0")
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	if libraries := os.Getenv("ZARGO_TEST_BROWSER_LIBRARIES"); libraries != "" {
		cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+libraries)
	}
	out := must(cmd.StdoutPipe())
	succeed(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait() // it reports the signal
	})
	port := ""
	for lines := bufio.NewScanner(out); port == "" && lines.Scan(); {
		if _, after, ok := strings.Cut(lines.Text(), "successfully on port "); ok {
			port = strings.Trim(after, " .")
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }() // ends with the process
	b := browser{t, "http://127.0.0.1:" + port + "/session"}
	var session struct{ SessionID string }
	b.send("POST", "", object{"capabilities": object{"alwaysMatch": object{
		"goog:chromeOptions": object{"binary": program, "perfLoggingPrefs": object{"enableNetwork": true}, "args": []string{
			"--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--disable-component-update",
			"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--window-size=1280,1500"}},
		"goog:loggingPrefs": object{"browser": "ALL", "performance": "ALL"},
	}}}, &session)
	b.url += "/" + session.SessionID
	t.Cleanup(func() { b.send("DELETE", "", nil, nil) })
	return b
}

// send sends a command and decodes the value of its response.
func (b browser) send(method, path string, body, value any) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	sent := io.Reader(http.NoBody)
	if body != nil {
		sent = bytes.NewReader(must(json.Marshal(body)))
	}
	req := must(http.NewRequestWithContext(ctx, method, b.url+path, sent))
	resp, err := http.DefaultClient.Do(req)
	succeed(b.t, err)
	defer func() { _ = resp.Body.Close() }()
	var reply struct{ Value json.RawMessage }
	succeed(b.t, json.NewDecoder(resp.Body).Decode(&reply))
	if resp.StatusCode != http.StatusOK {
		b.t.Fatalf("%s %s: %s", method, path, reply.Value)
	}
	if value != nil {
		succeed(b.t, json.Unmarshal(reply.Value, value))
	}
}

// run runs the body of a function of JavaScript and returns its result.
func run[T any](b browser, script string, args ...any) (value T) {
	b.t.Helper()
	b.send("POST", "/execute/sync", object{"script": script, "args": append([]any{}, args...)}, &value)
	return value
}

// text returns the text of the element that a selector of CSS selects.
func (b browser) text(css string) string {
	b.t.Helper()
	return run[string](b, "return document.querySelector(arguments[0])?.textContent ?? ''", css)
}

// wait waits until an expression of JavaScript is true.
func (b browser) wait(expression string) {
	b.t.Helper()
	for end := time.Now().Add(time.Minute); !run[bool](b, "return !!("+expression+")"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("never: %s\n%s", expression, run[string](b, "return document.body.innerText"))
		}
	}
}

// element returns the path of an element.
func (b browser) element(css string) string {
	b.t.Helper()
	all := b.elements(css)
	if len(all) != 1 {
		b.t.Fatalf("%d elements are %s, want 1", len(all), css)
	}
	return all[0]
}

func (b browser) elements(css string) (paths []string) {
	b.t.Helper()
	var all []map[string]string
	b.send("POST", "/elements", object{"using": "css selector", "value": css}, &all)
	for _, e := range all {
		for _, id := range e {
			paths = append(paths, "/element/"+id)
		}
	}
	return paths
}

func (b browser) click(css string) {
	b.t.Helper()
	b.send("POST", b.element(css)+"/click", object{}, nil)
}

// The keys of WebDriver.
const (
	enter, space, tab, shift      = "\uE007", "\uE00D", "\uE004", "\uE008"
	left, up, right, down, escape = "\uE012", "\uE013", "\uE014", "\uE015", "\uE00C"
)

// keys sends keys to an element.
func (b browser) keys(css, text string) {
	b.t.Helper()
	b.send("POST", b.element(css)+"/value", object{"text": text}, nil)
}

// press sends keys to the element with the focus, one by one.
func (b browser) press(keys ...string) {
	b.t.Helper()
	var strokes []object
	for _, key := range keys {
		strokes = append(strokes, object{"type": "keyDown", "value": key}, object{"type": "keyUp", "value": key})
	}
	b.send("POST", "/actions", object{"actions": []object{{"type": "key", "id": "keyboard", "actions": strokes}}}, nil)
}

// choose chooses the option of a select by its text.
func (b browser) choose(css, text string) {
	b.t.Helper()
	for _, option := range b.elements(css + " option") {
		var is string
		if b.send("GET", option+"/property/textContent", nil, &is); is == text {
			b.send("POST", option+"/click", object{}, nil)
			return
		}
	}
	b.t.Fatalf("%s has no option %q", css, text)
}

// clickAt clicks a place of an element, in pixels of the page.
func (b browser) clickAt(css string, x, y int) {
	b.t.Helper()
	_, id, _ := strings.Cut(b.element(css), "/element/")
	size := run[[]int](b, "const r = document.querySelector(arguments[0]).getBoundingClientRect(); return [Math.round(r.width), Math.round(r.height)]", css)
	move := object{"type": "pointerMove", "origin": object{"element-6066-11e4-a52e-4f735466cecf": id}, "x": x - size[0]/2, "y": y - size[1]/2}
	b.send("POST", "/actions", object{"actions": []object{{"type": "pointer", "id": "mouse", "actions": []object{move, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}}}}}, nil)
}

// shot writes a picture of the window to a file of the folder that ZARGO_TEST_SHOTS names, if it is set.
func (b browser) shot(name string) {
	b.t.Helper()
	folder := os.Getenv("ZARGO_TEST_SHOTS")
	if folder == "" {
		return
	}
	var text string
	b.send("GET", "/screenshot", nil, &text)
	succeed(b.t, os.WriteFile(folder+"/"+name+".png", must(base64.StdEncoding.DecodeString(text)), 0o600))
}

// log returns the messages of one of the logs since the last call.
func (b browser) log(kind string) (messages []string) {
	b.t.Helper()
	var all []struct{ Level, Message string }
	b.send("POST", "/se/log", object{"type": kind}, &all)
	for _, entry := range all {
		messages = append(messages, entry.Message)
	}
	return messages
}

// requests returns the URLs of the requests since the last call.
func (b browser) requests() (urls []string) {
	b.t.Helper()
	for _, text := range b.log("performance") {
		var entry struct {
			Message struct {
				Method string
				Params struct{ Request struct{ URL string } }
			}
		}
		succeed(b.t, json.Unmarshal([]byte(text), &entry))
		if entry.Message.Method == "Network.requestWillBeSent" {
			urls = append(urls, entry.Message.Params.Request.URL)
		}
	}
	return urls
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprint(err))
	}
	return v
}

func succeed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
