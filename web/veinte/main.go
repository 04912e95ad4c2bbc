// Command veinte is the back office with which shops cancel today's card sales
// before 20:00.
package main

import (
	"os"

	"veinte/web"
)

func main() {
	os.Exit(web.Main(os.Args[1:]))
}
