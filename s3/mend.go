package s3

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// mend sends a request again if S3 refused it for a reason that the client can fix: expired
// credentials or a wrong region. S3 checks the credentials and the region before it performs a
// request, so even a conditional write can safely be sent again. mend is separate from the retry
// layer because it sends the request again without a wait.
type mend struct {
	creds   *credentials // nil if the credentials cannot be renewed
	regions *regions     // nil if the region is fixed
}

// renew adds the config's mend to a client, which renews the client's credentials and sends refused
// requests again.
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

// HandleFinalize implements middleware.FinalizeMiddleware. It wraps the SDK's signing and its
// single attempt.
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

// try records how a request was sent, so that it is sent again at most once for each reason.
type try struct {
	*mend
	used             int // serial number of the credentials
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

// rewind rewinds a request's body and reports whether that is possible.
func rewind(in middleware.FinalizeInput) bool {
	r, ok := in.Request.(*smithyhttp.Request)
	return ok && r.RewindStream() == nil
}

// isExpired reports whether S3 rejected expired credentials. Source: Amazon S3 API Reference,
// "Error responses".
func isExpired(err error) bool {
	switch codeOf(err) {
	case "ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired":
		return true
	}
	return false
}
