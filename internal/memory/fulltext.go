package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// passage is what a memory is found by.
type passage struct {
	doc   int64
	words string
}

// count notes in how many memories each word stands.
func (u *update) count(of set, text string, by int64) {
	if u.counts[of] == nil {
		u.counts[of] = make(map[string]int64)
	}
	list := strings.Fields(text)
	slices.Sort(list)
	for _, w := range slices.Compact(list) {
		u.counts[of][w] += by
	}
}

// maxPassages bounds the bytes of texts that wait for the full-text index.
const maxPassages = 4 << 20

func (u *update) enterAll() error {
	for _, of := range []set{trustedSet, restSet} {
		if err := u.enter(of); err != nil {
			return err
		}
	}
	u.size = 0
	return nil
}

// enter brings the texts of a half into the full-text index. It does so in the order of
// their numbers: each step back would make a segment of its own.
func (u *update) enter(of set) error {
	list := u.texts[of]
	slices.SortFunc(list, func(a, b passage) int { return cmp.Compare(a.doc, b.doc) })
	for _, t := range list {
		if err := run(u.c, fmt.Sprintf("INSERT INTO %[1]s_text(rowid, words) VALUES(?, ?)", of), t.doc, t.words); err != nil {
			return err
		}
	}
	delete(u.texts, of)
	return nil
}

// flush writes texts and counts. A word that stands nowhere is gone.
func (u *update) flush() error {
	if err := u.enterAll(); err != nil {
		return err
	}
	for of, counts := range u.counts {
		up := fmt.Sprintf("INSERT INTO %s_word VALUES(?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n", of)
		gone := fmt.Sprintf("DELETE FROM %s_word WHERE word = ? AND n <= 0", of)
		for word, by := range counts {
			if by == 0 {
				continue
			}
			if err := run(u.c, up, word, by); err != nil {
				return err
			}
			if by < 0 {
				if err := run(u.c, gone, word); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
