module tidemark/sdks

// The programs for RudderStack's clients are made from the one for Segment's: see sdks.ts.

go 1.21

require (
	github.com/rudderlabs/analytics-go v3.3.3+incompatible
	github.com/rudderlabs/analytics-go/v4 v4.2.0
	github.com/segmentio/analytics-go/v3 v3.3.0
)

require (
	github.com/google/uuid v1.3.0 // indirect
	github.com/segmentio/backo-go v1.0.1 // indirect
	github.com/tidwall/gjson v1.14.4 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.1 // indirect
	github.com/xtgo/uuid v0.0.0-20140804021211-a0b114877d4c // indirect
)
