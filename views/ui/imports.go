package ui

// BytesWord writes the size of a file.
func BytesWord(n int64) string {
	if n < 1<<20 {
		return Number((n+1023)>>10) + " KB"
	}
	return Number(n>>20) + " MB"
}
