package fault

// Kind is an error that says what a caller can do about it. Kinds are constants, so no package can change them.
type Kind string

// Error returns the kind's words, such as "not found".
func (k Kind) Error() string { return string(k) }

const (
	// NotFound means that nothing is stored under the name, and that is proven. A refused, throttled or failed request is never
	// NotFound, because an absent chunk reads as the fill value.
	NotFound Kind = "not found"
	// Exists means that something is stored under the name already, and it was to be created.
	Exists Kind = "exists already"
	// Conflict means that the stored value is not, or no longer, the version the request was pinned to.
	Conflict Kind = "conflict"
	// Unchanged means that the stored value still is the version that the caller said it has (GetOptions.IfNotVersion).
	Unchanged Kind = "unchanged"
	// ReadOnly means that the store does not take writes.
	ReadOnly Kind = "read-only"
	// Type means that the Go type does not fit the array's data type.
	Type Kind = "wrong type"
	// Selection means that a selection, a shape or a buffer does not fit the array, or a byte range is empty or negative.
	Selection Kind = "bad selection"
	// Metadata means that a metadata document is malformed or contradicts itself.
	Metadata Kind = "invalid metadata"
	// Path means that a key or a node's path is unsafe or malformed: "..", a back slash, an empty segment.
	Path Kind = "unsafe path"
	// Corrupt means that stored bytes cannot be what the metadata promises: truncated, failed checksum, undecodable.
	Corrupt Kind = "corrupt data"
	// Refused means that the service knows the caller and says no, or does not know the caller: 401, 403, no such bucket; or
	// that there is no such service as is meant: a host that does not exist, a certificate that is not trusted.
	Refused Kind = "refused"
	// Throttled means that the service asks for fewer requests: 429, 503 SlowDown.
	Throttled Kind = "throttled"
	// Unavailable means that the service could not be reached or failed: 5xx, connection cut, no name server.
	Unavailable Kind = "unavailable"
	// Limit means that doing it would exceed a bound on memory, size or number of requests.
	Limit Kind = "over a limit"
)
