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
	"time"
)

// Judge is a Python process that encodes and decodes with numcodecs and TensorStore. It is safe for
// concurrent use. Requests run one at a time.
type Judge struct {
	mu     sync.Mutex
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

// Refusal is the library's error for something that it does not support.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Start starts a Judge that runs the script with the Python at the given path.
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

// Close ends the process.
func (j *Judge) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return errors.Join(j.in.Close(), j.cmd.Wait())
}

// Question has the parameters of a request to encode or decode.
type Question struct {
	Config json.RawMessage `json:"config"` // configuration of numcodecs, with the id
	// DType is numpy's name of the data type of the elements. With the data type "|O" the array is
	// a JSON list.
	DType   string `json:"dtype"`
	Library string `json:"library,omitempty"` // "" means numcodecs
	Split   string `json:"split,omitempty"`   // BLOSC_SPLITMODE of c-blosc, which numcodecs follows
}

// TensorStore is a value of the field Library of a [Question]. The library supports blosc's
// compressor snappy, which numcodecs does not.
const TensorStore = "tensorstore"

// Encode returns the library's encoding of an array of one axis, whose elements are in the byte
// order of the data type.
func (j *Judge) Encode(q Question, array []byte) ([]byte, error) {
	stored, _, err := j.ask("encode", q, array)
	return stored, err
}

// Timed is Encode, and also returns the time that the library took.
func (j *Judge) Timed(q Question, array []byte) (stored []byte, took time.Duration, err error) {
	return j.ask("encode", q, array)
}

// Decode returns the bytes of the array that the library decodes.
func (j *Judge) Decode(q Question, stored []byte) ([]byte, error) {
	array, _, err := j.ask("decode", q, stored)
	return array, err
}

// Versions are the versions of numcodecs and of the zlib that it uses for zlib and gzip.
type Versions struct{ Numcodecs, Zlib string }

// Versions returns the versions of the libraries in the process.
func (j *Judge) Versions() (v Versions, err error) {
	said, _, err := j.ask("versions", Question{Config: json.RawMessage("{}")}, nil)
	if err != nil {
		return v, err
	}
	return v, json.Unmarshal(said, &v)
}

func (j *Judge) ask(do string, q Question, data []byte) ([]byte, time.Duration, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	head, err := json.Marshal(struct {
		Do string `json:"do"`
		Question
		Size int `json:"size"`
	}{do, q, len(data)})
	if err != nil {
		return nil, 0, err
	}
	if _, err := j.in.Write(append(append(head, '\n'), data...)); err != nil {
		return nil, 0, fmt.Errorf("judge: %w\n%s", err, j.stderr.Bytes())
	}
	line, err := j.out.ReadBytes('\n')
	if err != nil {
		return nil, 0, fmt.Errorf("judge: %w\n%s", err, j.stderr.Bytes())
	}
	var said struct {
		Size    int
		Error   string
		Seconds float64
	}
	if err := json.Unmarshal(line, &said); err != nil {
		return nil, 0, fmt.Errorf("the judge returned %q: %w", line, err)
	}
	if said.Error != "" {
		return nil, 0, Refusal(said.Error)
	}
	out := make([]byte, said.Size)
	_, err = io.ReadFull(j.out, out)
	return out, time.Duration(said.Seconds * float64(time.Second)), err
}
