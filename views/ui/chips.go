package ui

func ChipsInWords(chips []FilterChip) string {
	text := ""
	for _, c := range chips {
		if text != "" {
			text += " · "
		}
		text += c.Label + ": " + c.Value
	}
	return text
}
