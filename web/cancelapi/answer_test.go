package cancelapi

import (
	"strings"
	"testing"

	"veinte/models"
)

func TestAnswers(t *testing.T) {
	t.Parallel()
	const accepted = models.MeaningAccepted
	notFound := `{"code":"19","message":"No se encontró la terminal"}`
	badToken := `{"error":"invalid_token","error_description":"Cannot convert access token to JSON"}`
	tests := []struct {
		fact    string
		status  int
		body    string
		meaning models.Meaning
		detail  models.Detail
		code    string
	}{
		{"the documented acknowledgement is accepted", 200, ackOK, accepted, models.DetailAccepted, "00"},
		{"any 2xx will do", 202, ackOK, accepted, models.DetailAccepted, "00"},
		{"a BOM and white space are no matter", 200, "\ufeff \r\n" + ackOK + "\n", accepted, models.DetailAccepted, "00"},
		{"a null error is no error", 200, `{"code":"00","error":null}`, accepted, models.DetailAccepted, "00"},
		{"terminal not found is refused", 200, notFound, refused, models.DetailTerminalNotFound, "19"},
		{"also with a 404", 404, notFound, refused, models.DetailTerminalNotFound, "19"},
		{"invalid_token is refused", 401, badToken, refused, models.DetailInvalidToken, "invalid_token"},
		{"also with a 200", 200, badToken, refused, models.DetailInvalidToken, "invalid_token"},
		{"code 00 with a 500 contradicts itself", 500, ackOK, unknown, models.DetailServerError, "00"},
		{"code 00 with a 302 contradicts itself", 302, ackOK, unknown, models.DetailServerError, "00"},
		{"another code is unknown", 200, `{"code":"05"}`, unknown, models.DetailUnknownCode, "05"},
		{"another code with a 400 too", 400, `{"code":"05"}`, unknown, models.DetailUnknownCode, "05"},
		{"another error is unknown", 403, `{"error":"access_denied"}`, unknown, models.DetailAccessRefused, "access_denied"},
		{
			"a code and an error are two answers", 200, `{"code":"00","error":"invalid_token"}`, unknown, models.DetailUnknownCode,
			"00invalid_token",
		},
		{"the number 0 is not the code 00", 200, `{"code":0}`, unknown, models.DetailNotJSON, ""},
		{"the number 19 is not the code 19", 500, `{"code":19}`, unknown, models.DetailServerError, ""},
		{"a number beside an error makes it doubtful", 401, `{"code":0,"error":"invalid_token"}`, unknown, models.DetailAccessRefused, ""},
		{"of two codes neither is believed", 200, `{"code":"19","code":"00"}`, unknown, models.DetailNotJSON, ""},
		{"a name in other letters is another name", 200, `{"Code":"00"}`, unknown, models.DetailNotJSON, ""},
		{"a code further inside is not the answer's", 200, `{"data":{"code":"00"}}`, unknown, models.DetailNotJSON, ""},
		{"an array is not an answer", 200, `[{"code":"00"}]`, unknown, models.DetailNotJSON, ""},
		{"two objects are not an answer", 200, ackOK + ackOK, unknown, models.DetailNotJSON, ""},
		{"text after the object spoils it", 200, ackOK + "<!-- x -->", unknown, models.DetailNotJSON, ""},
		{"half an object is none", 200, ackOK[:20], unknown, models.DetailNotJSON, ""},
		{"a comma too many is not JSON", 200, `{"code":"00",}`, unknown, models.DetailNotJSON, ""},
		{"no body", 200, ``, unknown, models.DetailNotJSON, ""},
		{"no content", 204, ``, unknown, models.DetailNotJSON, ""},
		{"an empty object", 200, `{}`, unknown, models.DetailNotJSON, ""},
		{"HTML of a proxy with a 200", 200, `<html>sign in</html>`, unknown, models.DetailNotJSON, ""},
		{"HTML with a 502", 502, `<html>Bad Gateway</html>`, unknown, models.DetailServerError, ""},
		{"a bare 401 is no documented refusal", 401, ``, unknown, models.DetailAccessRefused, ""},
		{"too many requests", 429, `slow down`, unknown, models.DetailServerError, ""},
		{"not modified", 304, ``, unknown, models.DetailRedirect, ""},
		{"deep nesting is survived", 200, strings.Repeat(`{"a":`, 13_000), unknown, models.DetailNotJSON, ""},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			s := serve(t, says(whole(tt.status, tt.body)))
			got := newClient(t, s.url).Cancel(t.Context(), anOrder())
			wantReply(t, got, tt.meaning, tt.detail)
			if got.HTTPStatus != tt.status || got.Code != tt.code {
				t.Errorf("status %d, code %q; want %d, %q", got.HTTPStatus, got.Code, tt.status, tt.code)
			}
			if n := s.requests.Load(); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

func TestMessage(t *testing.T) {
	t.Parallel()
	jwt := "eyJhbGciOiJIUzI1NiJ9abc.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV"
	tests := []struct{ fact, text, want string }{
		{"words stay", "No se encontró la terminal", "No se encontró la terminal"},
		{"the token is masked", "bad " + testToken + "!", "bad ***!"},
		{"a JWT is masked", "Invalid: " + jwt, "Invalid: ***.***.***"},
		{"a bearer token of any length is masked", "Authorization: BEARER abc", "Authorization: Bearer ***"},
		{"a token broken by an invisible character is masked", "bad token-of-the\u200b-tests-0123\x00456789", "bad ***"},
		{"lines become one", "uno\r\ndos\ttres", "uno  dos tres"},
		{"escape sequences lose their escape", "\x1b[31mrojo", "[31mrojo"},
		{"invalid UTF-8 goes", "a\xff\xfeb", "ab"},
		{"it ends after 200 characters", strings.Repeat("ñ ", 150), strings.Repeat("ñ ", 100)},
		{"a secret across the cut leaves no part", strings.Repeat("a ", 95) + testToken, strings.Repeat("a ", 95) + "***"},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			if got := clean(tt.text, maxMessage, testToken); got != tt.want {
				t.Errorf("clean(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}
