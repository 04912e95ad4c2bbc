package locale

import (
	"cmp"
	"strings"
)

// OfSystem returns the language for the user of a command, from the environment as
// POSIX has it: the first of LC_ALL, LC_MESSAGES and LANG that is set, such as
// es_MX.UTF-8. Without one, in C, and in a language that we do not speak it is English.
func OfSystem(env func(name string) string) string {
	set := strings.ToLower(cmp.Or(env("LC_ALL"), env("LC_MESSAGES"), env("LANG")))
	if end := strings.IndexAny(set, "_.@"); end >= 0 {
		set = set[:end]
	}
	if set == "es" {
		return "es-MX"
	}
	return "en"
}
