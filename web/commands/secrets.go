package commands

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"veinte/models/privatefile"
)

// SecretFiles reads secrets from the files that NAME_FILE names. It collects read
// errors, which are reported with the other mistakes.
type SecretFiles struct {
	Problems []string
}

// Resolve implements kong.ResolverFunc for flags that are tagged secret.
func (s *SecretFiles) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if len(flag.Envs) == 0 || !flag.Tag.Has("secret") || os.Getenv(flag.Envs[0]) != "" {
		return nil, nil
	}
	name := flag.Envs[0] + "_FILE"
	path := os.Getenv(name)
	if path == "" {
		return nil, nil
	}
	b, err := privatefile.Read(path, 1<<20)
	if err != nil {
		s.Problems = append(s.Problems, fmt.Sprintf("%s: the file cannot be read: %v", name, err))
		return nil, nil
	}
	return strings.TrimSpace(string(b)), nil
}
