package fault

// Kind is an error that says what a caller can do about it. Kinds are constants, so no package can
// change them.
type Kind string

// Error returns the kind's words, such as "not found".
func (k Kind) Error() string { return string(k) }

// Is makes the kinds that say more about a refusal Refused too.
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
	// NotFound means that nothing is stored under the name, and that is proven. A refused,
	// throttled or failed request is never NotFound, because an absent chunk reads as the fill
	// value.
	NotFound Kind = "not found"
	// Exists means that something is stored under the name already, and it was to be created.
	Exists Kind = "exists already"
	// Conflict means that the stored value is not, or no longer, the version the request was pinned
	// to.
	Conflict Kind = "conflict"
	// Unchanged means that the stored value still is the version that the caller said it has
	// (GetOptions.IfNotVersion).
	Unchanged Kind = "unchanged"
	// ReadOnly means that the store does not take writes.
	ReadOnly Kind = "read-only"
	// Type means that the Go type does not fit the array's data type.
	Type Kind = "wrong type"
	// Selection means that a selection, a shape or a buffer does not fit the array, or a byte range
	// is empty or negative.
	Selection Kind = "bad selection"
	// Metadata means that a metadata document is malformed or contradicts itself.
	Metadata Kind = "invalid metadata"
	// Path means that a key or a node's path is unsafe or malformed: "..", a back slash, an empty
	// segment.
	Path Kind = "unsafe path"
	// Corrupt means that stored bytes cannot be what the metadata promises: truncated, failed
	// checksum, undecodable.
	Corrupt Kind = "corrupt data"
	// Refused means that the service knows the caller and says no, or does not know the caller:
	// 401, 403, no such bucket; or that there is no such service as is meant: a host that does not
	// exist, a certificate that is not trusted.
	//
	// NoBucket, NoCredentials, Unauthenticated and Denied say more. Each of them is Refused as
	// well, for errors.Is.
	Refused Kind = "refused"
	// NoBucket means that the bucket, or the container, does not exist.
	NoBucket Kind = "refused: no such bucket"
	// NoCredentials means that there are no credentials to send: none are configured, or none could
	// be had.
	NoCredentials Kind = "refused: no credentials"
	// Unauthenticated means that the service does not accept the credentials: a wrong or expired
	// key, token or signature, 401.
	Unauthenticated Kind = "refused: not authenticated"
	// Denied means that the service, or the operating system, knows the caller and does not permit
	// it: 403, EACCES.
	Denied Kind = "refused: permission denied"
	// Throttled means that the service asks for fewer requests: 429, 503 SlowDown.
	Throttled Kind = "throttled"
	// Unavailable means that the service could not be reached or failed: 5xx, connection cut, no
	// name server.
	Unavailable Kind = "unavailable"
	// Limit means that doing it would exceed a bound on memory, size or number of requests.
	Limit Kind = "over a limit"
	// Full means that there is no room for what is written: the disk or the quota is full (ENOSPC,
	// EDQUOT, 507).
	Full Kind = "no room left"
)
