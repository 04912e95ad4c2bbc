package deliver

import (
	"strings"
	"testing"
)

func TestMaskOfAnAnswer(t *testing.T) {
	t.Parallel()
	sent := []byte(`{"customerName":"JUANA PEREZ","cardNumber":"411111******1111","bin":411111,"code":"00","nested":{"list":["secreto"]}}`)
	for _, tt := range []struct{ fact, answer, want string }{
		{"a word", "ok", "ok"},
		{"lines and controls", "a\r\n\tb\x00c", "a b c"},
		{"a card number", "card 4111 1111 1111 1111!", "card ***!"},
		{"a telephone", "tel 55-1234-5678", "tel ***"},
		{"an attempt id", "id 01234567-89ab-cdef-0123-456789abcdef.", "id ***."},
		{"what was sent", `{"hola":"JUANA PEREZ","n":411111,"x":"secreto"}`, `{"hola":"***","n":***,"x":"***"}`},
		{"short values stay", "code 00", "code 00"},
		{"bytes that are no text", "a\xff\xfeb", "a?b"},
		{"nothing", "", ""},
	} {
		if got := mask([]byte(tt.answer), sent); got != tt.want {
			t.Errorf("%s: mask(%q) = %q, want %q", tt.fact, tt.answer, got, tt.want)
		}
	}
	if got := mask([]byte(strings.Repeat("é", 500)), sent); len(got) > shown || !strings.HasPrefix(got, "ééé") || strings.Contains(got, "�") {
		t.Errorf("a long answer is stored as %q", got)
	}
	if got := mask([]byte("you said PEREZ 4111"), []byte("NAME PEREZ 4111")); got != "you said *** ***" {
		t.Errorf("the answer to what is no JSON is stored as %q", got)
	}
}
