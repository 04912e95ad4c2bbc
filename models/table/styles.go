package table

import "strings"

// style is what a cell's number format means for reading the cell.
type style struct {
	date  bool
	clock bool  // a date with its time of day
	zeros uint8 // 0000000000: the minimum number of digits shown
}

// readStyles reads the number formats. A workbook may have none.
func (b *book) readStyles() error {
	if _, ok := b.parts["xl/styles.xml"]; !ok {
		return nil
	}
	var sheet struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := b.decode("xl/styles.xml", &sheet); err != nil {
		return err
	}
	codes := map[int]string{}
	for _, f := range sheet.Formats {
		codes[f.ID] = f.Code
	}
	for _, c := range sheet.Cells {
		if code, own := codes[c.Format]; own {
			b.styles = append(b.styles, styleOf(code))
		} else {
			b.styles = append(b.styles, builtIn(c.Format))
		}
	}
	return nil
}

// builtIn are the formats with fixed numbers: 14 to 17 and 22 are dates, 18 to 21
// and 45 to 47 times, 27 to 36 and 50 to 58 the dates of other calendars.
func builtIn(id int) style {
	switch {
	case id == 22, id >= 18 && id <= 21, id >= 45 && id <= 47:
		return style{date: true, clock: true}
	case id >= 14 && id <= 17, id >= 27 && id <= 36, id >= 50 && id <= 58:
		return style{date: true}
	}
	return style{}
}

// styleOf reads the code of a custom format, without its quoted texts, escaped
// characters, and conditions and languages in brackets.
func styleOf(code string) style {
	var bare strings.Builder
	code, _, _ = strings.Cut(code, ";") // the format of positive numbers
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '"', '[':
			closing := byte('"')
			if code[i] == '[' {
				closing = ']'
			}
			if end := strings.IndexByte(code[i+1:], closing); end >= 0 {
				i += end + 1
			}
		case '\\', '_', '*':
			i++
		default:
			bare.WriteByte(code[i])
		}
	}
	s := strings.ToLower(bare.String())
	if s != "" && len(s) < 100 && strings.Trim(s, "0") == "" {
		return style{zeros: uint8(len(s))}
	}
	if s == "general" {
		return style{}
	}
	return style{date: strings.ContainsAny(s, "ymdh"), clock: strings.Contains(s, "h")}
}
