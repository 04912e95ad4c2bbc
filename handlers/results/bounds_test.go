package results_test

import (
	"strings"
	"testing"

	"veinte/handlers/results"
	"veinte/models"
)

// TestIdsAndTheirLength: a text of sixteen characters may be one of our attempt ids
// wherever it stands; a shorter one is part of any word.
func TestIdsAndTheirLength(t *testing.T) {
	t.Parallel()
	const long, short = "abcdefghijklmnop", "abcdefghijklmno"
	of := func(id string) string { return `{"traceability":{"attemptId":"` + id + `"},"message":` }
	for body, want := range map[string]string{
		of(long) + `"x ` + long + ` y"}`:              `{"traceability":{},"message":"x *** y"}`,
		of(short) + `"x ` + short + ` y"}`:            `{"traceability":{},"message":"x ` + short + ` y"}`,
		of(long) + `"x \u0061bcdefghijklmnop y"}`:     "",
		of(short) + `["\u0061bcdefghijklmno",["x"]]}`: "",
	} {
		if got := string(results.Forwardable([]byte(body))); got != want {
			t.Errorf("Forwardable(%s) = %s, want %s", body, got, want)
		}
	}
	for id, want := range map[string]string{long: `"message":"x *** y"`, short: `"message":"x ` + short + ` y"`} {
		p := readPost([]byte(`{"traceability":{"attemptId":"` + id + `"},"message":"x ` + id + ` y"}`))
		if !strings.Contains(p.Body, want) {
			t.Errorf("stored of a post of attempt %s: %s, want %s", id, p.Body, want)
		}
	}
}

// TestStoredTexts: characters that nobody sees are left out, and long texts cut.
func TestStoredTexts(t *testing.T) {
	t.Parallel()
	x := strings.Repeat
	for text, want := range map[string]string{
		`a\u0002b`: "ab", `\u202egnp.exe`: "gnp.exe", `4152\u200b0099\u31641234\u28008610`: "****",
		x("m", 300): x("m", 300), x("m", 301): x("m", 300), x("ñ", 200): x("ñ", 150),
	} {
		if p := readPost([]byte(`{"message":"` + text + `"}`)); p.Body != `{"message":"`+want+`"}` {
			t.Errorf("message %.20q is stored as %.60s, want %.20s", text, p.Body, want)
		}
	}
}

// TestDepth: what is in a text is not nested, and what follows one another neither.
func TestDepth(t *testing.T) {
	t.Parallel()
	for body, readable := range map[string]bool{
		`{"a":[{},{},{},{},{},{},{},{}]}`:    true,
		`{"message":"x\"[[[[[[[["}`:          true,
		`{"a":"\\","b":"[[[[[[[["}`:          true,
		`{"a":[[[[[1]]]]]}`:                  true,
		`{"a":[[[[[[1]]]]]]}`:                false,
		`{"a":"x","b":[[[[[[1]]]]]]}`:        false,
		`{"a":"\\","b":[[[[[[1]]]]]]}`:       false,
		`{"a":"\"","b":{"c":[[[[[1]]]]]}}`:   false,
		`{"a":"xy\\z","b":[[[[[[1]]]]]]}`:    false,
		`{"a":"","b":[{"c":[{"d":[[1]]}]}]}`: false,
	} {
		if got := readPost([]byte(body)).Kind != models.ResultUnreadable; got != readable {
			t.Errorf("%s is read: %t, want %t", body, got, readable)
		}
	}
}

// TestACompressedPostIsNotForwarded: an id of ours in it could not be seen.
func TestACompressedPostIsNotForwarded(t *testing.T) {
	t.Parallel()
	k := &keeper{}
	app := endpoint("s", k)
	post(t, app, "/results/s", `{"transType":"A"}`, "Content-Type", "application/json")
	post(t, app, "/results/s", `{"transType":"A"}`, "Content-Encoding", "gzip")
	if len(k.posts) != 2 || string(k.posts[0].Raw) != `{"transType":"A"}` || k.posts[0].ContentType != "application/json" ||
		k.posts[1].Raw != nil {
		t.Errorf("stored for forwarding: %+v, want the first one only", k.posts)
	}
}
