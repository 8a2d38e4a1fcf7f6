// Package numcodecs holds the codecs of zargo against Python's numcodecs: random arrays by the
// thousand, with random configurations, the same in every run. What numcodecs encodes decodes here
// to what it decodes to there, and what is encoded here decodes there to the same. Blosc's snappy,
// which numcodecs is built without, is held against TensorStore. One Python answers all questions
// of a test, over a pipe; see [Judge].
//
// A codec is added with a row of the table in ids_test.go: its id, the data types, a function that
// makes a configuration, and what is to be expected of it ([ID]). A filter's elements change: it is
// Exact, and Lossy where an array does not come back. A codec of objects asks the [Judge] itself
// with the data type "|O", where an array is a list in JSON. Blosc's frames say so many things that
// it is also tried in every combination of them.
//
// Two versions of numcodecs are asked. The tests need a Python with
// integration/peers/requirements.txt installed, named by ZARGO_PEERS_PYTHON, and one of 3.13 with
// requirements-py313.txt, named by ZARGO_PEERS_PYTHON313. Without them they are skipped, loudly, or
// fail when CI=true.
package numcodecs
