package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"strings"
)

// toyEmbedder is a command that makes vectors: of a text the sum of those of its words, and
// words that mean the same have the same.
func toyEmbedder() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var text string
		if err := json.Unmarshal(in.Bytes(), &text); err != nil {
			os.Exit(1)
		}
		v := make([]float32, 256)
		for w := range strings.FieldsSeq(strings.NewReplacer("automobile", "car", "vehicle", "car").Replace(text)) {
			h := fnv.New64a()
			h.Write([]byte(w))
			r := h.Sum64()
			for i := range v {
				r = r*6364136223846793005 + 1442695040888963407
				v[i] += float32(int32(r >> 32))
			}
		}
		out, err := json.Marshal(v)
		if err != nil {
			os.Exit(1)
		}
		fmt.Println(string(out))
	}
}
