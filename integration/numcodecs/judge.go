package numcodecs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

// Judge is a Python that has numcodecs and TensorStore. It may be used from any number of goroutines, one of which is answered at a time.
type Judge struct {
	mu     sync.Mutex
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

// Refusal is what the library says that it cannot do.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Start starts a Python with the script, both by path.
func Start(python, script string) (*Judge, error) {
	j := &Judge{cmd: exec.Command(python, "-W", "ignore", script)}
	j.cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	j.cmd.Stderr = &j.stderr
	in, err := j.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := j.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	j.in, j.out = in, bufio.NewReaderSize(out, 1<<16)
	return j, j.cmd.Start()
}

// Close ends it.
func (j *Judge) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return errors.Join(j.in.Close(), j.cmd.Wait())
}

// Question is what to encode or to decode by.
type Question struct {
	Config json.RawMessage `json:"config"` // numcodecs', with the id
	// DType is of the array's elements, as numpy names it. With "|O" the array is a list in JSON.
	DType   string `json:"dtype"`
	Library string `json:"library,omitempty"` // "" is numcodecs
	Split   string `json:"split,omitempty"`   // c-blosc's BLOSC_SPLITMODE, which numcodecs follows
}

// TensorStore is a [Question]'s library: it has blosc's snappy, which numcodecs has not.
const TensorStore = "tensorstore"

// Encode gives what the library makes of an array of one axis: its elements in the byte order of the data type.
func (j *Judge) Encode(q Question, array []byte) ([]byte, error) { return j.ask("encode", q, array) }

// Decode gives the bytes of the array that the library makes of stored ones.
func (j *Judge) Decode(q Question, stored []byte) ([]byte, error) { return j.ask("decode", q, stored) }

func (j *Judge) ask(do string, q Question, data []byte) ([]byte, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	head, err := json.Marshal(struct {
		Do string `json:"do"`
		Question
		Size int `json:"size"`
	}{do, q, len(data)})
	if err != nil {
		return nil, err
	}
	if _, err := j.in.Write(append(append(head, '\n'), data...)); err != nil {
		return nil, fmt.Errorf("judge: %w\n%s", err, j.stderr.Bytes())
	}
	line, err := j.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("judge: %w\n%s", err, j.stderr.Bytes())
	}
	var said struct {
		Size  int
		Error string
	}
	if err := json.Unmarshal(line, &said); err != nil {
		return nil, fmt.Errorf("judge says %q: %w", line, err)
	}
	if said.Error != "" {
		return nil, Refusal(said.Error)
	}
	out := make([]byte, said.Size)
	_, err = io.ReadFull(j.out, out)
	return out, err
}
