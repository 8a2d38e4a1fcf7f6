package fault

// Kind is an error that describes what the caller can do about it. Kinds are constants, so no
// package can change them.
type Kind string

// Error returns the text of the kind, such as "not found".
func (k Kind) Error() string { return string(k) }

// Is reports whether target is Refused and k is one of the more specific kinds of refusal.
func (k Kind) Is(target error) bool {
	if target != error(Refused) {
		return false
	}
	switch k {
	case NoBucket, NoCredentials, Unauthenticated, Denied:
		return true
	}
	return false
}

const (
	// NotFound means that the name is proven to be absent. A refused, throttled or failed request
	// is never NotFound, because an absent chunk reads as the fill value.
	NotFound Kind = "not found"
	// Exists means that a value to be created is already stored under the name.
	Exists Kind = "exists already"
	// Conflict means that the stored value does not have the version that the request requires.
	Conflict Kind = "conflict"
	// Unchanged means that the stored value still has the version that the caller passed in
	// GetOptions.IfNotVersion.
	Unchanged Kind = "unchanged"
	// ReadOnly means that the store does not accept writes.
	ReadOnly Kind = "read-only"
	// Type means that the Go type does not fit the array's data type.
	Type Kind = "wrong type"
	// Selection means that a selection, a shape or a buffer does not fit the array, or a byte range
	// is empty or negative.
	Selection Kind = "bad selection"
	// Metadata means that a metadata document is malformed or contradicts itself.
	Metadata Kind = "invalid metadata"
	// Path means that a key or the path of a node is unsafe or malformed: "..", a backslash, an
	// empty segment.
	Path Kind = "unsafe path"
	// Corrupt means that stored bytes contradict the metadata: truncated, wrong checksum,
	// undecodable.
	Corrupt Kind = "corrupt data"
	// Refused means that the service denies the request or does not recognize the caller (401, 403,
	// no such bucket), or that the service itself does not exist or is not trusted (unknown host,
	// untrusted certificate).
	//
	// NoBucket, NoCredentials, Unauthenticated and Denied are more specific. For errors.Is each of
	// them is also Refused.
	Refused Kind = "refused"
	// NoBucket means that the bucket, or the container, does not exist.
	NoBucket Kind = "refused: no such bucket"
	// NoCredentials means that the store lacks credentials: none are configured, or none could be
	// obtained.
	NoCredentials Kind = "refused: no credentials"
	// Unauthenticated means that the service does not accept the credentials: a wrong or expired
	// key, token or signature, 401.
	Unauthenticated Kind = "refused: not authenticated"
	// Denied means that the service or the operating system recognizes the caller and does not
	// permit the operation: 403, EACCES.
	Denied Kind = "refused: permission denied"
	// Throttled means that the service requires fewer requests: 429, 503 SlowDown.
	Throttled Kind = "throttled"
	// Unavailable means that the service failed or could not be reached: 5xx, connection lost, name
	// server unreachable.
	Unavailable Kind = "unavailable"
	// Limit means that the operation would exceed a bound on memory, size or number of requests.
	Limit Kind = "over a limit"
	// Full means that the storage lacks space for the value: the disk or the quota is full (ENOSPC,
	// EDQUOT, 507).
	Full Kind = "no room left"
)
