// Sends an identify and a track, and reads the user back. See ../README.md.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
)

type object = map[string]any

func main() {
	identified := post("/v1/identify", object{"user_id": "ada", "traits": object{"plan": "pro", "language": "go"}})
	tracked := post("/v1/track", object{"user_id": "ada", "event": "Signed Up", "properties": object{"source": "go"}})

	// Until then the messages are safe, but not in any answer.
	for _, answer := range [][]byte{identified, tracked} {
		waitFor(answer)
	}

	fmt.Println(string(read("/v1/users/ada")))
	fmt.Println(string(read("/v1/users/ada/events?limit=10")))
}

func waitFor(answer []byte) {
	var sent struct{ Receipt string }
	check(json.Unmarshal(answer, &sent))
	for {
		var progress struct{ Projected, Queryable bool }
		check(json.Unmarshal(read("/v1/receipts/"+sent.Receipt+"?wait=10"), &progress))
		if progress.Projected && progress.Queryable {
			return
		}
	}
}

func post(path string, message object) []byte {
	body, err := json.Marshal(message)
	check(err)
	request, err := http.NewRequest("POST", address()+path, bytes.NewReader(body))
	check(err)
	request.Header.Set("X-Api-Key", os.Getenv("WRITE_KEY"))
	request.Header.Set("Content-Type", "application/json")
	return answerTo(request)
}

func read(path string) []byte {
	request, err := http.NewRequest("GET", address()+path, nil)
	check(err)
	request.Header.Set("X-Api-Key", os.Getenv("READ_KEY"))
	return answerTo(request)
}

func answerTo(request *http.Request) []byte {
	response, err := http.DefaultClient.Do(request)
	check(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	check(err)
	if response.StatusCode != 200 {
		log.Fatalf("%s: %s", response.Status, body)
	}
	return body
}

func address() string {
	if url := os.Getenv("TIDEMARK_URL"); url != "" {
		return url
	}
	return "http://127.0.0.1:8080"
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
