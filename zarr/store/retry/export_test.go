package retry

// NewQuotaOf is NewQuota with other numbers.
func NewQuotaOf(most int, rate float64) *Quota { return newQuota(most, rate) }
