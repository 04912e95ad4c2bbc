package places

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"rsc.io/qr"
)

// grid draws a path of horizontal runs as modules, dark ones as #.
func grid(tb testing.TB, size int, path string) []string {
	tb.Helper()
	rows := make([][]byte, size)
	for y := range rows {
		rows[y] = []byte(strings.Repeat(".", size))
	}
	runs := regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-(\d+)z`).FindAllStringSubmatch(path, -1)
	whole := ""
	for _, run := range runs {
		whole += run[0]
		x, _ := strconv.Atoi(run[1])
		y, _ := strconv.Atoi(run[2])
		n, _ := strconv.Atoi(run[3])
		for i := range n {
			rows[y][x+i] = '#'
		}
	}
	if whole != path {
		tb.Fatalf("the path is more than runs of modules: %s", path)
	}
	lines := make([]string, size)
	for y := range rows {
		lines[y] = string(rows[y])
	}
	return lines
}

// TestQRPath: each module of the code is drawn once, with four empty ones around it.
func TestQRPath(t *testing.T) {
	t.Parallel()
	const text = "https://veinte.example/results/1234567890/8K6IeoQPMMAjApuChz5GoFYKj7tFZ8Rp"
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		t.Fatal(err)
	}
	size, path := qrPath(text)
	if size != code.Size+8 {
		t.Fatalf("the square has %d modules, want %d and four on each side", size, code.Size)
	}
	for y, line := range grid(t, size, path) {
		for x := range line {
			if want := code.Black(x-4, y-4); (line[x] == '#') != want {
				t.Fatalf("module %d, %d is drawn %c, want dark %t", x-4, y-4, line[x], want)
			}
		}
	}
	// The three finder patterns, by ISO/IEC 18004.
	finder := []string{"#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"}
	drawn := grid(t, size, path)
	for _, corner := range [][2]int{{4, 4}, {size - 11, 4}, {4, size - 11}} {
		for dy, want := range finder {
			if got := drawn[corner[1]+dy][corner[0] : corner[0]+7]; got != want {
				t.Errorf("the finder pattern at %v has the row %q, want %q", corner, got, want)
			}
		}
	}
	if size, path := qrPath(strings.Repeat("x", 4000)); size != 0 || path != "" {
		t.Error("a text that fits into no code is drawn")
	}
}
