package main

import (
	"fmt"
	"net"
	"os"

	"github.com/segmentio/analytics-go/v3"

	"tidemark/sdks/calls"
)

type sender struct{ analytics.Client }

func connect(url, writeKey string) calls.Sender {
	client, _ := analytics.NewWithConfig(writeKey, analytics.Config{
		Endpoint: url,
		Interval: calls.Interval,
		Callback: pending{},
	})

	return sender{client}
}

func (s sender) Send(c calls.Call) error {
	return s.Enqueue(messageOf(c))
}

// pending says when a message was sent or given up.
type pending struct{}

func (pending) Success(analytics.Message) {
	calls.Pending.Done()
}

func (pending) Failure(_ analytics.Message, err error) {
	fmt.Fprintln(os.Stderr, err)
	calls.Pending.Done()
}

func messageOf(c calls.Call) analytics.Message {
	context := contextOf(c.Context)
	switch c.Type {
	case "identify":
		return analytics.Identify{UserId: c.UserId, AnonymousId: c.AnonymousId, Traits: c.Traits, Context: context, Timestamp: c.Timestamp}
	case "page":
		// It has no category of its own.
		properties := analytics.Properties(c.Properties).Set("category", c.Category)
		return analytics.Page{UserId: c.UserId, AnonymousId: c.AnonymousId, Name: c.Name, Properties: properties, Context: context, Timestamp: c.Timestamp}
	case "screen":
		return analytics.Screen{UserId: c.UserId, AnonymousId: c.AnonymousId, Name: c.Name, Properties: c.Properties, Context: context, Timestamp: c.Timestamp}
	case "group":
		return analytics.Group{UserId: c.UserId, AnonymousId: c.AnonymousId, GroupId: c.GroupId, Traits: c.Traits, Context: context, Timestamp: c.Timestamp}
	case "alias":
		return analytics.Alias{UserId: c.UserId, PreviousId: c.PreviousId, Context: context, Timestamp: c.Timestamp}
	default:
		return analytics.Track{UserId: c.UserId, AnonymousId: c.AnonymousId, Event: c.Event, Properties: c.Properties, Context: context, Timestamp: c.Timestamp}
	}
}

func contextOf(said calls.Object) *analytics.Context {
	if said == nil {
		return nil
	}
	return &analytics.Context{IP: net.ParseIP(said["ip"].(string)), Locale: said["locale"].(string)}
}

func main() {
	calls.Run(connect)
}
