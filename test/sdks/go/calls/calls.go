// Package calls reads what an SDK is to do from the standard input: see SdkProcess.
package calls

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"
)

type Object = map[string]interface{}

// Call is one call of an SDK, in the words that all of them share.
type Call struct {
	Type        string    `json:"type"`
	Timestamp   time.Time `json:"timestamp"`
	UserId      string    `json:"userId"`
	AnonymousId string    `json:"anonymousId"`
	PreviousId  string    `json:"previousId"`
	GroupId     string    `json:"groupId"`
	Event       string    `json:"event"`
	Name        string    `json:"name"`
	Category    string    `json:"category"`
	Traits      Object    `json:"traits"`
	Properties  Object    `json:"properties"`
	Context     Object    `json:"context"`
}

// Sender is a client of an SDK.
type Sender interface {
	// Send is followed by Pending.Done once the call was sent or given up, unless it returns an error.
	Send(Call) error
}

// Interval is how often a client sends. It cannot flush without closing, which ends its retries.
const Interval = 50 * time.Millisecond

// Pending are the calls that were made, and are neither sent nor given up.
var Pending sync.WaitGroup

// Run makes the calls of each line.
func Run(connect func(url, writeKey string) Sender) {
	sender := connect(os.Args[1], os.Args[2])
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var list []Call
		if err := json.Unmarshal(lines.Bytes(), &list); err != nil {
			panic(err)
		}
		for _, call := range list {
			Pending.Add(1)
			if err := sender.Send(call); err != nil {
				fmt.Fprintln(os.Stderr, err)
				Pending.Done()
			}
		}
		Pending.Wait()
		fmt.Println("@done")
	}
}
