package passwords

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	around := []string{"Ana Robles Íñiguez", "ana.robles@tiendas-del-sur.example", "Roma Norte", "CDMX-01"}
	tests := []struct {
		password string
		want     Problem
	}{
		{"", TooShort},
		{"once letras", TooShort},
		{"ñandúñandúñ", TooShort},            // 11 characters, 16 bytes
		{"n\u0303andu\u0301 gris", TooShort}, // 10 characters, however they are written
		{"tres caballos de madera", ""},
		{"un burro, dos", ""},
		{"niñáéíóú 7x!", ""},
		{"正確的馬電池釘書機很安全", ""},
		{strings.Repeat("ab c", 32), Simple},
		{strings.Repeat("lápiz y papel ", 9) + "gh", ""},
		{strings.Repeat("lápiz y papel ", 9) + "ghi", TooLong},
		{"aaaaaaaaaaaa", Simple},
		{"123456789012", Simple},
		{"abcdefghijklm", Simple},
		{"121212121212", Simple},
		{"qwertyuiop12", Common},
		{"1qaz2wsx3edc", Common},
		{"Password2026!", Common},
		{"p4ssw0rd!2026", Common},
		{"contraseña2026", Common},
		{"la contraseña", Context},
		{"dragondragon", Common},
		{"dragon-dragon", Common},
		{"24/11/dragon", Common},
		{"QWERTYqwerty", Common},
		{"motherfucker", Common},
		{"mostrador-2000", Context},
		{"Veinte2026!!", Context},
		{"robles.iniguez", Context},
		{"tiendas del sur", Context},
		{"romanorte-cdmx", Context},
		{"ana y su dragon", ""},
		{"robles-dragon-1", Context},
		{"mañana en veinte barcos", ""},
	}
	for _, tt := range tests {
		if got := Check(tt.password, around...); got != tt.want {
			t.Errorf("Check(%q) = %q, want %q", tt.password, got, tt.want)
		}
	}
}

// What is not in the lists is hardly ever taken for it.
func TestTheFilterTakesFewForCommon(t *testing.T) {
	t.Parallel()
	const tries = 1_000_000
	random, wrong := rand.New(rand.NewPCG(1, 2)), 0
	for range tries {
		if listed(fmt.Sprintf("%x-%x", random.Uint64(), random.Uint64())) {
			wrong++
		}
	}
	passwords, bytes := Size()
	t.Logf("%d passwords in %d bytes; %d of %d others are taken for one", passwords, bytes, wrong, tries)
	if passwords < 20_000 || wrong > 30 {
		t.Errorf("%d passwords, %d of %d others taken for one of them; want at least 20,000 and at most 30", passwords, wrong, tries)
	}
}

// The filter tells passwords from the lists and others: the first is the one that nobody
// would think of.
func TestTheListsAreInTheFilter(t *testing.T) {
	t.Parallel()
	for _, p := range []string{"bh0rh0h2oof6xbqjeh", "voxstrange", "leavemealone", "sonyericsson", "chickenwing101", "trustno1"} {
		if want := p != "bh0rh0h2oof6xbqjeh"; listed(p) != want {
			t.Errorf("listed(%q) = %t, want %t", p, !want, want)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("tres caballos de madera", "Ana Robles")
	f.Add("\xff\xfe\x00\u202e123456789", "\xff\xff\xff")
	f.Fuzz(func(t *testing.T, password, name string) {
		if got := Check(password, name); got != Check(password, name) {
			t.Errorf("Check(%q, %q) is not always the same", password, name)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	for _, p := range []string{"tres caballos de madera", strings.Repeat("lápiz y papel ", 9)} {
		b.Run(fmt.Sprint(len(p)), func(b *testing.B) {
			for b.Loop() {
				Check(p, "Ana Robles", "ana@tiendas.example", "Roma Norte", "Cancún Centro", "Tijuana Río")
			}
		})
	}
}
