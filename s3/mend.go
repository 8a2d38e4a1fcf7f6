package s3

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// mend sends a request again that S3 refused for a reason that the client can mend: credentials
// that have ended, or another region. Such a refusal comes before S3 does anything, so this is safe
// for writes with conditions too, and no business of the retry layer: there is nothing to wait for.
type mend struct {
	creds   *credentials // nil for none that could be renewed
	regions *regions     // nil if the region is not for S3 to say
}

// renew makes a client renew its credentials, and mend requests.
func (c *config) renew(o *awss3.Options) {
	m := c.mend
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

// HandleFinalize implements middleware.FinalizeMiddleware: it is around the SDK's signing and its
// (one) attempt.
func (m *mend) HandleFinalize(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
	out middleware.FinalizeOutput, meta middleware.Metadata, err error,
) {
	t := try{mend: m}
	if m.regions != nil {
		if err := m.regions.first(ctx); err != nil {
			return out, meta, err
		}
	}
	for {
		t.begin()
		out, meta, err = next.HandleFinalize(context.WithValue(ctx, usedKey{}, &t.used), in)
		if err == nil {
			return out, meta, nil
		}
		switch again, bad := t.again(ctx, err); {
		case bad != nil:
			return out, meta, bad
		case !again || !rewind(in):
			return out, meta, err
		}
	}
}

// try is what a request was sent with. Each reason to send it again is good once.
type try struct {
	*mend
	used             int // the number of the credentials
	region           string
	renewed, located bool
}

func (t *try) begin() {
	t.used = 0
	if t.regions != nil {
		t.region = t.regions.current()
	}
}

func (t *try) again(ctx context.Context, err error) (bool, error) {
	switch {
	case t.creds != nil && t.used > 0 && !t.renewed && isExpired(err):
		t.renewed = true
		return t.creds.refused(ctx, t.used)
	case t.regions != nil && !t.located:
		var bad error
		t.located, bad = t.regions.moved(ctx, err, t.region)
		return t.located, bad
	}
	return false, nil
}

// rewind makes a request's body ready to be sent again.
func rewind(in middleware.FinalizeInput) bool {
	r, ok := in.Request.(*smithyhttp.Request)
	return ok && r.RewindStream() == nil
}

// isExpired reports whether S3 refused credentials for being too old. Source: Amazon S3 API
// Reference, "Error responses".
func isExpired(err error) bool {
	switch codeOf(err) {
	case "ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired":
		return true
	}
	return false
}
