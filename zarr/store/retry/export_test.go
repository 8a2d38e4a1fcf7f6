package retry

// NewQuotaOf is NewQuota with numbers of a test's own.
func NewQuotaOf(most int, rate float64) *Quota { return newQuota(most, rate) }
