package web

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVerifyWhatStrangersSigned: the command takes keys of witnesses and roots of
// authorities, says who vouches for what, and refuses wishes that nobody can mean.
func TestVerifyWhatStrangersSigned(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("..", "models", "audit", "trailfile", "testdata", "cases")
	text, err := os.ReadFile(filepath.Join(folder, "cases.json"))
	must(t, err)
	var cases []struct {
		Name, File      string
		Keys, Witnesses []string
	}
	must(t, json.Unmarshal(text, &cases))
	file, keys := map[string]string{}, map[string][]string{}
	for _, c := range cases {
		file[c.Name], keys[c.Name] = filepath.Join(folder, c.File), c.Witnesses
	}
	root, trail := filepath.Join(folder, "root-right.pem"), cases[0].Keys[0]
	three := keys["witness-three"]
	both := []string{"--file", file["stamp-and-witnesses"]}
	witness := []string{"--file", file["witness-two-of-three"], "--witness", three[0], "--witness", three[1], "--witness", three[2]}
	proof := []string{"--proof", file["proof-cosigned"], "--witness", three[0]}
	tests := []struct {
		fact string
		args []string
		code int
		want string
	}{
		{"nobody is asked", both, 0, "firmas de otros que no se comprobaron: 2"},
		{
			"both are asked", append(both, "--witness", three[0], "--tsa-root", root), 0,
			"un sello de tiempo de Sellos de prueba (tsa.example/right) dice que",
		},
		{"a quorum", append(witness, "--quorum", "2"), 0, "2 de 3 testigos lo firmaron"},
		{"all of them", witness, 2, "firmaron menos testigos de los que se pidieron (2 of 3; missing: "},
		{"a proof", proof, 0, "el testigo contadora.example vio las primeras 5 entradas"},
		{"an age", append(proof, "--max-age", "1h"), 2, "demasiado vieja"},
		{"soon", append(both, "--tsa-root", root, "--stamped-within", "1h"), 2, "la entrada no se selló a tiempo"},
		{"a quorum of nobody", append(both, "--quorum", "1"), 2, "--witness"},
		{"a quorum beyond", append(witness, "--quorum", "4"), 2, "solo se nombraron 3"},
		{"an age of nobody", append(both, "--max-age", "1h"), 2, "--max-age necesita"},
		{"soon of nobody", append(both, "--stamped-within", "1h"), 2, "necesita la raíz"},
		{"a key of the trail", append(both, "--witness", trail), 2, "no key of a witness"},
		{"a root that is none", append(both, "--tsa-root", file["stamp-none"]), 2, "holds no certificate"},
		{"a database", []string{"--database-url", "postgres://127.0.0.1:1/x", "--witness", three[0]}, 2, "usa --file"},
	}
	for _, tt := range tests {
		stdout, stderr, code := veinte(t, []string{"LANG=es_MX.UTF-8"}, append([]string{"audit", "verify", "--key", trail}, tt.args...)...)
		if code != tt.code || !strings.Contains(stdout+stderr, tt.want) || strings.Contains(stderr, "panic") {
			t.Errorf("%s: verify ended with %d, want %d and %q:\n%s%s", tt.fact, code, tt.code, tt.want, stdout, stderr)
		}
	}
}
