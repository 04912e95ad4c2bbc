package locale

import "testing"

func TestLanguageOfTheSystem(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		all, messages, lang string
		want                string
	}{
		{"", "", "", "en"},
		{"", "", "C", "en"},
		{"", "", "POSIX", "en"},
		{"", "", "C.UTF-8", "en"},
		{"", "", "en_US.UTF-8", "en"},
		{"", "", "es_MX.UTF-8", "es-MX"},
		{"", "", "es_ES@euro", "es-MX"},
		{"", "", "ES_mx", "es-MX"},
		{"", "", "es", "es-MX"},
		{"", "", "es.UTF-8", "es-MX"},
		{"", "", "est_EE", "en"}, // another language
		{"", "", "fr_FR.UTF-8", "en"},
		{"", "es_MX.UTF-8", "en_US.UTF-8", "es-MX"},
		{"C", "es_MX.UTF-8", "es_MX.UTF-8", "en"},
		{"es_MX.UTF-8", "en_US", "C", "es-MX"},
	} {
		set := map[string]string{"LC_ALL": tt.all, "LC_MESSAGES": tt.messages, "LANG": tt.lang}
		if got := OfSystem(func(name string) string { return set[name] }); got != tt.want {
			t.Errorf("OfSystem(LC_ALL=%s, LC_MESSAGES=%s, LANG=%s) = %s, want %s", tt.all, tt.messages, tt.lang, got, tt.want)
		}
	}
}
