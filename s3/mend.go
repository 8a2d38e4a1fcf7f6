package s3

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// mend sends a request again that S3 refused for a reason that the client can mend: credentials that have ended. Such a
// refusal comes before S3 does anything, so this is safe for writes with conditions too, and no business of the retry
// layer: there is nothing to wait for.
type mend struct {
	creds *credentials // nil for none that could be renewed
}

// renew makes a client renew its credentials, and mend requests.
func (c *config) renew(o *awss3.Options) {
	m := &mend{}
	if o.Credentials != nil && !aws.IsCredentialsProvider(o.Credentials, (*aws.AnonymousCredentials)(nil)) {
		m.creds = &credentials{p: o.Credentials}
		o.Credentials = m.creds
	}
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		return stack.Finalize.Add(m, middleware.Before)
	})
}

// ID implements middleware.FinalizeMiddleware.
func (m *mend) ID() string { return "zargo:Mend" }

// HandleFinalize implements middleware.FinalizeMiddleware: it is around the SDK's signing and its (one) attempt.
func (m *mend) HandleFinalize(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
	middleware.FinalizeOutput, middleware.Metadata, error,
) {
	var used int
	out, meta, err := next.HandleFinalize(context.WithValue(ctx, usedKey{}, &used), in)
	if err == nil || m.creds == nil || used == 0 || !isExpired(err) {
		return out, meta, err
	}
	switch others, bad := m.creds.refused(ctx, used); {
	case bad != nil:
		return out, meta, bad
	case !others || !rewind(in):
		return out, meta, err
	}
	return next.HandleFinalize(ctx, in)
}

// rewind makes a request's body ready to be sent again.
func rewind(in middleware.FinalizeInput) bool {
	r, ok := in.Request.(*smithyhttp.Request)
	return ok && r.RewindStream() == nil
}

// isExpired reports whether S3 refused credentials for being too old. Source: Amazon S3 API Reference, "Error responses".
func isExpired(err error) bool {
	switch codeOf(err) {
	case "ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired":
		return true
	}
	return false
}
